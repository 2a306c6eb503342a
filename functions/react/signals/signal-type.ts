import * as z from 'zod/mini';
import type { Reading } from '../../../core/signal.ts';
import { type Envelope, firstProblem } from './envelope.ts';

/** One kind of event: its name, the schema of its detail, and its translation into a signal. */
export type SignalType = {
  readonly source: string;
  readonly detailType: string;
  read(event: Envelope): Reading;
};

/**
 * Makes a signal type from a schema and a translation. A detail that does not fit is invalid, with the path of the
 * error.
 */
export const signalType = <Detail extends z.ZodMiniType>(definition: {
  readonly source: string;
  readonly detailType: string;
  readonly detail: Detail;
  readonly toReading: (detail: z.output<Detail>, event: Envelope) => Reading;
}): SignalType => ({
  source: definition.source,
  detailType: definition.detailType,
  read: (event) => {
    const parsed = z.safeParse(definition.detail, event.detail);
    if (!parsed.success)
      return { kind: 'invalid', why: `${definition.detailType}: detail.${firstProblem(parsed.error)}` };
    return definition.toReading(parsed.data, event);
  },
});

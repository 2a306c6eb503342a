import * as z from 'zod/mini';
import type { Signal } from '../../../core/signal.ts';
import { timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

type Quiet = Extract<Signal, { readonly kind: 'alarm' }>['quiet'];

/** What CloudWatch evaluated, as text within the event. Composite alarms and anomaly detection have no threshold. */
const reasonData = z.object({
  threshold: z.number(),
  recentDatapoints: z.optional(z.array(z.number())),
  evaluatedDatapoints: z.optional(z.array(z.object({ timestamp: z.string(), value: z.optional(z.number()) }))),
});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The latest value less the threshold. Undefined where the text does not tell it: the alarm went off all the same. */
const fromThreshold = (text: string | null | undefined): number | undefined => {
  const read = z.safeParse(reasonData, parsed(text ?? ''));
  if (!read.success) return undefined;
  const { threshold, recentDatapoints = [], evaluatedDatapoints = [] } = read.data;
  const [latest] = evaluatedDatapoints
    .filter(({ value }) => value !== undefined)
    .toSorted((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp));
  const value = latest?.value ?? recentDatapoints.at(-1);
  return value === undefined ? undefined : value - threshold;
};

/**
 * A CloudWatch alarm changed its state. `ALARM` scales, and the end of it tells how long that lasts: CloudWatch sends
 * nothing while a state stays. A composite alarm says what suppresses its actions; a mute rule adds `muteDetail`. The
 * time of the state is when the change happened, also in a repeated delivery.
 */
export const alarm = signalType({
  source: 'aws.cloudwatch',
  detailType: 'CloudWatch Alarm State Change',
  detail: z.object({
    alarmName: z.string().check(z.minLength(1), z.maxLength(255)),
    state: z.object({
      value: z.enum(['ALARM', 'OK', 'INSUFFICIENT_DATA']),
      reasonData: z.optional(z.nullable(z.string())),
      actionsSuppressedBy: z.optional(z.nullable(z.string())),
    }),
    muteDetail: z.optional(z.unknown()),
  }),
  toReading: ({ alarmName, state: { value: state, reasonData: why, actionsSuppressedBy }, muteDetail }, event) => {
    const muted: Quiet = muteDetail === undefined || muteDetail === null ? undefined : 'muted';
    const quiet: Quiet = actionsSuppressedBy ? 'suppressed' : muted;
    const distance = fromThreshold(why);
    return {
      kind: 'signal',
      signal: {
        kind: 'alarm',
        alarm: alarmName,
        state,
        ...(quiet && { quiet }),
        ...(distance !== undefined && { fromThreshold: distance }),
        atMs: timeOf(event),
      },
    };
  },
});

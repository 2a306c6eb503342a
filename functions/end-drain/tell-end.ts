import { type DrainError, unendedShortfall } from '../../core/drain/shortfall.ts';
import { shortfallText } from '../../core/drain/shortfall-text.ts';
import type { ActionResult, Announcement, DrainOrder } from '../../core/ports.ts';
import type { Shortfall } from '../../core/shortfall.ts';
import type { Swap } from '../../core/swap.ts';
import { announcements } from '../contract.ts';
import type { EndDrainPorts } from './ports.ts';

export type DrainEnd = {
  readonly swaps: readonly Swap[];
  readonly gone: readonly Swap[];
  readonly failed: ActionResult['failed'];
  readonly error: DrainError | undefined;
};

const ids = (things: readonly { readonly instance: string }[]): readonly string[] => things.map(({ instance }) => instance);

type Fallen = { readonly instance: string; readonly shortfall: Shortfall };

/**
 * Shortfalls with their text and the instances that each holds for. Those that read the same are one, with the data of the first: a batch has few
 * texts, and an event has a size limit.
 */
const byText = (fallen: readonly Fallen[]) =>
  [...Map.groupBy(fallen, ({ shortfall }) => shortfallText(shortfall))].map(([text, of]) => ({ ...of[0]?.shortfall, text, instances: ids(of) }));

const finished = ({ group, drain }: DrainOrder, { swaps, gone, error }: DrainEnd): Announcement => ({
  detailType: announcements.drainFinished,
  group,
  detail: {
    drain,
    drained: ids(swaps),
    gone: ids(gone),
    shortfalls: byText([...swaps, ...gone].flatMap(({ instance, shortfall }) => (shortfall === undefined ? [] : [{ instance, shortfall }]))),
    ...(error && { error: error.Error }),
  },
});

const failures = ({ group, drain }: DrainOrder, { failed }: DrainEnd): readonly Announcement[] =>
  byText(failed.map(({ instance, code }) => ({ instance, shortfall: unendedShortfall(code) }))).map((shortfall) => ({
    detailType: announcements.swapFailed,
    group,
    detail: { drain, ...shortfall },
  }));

/** Tells the bus how a drain ended: one event for the batch, and one per kind of failure. A repeated end tells it again, under the same drain id. */
export const tellEnd = (ports: EndDrainPorts, order: DrainOrder, end: DrainEnd): Promise<void> =>
  ports.announcer.announce([finished(order, end), ...failures(order, end)]);

import { type DrainError, unendedShortfall } from '../../core/drain/shortfall.ts';
import type { ActionResult, Announcement, DrainOrder } from '../../core/ports.ts';
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

/** Instances by the sentence that is said of them: a batch has few sentences, and an event has a size limit. */
const bySentence = (said: readonly { readonly instance: string; readonly sentence: string }[]) =>
  [...Map.groupBy(said, ({ sentence }) => sentence)].map(([sentence, of]) => ({ sentence, instances: ids(of) }));

const finished = ({ group, drain }: DrainOrder, { swaps, gone, error }: DrainEnd): Announcement => ({
  detailType: announcements.drainFinished,
  group,
  detail: {
    drain,
    drained: ids(swaps),
    gone: ids(gone),
    shortfalls: bySentence(
      [...swaps, ...gone].flatMap(({ instance, shortfall }) => (shortfall === undefined ? [] : [{ instance, sentence: shortfall }])),
    ),
    ...(error && { error: error.Error }),
  },
});

const failures = ({ group, drain }: DrainOrder, { failed }: DrainEnd): readonly Announcement[] =>
  bySentence(failed.map(({ instance, code }) => ({ instance, sentence: unendedShortfall(code) }))).map(({ sentence, instances }) => ({
    detailType: announcements.swapFailed,
    group,
    detail: { drain, instances, why: sentence },
  }));

/** Tells the bus how a drain ended: one event for the batch, and one per kind of failure. A repeated end tells it again, under the same drain id. */
export const tellEnd = (ports: EndDrainPorts, order: DrainOrder, end: DrainEnd): Promise<void> =>
  ports.announcer.announce([finished(order, end), ...failures(order, end)]);

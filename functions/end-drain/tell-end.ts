import { chunks } from '../../aws/calls/chunks.ts';
import { announcements } from '../../core/contract.ts';
import type { DrainError } from '../../core/drain/shortfall.ts';
import { shortfallText } from '../../core/drain/shortfall-text.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { Announcement } from '../../core/ports/surroundings.ts';
import type { Shortfall } from '../../core/swap/shortfall.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { EndDrainPorts } from './ports.ts';
import { endNotTold, onlyForNow, type Undone } from './undone.ts';

export type DrainEnd = {
  readonly swaps: readonly Swap[];
  readonly gone: readonly Swap[];
  readonly error: DrainError | undefined;
};

const ids = (things: readonly { readonly instance: string }[]): readonly string[] =>
  things.map(({ instance }) => instance);

type Fallen = { readonly instance: string; readonly shortfall: Shortfall };

/**
 * Shortfalls with their text and the instances that each applies to. Shortfalls with the same text are combined and
 * keep the data of the first: a batch has few different texts, and an event has a size limit.
 */
const byText = (fallen: readonly Fallen[]) =>
  [...Map.groupBy(fallen, ({ shortfall }) => shortfallText(shortfall))].map(([text, of]) => ({
    ...of[0]?.shortfall,
    text,
    instances: ids(of),
  }));

const fallenOf = (swaps: readonly Swap[]): readonly Fallen[] =>
  swaps.flatMap(({ instance, shortfall }) => (shortfall === undefined ? [] : [{ instance, shortfall }]));

/** How many members have a shortfall. Those that EC2 has taken by then count too: their work was cut. */
export const lateIn = ({ swaps, gone }: DrainEnd): number => fallenOf([...swaps, ...gone]).length;

/**
 * One event names at most this many instances. Even when each has a shortfall of its own, it stays below half of the
 * bus's 256 KB.
 */
const idsPerEvent = 200;

/**
 * One event for a batch, or one for each part of a large batch. Every part has its number, the number of parts, and the
 * counts of the whole batch.
 */
const finished = ({ group, drain }: DrainOrder, { swaps, gone, error }: DrainEnd): readonly Announcement[] => {
  const all = [...swaps, ...gone];
  const isGone = new Set(ids(gone));
  const counts = { drained: swaps.length, gone: gone.length, shortfalls: fallenOf(all).length };
  const parts = chunks(all, idsPerEvent);
  return parts.map((part, index) => ({
    detailType: announcements.drainFinished,
    group,
    detail: {
      drain,
      part: index + 1,
      parts: parts.length,
      counts,
      drained: ids(part.filter(({ instance }) => !isGone.has(instance))),
      gone: ids(part.filter(({ instance }) => isGone.has(instance))),
      shortfalls: byText(fallenOf(part)),
      ...(error && { error: error.Error }),
    },
  }));
};

const failed: ReadonlySet<Shortfall['code'] | undefined> = new Set(['not-ended', 'still-in-service']);

/**
 * Whether its end was refused, or it could not be taken out of service and serves on. One whose end was refused may
 * have ended since, by others.
 */
const hasFailed = ({ shortfall }: Swap): boolean => failed.has(shortfall?.code);

const failures = ({ group, drain }: DrainOrder, { swaps, gone }: DrainEnd): readonly Announcement[] =>
  chunks([...swaps, ...gone].filter(hasFailed), idsPerEvent)
    .flatMap((part) => byText(fallenOf(part)))
    .map((shortfall) => ({ detailType: announcements.swapFailed, group, detail: { drain, ...shortfall } }));

/**
 * Sends the event about the end of a drain, and one for each kind of failure. A repeated end sends it again, under the
 * same drain id. Returns what is left to be done when the bus cannot take them now.
 */
export const tellEnd = async (ports: EndDrainPorts, order: DrainOrder, end: DrainEnd): Promise<Undone | undefined> => {
  const sent = ports.announcer.announce([...finished(order, end), ...failures(order, end)]);
  const trouble = await sent.then(() => undefined, onlyForNow);
  return trouble === undefined ? undefined : endNotTold(trouble);
};

type Told = {
  readonly drained: number;
  readonly gone: number;
  readonly late: number;
  readonly undone: Undone | undefined;
};

/**
 * Ends a drain without open swaps. Another drain took over all of its members, or looks have moved its swaps into
 * history: the table failed for so long that its instances are gone by now, or EC2 did not take them and they are back
 * in service. Then only the event is missing.
 */
export const tellLate = async (
  ports: EndDrainPorts,
  order: DrainOrder,
  error: DrainError | undefined,
): Promise<Told> => {
  const past = await ports.store.historyOf(order.group, order.drain);
  const swaps = past.filter(({ state }) => state !== 'gone');
  const gone = past.filter(({ state }) => state === 'gone');
  const end = { swaps, gone, error };
  const undone = past.length > 0 ? await tellEnd(ports, order, end) : undefined;
  return { gone: gone.length, drained: swaps.length, late: lateIn(end), undone };
};

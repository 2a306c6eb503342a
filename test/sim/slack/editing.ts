import type { History, HistoryEvent } from '../../../sandbox/judge/history.ts';

/** A false step of one kind, planted into a history that was right. */
export type Planted = { readonly kind: string; readonly history: History };

export type EventOf<Kind extends HistoryEvent['kind']> = Extract<HistoryEvent, { readonly kind: Kind }>;

export const eventsOf = <Kind extends HistoryEvent['kind']>({ events }: History, kind: Kind): readonly EventOf<Kind>[] =>
  events.filter((event): event is EventOf<Kind> => event.kind === kind);

/** The same history with other events, in the order of their times. */
export const withEvents = (history: History, events: readonly HistoryEvent[]): History => ({
  ...history,
  events: events.toSorted((a, b) => a.atMs - b.atMs),
});

export const without = (history: History, gone: readonly HistoryEvent[]): History => {
  const set = new Set(gone);
  return { ...history, events: history.events.filter((event) => !set.has(event)) };
};

/** One event in the place of another. */
export const replaced = (history: History, old: HistoryEvent, ...fresh: readonly HistoryEvent[]): History =>
  withEvents(
    history,
    history.events.flatMap((event) => (event === old ? fresh : [event])),
  );

export const added = (history: History, ...fresh: readonly HistoryEvent[]): History => withEvents(history, [...history.events, ...fresh]);

/** Evenly spread over a list, so many at most. */
export const some = <T>(list: readonly T[], most: number): readonly T[] =>
  list.length <= most ? list : Array.from({ length: most }, (_, index) => list[Math.floor((index * list.length) / most)] as T);

/** One event of an execution's history, with the type names and detail members of GetExecutionHistory. */
export type HistoryEvent = {
  readonly id: number;
  readonly previousEventId: number;
  readonly timestamp: Date;
  readonly type: string;
} & Readonly<Record<string, unknown>>;

export type History = {
  add(type: string, details?: Readonly<Record<string, unknown>>): void;
  readonly events: readonly HistoryEvent[];
  /** Nothing is written after the execution's last event. */
  close(): void;
};

const detailMember: readonly (readonly [RegExp, string])[] = [
  [/StateEntered$/, 'stateEnteredEventDetails'],
  [/StateExited$/, 'stateExitedEventDetails'],
];

/** The member of an event with its details. For `TaskScheduled`, it is `taskScheduledEventDetails`. */
const detailsOf = (type: string): string =>
  detailMember.find(([pattern]) => pattern.test(type))?.[1] ?? `${type[0]?.toLowerCase()}${type.slice(1)}EventDetails`;

/** Step Functions ends an execution that has more events than this. */
export const mostEvents = 25_000;

export const createHistory = (now: () => number): History => {
  const events: HistoryEvent[] = [];
  let closed = false;
  return {
    events,
    add: (type, details) => {
      if (closed) return;
      const id = events.length + 1;
      const event = { id, previousEventId: id - 1, timestamp: new Date(now()), type };
      events.push(details === undefined ? event : { ...event, [detailsOf(type)]: details });
    },
    close: () => {
      closed = true;
    },
  };
};

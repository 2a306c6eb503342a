/** Milliseconds since the epoch. */
export type Clock = { now(): number };

/** Sends ourselves a message to look at these groups again at that time. */
export type Wakes = { wake(groups: readonly string[], atMs: number): Promise<void> };

/** Puts events on the event bus. */
export type Announcer = { announce(events: readonly Announcement[]): Promise<void> };

export type Announcement = {
  readonly detailType: string;
  readonly group: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

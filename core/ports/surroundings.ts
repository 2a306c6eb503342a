/** Milliseconds since the epoch. */
export type Clock = { now(): number };

/**
 * Sends ourselves a message to look at these groups again at that time. `ahead`: it is sent before this call ends, so
 * that somebody looks even if this function dies after that. A wake that cannot be sent ahead is no failure.
 * `together`: nothing is due at that time, so these groups may be looked at with all others that are woken in this way
 * for the same common mark, whichever function wakes them. A look at many groups takes longer.
 */
export type Wakes = {
  wake(groups: readonly string[], atMs: number, how?: 'ahead' | 'together'): Promise<void>;
  /** The wake of these groups for that time has come. By a wrong clock it may still be to come. */
  came(groups: readonly string[], atMs: number): void;
};

/** Looks at common marks, each shared by the groups that are woken together for it. */
export type CommonLooks = {
  /** The look at that time begins. Returns the groups that joined it. */
  begin(atMs: number): Promise<readonly string[]>;
};

/** A delivery of a message that comes again, and when. */
export type Postponed = { readonly receipt: string; readonly atMs: number };

/**
 * Says when messages are delivered again. Those that cannot be postponed come again at the queue's own time.
 */
export type Redelivery = { postpone(messages: readonly Postponed[]): Promise<void> };

/** Puts events on the event bus. */
export type Announcer = { announce(events: readonly Announcement[]): Promise<void> };

export type Announcement = {
  readonly detailType: string;
  readonly group: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

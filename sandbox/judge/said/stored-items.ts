/** The items that Holdfast had stored at the end, to compare with the events. */
export type Stored = {
  readonly states: Readonly<Record<string, unknown>>;
  readonly swaps: readonly unknown[];
  readonly decisions: readonly unknown[];
  readonly deadLetters: number;
  /** The number of messages that are on a queue for too long. */
  readonly staleMessages: number;
};

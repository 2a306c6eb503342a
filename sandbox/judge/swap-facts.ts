/** What a swap says of its instance. `hooks`: the terminating hooks that it knows. */
export type SwapFacts = {
  readonly offering: string;
  readonly asg?: string;
  readonly deadlineMs?: number;
  readonly hooks: readonly string[];
};

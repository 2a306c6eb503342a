/**
 * What a swap says of its instance. `hooks`: the terminating hooks that it knows. `hookEnds`: when each of them that is not over expires, by its name,
 * epoch ms. `decision`: the decision that it names. Absent: not recorded.
 */
export type SwapFacts = {
  readonly offering: string;
  readonly asg?: string;
  readonly deadlineMs?: number;
  readonly decision?: string;
  readonly hooks: readonly string[];
  readonly hookEnds?: Readonly<Record<string, number>>;
};

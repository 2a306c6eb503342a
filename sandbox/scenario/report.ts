import type { Cost } from '../../core/observe/not-done.ts';
import type { Shortfall } from '../../core/swap/shortfall.ts';

/** One thing that must hold, and whether it did. */
export type Invariant = { readonly name: string; readonly ok: boolean; readonly detail: string };

/** One interrupted instance, from the warning to its end. Times are world time in epoch milliseconds; absent: it did not happen. */
export type InterruptionRow = {
  readonly instance: string;
  readonly group: string;
  readonly zone: string;
  readonly replacement?: string;
  readonly warnedAtMs: number;
  readonly replacementRequestedAtMs?: number;
  readonly replacementServingAtMs?: number;
  readonly drainStartedAtMs?: number;
  readonly drainedAtMs?: number;
  readonly goneAtMs?: number;
  /** The shortfalls that Holdfast recorded. */
  readonly shortfall?: Shortfall;
};

/** A decision that was only observed: what would have been done. */
export type ObservedRow = {
  readonly decision: string;
  readonly group: string;
  readonly atMs: number;
  /** Members that signals named. */
  readonly leaves: readonly string[];
  /** What would have been launched, by pool. */
  readonly launches: readonly string[];
  readonly removals: readonly string[];
  readonly adds: Cost;
  readonly ends: Cost;
  /** How the group reached its size again without Holdfast, if it did. */
  readonly came?: { readonly afterMs: number; readonly count: number; readonly cost: Cost };
};

/** What rebalance advice cost a group, and what it spared it. */
export type AdviceRow = {
  readonly group: string;
  /** Members that were advised to be replaced, and those that Holdfast replaced for it. */
  readonly advised: number;
  readonly replaced: number;
  /** Members that EC2 took anyway, and members that had left before EC2 took them. */
  readonly interrupted: number;
  readonly avoided: number;
};

export type GroupRow = {
  readonly group: string;
  readonly desired: number;
  readonly serving: number;
  readonly lowestServing: number;
  readonly byPool: Readonly<Record<string, number>>;
  /** Share of the time with the whole desired size serving, percent. */
  readonly availabilityPercent: number;
  /** How many served, at every change from the moment when the group was up; world time in epoch milliseconds. */
  readonly servingOverTime: readonly { readonly atMs: number; readonly serving: number }[];
};

export type Report = {
  readonly scenario: string;
  readonly mode: 'live' | 'simulated';
  readonly seed: number;
  /** Live: how many world seconds passed in a second, on average. Less than `--speed`, where this machine did not keep up. */
  readonly reachedSpeed?: number;
  readonly ok: boolean;
  readonly invariants: readonly Invariant[];
  readonly groups: readonly GroupRow[];
  readonly interruptions: readonly InterruptionRow[];
  /** What would have been done for groups that are observed. */
  readonly observed: readonly ObservedRow[];
  readonly advice: readonly AdviceRow[];
  readonly requests: { readonly served: number; readonly dropped: number };
  readonly calls: Readonly<Record<string, number>>;
  readonly mutatingCalls: number;
  readonly costUsd: number;
  /** What the same instance hours would have cost on demand. */
  readonly onDemandCostUsd: number;
  readonly startedAtMs: number;
  readonly readyAtMs?: number;
  readonly endedAtMs: number;
  readonly notes: readonly string[];
};

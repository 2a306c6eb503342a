import type { History } from '../../sandbox/judge/history.ts';
import { judge } from '../../sandbox/judge/judge.ts';

/** A rule that does not hold, and what shows it. */
export type Violation = { readonly invariant: string; readonly detail: readonly string[] };

/** Seconds since every group was up. */
const since = ({ readyAtMs }: History, atMs: number): string => `${((atMs - readyAtMs) / 1_000).toFixed(1)} s`;

/** What the judge finds in a run, rule by rule. */
export const violationsOf = (history: History): readonly Violation[] =>
  [...Map.groupBy(judge(history).broken, ({ rule }) => rule)].map(([invariant, findings]) => ({
    invariant,
    detail: findings.map(({ group, atMs, detail }) => `${since(history, atMs)}${group === undefined ? '' : ` ${group}`}: ${detail}`),
  }));

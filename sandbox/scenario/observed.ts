import { items } from '../../core/contract.ts';
import type { Decision } from '../../core/decision/decision.ts';
import type { DecisionRecord } from '../../core/decision/decision-record.ts';
import type { Remark } from '../../core/decision/remark.ts';
import type { ObservedRow } from './report.ts';

type Came = Extract<Remark, { readonly code: 'came-by-itself' }>;

const placed = ({ placements }: Decision): readonly string[] => placements.map(({ pool, count }) => `${count} from ${pool}`);

/** Decisions in mode `observe`, and what happened without Holdfast, as Holdfast stored both. */
export const observedIn = (table: readonly Record<string, unknown>[]): readonly ObservedRow[] => {
  const records = table
    .filter(({ item }) => String(item).startsWith(items.decisionPrefix))
    .map((item) => item as unknown as DecisionRecord)
    .toSorted((a, b) => a.atMs - b.atMs);
  const came = new Map(
    records
      .flatMap(({ rounds }) => rounds.flatMap(({ remarks = [] }) => remarks))
      .flatMap((remark): readonly (readonly [string, Came])[] => (remark.code === 'came-by-itself' ? [[remark.decision, remark]] : [])),
  );
  return records.flatMap(({ id, group, atMs, rounds, outcome }): readonly ObservedRow[] => {
    if (outcome?.code !== 'observed') return [];
    const { leaves, adds, ends } = outcome;
    const instead = came.get(id);
    return [
      {
        decision: id,
        group,
        atMs,
        leaves: leaves.map(({ instance }) => instance),
        launches: rounds.flatMap(placed),
        removals: rounds.flatMap(({ removals, drains }) => [...removals.map(({ instance }) => instance), ...drains]),
        adds,
        ends,
        ...(instead !== undefined && { came: { afterMs: instead.afterMs, count: instead.count, cost: instead.cost } }),
      },
    ];
  });
};

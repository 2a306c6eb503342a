import { items } from '../../core/contract.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';

/** What Holdfast wrote down, as a report reads it. */
export type Stored = {
  readonly states: ReadonlyMap<string, GroupState>;
  readonly swaps: ReadonlyMap<string, Swap>;
  /** The instance that replaces another one, and when it was requested. */
  readonly replacements: ReadonlyMap<string, { readonly instance: string }>;
  readonly decisions: number;
};

type Launch = { readonly replaces?: readonly string[]; readonly instances?: readonly string[] };

const pairsOf = (item: Record<string, unknown>): readonly (readonly [string, { readonly instance: string }])[] => {
  const launches = (item.outcome as { launches?: readonly Launch[] } | undefined)?.launches ?? [];
  return launches.flatMap(({ replaces = [], instances = [] }) =>
    replaces.flatMap((old, index) => {
      const instance = instances[index];
      return instance === undefined ? [] : [[old, { instance }] as const];
    }),
  );
};

/** Reads the state table's items. */
export const readStored = (table: readonly Record<string, unknown>[]): Stored => {
  const kindOf = (item: Record<string, unknown>): string => String(item.item);
  const decisions = table.filter((item) => kindOf(item).startsWith(items.decisionPrefix));
  const swapItems = table.filter((item) => item.instance !== undefined && item.claimedAtMs !== undefined) as unknown as readonly Swap[];
  return {
    states: new Map(table.filter((item) => kindOf(item) === items.state).map((item) => [String(item.group), item.state as GroupState])),
    swaps: new Map(swapItems.map((swap) => [swap.instance, swap])),
    replacements: new Map(decisions.toSorted((a, b) => kindOf(a).localeCompare(kindOf(b))).flatMap(pairsOf)),
    decisions: decisions.length,
  };
};

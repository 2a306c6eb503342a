import { remembered } from '../remembered.ts';
import type { Policy, PolicyPool, TreeNode } from './policy.ts';

/** A selector of a policy's tree with its children, as the policy reference reads it. */
export type Selector = {
  readonly kind: 'tiered' | 'spread' | 'weighted' | 'cheapest';
  readonly by: 'pool' | 'zone' | 'instance-type';
  readonly children: readonly TreeNode[];
  readonly weights: readonly number[];
};

type Listed = readonly (TreeNode | { readonly use: TreeNode; readonly weight: number })[];

const readSelector = remembered((node: Exclude<TreeNode, string>): Selector => {
  const kind = (['tiered', 'spread', 'weighted', 'cheapest'] as const).find((name) => name in node);
  if (kind === undefined)
    throw new Error(
      `The judge has no selector of the form ${Object.keys(node).join(', ')}: add it to sandbox/judge/policy/tree.ts and to the rules about placement.`,
    );
  const said = node[kind];
  const isLong = typeof said === 'object' && said !== null && !Array.isArray(said);
  const { of, by } = isLong ? (said as { of: Listed; by?: string }) : { of: said as Listed, by: node.by };
  const entries = of.map((child) =>
    typeof child === 'object' && 'use' in child ? (child as { use: TreeNode; weight: number }) : { use: child as TreeNode, weight: 1 },
  );
  return {
    kind,
    by: by === 'zone' || by === 'instance-type' ? by : 'pool',
    children: entries.map(({ use }) => use),
    weights: entries.map(({ weight }) => weight),
  };
});

/** Reads a node that is no pool; nothing for a pool's name. Throws on a kind that the judge does not have: its rules would pass whatever it places. */
export const selectorOf = (node: TreeNode): Selector | undefined => (typeof node === 'string' ? undefined : readSelector(node));

const poolsBelowSelector = remembered((node: Exclude<TreeNode, string>): readonly string[] => readSelector(node).children.flatMap(poolsBelow));

/** Names of the pools below a node. */
export function poolsBelow(node: TreeNode): readonly string[] {
  return typeof node === 'string' ? [node] : poolsBelowSelector(node);
}

/** Every selector on the way from the root to a pool, with the child that leads there. */
export const pathTo = (node: TreeNode, pool: string): readonly { readonly selector: Selector; readonly child: number }[] => {
  const selector = selectorOf(node);
  if (selector === undefined) return [];
  const child = selector.children.findIndex((one) => poolsBelow(one).includes(pool));
  const next = selector.children[child];
  return next === undefined ? [] : [{ selector, child }, ...pathTo(next, pool)];
};

/** Names of the pools below a node that get new members. A child of weight 0 gets none (docs/policy.md). */
export const usedBelow = (node: TreeNode): readonly string[] => {
  const selector = selectorOf(node);
  if (selector === undefined) return poolsBelow(node);
  return selector.children.flatMap((child, index) => (selector.weights[index] === 0 ? [] : usedBelow(child)));
};

/** Pools of a policy that get new members. */
export const usedPools = (policy: Policy, node: TreeNode = policy.capacity): readonly PolicyPool[] =>
  usedBelow(node).flatMap((name) => policy.pools[name] ?? []);

export const poolsOf = (policy: Policy, node: TreeNode): readonly PolicyPool[] => poolsBelow(node).flatMap((name) => policy.pools[name] ?? []);

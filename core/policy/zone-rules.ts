import type { Pool } from '../pool/pool.ts';
import { childrenOf, poolsBelow, type Selector } from '../selector/selector.ts';
import { type Problem, problemOf, showFound } from './problem.ts';
import { distinct, type LookedUp } from './resolution.ts';
import { selectorOf } from './resolve-capacity.ts';
import type { Policy } from './schema.ts';
import { isSizedOutside } from './size-of.ts';

type ZonesOf = (pool: string) => readonly string[];

const zonesBelow = (node: Selector, zonesOf: ZonesOf): readonly string[] => distinct(poolsBelow(node).flatMap(zonesOf));

/** Whether a tree takes some zones before others. A spread takes all of its zones evenly. */
const prefersZones = (node: Selector, zonesOf: ZonesOf): boolean => {
  if (node.kind === 'pool') return zonesOf(node.pool).length > 1;
  const children = childrenOf(node);
  if (node.kind === 'spread') return children.some((child) => child.kind !== 'pool' && prefersZones(child, zonesOf));
  const zones = new Set(children.map((child) => zonesBelow(child, zonesOf).join()));
  return zones.size > 1 || children.some((child) => prefersZones(child, zonesOf));
};

/**
 * An Auto Scaling group that evens out its zones although the tree prefers some of them: it launches in the emptiest
 * zone and ends members in the fullest, and Holdfast may launch there again. A new group does so unless its owner
 * suspends `AZRebalance` (Auto Scaling User Guide, Rebalancing activities).
 */
export const zoneWarnings = (
  policy: Policy,
  { asgs, evensOut = [] }: LookedUp,
  pools: readonly Pool[],
): readonly Problem[] => {
  const { asg } = policy;
  const zones = asg === undefined ? undefined : asgs[asg]?.zones;
  if (asg === undefined || zones === undefined || !evensOut.includes(asg) || isSizedOutside(policy)) return [];
  const zonesByPool = new Map(pools.map(({ name, subnets }) => [name, distinct(subnets.map(({ zone }) => zone))]));
  const zonesOf: ZonesOf = (pool) => zonesByPool.get(pool) ?? [];
  const tree = selectorOf(policy.capacity, pools);
  const isEven = !prefersZones(tree, zonesOf) && zones.every((zone) => zonesBelow(tree, zonesOf).includes(zone));
  if (isEven) return [];
  const found = `${showFound(asg)}, which evens out its zones while the tree prefers some of them`;
  const how = `aws autoscaling suspend-processes --auto-scaling-group-name ${asg} --scaling-processes AZRebalance`;
  return [problemOf({ path: ['asg'], found, allowed: `a group whose process AZRebalance is suspended (${how})` })];
};

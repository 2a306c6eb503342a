import type { Pool } from '../pool/pool.ts';
import type { Selector } from '../selector/selector.ts';
import type { CapacityNode } from './capacity-schema.ts';

/** Pools with subnets in several zones. */
type Wide = ReadonlySet<string>;

const zonesIn = ({ subnets }: Pool): number => new Set(subnets.map(({ zone }) => zone)).size;

/**
 * A pool of several zones becomes an even spread over them. Two places are left as they are: below `cheapest` the price
 * decides, and below a spread by zone the zone is already decided.
 */
const leafOf = (pool: string, wide: Wide): Selector => {
  const leaf: Selector = { kind: 'pool', pool };
  return wide.has(pool) ? { kind: 'spread', by: 'zone', children: [leaf] } : leaf;
};

const noPools: Wide = new Set();

const resolved = (node: CapacityNode, wide: Wide): Selector => {
  if (typeof node === 'string') return leafOf(node, wide);
  if ('tiered' in node) return { kind: 'tiered', children: node.tiered.map((child) => resolved(child, wide)) };
  if ('spread' in node) return spreadOf(node, wide);
  if ('cheapest' in node) return { kind: 'cheapest', children: node.cheapest.map((child) => resolved(child, noPools)) };
  return { kind: 'weighted', children: node.weighted.map(({ use, weight }) => ({ use: resolved(use, wide), weight })) };
};

const spreadOf = (node: Extract<CapacityNode, { readonly spread: unknown }>, wide: Wide): Selector => {
  const { spread, by: beside } = node;
  const { of, by = 'pool' } = 'of' in spread ? spread : { of: spread, by: beside };
  const below = by === 'zone' ? noPools : wide;
  return { kind: 'spread', by, children: of.map((child) => resolved(child, below)) };
};

/** The tree of a policy as decisions read it. */
export const selectorOf = (capacity: CapacityNode, pools: readonly Pool[]): Selector =>
  resolved(capacity, new Set(pools.filter((pool) => zonesIn(pool) > 1).map(({ name }) => name)));

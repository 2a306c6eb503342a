import type { Pool } from '../pool/pool.ts';
import { writtenKinds } from '../selector/kinds.ts';
import type { CapacityNode, Selector } from '../selector/selector.ts';

/** Pools with subnets in several zones. */
type Wide = ReadonlySet<string>;

const zonesIn = ({ subnets }: Pool): number => new Set(subnets.map(({ zone }) => zone)).size;

/** A pool of several zones becomes an even spread over them, unless a selector above it decides the zone. */
const leafOf = (pool: string, wide: Wide): Selector => {
  const leaf: Selector = { kind: 'pool', pool };
  return wide.has(pool) ? { kind: 'spread', by: 'zone', children: [leaf] } : leaf;
};

const noPools: Wide = new Set();

const resolved = (node: CapacityNode, wide: Wide): Selector => {
  if (typeof node === 'string') return leafOf(node, wide);
  const [, kind] = Object.entries(writtenKinds).find(([name]) => name in node) ?? [];
  if (kind === undefined) throw new TypeError(`Expected a selector, found a map with ${Object.keys(node).join(', ')}`);
  return kind.resolve(node, {
    child: (child) => resolved(child, wide),
    childInZone: (child) => resolved(child, noPools),
  });
};

/** The tree of a policy as decisions read it. */
export const selectorOf = (capacity: CapacityNode, pools: readonly Pool[]): Selector =>
  resolved(capacity, new Set(pools.filter((pool) => zonesIn(pool) > 1).map(({ name }) => name)));

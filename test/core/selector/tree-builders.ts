import type { Held } from '../../../core/placement/held-cells.ts';
import { type Plan, type PlanInput, planPlacements } from '../../../core/placement/plan-placements.ts';
import { type OfferingKey, offeringKey } from '../../../core/pool/offering.ts';
import type { Pool } from '../../../core/pool/pool.ts';
import type { Lesson, PoolMemory } from '../../../core/pool-memory/pool-memory.ts';
import type { Selector, SpreadBy } from '../../../core/selector/selector.ts';

export const nowMs = 1_700_000_000_000;

type PoolSketch = Partial<Omit<Pool, 'subnets' | 'name'>> & { readonly zones?: readonly string[] };

export const pool = (name: string, { zones = ['zone-a'], ...rest }: PoolSketch = {}): Pool => ({
  name,
  market: 'spot',
  subnets: zones.map((zone) => ({ id: `subnet-${zone}`, zone })),
  instanceTypes: ['m7g.large'],
  ...rest,
});

export const poolsOf = (...pools: readonly Pool[]): Readonly<Record<string, Pool>> => Object.fromEntries(pools.map((each) => [each.name, each]));

export const use = (name: string): Selector => ({ kind: 'pool', pool: name });

const nodes = (children: readonly (string | Selector)[]): readonly Selector[] =>
  children.map((child) => (typeof child === 'string' ? use(child) : child));

export const tiered = (...children: readonly (string | Selector)[]): Selector => ({ kind: 'tiered', children: nodes(children) });
export const spread = (by: SpreadBy, ...children: readonly (string | Selector)[]): Selector => ({ kind: 'spread', by, children: nodes(children) });
export const cheapest = (...children: readonly (string | Selector)[]): Selector => ({ kind: 'cheapest', children: nodes(children) });
export const weighted = (...children: readonly (readonly [string | Selector, number])[]): Selector => ({
  kind: 'weighted',
  children: children.map(([child, weight]) => ({ use: typeof child === 'string' ? use(child) : child, weight })),
});

export const input = (selector: Selector, pools: readonly Pool[], rest: Partial<PlanInput> = {}): PlanInput => ({
  selector,
  pools: poolsOf(...pools),
  count: 1,
  nowMs,
  memory: {},
  held: [],
  prices: {},
  cheapest: {},
  ...rest,
});

/** Members of a pool where its first offering lies. */
export const holds = (of: Pool, count: number): Held => ({
  pool: of.name,
  zone: of.subnets[0]?.zone ?? '',
  instanceType: of.instanceTypes[0] ?? '',
  count,
});

const lesson = (kind: Lesson['kind'], keys: readonly string[]): PoolMemory =>
  Object.fromEntries(
    keys.map((key) => [
      key,
      { kind, code: 'InsufficientInstanceCapacity', atMs: nowMs - 1_000, coolingUntilMs: nowMs + 60_000, streak: 1 } satisfies Lesson,
    ]),
  );

const keysOf = (pools: readonly Pool[]): readonly OfferingKey[] =>
  pools.flatMap(({ instanceTypes, subnets, market }) =>
    instanceTypes.flatMap((instanceType) => subnets.map(({ zone }) => offeringKey({ instanceType, zone, market }))),
  );

export const refused = (...pools: readonly Pool[]): PoolMemory => lesson('refused', keysOf(pools));
export const interrupted = (...pools: readonly Pool[]): PoolMemory => lesson('interrupted', keysOf(pools));
export const advised = (...pools: readonly Pool[]): PoolMemory => lesson('advised', keysOf(pools));
export const refusedOfferings = (...keys: readonly OfferingKey[]): PoolMemory => lesson('refused', keys);

/** Instances by pool. */
export const byPool = ({ placements }: Pick<Plan, 'placements'>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const placement of placements) counts[placement.pool] = (counts[placement.pool] ?? 0) + placement.count;
  return counts;
};

/** Instances by zone of what is tried first. */
export const byZone = ({ placements }: Pick<Plan, 'placements'>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { offerings, count } of placements) {
    const zone = offerings[0]?.zone ?? 'none';
    counts[zone] = (counts[zone] ?? 0) + count;
  }
  return counts;
};

/** What placements add to what is held: the next decision sees it so. */
export const heldAfter = (held: readonly Held[], { placements }: Pick<Plan, 'placements'>): readonly Held[] => [
  ...held,
  ...placements.map((placement) => ({
    pool: placement.pool,
    zone: placement.offerings[0]?.zone ?? '',
    instanceType: placement.offerings[0]?.instanceType ?? '',
    count: placement.count,
  })),
];

/** The pools of `count` decisions of one instance each, in order. */
export const oneByOne = (start: PlanInput): readonly string[] => {
  let { held, cheapest: last } = start;
  const names: string[] = [];
  for (let step = 0; step < start.count; step += 1) {
    const plan = planPlacements({ ...start, count: 1, held, cheapest: last });
    const [placement] = plan.placements;
    if (placement === undefined) break;
    names.push(placement.pool);
    held = heldAfter(held, plan);
    last = plan.cheapest;
  }
  return names;
};

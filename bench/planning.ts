import type { Held } from '../core/placement/held-cells.ts';
import { type PlanInput, planPlacements } from '../core/placement/plan-placements.ts';
import { offeringKey } from '../core/pool/offering.ts';
import { offeringsOf, type Pool } from '../core/pool/pool.ts';
import type { Selector } from '../core/selector/selector.ts';
import { median } from './statistics.ts';

/** Time to plan placements over a large tree, in milliseconds, and how it grows with the number of placements. */
export type PlanningFigures = {
  readonly bench: 'planning';
  readonly pools: number;
  readonly offerings: number;
  readonly members: number;
  readonly rounds: number;
  readonly runs: readonly { readonly tree: string; readonly placements: number; readonly medianMs: number; readonly perPlacementUs: number }[];
  /** Time at ten times the placements, divided by the time before: 10 is linear, less is the share of work that is done once. */
  readonly growth: readonly { readonly tree: string; readonly from: number; readonly to: number; readonly ratio: number }[];
};

const zones = ['zone-a', 'zone-b', 'zone-c', 'zone-d', 'zone-e'];
const poolCount = 100;
const offeringsPerPool = 10;
const memberCount = 10_000;
const sizes = [100, 1_000, 10_000];
const rounds = 25;

const poolAt = (index: number): Pool => {
  const zone = zones[index % zones.length] ?? 'zone-a';
  const name = `pool-${String(index).padStart(3, '0')}`;
  const instanceTypes = Array.from({ length: offeringsPerPool }, (_, type) => `m${index}.${type}xlarge`);
  return { name, market: index % 10 === 9 ? 'on-demand' : 'spot', subnets: [{ id: `subnet-${zone}`, zone }], instanceTypes, cap: 5_000 };
};

const pools = Array.from({ length: poolCount }, (_, index) => poolAt(index));
const leaves: readonly Selector[] = pools.map(({ name }) => ({ kind: 'pool', pool: name }));

const held: readonly Held[] = Array.from({ length: memberCount }, (_, index) => {
  const pool = pools[(index * 7) % poolCount];
  return { pool: pool?.name, zone: pool?.subnets[0]?.zone ?? '', instanceType: pool?.instanceTypes[index % offeringsPerPool] ?? '', count: 1 };
});

const prices = Object.fromEntries(pools.flatMap(offeringsOf).map((offering, index) => [offeringKey(offering), 0.02 + ((index * 37) % 100) / 1_000]));

const inGroupsOf = (size: number): readonly (readonly Selector[])[] =>
  Array.from({ length: Math.ceil(leaves.length / size) }, (_, group) => leaves.slice(group * size, (group + 1) * size));

/** One node of each kind over all pools, and a nested tree as a large policy would have it. */
const trees: Readonly<Record<string, Selector>> = {
  'spread by pool': { kind: 'spread', by: 'pool', children: leaves },
  'spread by zone': { kind: 'spread', by: 'zone', children: leaves },
  weighted: { kind: 'weighted', children: leaves.map((use, index) => ({ use, weight: 1 + ((index * 13) % 50) })) },
  cheapest: { kind: 'cheapest', children: leaves },
  nested: {
    kind: 'tiered',
    children: [
      {
        kind: 'spread',
        by: 'zone',
        children: inGroupsOf(10)
          .slice(0, 5)
          .map((children) => ({ kind: 'cheapest', children })),
      },
      {
        kind: 'weighted',
        children: inGroupsOf(10)
          .slice(5)
          .map((children, index) => ({ use: { kind: 'spread', by: 'pool', children }, weight: 10 + index })),
      },
    ],
  },
};

const round3 = (value: number): number => Number(value.toFixed(3));

const timeOnce = (input: PlanInput): number => {
  const startMs = performance.now();
  const plan = planPlacements(input);
  const tookMs = performance.now() - startMs;
  if (plan.unplaced > 0) throw new Error(`planning left ${plan.unplaced} of ${input.count} unplaced, so its time says nothing`);
  return tookMs;
};

const timePlan = (selector: Selector, count: number): number => {
  const input: PlanInput = {
    selector,
    pools: Object.fromEntries(pools.map((pool) => [pool.name, pool])),
    count,
    nowMs: 0,
    memory: {},
    held,
    prices,
    cheapest: {},
  };
  timeOnce(input);
  return median(Array.from({ length: rounds }, () => timeOnce(input)));
};

const growthOf = (runs: PlanningFigures['runs']): PlanningFigures['growth'] =>
  runs.flatMap((run, index) => {
    const before = runs[index - 1];
    if (before?.tree !== run.tree) return [];
    return [{ tree: run.tree, from: before.placements, to: run.placements, ratio: round3(run.medianMs / before.medianMs) }];
  });

/** Plans 100, 1,000 and 10,000 placements over 1,000 offerings with 10,000 members, for each kind of tree. */
export const benchPlanning = (): PlanningFigures => {
  for (const selector of Object.values(trees)) timePlan(selector, 100);
  const runs = Object.entries(trees).flatMap(([tree, selector]) =>
    sizes.map((placements) => {
      const medianMs = timePlan(selector, placements);
      return { tree, placements, medianMs: round3(medianMs), perPlacementUs: round3((medianMs * 1_000) / placements) };
    }),
  );
  return { bench: 'planning', pools: poolCount, offerings: poolCount * offeringsPerPool, members: memberCount, rounds, runs, growth: growthOf(runs) };
};

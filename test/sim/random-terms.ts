import { movePrice, noCapacity } from './capacity-steps.ts';
import { calmAfter, type DrawnWorld, minutes, seconds } from './profiles/profile.ts';
import { drawShares } from './profiles/shares.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';
import { interrupt, kill } from './steps.ts';
import { catalogue, type HoldingKind, zones } from './worlds.ts';

type Document = Readonly<Record<string, unknown>>;
type Pools = Readonly<Record<string, Document>>;

/** A share of the worlds that may have terms. */
const share = 0.5;
/** The longest time that shares and prices may hold the last members back, `maxSurge` moves at a time. */
const settledWithinMs = 900_000;

const poolsOf = ({ pools }: Document): Pools => (typeof pools === 'object' && pools !== null ? (pools as Pools) : {});

/** How the policy holds its group. */
export const holdingOf = (policy: Document): HoldingKind => {
  if (policy.asg !== undefined) return 'attach';
  return Object.values(poolsOf(policy)).some(({ asg }) => asg !== undefined) ? 'launch-instances' : 'tag';
};

const drawSpare = (draw: Draw): Document => ({ spare: draw.between(1, 2) });

/** Some spot pools have a limit: some of them bind at once, others when the price moves. EC2 Auto Scaling takes no limit. */
const limitedPools = (draw: Draw, policy: Document): Document => {
  if (holdingOf(policy) === 'launch-instances') return {};
  const { spotUsd } = catalogue[0];
  const limited = Object.entries(poolsOf(policy)).map(([name, pool]) => {
    const limit = Math.round(spotUsd * draw.one([0.9, 1.1, 1.6]) * 1e4) / 1e4;
    return [name, pool.market === 'spot' && draw.chance(0.5) ? { ...pool, maxPriceUsdPerHour: limit } : pool] as const;
  });
  return { pools: Object.fromEntries(limited) };
};

const drawReturn = (draw: Draw): Document => ({
  return: draw.one<unknown>([false, { after: draw.one(['1m', '3m']), atMost: draw.between(1, 2), every: draw.one(['5m', '10m']) }]),
});

const withSome = (draw: Draw, policy: Document): Document => ({
  ...policy,
  ...(draw.chance(0.4) ? drawSpare(draw) : {}),
  ...(draw.chance(0.6) ? drawShares(draw, holdingOf(policy), 1) : {}),
  ...(draw.chance(0.4) ? limitedPools(draw, policy) : {}),
  ...(draw.chance(0.4) ? drawReturn(draw) : {}),
});

const changes: readonly ((draw: Draw, atMs: number) => Step)[] = [
  (draw, atMs) => movePrice(atMs, catalogue[0].name, draw.chance(0.5) ? zones : [draw.one(zones)], draw.one([0.6, 0.9, 1.2, 2])),
  (draw, atMs) =>
    noCapacity(atMs, minutes(draw, 1, 4), [draw.one(['spot', 'spot', 'on-demand'] as const)], draw.chance(0.5) ? zones : [draw.one(zones)]),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
];

/** A policy without a spot pool in its tree cannot have spares, and one without an on-demand pool cannot keep members there: it would be rejected. */
export const hasBothMarkets = ({ capacity }: Document): boolean =>
  capacity === undefined || ['"spot-', '"od-'].every((pool) => JSON.stringify(capacity).includes(pool));

/** The world whose policies also say of spares, shares, prices and returns, and in which prices and capacity move. What edits write goes without. */
export const withTerms = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  if (!draw.chance(share) || !world.policies.every(hasBothMarkets)) return world;
  const steps = [...world.steps, ...Array.from({ length: draw.between(1, 3) }, () => draw.one(changes)(draw, seconds(draw, 1, 240)))];
  return {
    ...world,
    policies: world.policies.map((policy) => withSome(draw, policy)),
    steps,
    calmAtMs: Math.max(world.calmAtMs, calmAfter(steps)),
    restWithinMs: Math.max(world.restWithinMs, 900_000) + settledWithinMs,
  };
};

import { movePrice, noCapacity } from '../capacity-steps.ts';
import type { Draw } from '../random-draw.ts';
import type { Step } from '../situation.ts';
import { alarm, interrupt, kill, loseZone, putPolicy } from '../steps.ts';
import { catalogue, groupIn, holdings, onDemandPools, plainLandscape, spotPools, type TypeTerms, zones } from '../worlds.ts';
import { drawBounds, heldBackMs } from './bounds.ts';
import { drawSome, minutes, type Profile } from './profile.ts';
import { drawShares } from './shares.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

type Document = Readonly<Record<string, unknown>>;

/** What types cost on demand, and limits that are a share of it. Some bind when prices move. */
const drawPrices = (draw: Draw, types: readonly TypeTerms[], mayLimit: boolean) => {
  const onDemandPrices = Object.fromEntries(types.map(({ name, onDemandUsd }) => [name, onDemandUsd]));
  const committed = draw.chance(0.3) ? { [draw.one(onDemandPools)]: { priceFactor: draw.one([0.2, 0.6]) } } : {};
  const limited = Object.fromEntries(
    spotPools.map((name) => [name, mayLimit && draw.chance(0.4) ? { maxPrice: `${draw.one([38, 45, 70, 100])}% of on-demand` } : {}]),
  );
  return { onDemandPrices, pools: { ...limited, ...committed } };
};

const hasFactor = (pool: Document): boolean => pool.priceFactor !== undefined;
const hasShare = (pool: Document): boolean => pool.maxPrice !== undefined;

/** Where zones have shares, the group needs on-demand in two of them, or it cannot be whole without spot. */
const needsAllZones = ({ maxShare }: Document): boolean => (maxShare as Document | undefined)?.zone !== undefined;

const poolsOf = ({ pools }: Document): Readonly<Record<string, Document>> => pools as Readonly<Record<string, Document>>;

/**
 * Whether a share of offerings and a limit that closes every pool on spot leave only those on demand. With one type a share is less than the group, so
 * it needs two of them, or it never comes up.
 */
const needsAllOnDemand = (policy: Document, types: readonly TypeTerms[], spotLimit: number): boolean => {
  const isShared = (policy.maxShare as Document | undefined)?.offering !== undefined;
  const isClosed = types.every(({ spotUsd }) => spotLimit < spotUsd) && spotPools.every((name) => hasShare(poolsOf(policy)[name] ?? {}));
  return types.length === 1 && isShared && isClosed;
};

/** The pools with a limit in USD beside another one: the smaller holds. A commitment changes what is paid, and no limit. */
const withSecondLimit = (draw: Draw, policy: Document, types: readonly TypeTerms[]): Document => {
  const { spotUsd = 0, onDemandUsd = 0 } = types[0] ?? {};
  const [spot, onDemand] = [spotUsd * draw.one([0.95, 1.1, 2]), onDemandUsd * draw.one([0.9, 1.1])];
  const needsAll = needsAllZones(policy) || needsAllOnDemand(policy, types, spot);
  const limits = { spot, onDemand: needsAll ? Math.max(onDemand, onDemandUsd) : onDemand };
  const limited = Object.entries(poolsOf(policy)).map(([name, pool]) => {
    const limit = hasShare(pool) ? limits.spot : limits.onDemand;
    return [name, hasShare(pool) || hasFactor(pool) ? { ...pool, maxPriceUsdPerHour: Math.round(limit * 1e4) / 1e4 } : pool] as const;
  });
  return { ...policy, pools: Object.fromEntries(limited) };
};

/** Members above the size, at times. */
const drawSpare = (draw: Draw) => (draw.chance(0.6) ? { spare: draw.between(1, 2) } : {});

const drawCapacity = (draw: Draw): unknown =>
  draw.one([
    { tiered: [{ spread: spotPools }, { spread: onDemandPools }] },
    { tiered: [{ cheapest: spotPools }, { spread: onDemandPools }] },
    { cheapest: [...spotPools, ...onDemandPools] },
    {
      weighted: [
        { use: { spread: spotPools }, weight: 3 },
        { use: { spread: onDemandPools }, weight: 1 },
      ],
    },
  ]);

const steps = (types: readonly TypeTerms[], policy: Readonly<Record<string, unknown>>): readonly ((draw: Draw, atMs: number) => Step)[] => [
  (draw, atMs) => movePrice(atMs, draw.one(types).name, draw.chance(0.5) ? zones : [draw.one(zones)], draw.one([0.6, 0.9, 1.2, 2])),
  (draw, atMs) => interrupt(atMs, draw.between(1, 4)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 2)),
  (_draw, atMs) => kill(atMs, 1),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
  (draw, atMs) => loseZone(atMs, draw.one(zones), draw.one(types).name),
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 5), ['spot'], draw.chance(0.5) ? zones : [draw.one(zones)]),
  (_draw, atMs) => {
    const { onDemandPrices: _prices, ...rest } = policy;
    const pools = Object.fromEntries(
      Object.entries(rest.pools as Readonly<Record<string, Readonly<Record<string, unknown>>>>).map(
        ([name, { maxPrice: _limit, priceFactor: _factor, ...pool }]) => [name, pool],
      ),
    );
    return putPolicy(atMs, { ...rest, pools }, 'the limits are dropped');
  },
];

export const limits: Profile = {
  about: 'limits on both sides: spares, prices that are a share of on-demand, commitments that pay a part, and capacity that goes and comes',
  weight: 6,
  draw: (draw) => {
    const types = catalogue.slice(0, draw.between(1, 2));
    const landscape = { ...plainLandscape, types, spot: draw.between(3, 6), targetGroups: drawTargetGroups(draw) };
    const holding = draw.one(holdings);
    const size = { min: 1, max: 12, desired: draw.between(3, 7) };
    const { pools, ...prices } = drawPrices(draw, types, holding !== 'launch-instances');
    const policy = {
      capacity: drawCapacity(draw),
      ...prices,
      ...alarmsBy('+2', '-2'),
      ...drawHabits(draw),
      ...drawBounds(draw, size.desired),
      ...drawShares(draw, holding, types.length),
      ...drawSpare(draw),
    };
    const placed = groupIn(landscape, { name: 'web', holding, size, targetGroups: namesOf(landscape), policy, pools, asg: { min: 0 } });
    const drawn = drawSome(draw, steps(types, placed.policy), { least: 2, most: 6, withinSeconds: 240 });
    const world = worldOf(draw, { landscape, placed, size, steps: drawn, faults: 0.25, restWithinMs: heldBackMs(placed.policy) });
    if (holding === 'launch-instances' || !draw.chance(0.3)) return world;
    return { ...world, policies: world.policies.map((policy) => withSecondLimit(draw, policy, types)) };
  },
};

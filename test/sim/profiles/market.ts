import { movePrice, noCapacity } from '../capacity-steps.ts';
import type { Draw } from '../random-draw.ts';
import { randomTree } from '../random-tree.ts';
import type { Step } from '../situation.ts';
import { alarm, interrupt, kill, loseZone, putPolicy, recommendRebalance } from '../steps.ts';
import { catalogue, groupIn, holdings, onDemandPools, plainLandscape, spotPools, type TypeTerms, zones } from '../worlds.ts';
import { type DrawnWorld, drawSome, minutes, type Profile, seconds, withSteps } from './profile.ts';
import { alarmsBy, drawHabits, drawTargetGroups, namesOf, worldOf } from './usual.ts';

/** Limits between the cheapest and the dearest price that the pools have, so that some of their types are passed over. */
const limitIn = (draw: Draw, types: readonly TypeTerms[]): number => {
  const prices = types.map(({ spotUsd }) => spotUsd).toSorted((a, b) => a - b);
  return Math.round((draw.one(prices) + 0.001) * 1_000) / 1_000;
};

type NotSold = { readonly instanceType: string; readonly zone: string };

/** One type alone, where its zone sells it: a pool of which no type is sold is refused. */
const typesOf = (name: string, zone: string, notSold: readonly NotSold[]) =>
  notSold.some((one) => one.instanceType === name && one.zone === zone) ? {} : { instanceTypes: [name] };

/** Limits and caps of spot pools; the last resort has none, so that members can always come up. Groups of their own launch at any price. */
const drawPools = (draw: Draw, types: readonly TypeTerms[], notSold: readonly NotSold[], mayLimit: boolean) =>
  Object.fromEntries(
    spotPools.map((name, index) => [
      name,
      {
        ...(mayLimit && draw.chance(0.5) ? { maxPriceUsdPerHour: limitIn(draw, types) } : {}),
        ...(draw.chance(0.4) ? { cap: draw.between(0, 3) } : {}),
        ...(mayLimit && types.length > 1 && draw.chance(0.3) ? typesOf(draw.one(types).name, zones[index] ?? '', notSold) : {}),
      },
    ]),
  );

const drawCapacity = (draw: Draw): unknown =>
  draw.one([
    () => randomTree(draw),
    () => ({ tiered: [{ cheapest: spotPools }, { cheapest: onDemandPools }] }),
    () => ({
      tiered: [{ weighted: spotPools.map((use) => ({ use, weight: draw.between(0, 5) + (use === 'spot-a' ? 1 : 0) })) }, { spread: onDemandPools }],
    }),
    () => ({
      weighted: [
        { use: { cheapest: spotPools }, weight: draw.between(1, 4) },
        { use: { spread: onDemandPools }, weight: 1 },
      ],
    }),
    () => ({
      tiered: [
        { spread: spotPools, by: 'instance-type' },
        { spread: onDemandPools, by: 'zone' },
      ],
    }),
  ])();

const marketSteps = (types: readonly TypeTerms[], policy: Readonly<Record<string, unknown>>): readonly ((draw: Draw, atMs: number) => Step)[] => [
  (draw, atMs) => movePrice(atMs, draw.one(types).name, draw.chance(0.5) ? zones : [draw.one(zones)], draw.one([0.5, 0.8, 1.05, 1.3, 2, 3])),
  (draw, atMs) => movePrice(atMs, draw.one(types).name, [draw.one(zones)], draw.one([0.5, 0.8, 1.05, 1.3, 2, 3])),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
  (draw, atMs) => alarm(atMs, draw.one(['high', 'low'])),
  (draw, atMs) => interrupt(atMs, draw.between(1, 4)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 3)),
  (draw, atMs) => loseZone(atMs, draw.one(zones), draw.one(types).name),
  (draw, atMs) => noCapacity(atMs, minutes(draw, 1, 4), ['spot'], zones),
  (draw, atMs) => {
    const order = draw.one(['dearest-first', 'oldest-first', 'newest-first', 'same-order']);
    return putPolicy(atMs, { ...policy, removal: { order } }, `members leave ${order}`);
  },
];

/**
 * Two looks over one surplus, while writes are slow: the group is told to shrink when a new member is about to pass its first health checks, so that the
 * second look sees one more to choose from than the first.
 */
const shrinksWhileOneComes = (draw: Draw, world: DrawnWorld): DrawnWorld => {
  const { timing } = world.spec;
  const latencyMs = { ...timing?.latencyMs, 'dynamodb:PutItem': [1_500, 1_500] as const };
  const always = { pendingSeconds: [10, 10], bootSeconds: [10, 10], lagSeconds: [0, 0] } as const;
  const change = { removal: { order: 'oldest-first' }, scaling: [{ alarm: 'low', adjust: '-2', cooldown: '10m' }] };
  const [atMs, laterMs] = [seconds(draw, 1, 20), seconds(draw, 38, 46)];
  const steps = [kill(atMs, 1), alarm(atMs + laterMs, 'low'), alarm(atMs + laterMs + seconds(draw, 2, 5), 'low')];
  const policies = world.policies.map((policy) => ({ ...policy, ...change }));
  return withSteps({ ...world, spec: { ...world.spec, timing: { ...timing, ...always, latencyMs } }, policies, steps: [] }, steps);
};

/** Prices of some zones rise, are read again, and then the group shrinks: the members that cost most are to leave. */
const shrinksAfterPricesRose = (draw: Draw, world: DrawnWorld, types: readonly TypeTerms[]): DrawnWorld => {
  const policies = world.policies.map((policy) => ({
    ...policy,
    capacity: { tiered: [{ spread: spotPools }, { cheapest: onDemandPools }] },
    removal: { order: 'dearest-first' },
    scaling: [{ alarm: 'low', adjust: draw.one(['-1', '-2', '-30%']), cooldown: '1m' }],
  }));
  const rises = zones.slice(draw.between(1, 2)).flatMap((zone) => {
    const [atMs, factor] = [seconds(draw, 1, 30), draw.one([1.3, 2, 3])];
    return types.map(({ name }) => movePrice(atMs, name, [zone], factor));
  });
  const shrinks = [alarm(minutes(draw, 6, 7), 'low'), alarm(minutes(draw, 8, 9), 'low')];
  return withSteps({ ...world, policies, steps: [] }, [...rises, ...shrinks]);
};

export const market: Profile = {
  about: 'several instance types whose prices move, price limits that bind, caps and weights, and sizes that go up and down',
  weight: 6,
  draw: (draw) => {
    const types = catalogue.slice(0, draw.between(1, catalogue.length));
    const notSold = types.length > 1 && draw.chance(0.3) ? [{ instanceType: types.at(-1)?.name ?? '', zone: draw.one(zones) }] : [];
    const landscape = { ...plainLandscape, types, notSold, spot: draw.between(2, 5), targetGroups: drawTargetGroups(draw) };
    const holding = draw.one(holdings);
    const size = { min: 1, max: 14, desired: draw.between(3, 8) };
    const placed = groupIn(landscape, {
      name: 'web',
      holding,
      size,
      targetGroups: namesOf(landscape),
      policy: {
        capacity: drawCapacity(draw),
        removal: { order: draw.one(['dearest-first', 'oldest-first', 'newest-first', 'same-order']) },
        ...alarmsBy('+3', '-50%'),
        ...drawHabits(draw),
      },
      pools: drawPools(draw, types, notSold, holding !== 'launch-instances'),
      asg: { min: 0 },
    });
    const steps = drawSome(draw, marketSteps(types, placed.policy), { least: 2, most: 6, withinSeconds: 180 });
    const world = worldOf(draw, { landscape, placed, size, steps, faults: 0.25, restWithinMs: 900_000 });
    if (draw.chance(0.2)) return shrinksWhileOneComes(draw, world);
    return draw.chance(0.2) ? shrinksAfterPricesRose(draw, world, types) : world;
  },
};

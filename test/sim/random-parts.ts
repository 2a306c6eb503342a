import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { holdToQuota, movePrice, neverServing, noCapacity } from './capacity-steps.ts';
import { calmAfter, type DrawnWorld, minutes, seconds, withSteps } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import { holdingOf } from './random-terms.ts';
import { interrupt, kill, putPolicy, recommendRebalance } from './steps.ts';
import { catalogue, onDemandPools, spotPools, zones } from './worlds.ts';

export type Document = Readonly<Record<string, unknown>>;

/** One thing that a world may have beside what its kind draws. `fits`: whether such a world can have it. */
export type Part = { readonly fits: (world: DrawnWorld) => boolean; readonly add: (world: DrawnWorld, draw: Draw) => DrawnWorld };

export const everyPolicy = (world: DrawnWorld, change: (policy: Document) => Document): DrawnWorld => ({
  ...world,
  policies: world.policies.map((policy) => ({ ...policy, ...change(policy) })),
});
export const poolsOf = ({ pools }: Document) => Object.entries((pools ?? {}) as Readonly<Record<string, Document>>);
export const typesOf = ({ defaults }: Document): readonly string[] =>
  (defaults as { readonly instanceTypes?: readonly string[] } | undefined)?.instanceTypes ?? [];
const isShared = ({ maxShare }: Document): boolean => maxShare !== undefined;
export const launchesItself = (policy: Document): boolean => holdingOf(policy) !== 'launch-instances';

/** Another type, which costs less than the usual one on spot and on demand, or more. It is written first or last. */
const secondType: Part = {
  fits: ({ policies }) =>
    policies.every(
      (policy) => launchesItself(policy) && !isShared(policy) && policy.onDemandPrices === undefined && typesOf(policy).join() === catalogue[0].name,
    ),
  add: (world, draw) => {
    const { name, spotUsd, onDemandUsd } = draw.one(catalogue.slice(1));
    const other = world.spec.offerings
      .filter(({ instanceType }) => instanceType === catalogue[0].name)
      .map((offering) => ({ ...offering, instanceType: name, priceUsdPerHour: offering.market === 'spot' ? spotUsd : onDemandUsd }));
    const isFirst = draw.chance(0.5);
    const both = (types: readonly string[]): readonly string[] => (isFirst ? [name, ...types] : [...types, name]);
    const asgs = world.spec.autoScalingGroups.map((asg) => (asg.market === 'mixed' ? { ...asg, instanceTypes: [...asg.instanceTypes, name] } : asg));
    const wide = { ...world, spec: { ...world.spec, offerings: [...world.spec.offerings, ...other], autoScalingGroups: asgs } };
    return everyPolicy(wide, (policy) => ({ defaults: { ...(policy.defaults as Document), instanceTypes: both(typesOf(policy)) } }));
  },
};

/** Whether the catalogue has a price of every type that a policy may launch. */
const isPriced = (policy: Document): boolean => {
  const ofPools = poolsOf(policy).flatMap(([, { instanceTypes = [] }]) => instanceTypes as readonly string[]);
  return [...typesOf(policy), ...ofPools].every((type) => catalogue.some(({ name }) => name === type));
};

const priced = (draw: Draw, [name, pool]: readonly [string, Document]): readonly [string, Document] => {
  const { spotUsd } = catalogue[0];
  const limits = {
    maxPrice: `${draw.one([38, 45, 70, 100])}% of on-demand`,
    maxPriceUsdPerHour: Math.round(spotUsd * draw.one([0.95, 1.1, 2]) * 1e4) / 1e4,
  };
  const limited = draw.one([{}, { maxPrice: limits.maxPrice }, limits]);
  return [name, pool.market === 'spot' ? { ...pool, ...limited } : pool];
};

/** Prices on demand, limits that are shares of them, a commitment, and a tree that compares prices. They move, also after they are read again. */
const prices: Part = {
  fits: ({ policies }) =>
    policies.every((policy) => launchesItself(policy) && policy.onDemandPrices === undefined && typesOf(policy).length > 0 && isPriced(policy)),
  add: (world, draw) => {
    const onDemandPrices = Object.fromEntries(catalogue.map(({ name, onDemandUsd }) => [name, onDemandUsd]));
    const factor = draw.chance(0.5) ? { [draw.one(onDemandPools)]: { priceFactor: draw.one([0.2, 0.6]) } } : {};
    const capacity = draw.one<Document>([
      {},
      { capacity: { cheapest: [...spotPools, ...onDemandPools] } },
      { capacity: { tiered: [{ cheapest: spotPools }, { cheapest: onDemandPools }] } },
    ]);
    const told = everyPolicy(world, (policy) => {
      const pools = Object.fromEntries(poolsOf(policy).map((pool) => priced(draw, pool)));
      const committed = Object.entries(factor).map(([name, part]) => [name, { ...pools[name], ...part }] as const);
      return { ...capacity, onDemandPrices, pools: { ...pools, ...Object.fromEntries(committed) } };
    });
    const moves = [seconds(draw, 1, 60), seconds(draw, 60, 240)].map((atMs) =>
      movePrice(atMs, draw.one(typesOf(told.policies[0] ?? {})), draw.chance(0.5) ? zones : [draw.one(zones)], draw.one([0.6, 0.9, 1.2, 2])),
    );
    return withSteps(told, [...moves, kill(minutes(draw, 6, 7), draw.between(1, 2))]);
  },
};

/** Where a tree has spot alone, what EC2 has left in one zone need not take the members that move. */
const hasOnDemand = ({ capacity }: Document): boolean => capacity === undefined || JSON.stringify(capacity).includes('"od-');

/** Spot pools that may hold few members. */
const caps: Part = {
  fits: ({ policies }) => !policies.some(isShared) && policies.every(hasOnDemand),
  add: (world, draw) =>
    everyPolicy(world, (policy) => ({
      pools: Object.fromEntries(
        poolsOf(policy).map(([name, pool]) => [name, pool.market === 'spot' && draw.chance(0.6) ? { ...pool, cap: draw.between(0, 3) } : pool]),
      ),
    })),
};

/** EC2 advises to replace more members than may leave at once, and takes some of them before their turn. */
const advice: Part = {
  fits: () => true,
  add: (world, draw) => {
    const atMs = seconds(draw, 1, 60);
    const told = everyPolicy(world, ({ rebalance }) => ({ rebalance: { ...(rebalance as Document | undefined), act: true } }));
    return withSteps(told, [recommendRebalance(atMs, draw.between(3, 6)), interrupt(atMs + seconds(draw, 5, 60), draw.between(1, 2))]);
  },
};

/** Spot goes for a while, and members move back, in a window that began the evening before or that ends soon. */
const windows: Part = {
  fits: () => true,
  add: (world, draw) => {
    const window = draw.one(['wed 22:00-05:00', 'wed 22:00-00:10', '00:00-23:00', ['00:00-00:08', '00:12-06:00']]);
    const rule = { after: '1m', every: draw.one(['2m', '10m']), atMost: draw.between(1, 2), window };
    const told = everyPolicy(world, () => ({ return: rule }));
    const atMs = seconds(draw, 1, 30);
    const lost = withSteps(told, [
      noCapacity(atMs, minutes(draw, 1, 3), ['spot'], zones),
      interrupt(atMs + seconds(draw, 1, 20), draw.between(2, 3)),
    ]);
    return { ...lost, calmAtMs: lost.calmAtMs + 600_000 };
  },
};

/** Nothing is carried out for a while, and then again. */
const mode: Part = {
  fits: ({ policies, steps }) =>
    policies.length === 1 && !steps.some(({ kind }) => kind.includes('edited') || kind.includes('written') || kind.includes('renamed')),
  add: (world, draw) => {
    const [policy = {}] = world.policies;
    const atMs = seconds(draw, 1, 60);
    const name = draw.one(['observe', 'observe', 'pause']);
    const edits = [
      putPolicy(atMs, { ...policy, mode: name }, `the mode becomes ${name}`, 'mode-edited'),
      putPolicy(atMs + seconds(draw, 20, 200), { ...policy, mode: 'act' }, 'the mode becomes act', 'mode-edited'),
    ];
    return withSteps(world, [...edits, interrupt(atMs + seconds(draw, 2, 40), draw.between(1, 3))]);
  },
};

/** EC2 throttles launches for a moment in which members are lost. */
const throttles: Part = {
  fits: () => true,
  add: (world, draw) => {
    const atMs = seconds(draw, 1, 60);
    const fault: FaultInput = {
      ...{ on: 'call', kind: 'throttle', match: { operation: ['CreateFleet', 'LaunchInstances'] } },
      ...{ fromMs: atMs, untilMs: atMs + seconds(draw, 5, 30) },
    };
    const lost = withSteps(world, [kill(atMs, draw.between(1, 2))]);
    const faults = [...(world.faults ?? []), fault];
    return { ...lost, faults, calmAtMs: Math.max(lost.calmAtMs, calmAfter([], [fault])) };
  },
};

/** The account may launch few more of a market while members are lost. */
const quota: Part = {
  fits: () => true,
  add: (world, draw) => {
    const atMs = seconds(draw, 1, 60);
    const held = holdToQuota(atMs, minutes(draw, 1, 4), draw.one(['spot', 'on-demand'] as const), draw.between(0, 1));
    return withSteps(world, [held, interrupt(atMs + seconds(draw, 1, 20), draw.between(2, 3))]);
  },
};

/** EC2 takes members one after the other, and a breaker opens and closes. */
const breaker: Part = {
  fits: () => true,
  add: (world, draw) => {
    const told = everyPolicy(world, () => ({ breaker: { interruptions: 2, within: '5m', hold: draw.one(['1m', '3m']) } }));
    const atMs = seconds(draw, 1, 60);
    const taken = withSteps(
      told,
      [0, 1, 2].map((turn) => interrupt(atMs + turn * seconds(draw, 20, 90), draw.between(1, 2))),
    );
    return { ...taken, calmAtMs: taken.calmAtMs + 600_000 };
  },
};

const asgsIn = (policy: Document): readonly unknown[] =>
  [policy.asg, ...poolsOf(policy).map(([, { asg }]) => asg)].filter((asg) => asg !== undefined);

/** Whether a target group tells who of its members serves. */
export const hasTargets = ({ spec }: Pick<DrawnWorld, 'spec'>, policy: Document): boolean => {
  const { loadBalancers } = (policy.drain ?? {}) as Document;
  const asgs = spec.autoScalingGroups.filter(({ name }) => asgsIn(policy).includes(name));
  const areServed = asgs.length > 0 && asgs.every(({ targetGroups = [] }) => targetGroups.length > 0);
  return areServed || (Array.isArray(loadBalancers) && loadBalancers.length > 0);
};

/** What is launched never serves for a while, and is given up one after the other. Only a target group knows of software that does not answer. */
const mute: Part = {
  fits: (world) => world.policies.every((policy) => hasTargets(world, policy)),
  add: (world, draw) => {
    const told = everyPolicy(world, ({ ready }) => ({ ready: { ...(ready as Document | undefined), within: '6m' } }));
    const atMs = seconds(draw, 1, 60);
    return withSteps(told, [neverServing(atMs, minutes(draw, 1, 2), { market: 'spot' }, 'never-answers'), kill(atMs + 2_000, draw.between(2, 3))]);
  },
};

/** Every part that a world may have. What changes the mode comes last, because it writes what the others have made of the policy. */
export const parts: readonly Part[] = [secondType, prices, caps, advice, windows, throttles, quota, breaker, mute, mode];

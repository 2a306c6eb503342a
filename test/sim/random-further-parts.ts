import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { fillSubnet, holdToQuota, noCapacity } from './capacity-steps.ts';
import { takeYoungest } from './ending-steps.ts';
import { stopServing } from './member-steps.ts';
import { calmAfter, type DrawnWorld, minutes, seconds, withSteps } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import { type Document, everyPolicy, launchesItself, type Part, poolsOf, typesOf } from './random-parts.ts';
import { boundsOf, scheduled } from './random-scaling.ts';
import { hasBothMarkets } from './random-terms.ts';
import { isInAsgs } from './random-trouble.ts';
import type { Step } from './situation.ts';
import { deletePolicy, interrupt, kill, putPolicy, recommendRebalance } from './steps.ts';
import { catalogue, onDemandPools, spotPools, zones } from './worlds.ts';

/** A share of the worlds that may have one. */
const share = 0.35;
/** What rests is requested again after half an hour at the latest, and spares and shares come back one after the other. */
const settledWithinMs = 2_400_000;

const withFault = (world: DrawnWorld, steps: readonly Step[], fault: FaultInput): DrawnWorld => {
  const met = withSteps(world, steps);
  return { ...met, faults: [...(met.faults ?? []), fault], calmAtMs: Math.max(met.calmAtMs, calmAfter([], [fault])) };
};

/** Whether nothing but these steps writes the one policy of the world. */
const isAlone = ({ policies, steps }: DrawnWorld): boolean =>
  policies.length === 1 && policies[0]?.group === 'web' && !steps.some(({ kind }) => /edited|written|deleted|renamed/.test(kind));

/** EC2 advises to replace more members than may leave at once, where spares take their place. */
const sparesAdvised: Part = {
  fits: ({ policies }) => policies.every(hasBothMarkets),
  add: (world, draw) => {
    const told = everyPolicy(world, ({ rebalance }) => ({
      spare: draw.between(1, 2),
      rebalance: { ...(rebalance as Document | undefined), act: true },
    }));
    return withSteps(told, [recommendRebalance(seconds(draw, 60, 240), draw.between(3, 6))]);
  },
};

const limited = (draw: Draw, [name, pool]: readonly [string, Document]): readonly [string, Document] => {
  const { spotUsd, onDemandUsd } = catalogue[0];
  const limit = (pool.market === 'spot' ? spotUsd : onDemandUsd) * draw.one([1.05, 1.5]);
  return [name, { ...pool, maxPriceUsdPerHour: Math.round(limit * 1e4) / 1e4, priceFactor: draw.one([0.2, 0.6, 1]) }];
};

/** Pools of both markets have limits, and somebody pays a part of the price. Spot goes, so that several members come on demand at once. */
const limits: Part = {
  fits: ({ policies }) =>
    policies.every((policy) => launchesItself(policy) && policy.onDemandPrices === undefined && typesOf(policy).join() === catalogue[0].name),
  add: (world, draw) => {
    const onDemandPrices = { [catalogue[0].name]: catalogue[0].onDemandUsd };
    const told = everyPolicy(world, (policy) => ({
      onDemandPrices,
      pools: Object.fromEntries(poolsOf(policy).map((pool) => limited(draw, pool))),
      ...draw.one<Document>([{}, { capacity: { tiered: [{ cheapest: spotPools }, { cheapest: onDemandPools }] } }]),
    }));
    const atMs = seconds(draw, 1, 60);
    return withSteps(told, [noCapacity(atMs, minutes(draw, 1, 3), ['spot'], zones), kill(atMs + seconds(draw, 1, 10), draw.between(2, 4))]);
  },
};

/** Pools reach over the zones, with two subnets in each, and one of these is full. */
const fullSubnet: Part = {
  fits: ({ policies }) => policies.every((policy) => launchesItself(policy) && policy.maxShare === undefined),
  add: (world, draw) => {
    const { subnets } = world.spec;
    const others = subnets.map(({ id, zone }) => ({ id: `${id}9`, zone }));
    const all = [...subnets, ...others].map(({ id }) => id);
    const wide = { ...world, spec: { ...world.spec, subnets: [...subnets, ...others] } };
    const told = everyPolicy(wide, (policy) => ({
      pools: Object.fromEntries(poolsOf(policy).map(([name, pool]) => [name, pool.subnets === undefined ? pool : { ...pool, subnets: all }])),
    }));
    const atMs = seconds(draw, 1, 60);
    const losses = [seconds(draw, 1, 20), seconds(draw, 30, 150)].map((afterMs) => kill(atMs + afterMs, draw.between(1, 3)));
    return withSteps(told, [fillSubnet(atMs, minutes(draw, 3, 6), draw.one(all), 0), ...losses]);
  },
};

/** A member fails its health checks for minutes, and then the group shrinks. */
const shrinkUnhealthy: Part = {
  fits: (world) => isAlone(world) && world.policies.every((policy) => (boundsOf(policy)?.min ?? 9) < 3 && policy.schedule === undefined),
  add: (world, draw) => {
    const [policy = {}] = world.policies;
    const size = policy.size as { readonly min: number };
    const atMs = seconds(draw, 1, 40);
    const shrunk = putPolicy(
      atMs + seconds(draw, 320, 420),
      { ...policy, size: { ...size, desired: Math.max(1, size.min) } },
      'the size becomes its minimum',
    );
    return withSteps(world, [stopServing(atMs, draw.between(1, 2), seconds(draw, 430, 600)), shrunk]);
  },
};

/** The policy is deleted while members join or are replaced, and returns. */
const deletedMeanwhile: Part = {
  fits: isAlone,
  add: (world, draw) => {
    const [policy = {}] = world.policies;
    const atMs = seconds(draw, 1, 60);
    const deletedMs = atMs + seconds(draw, 3, 45);
    const back = putPolicy(deletedMs + seconds(draw, 20, 200), policy, 'the policy is written again', 'policy-written-again');
    return withSteps(world, [draw.one([kill, interrupt])(atMs, draw.between(1, 3)), deletePolicy(deletedMs), back]);
  },
};

/** A step of a drain fails until a late attempt, or until the workflow gives it up. */
const failingStep: Part = {
  fits: () => true,
  add: (world, draw) => {
    const atMs = seconds(draw, 1, 60);
    const fault: FaultInput = {
      ...{ on: 'call', kind: 'throttle', match: { service: 'dynamodb', caller: draw.one(['begin-drain', 'check-drain']) } },
      ...{ fromMs: atMs, untilMs: atMs + seconds(draw, 20, 110) },
    };
    return withFault(world, [draw.one([interrupt, recommendRebalance])(atMs + seconds(draw, 0, 20), draw.between(1, 3))], fault);
  },
};

/** Auto Scaling groups cannot refill themselves, and calls that change their sizes are refused or get no response. */
const sizesRefused: Part = {
  fits: isInAsgs,
  add: (world, draw) => {
    const atMs = seconds(draw, 1, 60);
    const fault: FaultInput = {
      ...draw.one([{ kind: 'throttle' } as const, { kind: 'error', code: 'AccessDenied', status: 403 } as const]),
      ...{ on: 'call', match: { operation: 'UpdateAutoScalingGroup', caller: 'react' } },
      ...{ fromMs: atMs + seconds(draw, 0, 100), untilMs: atMs + seconds(draw, 110, 240) },
    };
    const gone = noCapacity(atMs, minutes(draw, 2, 5), draw.one([['spot'], ['spot', 'on-demand']] as const), zones);
    return withFault(world, [gone, draw.one([kill, interrupt])(atMs + 2_000, draw.between(1, 3))], fault);
  },
};

/** Two times of a schedule come while nothing can be read. */
const missedTimes: Part = {
  fits: (world) => isAlone(world) && world.policies.every((policy) => boundsOf(policy) !== undefined),
  add: (world, draw) => {
    const [policy = {}] = world.policies;
    const { min = 1, max = 1 } = boundsOf(policy) ?? {};
    const atMs = seconds(draw, 1, 40);
    const times = [1, 2].map((afterMinutes) => ({ afterMinutes, timezone: 'UTC', size: draw.between(min, max) }));
    const fault: FaultInput = {
      ...{ on: 'call', kind: 'throttle', match: { service: 'dynamodb', caller: 'react' } },
      ...{ fromMs: atMs + 10_000, untilMs: atMs + seconds(draw, 130, 200) },
    };
    return withFault(world, [scheduled(atMs, policy, times)], fault);
  },
};

/** Describes are late, and what was just launched is warned, or dies, before any of them shows it. */
const unshown: Part = {
  fits: ({ spec }) => spec.timing.lagSeconds[1] < 10,
  add: (world, draw) => {
    const late = {
      ...world,
      spec: {
        ...world.spec,
        timing: {
          ...world.spec.timing,
          lagSeconds: draw.one([
            [8, 15],
            [20, 30],
          ] as const),
        },
      },
    };
    const atMs = seconds(draw, 1, 60);
    const warned = takeYoungest(atMs + seconds(draw, 3, 15), draw.between(1, 2));
    return withSteps(late, [kill(atMs, draw.between(1, 2)), warned, kill(atMs + seconds(draw, 25, 90), 1)]);
  },
};

/** Auto Scaling groups cannot refill themselves. When Holdfast launches in their place, EC2 gives a part of it. */
const refilledInPart: Part = {
  fits: isInAsgs,
  add: (world, draw) => {
    const atMs = seconds(draw, 1, 60);
    const onDemandMs = minutes(draw, 3, 5);
    return withSteps(world, [
      noCapacity(atMs, onDemandMs, ['on-demand'], zones),
      noCapacity(atMs, seconds(draw, 80, 120), ['spot'], zones),
      kill(atMs + 2_000, draw.between(2, 4)),
      holdToQuota(atMs + 70_000, onDemandMs - 70_000, 'spot', draw.between(0, 2)),
    ]);
  },
};

const furtherParts: readonly Part[] = [
  sparesAdvised,
  limits,
  fullSubnet,
  shrinkUnhealthy,
  deletedMeanwhile,
  failingStep,
  sizesRefused,
  missedTimes,
  unshown,
  refilledInPart,
];

/** The world with one more part: of its policy, its capacity, or calls that fail for longer than a moment. */
export const withFurtherParts = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const fitting = furtherParts.filter(({ fits }) => fits(world));
  if (!draw.chance(share) || fitting.length === 0) return world;
  const further = draw.one(fitting).add(world, draw);
  return { ...further, restWithinMs: Math.max(further.restWithinMs, settledWithinMs) };
};

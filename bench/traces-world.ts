import { createRandom, type Random } from '../sandbox/random.ts';
import type { RecordedPool, RecordedTrace } from '../sandbox/scenario/trace-file.ts';
import type { OfferingSpec, WorldSpec } from '../sandbox/world/spec.ts';
import type { PlayedRow } from './traces-rows.ts';

/** The one instance type of the world. Decisions do not depend on what it is called. */
export const instanceType = 'p3.2xlarge';
export const group = 'trace';
export const noticeMs = 120_000;
/** From the launch call until the instance serves. */
const coldStartSeconds = 120;
const launchCallMs = 1_500;
const pendingSeconds = 10;
const healthCheckSeconds = 5;
const healthChecks = 2;
/** The yardstick charges on-demand three times the price of spot. */
const flatSpotShare = 1 / 3;

const shuffled = <T>(list: readonly T[], random: Random): readonly T[] => {
  const rest = [...list];
  return list.map(() => rest.splice(Math.floor(random() * rest.length), 1)[0] as T);
};

/** One zone of the world: its own name, and the pool of the trace behind it. */
export type PlayedZone = { readonly zone: string; readonly subnet: string; readonly letter: string; readonly pool: RecordedPool };

/** The pools of a trace as zones of one region, in an order that follows from the seed. */
export const zonesOf = (trace: RecordedTrace, seed: number): readonly PlayedZone[] =>
  shuffled(trace.pools, createRandom(seed)).map((pool, index) => {
    const letter = String.fromCharCode('a'.charCodeAt(0) + index);
    return { zone: `us-east-1${letter}`, subnet: `subnet-${letter}`, letter, pool };
  });

const onDemandPrice = (zones: readonly PlayedZone[]): number => Math.min(...zones.map(({ pool }) => pool.onDemandUsdPerHour));

/** Holdfast does not know on-demand prices: an operator lists the zones where it is cheapest. */
const onDemandZones = (zones: readonly PlayedZone[]): readonly PlayedZone[] =>
  zones.filter(({ pool }) => pool.onDemandUsdPerHour === onDemandPrice(zones));

export const spotPrice = ({ pool }: PlayedZone, { prices }: Pick<PlayedRow, 'prices'>): number =>
  (prices === 'trace' ? pool.spotUsdPerHour?.find((price) => price !== null) : undefined) ?? flatSpotShare * pool.onDemandUsdPerHour;

const offeringsOf = (zones: readonly PlayedZone[], row: PlayedRow): readonly OfferingSpec[] =>
  zones.flatMap((one): readonly OfferingSpec[] => [
    { instanceType, zone: one.zone, market: 'spot', capacity: 0, priceUsdPerHour: spotPrice(one, row) },
    { instanceType, zone: one.zone, market: 'on-demand', capacity: null, priceUsdPerHour: one.pool.onDemandUsdPerHour },
  ]);

/** From the instance's launch, in the middle of the call, to the end of its boot. With a target group its health checks end in time as well. */
const bootSeconds = (drainS: number): number =>
  coldStartSeconds - launchCallMs / 2_000 - pendingSeconds - (drainS > 0 ? healthChecks * healthCheckSeconds : 0);

export const traceWorld = (zones: readonly PlayedZone[], row: PlayedRow): WorldSpec => ({
  zones: zones.map(({ zone }) => zone),
  subnets: zones.map(({ subnet, zone }) => ({ id: subnet, zone })),
  offerings: offeringsOf(zones, row),
  launchTemplates: [{ name: 'trainer' }],
  autoScalingGroups: [],
  targetGroups:
    row.drainS === 0
      ? []
      : [
          {
            name: group,
            deregistrationDelaySeconds: row.drainS,
            healthCheckIntervalSeconds: healthCheckSeconds,
            healthyThreshold: healthChecks,
          },
        ],
  timing: {
    pendingSeconds: [pendingSeconds, pendingSeconds],
    bootSeconds: [bootSeconds(row.drainS), bootSeconds(row.drainS)],
    lagSeconds: [0, 2],
    asgPeriodSeconds: 15,
    latencyMs: { 'ec2:CreateFleet': [launchCallMs, launchCallMs], 'dynamodb:*': [3, 10], '*': [20, 80] },
  },
});

/** Spot in every zone, then on-demand; everything else is the product's default. */
export const tracePolicy = (
  zones: readonly PlayedZone[],
  row: Pick<PlayedRow, 'members' | 'tree' | 'spare'>,
  targetGroupArn?: string,
): Readonly<Record<string, unknown>> => {
  const onDemand = onDemandZones(zones);
  const spotNames = zones.map(({ letter }) => `spot-${letter}`);
  const pools = [
    ...zones.map(({ letter, subnet }) => [`spot-${letter}`, { market: 'spot', subnets: [subnet] }] as const),
    ...onDemand.map(({ letter, subnet }) => [`od-${letter}`, { market: 'on-demand', subnets: [subnet] }] as const),
  ];
  return {
    group,
    size: row.members,
    ...(row.spare > 0 && { spare: row.spare }),
    capacity: { tiered: [{ [row.tree]: spotNames }, { spread: onDemand.map(({ letter }) => `od-${letter}`) }] },
    defaults: { launchTemplate: 'trainer', instanceTypes: [instanceType] },
    pools: Object.fromEntries(pools),
    ...(targetGroupArn !== undefined && { drain: { loadBalancers: [targetGroupArn] } }),
  };
};

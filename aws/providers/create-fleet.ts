import {
  CreateFleetCommand,
  type CreateFleetRequest,
  type CreateFleetResult,
  type _InstanceType as InstanceType,
} from '@aws-sdk/client-ec2';
import { groupTagValue, tags } from '../../core/contract.ts';
import type { Group } from '../../core/group/group.ts';
import type { LaunchRequest } from '../../core/launch/launch-request.ts';
import type { Reservation } from '../../core/launch/reservation.ts';
import type { Placement } from '../../core/placement/placement.ts';
import type { Offering } from '../../core/pool/offering.ts';
import type { Pool } from '../../core/pool/pool.ts';
import { priceLimit } from '../../core/pool/price.ts';
import type { LaunchedInstance, LaunchOrder, LaunchResult } from '../../core/ports/launches.ts';
import { numberOf } from '../../core/units/number-of.ts';
import type { FleetLaunchTemplateOverridesRequest } from '../calls/ec2-shapes.ts';
import { type Complaint, refusedAll, toLaunchResult } from './launch-result.ts';
import type { ProviderDeps } from './provider-deps.ts';
import { isFailure, sendLaunch } from './send-launch.ts';

/**
 * The pool's subnet for a zone. A fleet takes one subnet per override and not two of one zone for the same type (EC2
 * User Guide, instant fleets). So the token chooses one of several, without subnets that are known to be full.
 */
const subnetIn = (pool: Pool, zone: string, token: string, avoid: readonly string[]): string | undefined => {
  const inZone = pool.subnets.filter((subnet) => subnet.zone === zone);
  const free = inZone.filter(({ id }) => !avoid.includes(id));
  const candidates = free.length > 0 ? free : inZone;
  return candidates[numberOf(token) % Math.max(1, candidates.length)]?.id;
};

/**
 * Priority follows the placement's order of types: the pool's order or, below `cheapest`, the order of their prices. It
 * is the same in all zones: the tree or EC2 chooses the zone, never the order of subnets.
 */
const overridesOf = (
  pool: Pool,
  { offerings, avoidSubnets = [] }: Placement,
  token: string,
): FleetLaunchTemplateOverridesRequest[] => {
  const types = [...new Set(offerings.map(({ instanceType }) => instanceType))];
  return offerings.flatMap(({ instanceType, zone }) => {
    const SubnetId = subnetIn(pool, zone, token, avoidSubnets);
    if (SubnetId === undefined) return [];
    const limit = pool.market === 'spot' ? priceLimit(pool, instanceType) : undefined;
    return [
      {
        InstanceType: instanceType as InstanceType,
        SubnetId,
        Priority: types.indexOf(instanceType),
        ...(limit !== undefined && { MaxPrice: String(limit) }),
      },
    ];
  });
};

/**
 * How EC2 chooses among overrides. On spot, a placement lists its types in order of preference, and only
 * `capacity-optimized-prioritized` follows an order and still considers capacity. With one type there is no order, so
 * `price-capacity-optimized` is used, which AWS recommends. `lowest-price`, the API's default, is never used. On
 * demand, `prioritized` follows the order strictly. There a price limit applies to the whole request, because overrides
 * have none for this market.
 */
const marketOptions = (
  pool: Pool,
  overrides: readonly FleetLaunchTemplateOverridesRequest[],
  count: number,
): Partial<CreateFleetRequest> => {
  if (pool.market === 'spot') {
    const ordered = new Set(overrides.map(({ InstanceType: type }) => type)).size > 1;
    return {
      SpotOptions: { AllocationStrategy: ordered ? 'capacity-optimized-prioritized' : 'price-capacity-optimized' },
    };
  }
  const limit = pool.maxPriceUsdPerHour;
  return {
    OnDemandOptions: {
      AllocationStrategy: 'prioritized',
      ...(limit !== undefined && { MaxTotalPrice: (limit * count).toFixed(4) }),
    },
  };
};

const launchTemplateOf = (text: string) => {
  const [nameOrId = '', Version = '$Default'] = text.split(':');
  return /^lt-[0-9a-f]+$/.test(nameOrId)
    ? { LaunchTemplateId: nameOrId, Version }
    : { LaunchTemplateName: nameOrId, Version };
};

/** Tags of an instance: ours last, so that the policy's tags cannot replace them. */
export const instanceTags = (
  deployment: string,
  group: Group,
  reservation: Reservation,
): { Key: string; Value: string }[] => {
  const all = {
    Name: group.name,
    ...group.tags,
    [tags.group]: groupTagValue(deployment, group.name),
    [tags.pool]: reservation.placement.pool,
    [tags.reservation]: reservation.id,
  };
  return Object.entries(all).map(([Key, Value]) => ({ Key, Value }));
};

/**
 * The input for one reservation: all its offerings, in one synchronous attempt. Undefined when no subnet fits any
 * offering.
 */
export const fleetInput = (
  deployment: string,
  group: Group,
  pool: Pool,
  reservation: Reservation,
): CreateFleetRequest | undefined => {
  const { placement, token } = reservation;
  const Overrides = overridesOf(pool, placement, token);
  if (Overrides.length === 0) return undefined;
  return {
    Type: 'instant',
    ClientToken: token,
    LaunchTemplateConfigs: [{ LaunchTemplateSpecification: launchTemplateOf(pool.launchTemplate ?? ''), Overrides }],
    TargetCapacitySpecification: { TotalTargetCapacity: placement.count, DefaultTargetCapacityType: pool.market },
    ...marketOptions(pool, Overrides, placement.count),
    TagSpecifications: [{ ResourceType: 'instance', Tags: instanceTags(deployment, group, reservation) }],
  };
};

/**
 * One CreateFleet of type `instant` for a reservation, whatever its count: calls grow with pools, not with instances.
 */
export const fleetRequest = (
  { deployment }: Pick<ProviderDeps, 'deployment'>,
  group: Group,
  reservation: Reservation,
): LaunchRequest | undefined => {
  const { placement } = reservation;
  const pool = group.pools[placement.pool];
  const input = pool && fleetInput(deployment, group, pool, reservation);
  if (!pool || !input) return undefined;
  const zones = Object.fromEntries(pool.subnets.map(({ id, zone }) => [id, zone]));
  return { api: 'CreateFleet', calls: [JSON.stringify(input)], placement, market: pool.market, zones };
};

type Zones = LaunchRequest['zones'];
const zoneOf = (zones: Zones, zone: string | undefined, subnet: string | undefined): string | undefined =>
  zone ?? zones[subnet ?? ''];

const instancesIn = ({ zones, market }: LaunchRequest, { Instances }: CreateFleetResult): readonly LaunchedInstance[] =>
  (Instances ?? []).flatMap(
    ({ InstanceIds, InstanceType: type, AvailabilityZone, SubnetId, LaunchTemplateAndOverrides }) => {
      const used = LaunchTemplateAndOverrides?.Overrides;
      const zone = zoneOf(zones, AvailabilityZone ?? used?.AvailabilityZone, SubnetId ?? used?.SubnetId) ?? 'unknown';
      const offering: Offering = { instanceType: type ?? used?.InstanceType ?? 'unknown', zone, market };
      return (InstanceIds ?? []).map((instance) => ({ instance, offering }));
    },
  );

const complaintsIn = ({ zones }: LaunchRequest, { Errors }: CreateFleetResult): readonly Complaint[] =>
  (Errors ?? []).map(({ ErrorCode, ErrorMessage, LaunchTemplateAndOverrides }) => {
    const { InstanceType: instanceType, AvailabilityZone, SubnetId } = LaunchTemplateAndOverrides?.Overrides ?? {};
    return {
      instanceType,
      zone: zoneOf(zones, AvailabilityZone, SubnetId),
      subnet: SubnetId,
      code: ErrorCode ?? 'Unknown',
      message: ErrorMessage ?? '',
    };
  });

/** Sends the request as it was stored. */
export const launchFleet = async (
  { ec2, now }: ProviderDeps,
  { request, leaseUntilMs }: LaunchOrder,
): Promise<LaunchResult> => {
  const command = new CreateFleetCommand(JSON.parse(request.calls[0] ?? '') as CreateFleetRequest);
  const answer = await sendLaunch(
    (watch, where) => command.middlewareStack.add(watch, where),
    { leaseUntilMs, now },
    () => ec2.send(command),
  );
  if (!isFailure(answer))
    return toLaunchResult(request.placement, instancesIn(request, answer), complaintsIn(request, answer));
  return answer.kind === 'refused' ? refusedAll(request.placement, answer.code, answer.message) : answer;
};

import { ApiError } from '../../api.ts';
import type { Choice, Fulfilment } from '../fulfilment.ts';
import type { Subnet } from '../network.ts';
import { type Operations, operation } from '../operation.ts';
import { createTokenMemory } from '../token-memory.ts';
import { findGroup, type Group, invalid, type Scaling, sizes, zonesOf } from './group.ts';
import { type LaunchAsk, launchMembers, marketOf } from './launching.ts';
import { weightOf } from './units.ts';

type LaunchInput = {
  AutoScalingGroupName: string;
  RequestedCapacity: number;
  ClientToken?: string;
  AvailabilityZones?: string[];
  AvailabilityZoneIds?: string[];
  SubnetIds?: string[];
  RetryStrategy?: string;
};

const tokenKeptMs = 8 * 3_600_000;
const atOnce = 100;

/** One zone or one subnet of the group. If the group has several zones, the call must name one. */
const subnetsFor = ({ network }: Scaling, group: Group, input: LaunchInput): readonly Subnet[] => {
  const { AvailabilityZones: zones = [], AvailabilityZoneIds: zoneIds = [], SubnetIds: subnetIds = [] } = input;
  if (zones.length > 1 || zoneIds.length > 1 || subnetIds.length > 1) throw invalid('Specify at most one Availability Zone or subnet.');
  if (zones.length > 0 && zoneIds.length > 0) throw invalid('AvailabilityZones and AvailabilityZoneIds cannot be used together.');
  const named = zones.length + zoneIds.length + subnetIds.length > 0;
  if (!named && zonesOf(group).length > 1) throw invalid('An Availability Zone or a subnet is required for groups of several Availability Zones.');
  const suits = ({ id, zone }: Subnet): boolean =>
    (zones.length === 0 || zones.includes(zone)) &&
    (zoneIds.length === 0 || zoneIds.includes(network.zoneId(zone))) &&
    (subnetIds.length === 0 || subnetIds.includes(id));
  const subnets = group.subnets.filter(suits);
  if (subnets.length === 0) throw invalid('The Availability Zone or subnet is not one of the Auto Scaling group.');
  return subnets;
};

const describe = ({ network }: Scaling, { instanceType, market, subnet }: Choice) => ({
  InstanceType: instanceType,
  MarketType: market,
  SubnetId: subnet.id,
  AvailabilityZone: subnet.zone,
  AvailabilityZoneId: network.zoneId(subnet.zone),
});

const answer = (scaling: Scaling, input: LaunchInput, { launched, refused }: Fulfilment<Choice>) => ({
  AutoScalingGroupName: input.AutoScalingGroupName,
  ClientToken: input.ClientToken,
  Instances: launched.map(({ choice, instances }) => ({ ...describe(scaling, choice), InstanceIds: instances.map(({ id }) => id) })),
  Errors: refused.map(({ choice, code, message }) => ({ ...describe(scaling, choice), ErrorCode: code, ErrorMessage: message })),
});

const mayLaunch = (group: Group, count: number): void => {
  if (count < 1 || count > atOnce) throw invalid(`RequestedCapacity must be between 1 and ${atOnce}.`);
  if (group.deleting) throw new ApiError('ScalingActivityInProgress', `Auto Scaling group ${group.name} is being deleted.`);
  if (group.desired + count > group.max) {
    throw invalid(`${sizes(group)} To launch ${count} instance${count === 1 ? '' : 's'}, please update the AutoScalingGroup sizes appropriately.`);
  }
};

const unitsIn = (group: Group, { launched }: Fulfilment<Choice>): number =>
  launched.reduce((sum, { choice, instances }) => sum + weightOf(group, choice.instanceType) * instances.length, 0);

/** Launches up to so many units. With weights one instance after another, because only its type says what it counts. */
const launchUnits = (scaling: Scaling, group: Group, ask: LaunchAsk): Fulfilment<Choice> => {
  if (group.weights === undefined) return launchMembers(scaling, group, ask, scaling.budget);
  let given: Fulfilment<Choice> = { launched: [], refused: [] };
  while (unitsIn(group, given) < ask.count) {
    const { launched, refused } = launchMembers(scaling, group, { ...ask, count: 1 }, scaling.budget);
    given = { launched: [...given.launched, ...launched], refused };
    if (launched.length === 0) break;
  }
  return given;
};

const launch = (scaling: Scaling, input: LaunchInput) => {
  const group = findGroup(scaling, input.AutoScalingGroupName);
  const count = input.RequestedCapacity;
  mayLaunch(group, count);
  if (group.warmPool !== undefined) throw new ApiError('UnsupportedOperation', 'LaunchInstances is not supported for groups with a warm pool.');
  const market = marketOf(group);
  if (market === undefined) throw invalid('LaunchInstances needs a group whose policy is all Spot or all On-Demand.');
  const given = launchUnits(scaling, group, { subnets: subnetsFor(scaling, group, input), market, count });
  const got = unitsIn(group, given);
  group.desired += input.RetryStrategy === 'retry-with-group-configuration' ? count : got;
  scaling.wake(group);
  return answer(scaling, input, given);
};

/** Synchronous launches into the group: hooks and health checks follow as for any member. */
export const launchOperations = (scaling: Scaling): Operations => {
  const tokens = createTokenMemory(scaling.base.clock, tokenKeptMs);
  return { LaunchInstances: operation<LaunchInput>((input) => tokens.answer(input.ClientToken, input, () => launch(scaling, input))) };
};

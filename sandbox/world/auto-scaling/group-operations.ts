import { ApiError } from '../../api.ts';
import { allOf, type Filter, type FilterField } from '../ec2/filters.ts';
import { isLive, reasons } from '../instance.ts';
import { nothing, type Operations, operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import { describeActivity } from './activities.ts';
import { findGroup, type Group, invalid, isHeld, type Scaling } from './group.ts';
import { describeGroup } from './group-output.ts';
import { buildGroup, checkSizes, type GroupInput, launchingOf, protectionOf, refuseUnknown, subnetsOf } from './group-settings.ts';
import { toHook } from './hook-operations.ts';
import { leaveGroup, noteLeft } from './member-life.ts';
import { isRedistributed } from './redistribution.ts';

const groupFields = (name: string): FilterField<Group> | undefined => {
  if (name === 'tag-key') return ({ tags }) => tags.map(({ Key }) => Key);
  if (name === 'tag-value') return ({ tags }) => tags.map(({ Value }) => Value);
  if (!name.startsWith('tag:')) return undefined;
  return ({ tags }) => tags.find(({ Key }) => Key === name.slice('tag:'.length))?.Value;
};

export const createGroup = (scaling: Scaling, input: GroupInput): Group => {
  refuseUnknown(input);
  if (scaling.groups.has(input.AutoScalingGroupName)) {
    throw new ApiError(
      'AlreadyExists',
      `AutoScalingGroup by this name already exists - A group with the name ${input.AutoScalingGroupName} already exists`,
    );
  }
  const group = buildGroup(scaling, input);
  for (const hook of input.LifecycleHookSpecificationList ?? []) group.hooks.set(hook.LifecycleHookName, toHook(hook));
  scaling.groups.set(group.name, group);
  scaling.wake(group);
  return group;
};

type Sizes = { MinSize?: number; MaxSize?: number; DesiredCapacity?: number };

/** New bounds move the desired capacity into them, unless the call sets it too. */
const assignSizes = (group: Group, { MinSize: min = group.min, MaxSize: max = group.max, DesiredCapacity }: Sizes): void => {
  const desired = DesiredCapacity ?? Math.min(max, Math.max(min, group.desired));
  checkSizes(min, max, desired);
  Object.assign(group, { min, max, desired });
};

/** A size that the group sets by its own schedule. */
export const setSizes = (scaling: Scaling, group: Group, sizes: Sizes): void => {
  assignSizes(group, sizes);
  scaling.wake(group);
};

const update = (scaling: Scaling, input: GroupInput): void => {
  refuseUnknown(input);
  const group = findGroup(scaling, input.AutoScalingGroupName);
  assignSizes(group, input);
  if (input.LaunchTemplate !== undefined || input.MixedInstancesPolicy !== undefined) {
    const launching = launchingOf(scaling, input, group);
    if (isRedistributed(group.mixed, launching.mixed)) group.redistribution = 'due';
    Object.assign(group, launching);
  }
  if (input.VPCZoneIdentifier !== undefined || input.AvailabilityZones !== undefined) group.subnets = subnetsOf(scaling, input);
  group.healthCheckType = input.HealthCheckType ?? group.healthCheckType;
  group.gracePeriodSeconds = input.HealthCheckGracePeriod ?? group.gracePeriodSeconds;
  group.protectsNew = input.NewInstancesProtectedFromScaleIn ?? group.protectsNew;
  group.rebalancesCapacity = input.CapacityRebalance ?? group.rebalancesCapacity;
  group.deletionProtection = protectionOf(input, group.deletionProtection);
  scaling.wake(group);
};

/** The code of the error is documented, its text is not. */
const mustBeDeletable = ({ name, deletionProtection: level }: Group, force: boolean): void => {
  if (level === 'prevent-all-deletion' || (level === 'prevent-force-deletion' && force))
    throw invalid(`AutoScalingGroup ${name} cannot be deleted: its deletion protection is ${level}.`);
};

const remove = (scaling: Scaling, group: Group, force: boolean): void => {
  mustBeDeletable(group, force);
  if (group.members.size > 0 && !force) {
    throw new ApiError(
      'ResourceInUse',
      'You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.',
    );
  }
  for (const member of [...group.members.values()]) {
    if (isHeld(member)) noteLeft(scaling, group, member, 'terminating');
    leaveGroup(scaling, group, member);
    if (isLive(member.instance)) scaling.instances.terminate(member.instance, reasons.user);
  }
  group.look?.cancel();
  Object.assign(group, { min: 0, max: 0, desired: 0 });
  group.suspended.clear();
  scaling.groups.delete(group.name);
};

const setDesired = (scaling: Scaling, group: Group, desired: number): void => {
  const { min, max } = group;
  if (desired > max) throw invalid(`New SetDesiredCapacity value ${desired} is above max value ${max} for the AutoScalingGroup.`);
  if (desired < min) throw invalid(`New SetDesiredCapacity value ${desired} is below min value ${min} for the AutoScalingGroup.`);
  group.desired = desired;
  scaling.wake(group);
};

type Describe = { AutoScalingGroupNames?: string[]; Filters?: Filter[]; MaxRecords?: number; NextToken?: string };
type Named = { AutoScalingGroupName: string };

/** The group as it was a while ago. Each describe draws how long, because another one may have read another replica. */
const describeLagging = (scaling: Scaling, group: Group): readonly object[] => {
  const lagMs = scaling.drawLagMs();
  const shown = scaling.past === undefined ? describeGroup(scaling, group) : scaling.past.shownAgo(group, lagMs);
  return shown === undefined ? [] : [shown];
};

const describeGroups = (scaling: Scaling, input: Describe) => {
  const names = input.AutoScalingGroupNames ?? [];
  const size = input.MaxRecords ?? 50;
  if (size > 100) throw invalid('The number of records must be at most 100.');
  if (names.length > size) throw invalid(`The number of group names must be at most ${size}.`);
  // A name that no group has is simply missing from the answer.
  const found = names.length > 0 ? names.flatMap((name) => scaling.groups.get(name) ?? []) : [...scaling.groups.values()];
  const page = pageOf(found.filter(allOf(input.Filters, groupFields)), Math.min(size, scaling.base.longestPage), input.NextToken, 'InvalidNextToken');
  return { AutoScalingGroups: page.items.flatMap((group) => describeLagging(scaling, group)), NextToken: page.next };
};

export const sizeOperations = (scaling: Scaling): Operations => ({
  CreateAutoScalingGroup: operation<GroupInput>((input) => {
    createGroup(scaling, input);
    return nothing;
  }),
  UpdateAutoScalingGroup: operation<GroupInput>((input) => {
    update(scaling, input);
    return nothing;
  }),
  DeleteAutoScalingGroup: operation<Named & { ForceDelete?: boolean }>((input) => {
    remove(scaling, findGroup(scaling, input.AutoScalingGroupName), input.ForceDelete ?? false);
    return nothing;
  }),
  DescribeAutoScalingGroups: operation<Describe>((input) => describeGroups(scaling, input)),
  SetDesiredCapacity: operation<Named & { DesiredCapacity: number }>((input) => {
    setDesired(scaling, findGroup(scaling, input.AutoScalingGroupName), input.DesiredCapacity);
    return nothing;
  }),
  DescribeScalingActivities: operation<{ AutoScalingGroupName?: string; MaxRecords?: number; NextToken?: string }>((input) => {
    const groups = input.AutoScalingGroupName === undefined ? [...scaling.groups.values()] : [findGroup(scaling, input.AutoScalingGroupName)];
    const all = groups.flatMap((group) => group.activities.map((activity) => describeActivity(group, activity)));
    const page = pageOf(all, input.MaxRecords ?? 100, input.NextToken, 'InvalidNextToken');
    return { Activities: page.items, NextToken: page.next };
  }),
});

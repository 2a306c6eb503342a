import { nothing, type Operations, operation } from '../operation.ts';
import { pageOf } from '../paging.ts';
import { beginActivity, describeActivity } from './activities.ts';
import { findGroup, type Group, invalid, isHeld, type Member, mustKeepMin, type Scaling, sizes, zonesOf } from './group.ts';
import { describeMember } from './group-output.ts';
import { deregisterTargets, groupTag, join, leaveGroup, noteJoined, noteLeft, noteProtection, registerTargets, retire } from './member-life.ts';
import { unitsOf, weightOf } from './units.ts';

/** Attach, detach and standby take no more at once. */
const atOnce = 20;

type Some = { AutoScalingGroupName: string; InstanceIds?: string[]; ShouldDecrementDesiredCapacity?: boolean };

const someIds = ({ InstanceIds: ids = [] }: Some, what: string): readonly string[] => {
  if (ids.length > atOnce) throw invalid(`List exceeds the maximum number of instances to ${what}. Please retry your request with fewer instances.`);
  return [...new Set(ids)];
};

const instances = (count: number): string => `${count} instance${count === 1 ? '' : 's'}`;

const mustBeMember = (group: Group, id: string): Member => {
  const member = group.members.get(id);
  if (member === undefined) throw invalid(`The instance ${id} is not part of Auto Scaling group ${group.name}.`);
  return member;
};

const attachable = (scaling: Scaling, group: Group, id: string) => {
  const instance = scaling.instances.find(id);
  if (instance === undefined) throw invalid(`Invalid Instance ID(s): [${id}]. Specify a valid Instance ID.`);
  if (instance.asg !== undefined) throw invalid(`The Instance: ${id} is already part of AutoScalingGroup:${instance.asg}`);
  if (instance.state !== 'running') throw invalid(`The instance ${id} is not in correct state: it must be running, and is ${instance.state}.`);
  if (!zonesOf(group).includes(instance.zone))
    throw invalid(`The instance ${id} is in Availability Zone ${instance.zone}, which is not one of the group's.`);
  return instance;
};

/**
 * While `Launch` is suspended no instance can be attached or return from standby (User Guide, How suspended processes affect other processes). The text of the
 * error is not documented.
 */
const mustAdmit = ({ name, suspended }: Group): void => {
  if (suspended.has('Launch')) throw invalid(`AutoScalingGroup ${name} takes no instance in: its process Launch is suspended.`);
};

/** Attached instances run no hooks and count at once, by the weights of their types. */
const attach = (scaling: Scaling, group: Group, ids: readonly string[]): void => {
  mustAdmit(group);
  const found = ids.map((id) => attachable(scaling, group, id));
  const units = found.reduce((sum, { instanceType }) => sum + weightOf(group, instanceType), 0);
  if (group.desired + units > group.max) {
    throw invalid(`${sizes(group)} To attach ${instances(found.length)}, please update the AutoScalingGroup sizes appropriately.`);
  }
  group.desired += units;
  for (const instance of found) {
    const member = join(scaling, group, instance, 'InService');
    scaling.instances.setTags(instance, { ...instance.tags, [groupTag]: group.name });
    registerTargets(scaling, group, member);
  }
  scaling.wake(group);
};

const decrement = (group: Group, members: readonly Member[], asked: boolean | undefined, what: string): void => {
  const counted = asked ? members.filter(isHeld) : [];
  const units = unitsOf(group, counted);
  if (units > 0 && group.desired - units < group.min) {
    throw invalid(`${sizes(group)} To ${what} ${instances(counted.length)}, please update the AutoScalingGroup sizes appropriately.`);
  }
  group.desired -= units;
};

const mayLeave = (group: Group, id: string): Member => {
  const member = mustBeMember(group, id);
  if (member.state !== 'InService' && member.state !== 'Standby') throw invalid(`The instance ${id} is not in InService or Standby.`);
  return member;
};

const detach = (scaling: Scaling, group: Group, input: Some): void => {
  const members = someIds(input, 'detach').map((id) => mayLeave(group, id));
  decrement(group, members, input.ShouldDecrementDesiredCapacity, 'detach');
  for (const member of members) {
    deregisterTargets(scaling, group, member);
    const { [groupTag]: _, ...rest } = member.instance.tags;
    scaling.instances.setTags(member.instance, rest);
    noteLeft(scaling, group, member, 'detached');
    leaveGroup(scaling, group, member);
  }
};

const enterStandby = (scaling: Scaling, group: Group, input: Some): void => {
  const members = someIds(input, 'enter standby').map((id) => mayLeave(group, id));
  decrement(group, members, input.ShouldDecrementDesiredCapacity, 'place into standby');
  for (const member of members) {
    deregisterTargets(scaling, group, member);
    noteLeft(scaling, group, member, 'standby');
    member.state = 'Standby';
  }
  scaling.wake(group);
};

const exitStandby = (scaling: Scaling, group: Group, input: Some): void => {
  mustAdmit(group);
  const members = someIds(input, 'exit standby').map((id) => mustBeMember(group, id));
  const wrong = members.find(({ state }) => state !== 'Standby');
  if (wrong !== undefined) throw invalid(`The instance ${wrong.instance.id} is not in Standby.`);
  const units = unitsOf(group, members);
  if (group.desired + units > group.max) {
    throw invalid(`${sizes(group)} To remove from standby ${instances(members.length)}, please update the AutoScalingGroup sizes appropriately.`);
  }
  group.desired += units;
  for (const member of members) {
    member.state = 'InService';
    noteJoined(scaling, group, member);
    registerTargets(scaling, group, member);
  }
};

type Terminate = { InstanceId?: string; InstanceIds?: string[]; AutoScalingGroupName?: string; ShouldDecrementDesiredCapacity?: boolean };

const terminated = (scaling: Scaling, input: Terminate): [Group, Member][] => {
  const ids = input.InstanceId === undefined ? (input.InstanceIds ?? []) : [input.InstanceId];
  if (ids.length > 100) throw invalid('At most 100 instances can be terminated in one call.');
  if (input.InstanceIds?.length && input.AutoScalingGroupName === undefined) throw invalid('AutoScalingGroupName is required with InstanceIds.');
  return [...new Set(ids)].map((id) => {
    const group = scaling.groups.get(input.AutoScalingGroupName ?? scaling.instances.find(id)?.asg ?? '');
    const member = group?.members.get(id);
    if (group === undefined || member === undefined) throw invalid(`Instance Id not found - No managed instance found for instance ID: ${id}`);
    return [group, member];
  });
};

/** All or nothing: one wrong id, or a minimum that would be crossed, and no instance goes. */
const terminate = (scaling: Scaling, input: Terminate) => {
  const found = terminated(scaling, input);
  const group = found[0]?.[0];
  if (group !== undefined && input.ShouldDecrementDesiredCapacity) {
    const counted = found.flatMap(([, member]) => (isHeld(member) ? [member] : []));
    const units = unitsOf(group, counted);
    mustKeepMin(group, units);
    group.desired -= units;
  }
  const activities = found.map(([owner, member]) => {
    const cause = 'An instance was taken out of service in response to a user request.';
    const activity = beginActivity(scaling, owner, `Terminating EC2 instance: ${member.instance.id}`, cause);
    retire(scaling, owner, member);
    scaling.wake(owner);
    return describeActivity(owner, activity);
  });
  return input.InstanceId === undefined ? { Activities: activities } : { Activity: activities[0] };
};

const moved = (act: (scaling: Scaling, group: Group, input: Some) => void, scaling: Scaling) =>
  operation<Some>((input) => {
    act(scaling, findGroup(scaling, input.AutoScalingGroupName), input);
    return { Activities: [] };
  });

export const moveOperations = (scaling: Scaling): Operations => ({
  AttachInstances: operation<Some>((input) => {
    attach(scaling, findGroup(scaling, input.AutoScalingGroupName), someIds(input, 'attach'));
    return nothing;
  }),
  DetachInstances: moved(detach, scaling),
  EnterStandby: moved(enterStandby, scaling),
  ExitStandby: moved(exitStandby, scaling),
  TerminateInstanceInAutoScalingGroup: operation<Terminate>((input) => terminate(scaling, input)),
});

export const memberOperations = (scaling: Scaling): Operations => ({
  DescribeAutoScalingInstances: operation<{ InstanceIds?: string[]; MaxRecords?: number; NextToken?: string }>((input) => {
    const all = [...scaling.groups.values()].flatMap((group) => [...group.members.values()].map((member) => ({ group, member })));
    const wanted = new Set(input.InstanceIds ?? []);
    const found = wanted.size === 0 ? all : all.filter(({ member }) => wanted.has(member.instance.id));
    const page = pageOf(found, input.MaxRecords ?? 50, input.NextToken, 'InvalidNextToken');
    const described = page.items.map(({ group, member }) => ({
      ...describeMember(group, member, scaling.network.zoneId),
      AutoScalingGroupName: group.name,
      HealthStatus: member.healthy ? 'HEALTHY' : 'UNHEALTHY',
    }));
    return { AutoScalingInstances: described, NextToken: page.next };
  }),
  SetInstanceHealth: operation<{ InstanceId: string; HealthStatus: string }>((input) => {
    const group = scaling.groups.get(scaling.instances.find(input.InstanceId)?.asg ?? '');
    const member = group?.members.get(input.InstanceId);
    if (group === undefined || member === undefined) throw invalid(`Instance Id not found - ${input.InstanceId}`);
    member.healthy = input.HealthStatus === 'Healthy';
    scaling.wake(group);
    return nothing;
  }),
  SetInstanceProtection: operation<{ AutoScalingGroupName: string; InstanceIds: string[]; ProtectedFromScaleIn: boolean }>((input) => {
    const group = findGroup(scaling, input.AutoScalingGroupName);
    for (const member of input.InstanceIds.map((id) => mustBeMember(group, id))) {
      member.isProtected = input.ProtectedFromScaleIn;
      noteProtection(scaling, member);
    }
    return nothing;
  }),
});

import { type InstanceRecord, isLive, reasons } from '../instance.ts';
import { emitSuccess } from './activities.ts';
import { type Group, isHeld, isTerminating, type Member, type Scaling } from './group.ts';
import { cancelActions, holdAtHooks } from './hooks.ts';

export const groupTag = 'aws:autoscaling:groupName';

export const join = (scaling: Scaling, group: Group, instance: InstanceRecord, state: Member['state']): Member => {
  const member: Member = { instance, state, healthy: true, isProtected: group.protectsNew, actions: new Map() };
  instance.asg = group.name;
  group.members.set(instance.id, member);
  instance.isHeldBack = !isHeld(member);
  if (isHeld(member)) noteJoined(scaling, group, member);
  if (member.isProtected) noteProtection(scaling, member);
  return member;
};

/** Reports that the group counts the member from now on. */
export const noteJoined = ({ base }: Scaling, group: Group, member: Member): void =>
  base.note({ kind: 'joined', instance: member.instance.id, asg: group.name, by: base.acting.current().by });

export const noteProtection = ({ base }: Scaling, { instance, isProtected }: Member): void =>
  base.note({ kind: 'protection', instance: instance.id, from: 'scale-in', isOn: isProtected, by: base.acting.current().by });

/** Reports that the group no longer counts the member. */
export const noteLeft = ({ base }: Scaling, group: Group, member: Member, how: 'detached' | 'standby' | 'terminating'): void =>
  base.note({ kind: 'left', instance: member.instance.id, asg: group.name, how, by: base.acting.current().by });

/** The member's target groups that still exist. */
const targetGroups = ({ targetBook }: Scaling, group: Group) => targetBook.list().filter(({ arn }) => group.targetGroups.includes(arn));

export const registerTargets = (scaling: Scaling, group: Group, member: Member): void => {
  if (group.suspended.has('AddToLoadBalancer') || member.instance.state !== 'running') return;
  for (const targetGroup of targetGroups(scaling, group)) scaling.targets.register(targetGroup, member.instance);
};

/** Deregisters a member from its target groups. Returns the time at which its last request ends. */
export const deregisterTargets = (scaling: Scaling, group: Group, member: Member): number =>
  Math.max(scaling.base.clock.now(), ...targetGroups(scaling, group).map((targetGroup) => scaling.targets.deregister(targetGroup, member.instance)));

/** Nothing holds it back any more: where it is in no target group, it serves as soon as it has booted. */
const letServe = ({ base, targets }: Scaling, instance: InstanceRecord): void => {
  const wasHeldBack = instance.isHeldBack === true;
  instance.isHeldBack = false;
  if (!wasHeldBack || instance.bootedAtMs === undefined || targets.groupsOf(instance.id).length > 0) return;
  base.tell({ kind: 'serving', instance: instance.id, atMs: base.clock.now() });
};

const serve = (scaling: Scaling, group: Group, member: Member): void => {
  member.state = 'InService';
  registerTargets(scaling, group, member);
  letServe(scaling, member.instance);
  emitSuccess(scaling, group, 'Launch', member.instance, 'An instance was launched to meet the desired capacity.');
};

/** A pending member's instance runs: launch hooks first, then service. */
export const arrive = (scaling: Scaling, group: Group, member: Member): void => {
  if (member.state !== 'Pending') return;
  const waits = holdAtHooks(scaling, group, member, 'autoscaling:EC2_INSTANCE_LAUNCHING', (result) => {
    if (result === 'ABANDON') {
      retire(scaling, group, member);
      scaling.wake(group);
      return;
    }
    member.state = 'Pending:Proceed';
    serve(scaling, group, member);
  });
  if (waits) {
    member.state = 'Pending:Wait';
    member.instance.isHeldBack = true;
  } else serve(scaling, group, member);
};

export const leaveGroup = (scaling: Scaling, group: Group, member: Member): void => {
  cancelActions(scaling, group, member);
  group.members.delete(member.instance.id);
  if (member.instance.asg === group.name) delete member.instance.asg;
  scaling.wake(group);
};

/** The instance of the member has ended, so no hook holds it any longer. */
export const depart = (scaling: Scaling, group: Group, member: Member): void => {
  if (!group.members.has(member.instance.id)) return;
  leaveGroup(scaling, group, member);
  emitSuccess(scaling, group, 'Terminate', member.instance, 'An instance was taken out of service.');
};

const finish = (scaling: Scaling, group: Group, member: Member): void => {
  if (!group.members.has(member.instance.id)) return;
  member.state = 'Terminating:Proceed';
  if (member.instance.state === 'terminated') depart(scaling, group, member);
  else scaling.base.acting.as(member.endedBy ?? scaling.base.acting.current(), () => scaling.instances.terminate(member.instance, reasons.user));
};

/**
 * Both results of a terminating hook end the instance, unless the instance lifecycle policy of the group keeps what is abandoned. A retained instance counts for
 * nothing, and stays until a call terminates it (User Guide, instance lifecycle policy).
 */
const waitThenFinish = (scaling: Scaling, group: Group, member: Member): void => {
  if (!group.members.has(member.instance.id) || member.state !== 'Terminating') return;
  const waits = holdAtHooks(scaling, group, member, 'autoscaling:EC2_INSTANCE_TERMINATING', (result) => {
    if (result === 'ABANDON' && group.retains && isLive(member.instance)) member.state = 'Terminating:Retained';
    else finish(scaling, group, member);
  });
  if (waits) member.state = 'Terminating:Wait';
  else finish(scaling, group, member);
};

/** Ends a member the way a group does: off the load balancer, then hooks, then the instance. */
export const retire = (scaling: Scaling, group: Group, member: Member): void => {
  if (member.state === 'Terminating:Retained') finish(scaling, group, member);
  if (isTerminating(member)) return;
  cancelActions(scaling, group, member);
  if (isHeld(member)) noteLeft(scaling, group, member, 'terminating');
  member.state = 'Terminating';
  member.endedBy = scaling.base.acting.current();
  const idleAtMs = deregisterTargets(scaling, group, member);
  if (isLive(member.instance) && idleAtMs > scaling.base.clock.now()) {
    scaling.base.clock.at(idleAtMs, () => waitThenFinish(scaling, group, member));
    return;
  }
  waitThenFinish(scaling, group, member);
};

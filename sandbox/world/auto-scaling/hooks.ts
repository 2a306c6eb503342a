import type { Timer } from '../../clock.ts';
import type { Group, Hook, HookResult, LifecycleAction, Member, Scaling, Transition } from './group.ts';
import { byItself } from './numbers.ts';

/** No action outlives 48 hours or a hundred heartbeats. */
const globalTimeoutMs = (hook: Hook): number => Math.min(48 * 3_600_000, 100 * hook.heartbeatSeconds * 1000);

const isLaunching = (hook: Hook): boolean => hook.transition === 'autoscaling:EC2_INSTANCE_LAUNCHING';

const detailOf = (group: Group, member: Member, hook: Hook, token: string) => ({
  LifecycleActionToken: token,
  AutoScalingGroupName: group.name,
  LifecycleHookName: hook.name,
  EC2InstanceId: member.instance.id,
  LifecycleTransition: hook.transition,
  ...(hook.metadata === undefined ? {} : { NotificationMetadata: hook.metadata }),
  Origin: isLaunching(hook) ? 'EC2' : 'AutoScalingGroup',
  Destination: isLaunching(hook) ? 'AutoScalingGroup' : 'EC2',
});

const announce = ({ base, notify }: Scaling, group: Group, member: Member, hook: Hook, token: string): void => {
  const detail = detailOf(group, member, hook, token);
  const kind = isLaunching(hook) ? 'launch' : 'terminate';
  base.emit({ 'detail-type': `EC2 Instance-${kind} Lifecycle Action`, source: 'aws.autoscaling', resources: [group.arn], detail });
  if (hook.targetArn === undefined) return;
  const envelope = { Service: 'AWS Auto Scaling', Time: new Date(base.clock.now()).toISOString(), AccountId: base.place.accountId };
  notify(hook.targetArn, { ...envelope, RequestId: base.ids.uuid(), ...detail });
};

/** What AWS sends to a hook's target when the hook is put. */
export const testNotification = ({ base }: Scaling, group: Group) => ({
  AccountId: base.place.accountId,
  RequestId: base.ids.uuid(),
  AutoScalingGroupARN: group.arn,
  AutoScalingGroupName: group.name,
  Service: 'AWS Auto Scaling',
  Event: 'autoscaling:TEST_NOTIFICATION',
  Time: new Date(base.clock.now()).toISOString(),
});

/** Extends the action by one heartbeat time-out. */
const expiry = (scaling: Scaling, group: Group, member: Member, action: Pick<LifecycleAction, 'hook' | 'latestMs' | 'finish'>): Timer => {
  const { base } = scaling;
  const { name: hook, defaultResult, heartbeatSeconds } = action.hook;
  const expiresAtMs = Math.min(base.clock.now() + heartbeatSeconds * 1000, action.latestMs);
  if (!isLaunching(action.hook)) base.note({ kind: 'hook-waits', instance: member.instance.id, asg: group.name, hook, expiresAtMs });
  return base.clock.at(expiresAtMs, () => byItself(scaling, group, 'hook', () => action.finish(defaultResult, 'expired')));
};

type Over = { readonly how: 'completed' | 'expired' | 'gone'; readonly result?: HookResult };

const noteOver = ({ base }: Scaling, group: Group, member: Member, hook: Hook, over: Over): void => {
  if (isLaunching(hook)) return;
  base.note({ kind: 'hook-over', instance: member.instance.id, asg: group.name, hook: hook.name, ...over, by: base.acting.current().by });
};

export const cancelActions = (scaling: Scaling, group: Group, member: Member): void => {
  for (const { timer, hook } of member.actions.values()) {
    timer.cancel();
    noteOver(scaling, group, member, hook, { how: 'gone' });
  }
  member.actions.clear();
};

/**
 * Holds a member at every hook of a transition at once; `then` runs with CONTINUE when all have continued, with ABANDON at the first that does not. Returns
 * false, and runs nothing, if the group has no such hook.
 */
export const holdAtHooks = (scaling: Scaling, group: Group, member: Member, transition: Transition, then: (result: HookResult) => void): boolean => {
  const hooks = [...group.hooks.values()].filter((hook) => hook.transition === transition);
  for (const hook of hooks) {
    const token = scaling.base.ids.uuid();
    const finish: LifecycleAction['finish'] = (result, how) => {
      member.actions.get(hook.name)?.timer.cancel();
      member.actions.delete(hook.name);
      noteOver(scaling, group, member, hook, { how, result });
      if (result === 'ABANDON') cancelActions(scaling, group, member);
      if (member.actions.size === 0) then(result);
    };
    const action = { hook, token, latestMs: scaling.base.clock.now() + globalTimeoutMs(hook), finish };
    member.actions.set(hook.name, { ...action, timer: expiry(scaling, group, member, action) });
  }
  for (const { hook, token } of [...member.actions.values()]) announce(scaling, group, member, hook, token);
  return hooks.length > 0;
};

/** The active action of an instance or token, at this hook. */
export const activeAction = (
  group: Group,
  hookName: string,
  instance: string | undefined,
  token: string | undefined,
): LifecycleAction | undefined => {
  const members = instance === undefined ? [...group.members.values()] : [group.members.get(instance)];
  const actions = members.flatMap((member) => member?.actions.get(hookName) ?? []);
  return actions.find((action) => token === undefined || action.token === token);
};

export const prolong = (scaling: Scaling, group: Group, action: LifecycleAction): void => {
  const member = [...group.members.values()].find(({ actions }) => actions.get(action.hook.name) === action);
  if (member === undefined) return;
  action.timer.cancel();
  action.timer = expiry(scaling, group, member, action);
};

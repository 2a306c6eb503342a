import type { Swap } from '../swap/swap.ts';
import type { GroupState, View } from '../view/view.ts';
import type { Group } from './group.ts';
import { howHeld } from './holding.ts';

/** Auto Scaling groups that the policy in force names, each once. */
export const namedAsgs = (group: Pick<Group, 'holding' | 'pools'>): readonly string[] =>
  howHeld(group).namedAsgs(group.pools);

/**
 * Auto Scaling groups that may hold members of this group, each once: those that its policy names, and those that an
 * earlier policy named.
 */
export const asgsOf = (group: Pick<Group, 'holding' | 'pools' | 'former'>): readonly string[] => [
  ...new Set([...namedAsgs(group), ...(group.former ?? [])]),
];

/** The same Auto Scaling groups, and those that held these leaving instances when they were claimed. */
export const asgsFor = (group: Group, swaps: readonly Pick<Swap, 'asg'>[]): readonly string[] => [
  ...new Set([...asgsOf(group), ...swaps.flatMap(({ asg }) => asg ?? [])]),
];

/** Target groups that the policy in force names: Holdfast itself registers members with them. */
export const namedTargetGroups = ({ drain }: Pick<Group, 'drain'>): readonly string[] =>
  drain.loadBalancers === 'auto' ? [] : drain.loadBalancers;

/** Whether a running member needs nothing more, because Holdfast attaches and registers nothing for this group. */
export const isAdmittedRunning = (group: Pick<Group, 'holding' | 'drain'>): boolean =>
  howHeld(group).joins === undefined && namedTargetGroups(group).length === 0;

/** The most target groups that are remembered, because a look at a drain reads each of them. */
const mostTargetGroups = 10;

/** Target groups to remember. Those of the policy in force come last. */
export const targetGroupsNow = ({ targetGroups = [] }: Pick<GroupState, 'targetGroups'>, group: Group) => {
  const named = namedTargetGroups(group);
  return [...targetGroups.filter((arn) => !named.includes(arn)), ...named].slice(-mostTargetGroups);
};

/** The group with its unserved members. EC2's status checks are read repeatedly only for these. */
const withUnserved = (group: Group, state: Pick<GroupState, 'unserved'> | undefined): Group => {
  const unserved = Object.keys(state?.unserved ?? {});
  return group.ready?.checks === undefined || unserved.length === 0 ? group : { ...group, unserved };
};

/**
 * The group in force, with the Auto Scaling groups and target groups that its state remembers from earlier policies, so
 * that an edit of the policy forgets no member.
 */
export const withFormer = (
  accepted: Group,
  state: Pick<GroupState, 'holders' | 'targetGroups' | 'unserved'> | undefined,
): Group => {
  const { former: _before, ...group } = withUnserved(accepted, state);
  const named = new Set([...namedAsgs(group), ...namedTargetGroups(group)]);
  const former = (state?.holders ?? []).filter((asg) => !named.has(asg));
  const formerTargetGroups = (state?.targetGroups ?? []).filter((arn) => !named.has(arn));
  return former.length + formerTargetGroups.length === 0 && accepted.former === undefined
    ? withUnserved(accepted, state)
    : {
        ...group,
        ...(former.length > 0 && { former }),
        ...(formerTargetGroups.length > 0 && { formerTargetGroups }),
      };
};

/**
 * Whether an Auto Scaling group that the policy no longer names still matters: instances are in it or on their way into
 * it, or its maximum size is not put back yet.
 */
const isStillNeeded = ({ group, state, asgs }: View, name: string): boolean => {
  const asg = asgs.find((one) => one.name === name);
  const isEmpty = asg === undefined || (asg.desired === 0 && (asg.inside ?? asg.held) === 0);
  return (
    !isEmpty ||
    state.raised.some((raised) => raised.asg === name) ||
    state.reservations.some(({ placement }) => !group.pools[placement.pool])
  );
};

/** Auto Scaling groups to remember after this look, of those that were remembered before. */
export const holdersNow = (view: View, before: readonly string[]): readonly string[] => {
  const named = namedAsgs(view.group);
  return [...named, ...before.filter((name) => !named.includes(name) && isStillNeeded(view, name))];
};

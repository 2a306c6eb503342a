import { tags } from '../../core/contract.ts';
import type { Group } from '../../core/group/group.ts';
import { namedTargetGroups } from '../../core/group/holders.ts';
import { howHeld } from '../../core/group/holding.ts';
import { bootGraceMs, bothLagMs, describeLagMs } from '../../core/times/times.ts';
import { registeredByMs } from '../../core/view/registered.ts';
import type { Member } from '../../core/view/view.ts';
import type { Instance } from '../calls/ec2-shapes.ts';
import { asgTag, groupOf, offeringOf, tagOf } from '../instances.ts';
import type { Asg, Standing } from './auto-scaling-groups.ts';
import { isNoteShown, type joinedHere, notedWithinMs } from './joined-here.ts';
import { poolOf } from './pool-of.ts';
import type { TargetHealth, TargetState } from './target-groups.ts';

/** Target groups in which an instance of this group takes work: the named ones, and those of its Auto Scaling group. */
export const targetGroupsOf = (group: Group, asgs: readonly Asg[]): readonly string[] => [
  ...new Set([...namedTargetGroups(group), ...asgs.flatMap(({ targetGroups }) => targetGroups)]),
];

export type Seen = {
  readonly group: Group;
  readonly deployment: string;
  readonly asgs: ReadonlyMap<string, Asg>;
  readonly standings: ReadonlyMap<string, Standing>;
  readonly health: ReadonlyMap<string, TargetHealth | 'unread'>;
  readonly nowMs: number;
  /** Whether Holdfast has registered it with the named target groups, as this environment or the state knows. */
  readonly hasRegistered: (instance: string) => boolean;
  /** The memory of this environment about an instance that it attached to an Auto Scaling group. */
  readonly joinedHere: (instance: string) => ReturnType<typeof joinedHere>;
};

/**
 * The state of an instance in a target group. Undefined when it is not registered, `unread` when the target group could
 * not be read.
 */
type Told = TargetState | 'unread' | undefined;

/** States in the target groups that exist. Undefined where the instance is not registered. */
const statesIn = (seen: Seen, arns: readonly string[], instance: string): readonly Told[] =>
  arns.flatMap((arn) => {
    const targets = seen.health.get(arn);
    if (targets === undefined) return [];
    return [targets === 'unread' ? targets : targets.get(instance)];
  });

/** Whether Auto Scaling groups or target groups of an earlier policy are remembered. */
const hasFormer = ({ former, formerTargetGroups }: Group): boolean =>
  former !== undefined || formerTargetGroups !== undefined;

/**
 * Whether a member is outside of the Auto Scaling groups in which its policy holds members, and cannot join one: it was
 * launched for a policy that held members in another way.
 */
export const isLeftOutside = ({ group, standings }: Pick<Seen, 'group' | 'standings'>, instance: Instance): boolean => {
  const { isInAsgs, joins } = howHeld(group);
  const isInOne = standings.has(instance.InstanceId ?? '') || tagOf(instance, asgTag) !== undefined;
  return isInAsgs && joins === undefined && !isInOne;
};

/**
 * States of a member that was left outside, where an earlier policy is remembered. It takes work only where it is
 * registered. It may be registered nowhere: then no policy registers it any more.
 */
const statesOutside = (seen: Seen, instance: string): readonly Told[] => {
  const { formerTargetGroups = [] } = seen.group;
  const arns = new Set([...formerTargetGroups, ...targetGroupsOf(seen.group, [...seen.asgs.values()])]);
  const states = statesIn(seen, [...arns], instance);
  const registered = states.filter((state) => state !== undefined);
  return registered.length > 0 ? registered : states.slice(0, 1);
};

/** States in the named target groups alone, and in all: also those of its present or future Auto Scaling group. */
const toldOf = (seen: Seen, instance: Instance) => {
  const { group, asgs, standings } = seen;
  const id = instance.InstanceId ?? '';
  const named = statesIn(seen, namedTargetGroups(group), id);
  if (hasFormer(group) && isLeftOutside(seen, instance)) return { named, states: statesOutside(seen, id) };
  const home = standings.get(id)?.asg ?? howHeld(group).joins;
  return { named, states: [...named, ...statesIn(seen, asgs.get(home ?? '')?.targetGroups ?? [], id)] };
};

/** How long ago an instance joined, by its tag. */
const sinceNotedMs = ({ nowMs }: Pick<Seen, 'nowMs'>, instance: Instance): number | undefined => {
  const joinedAtMs = Number(tagOf(instance, tags.joined)?.split(' ').at(-1));
  return Number.isFinite(joinedAtMs) ? nowMs - joinedAtMs : undefined;
};

/** The memory of this environment about an instance, if it attached it to this Auto Scaling group. */
const attachedHere = (
  { joinedHere: joined }: Pick<Seen, 'joinedHere'>,
  { InstanceId = '' }: Instance,
  asg: string | undefined,
): ReturnType<typeof joinedHere> => {
  const here = joined(InstanceId);
  return here?.asg === asg ? here : undefined;
};

/** How long ago Holdfast attached an instance to its Auto Scaling group. Undefined when nothing says that it did. */
const sinceJoinedMs = (seen: Pick<Seen, 'nowMs' | 'joinedHere' | 'group'>, instance: Instance): number | undefined => {
  const here = attachedHere(seen, instance, howHeld(seen.group).joins);
  return sinceNotedMs(seen, instance) ?? (here && seen.nowMs - here.atMs);
};

/** Whether members live in no Auto Scaling group, or a describe of one shows this instance. */
const isShownOrOutside = ({ group, standings }: Seen, instance: Instance): boolean =>
  !howHeld(group).isInAsgs || standings.has(instance.InstanceId ?? '');

/**
 * Whether its user detached it: it had joined an Auto Scaling group and is not shown there, after describes have had
 * time to show it. If EC2 does not show the tag of an Auto Scaling group either, two services agree, and less time is
 * enough.
 */
export const isDetached = (seen: Seen, instance: Instance): boolean =>
  !isShownOrOutside(seen, instance) &&
  (sinceJoinedMs(seen, instance) ?? 0) > (tagOf(instance, asgTag) === undefined ? bothLagMs : describeLagMs);

/** Whether EC2 shows the tag of an Auto Scaling group that a describe shows. */
const isTaggedIn = ({ asgs }: Seen, instance: Instance): boolean => asgs.has(tagOf(instance, asgTag) ?? '');

/** It has joined, and describes of its Auto Scaling group do not show it yet. */
const hasJustJoined = (seen: Seen, instance: Instance): boolean =>
  !isShownOrOutside(seen, instance) && sinceJoinedMs(seen, instance) !== undefined;

/** It has joined, or its Auto Scaling group launched it, and describes of that group do not show it yet. */
const isUnshown = (seen: Seen, instance: Instance): boolean =>
  !isShownOrOutside(seen, instance) && (isTaggedIn(seen, instance) || hasJustJoined(seen, instance));

const unshownIn = (seen: Seen, instance: Instance): Pick<Member, 'unshown'> =>
  isUnshown(seen, instance) ? { unshown: true } : {};

/** Whether an instance without a note has had its time: to be tagged with others, or for its tags to be shown. */
const wantsNote = ({ nowMs }: Seen, instance: Instance, here: ReturnType<typeof joinedHere>): boolean => {
  if (here !== undefined) return !here.noted && nowMs - here.atMs >= notedWithinMs;
  return isNoteShown(instance, nowMs);
};

/**
 * Whether a member is in the Auto Scaling group that members are attached to, without the tag that it joined: its tag
 * waits for others or is not shown yet, the function that attached it died, or the response was lost. The policy may
 * have moved away from that group while the tag waited.
 */
const unnotedIn = (seen: Seen, instance: Instance, standing: Standing | undefined): Pick<Member, 'unnoted'> => {
  if (standing === undefined || sinceNotedMs(seen, instance) !== undefined) return {};
  const here = attachedHere(seen, instance, standing.asg);
  const isWaiting = standing.asg === howHeld(seen.group).joins || here?.noted === false;
  if (!isWaiting || groupOf(instance, seen.deployment) !== seen.group.name) return {};
  return { unnoted: wantsNote(seen, instance, here) ? 'long' : 'lately' };
};

/**
 * Whether it needs no attach. Only an instance without an Auto Scaling group can join the group that members are
 * attached to. Where EC2 shows that it is in that group, this group's describe is older, or its user detached it a
 * moment ago. Where members join no group, an instance outside of all groups stays there.
 */
const isHeld = (seen: Seen, instance: Instance): boolean => {
  if (isShownOrOutside(seen, instance) || isUnshown(seen, instance)) return true;
  return howHeld(seen.group).joins === undefined && tagOf(instance, asgTag) === undefined;
};

const isRegistered = (state: Told, unlessTold: boolean): boolean =>
  state === 'unread' ? unlessTold : state !== undefined && state !== 'draining';

/**
 * Whether an instance that has not joined its Auto Scaling group works already, by its target groups. It was launched
 * for a policy that held its members in another way.
 */
const worksOutside = (states: readonly Told[]): boolean =>
  states.length > 0 && states.every((state) => state === 'ready');

/** Whether an admitted member is in service. One that only EC2 shows in its Auto Scaling group works as one outside. */
const isInService = (seen: Seen, instance: Instance, states: readonly Told[]): boolean =>
  seen.standings.get(instance.InstanceId ?? '')?.inService ??
  (!hasJustJoined(seen, instance) &&
    (worksOutside(states) || (howHeld(seen.group).joins === undefined && !isUnshown(seen, instance))));

/** Whether a member serves, according to its target groups. */
const serviceOf = (inService: boolean, states: readonly Told[]): Pick<Member, 'serving' | 'mayServe' | 'unchecked'> => {
  const unchecked = states.length === 0 && { unchecked: true as const };
  if (!inService || !states.every((state) => state === 'ready' || state === 'unread'))
    return { serving: false, ...unchecked };
  return states.includes('unread') ? { serving: false, mayServe: true } : { serving: true, ...unchecked };
};

/**
 * Admitted means that nothing is left for us to do: the member is registered with the named target groups and, where
 * the group has one, in its Auto Scaling group, which registers its own target groups itself. Serving means that it is
 * healthy in all of them, admitted or not. When a target group could not be read, a member in an Auto Scaling group, or
 * one that has had time to be registered, counts as registered, and whether it serves is unknown. Termination
 * protection is not read, because EC2 returns it for one instance a call.
 */
export const toMember = (seen: Seen, instance: Instance): Member => {
  const id = instance.InstanceId ?? '';
  const standing = seen.standings.get(id);
  const running = instance.State?.Name === 'running';
  const { named, states } = toldOf(seen, instance);
  const held = isHeld(seen, instance);
  const launchedAtMs = instance.LaunchTime?.getTime() ?? seen.nowMs;
  const ageMs = seen.nowMs - launchedAtMs;
  const admitted =
    running &&
    held &&
    named.every((state) =>
      isRegistered(state, standing !== undefined || ageMs > registeredByMs || seen.hasRegistered(id)),
    );
  const failing = states.includes('failing') && ageMs > bootGraceMs;
  const works = admitted ? isInService(seen, instance, states) : running && !held && worksOutside(states);
  const offering = offeringOf(instance);
  const reservation = tagOf(instance, tags.reservation);
  const launchedFor = groupOf(instance, seen.deployment);
  return {
    instance: id,
    pool: poolOf(seen.group, {
      tagged: tagOf(instance, tags.pool),
      asg: standing?.asg ?? tagOf(instance, asgTag),
      offering,
    }),
    offering,
    ...(standing !== undefined && { asg: standing.asg }),
    // Auto Scaling tags what it launches, and two services show no group.
    ...(ageMs >= bothLagMs && isLeftOutside(seen, instance) && { isOutside: true as const }),
    state: running ? 'running' : 'pending',
    launchedAtMs,
    ...(reservation !== undefined && { reservation }),
    ...(launchedFor !== undefined && launchedFor !== seen.group.name && { launchedFor }),
    admitted,
    ...unshownIn(seen, instance),
    ...serviceOf(works, states),
    protected: standing?.protected ?? false,
    ...unnotedIn(seen, instance, standing),
    unhealthy: failing || (standing?.unhealthy ?? false),
  };
};

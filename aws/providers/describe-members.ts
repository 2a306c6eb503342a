import type { Instance } from '@aws-sdk/client-ec2';
import { tags } from '../../core/contract.ts';
import type { Group } from '../../core/group/group.ts';
import { asgsOf, namedTargetGroups } from '../../core/group/holders.ts';
import { howHeld } from '../../core/group/holding.ts';
import type { Holdings } from '../../core/ports/capacity-provider.ts';
import { bootGraceMs, bothLagMs, describeLagMs } from '../../core/times/times.ts';
import { numberOf } from '../../core/units/number-of.ts';
import { asReady, needsStatusChecks } from '../../core/view/ready.ts';
import type { AsgView, Member } from '../../core/view/view.ts';
import { troubleOf } from '../calls/errors.ts';
import { asgTag, endingOf, groupOf, isAlive, isStopped, offeringOf, tagOf } from '../instances.ts';
import { type Asg, type Standing, standingsIn } from './auto-scaling-groups.ts';
import { joinedHere, notedWithinMs } from './joined-here.ts';
import { poolOf } from './pool-of.ts';
import type { ProviderDeps } from './provider-deps.ts';
import { readGroups, type Shown } from './read-groups.ts';
import { statusChecksOf } from './status-checks.ts';
import { describeHealth, hasRegistered, type TargetHealth, type TargetState } from './target-groups.ts';

/**
 * By this age a member runs and was registered. Before it, an instance whose registration cannot be read is registered
 * again, which is harmless.
 */
const registeredByMs = 120_000;

/** Target groups in which an instance of this group takes work: the named ones, and those of its Auto Scaling group. */
export const targetGroupsOf = (group: Group, asgs: readonly Asg[]): readonly string[] => [
  ...new Set([...namedTargetGroups(group), ...asgs.flatMap(({ targetGroups }) => targetGroups)]),
];

type Seen = {
  readonly group: Group;
  readonly deployment: string;
  readonly asgs: ReadonlyMap<string, Asg>;
  readonly standings: ReadonlyMap<string, Standing>;
  readonly health: ReadonlyMap<string, TargetHealth | 'unread'>;
  readonly nowMs: number;
  /** Whether this environment itself has registered an instance with the named target groups. */
  readonly hasRegistered: (instance: string) => boolean;
  /** What this environment knows of an instance that it attached to the group's Auto Scaling group. */
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

/** How long ago the tag of an instance says that it joined. */
const sinceNotedMs = ({ nowMs }: Pick<Seen, 'nowMs'>, instance: Instance): number | undefined => {
  const joinedAtMs = Number(tagOf(instance, tags.joined)?.split(' ').at(-1));
  return Number.isFinite(joinedAtMs) ? nowMs - joinedAtMs : undefined;
};

/** How long ago Holdfast attached an instance to an Auto Scaling group. Undefined when nothing says that it did. */
const sinceJoinedMs = (seen: Pick<Seen, 'nowMs' | 'joinedHere'>, instance: Instance): number | undefined => {
  const here = seen.joinedHere(instance.InstanceId ?? '');
  return sinceNotedMs(seen, instance) ?? (here && seen.nowMs - here.atMs);
};

/**
 * Out of the Auto Scaling group that it had joined, after describes have had time to show it there: its user detached
 * it. Where EC2 does not show the tag of an Auto Scaling group either, two services agree, and less time is enough.
 */
const isDetached = (seen: Seen, instance: Instance): boolean =>
  howHeld(seen.group).isInAsgs &&
  !seen.standings.has(instance.InstanceId ?? '') &&
  (sinceJoinedMs(seen, instance) ?? 0) > (tagOf(instance, asgTag) === undefined ? bothLagMs : describeLagMs);

/** It has joined, and describes of its Auto Scaling group do not show it yet. */
const hasJustJoined = (seen: Seen, instance: Instance): boolean =>
  howHeld(seen.group).isInAsgs &&
  !seen.standings.has(instance.InstanceId ?? '') &&
  sinceJoinedMs(seen, instance) !== undefined;

const unshownIn = (seen: Seen, instance: Instance): Pick<Member, 'unshown'> =>
  hasJustJoined(seen, instance) ? { unshown: true } : {};

/** Whether an instance without a note has had its time: to be tagged with others, or for its tags to be shown. */
const wantsNote = ({ nowMs, joinedHere: joined }: Seen, instance: Instance): boolean => {
  const here = joined(instance.InstanceId ?? '');
  if (here !== undefined) return !here.noted && nowMs - here.atMs >= notedWithinMs;
  return nowMs - (instance.LaunchTime?.getTime() ?? nowMs) > describeLagMs;
};

/**
 * In the Auto Scaling group that members are attached to, without the note that it joined: nobody came after it that it
 * waited for, whoever attached it died, or the answer was lost.
 */
const unnotedIn = (seen: Seen, instance: Instance, standing: Standing | undefined): Pick<Member, 'isUnnoted'> =>
  standing !== undefined &&
  standing.asg === howHeld(seen.group).joins &&
  groupOf(instance, seen.deployment) === seen.group.name &&
  sinceNotedMs(seen, instance) === undefined &&
  wantsNote(seen, instance)
    ? { isUnnoted: true }
    : {};

/**
 * Whether it cannot be held any further: an instance without an Auto Scaling group can join the group that members are
 * attached to, and no other.
 */
const isHeld = ({ group, standings, ...rest }: Seen, instance: Instance): boolean => {
  if (!howHeld(group).isInAsgs || standings.has(instance.InstanceId ?? '')) return true;
  return (
    hasJustJoined({ group, standings, ...rest }, instance) ||
    (howHeld(group).launchesBy === 'autoScaling' && tagOf(instance, asgTag) === undefined)
  );
};

const isInService = (seen: Seen, instance: Instance): boolean =>
  seen.standings.get(instance.InstanceId ?? '')?.inService ??
  (!howHeld(seen.group).isInAsgs || !hasJustJoined(seen, instance));

const isRegistered = (state: Told, unlessTold: boolean): boolean =>
  state === 'unread' ? unlessTold : state !== undefined && state !== 'draining';

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
 * healthy in all of them. When a target group could not be read, a member in an Auto Scaling group, or one that has had
 * time to be registered, counts as registered, and whether it serves is unknown. Termination protection is not read,
 * because EC2 returns it for one instance a call.
 */
const toMember = (seen: Seen, instance: Instance): Member => {
  const id = instance.InstanceId ?? '';
  const standing = seen.standings.get(id);
  const running = instance.State?.Name === 'running';
  const named = statesIn(seen, namedTargetGroups(seen.group), id);
  const own = statesIn(seen, seen.asgs.get(standing?.asg ?? '')?.targetGroups ?? [], id);
  const held = isHeld(seen, instance);
  const launchedAtMs = instance.LaunchTime?.getTime() ?? seen.nowMs;
  const ageMs = seen.nowMs - launchedAtMs;
  const admitted =
    running &&
    held &&
    named.every((state) =>
      isRegistered(state, standing !== undefined || ageMs > registeredByMs || seen.hasRegistered(id)),
    );
  const failing = [...named, ...own].includes('failing') && ageMs > bootGraceMs;
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
    state: running ? 'running' : 'pending',
    launchedAtMs,
    ...(reservation !== undefined && { reservation }),
    ...(launchedFor !== undefined && launchedFor !== seen.group.name && { launchedFor }),
    admitted,
    ...unshownIn(seen, instance),
    ...serviceOf(admitted && isInService(seen, instance), [...named, ...own]),
    protected: standing?.protected ?? false,
    ...unnotedIn(seen, instance, standing),
    unhealthy: failing || (standing?.unhealthy ?? false),
  };
};

/**
 * Our instances: tagged for this group, or held by one of its Auto Scaling groups. An instance that a foreign Auto
 * Scaling group holds is not ours.
 */
const isOurs = (instance: Instance, group: Group, deployment: string, names: readonly string[]): boolean => {
  const asg = tagOf(instance, asgTag);
  if (asg !== undefined && names.includes(asg)) return true;
  return groupOf(instance, deployment) === group.name && (asg === undefined || !howHeld(group).isInAsgs);
};

/**
 * An instance that its Auto Scaling group terminates, or keeps in standby or in its warm pool, holds no place: it does
 * not count in the desired capacity either.
 */
const holdsPlace = (instance: Instance, standings: ReadonlyMap<string, Standing>): boolean => {
  const standing = standings.get(instance.InstanceId ?? '');
  return isAlive(instance) && (standing === undefined || standing.counts);
};

const idsOf = (instances: readonly Instance[]): readonly string[] =>
  instances.map(({ InstanceId }) => InstanceId ?? '');

/** What EC2 says of the ends of instances. */
const endingsIn = (instances: readonly Instance[]): Holdings['endings'] =>
  Object.fromEntries(
    instances.flatMap((instance) => {
      const ending = endingOf(instance);
      return ending === undefined ? [] : [[instance.InstanceId ?? '', ending]];
    }),
  );

const asView = ({ targetGroups: _t, standings: _s, ...view }: Asg): AsgView => view;

/** Looks over more groups than this read the target health of a part of them: it is one call a target group. */
const healthAtOnce = 10;
const minuteMs = 60_000;

/**
 * Whether a look over many groups reads the target health of this one: where an instance that has begun to run may have
 * to be registered, and else in turns, one minute after another. Elastic Load Balancing lets an account read ten a
 * second, and a storm would use that up for members whose health has not changed.
 */
const isHealthRead = (deps: ProviderDeps, { instances }: Shown, group: Group, groups: number): boolean => {
  const parts = Math.ceil(groups / healthAtOnce);
  const nowMs = deps.now();
  return (
    Math.floor(nowMs / minuteMs) % parts === numberOf(group.name) % parts ||
    instances.some(
      ({ State, LaunchTime, InstanceId = '' }) =>
        State?.Name === 'running' &&
        nowMs - (LaunchTime?.getTime() ?? nowMs) < registeredByMs &&
        !hasRegistered(deps.elb, namedTargetGroups(group), InstanceId),
    )
  );
};

/** Members as their policy counts them. EC2's status checks are read where they decide: a look at rest reads none. */
const judgedReady = async (
  deps: ProviderDeps,
  { ready, unserved }: Group,
  members: readonly Member[],
): Promise<readonly Member[]> => {
  const asking = { ...(ready && { ready }), ...(unserved && { unserved }), nowMs: deps.now() };
  const asked = members.filter((member) => needsStatusChecks(member, asking)).map(({ instance }) => instance);
  const checks = await statusChecksOf(deps, asked);
  return members.map((member) => asReady(member, asking, checks.get(member.instance)));
};

type Health = Awaited<ReturnType<typeof describeHealth>>;

/** Target health of what one of several groups is held by, where this look reads it. */
const healthInTurn = (deps: ProviderDeps, group: Group, shown: Shown, groups: number): Promise<Health> => {
  const arns = targetGroupsOf(group, shown.asgs);
  if (isHealthRead(deps, shown, group, groups)) return describeHealth(deps, arns);
  return Promise.resolve(new Map(arns.map((arn) => [arn, 'unread' as const])));
};

/** What a group holds, each instance once, with its target health. */
const holdingsIn = async (shown: Shown, health: Health, deps: ProviderDeps, group: Group): Promise<Holdings> => {
  const { instances, asgs } = shown;
  const standings = standingsIn(asgs);
  const seen: Seen = {
    group,
    deployment: deps.deployment,
    asgs: new Map(asgs.map((asg) => [asg.name, asg])),
    standings,
    health,
    nowMs: deps.now(),
    hasRegistered: (instance) => hasRegistered(deps.elb, namedTargetGroups(group), instance),
    joinedHere: (instance) => joinedHere(deps.autoScaling, howHeld(group).joins ?? '', instance),
  };
  const names = asgsOf(group);
  const known = new Map(instances.map((instance) => [instance.InstanceId ?? '', instance]));
  const all = [...known.values()].filter((instance) => isOurs(instance, group, deps.deployment, names));
  const detached = all.filter((instance) => isAlive(instance) && isDetached(seen, instance));
  const ours = all.filter((instance) => !detached.includes(instance));
  return {
    members: await judgedReady(
      deps,
      group,
      ours.filter((instance) => holdsPlace(instance, standings)).map((instance) => toMember(seen, instance)),
    ),
    asgs: asgs.map(asView),
    aside: idsOf(ours.filter((instance) => isAlive(instance) && !holdsPlace(instance, standings))),
    ...(detached.length > 0 && { detached: idsOf(detached) }),
    ended: idsOf(ours.filter((instance) => !isAlive(instance))),
    stopped: idsOf(ours.filter(isStopped)),
    endings: endingsIn(ours),
  };
};

/** The target groups that a group's members were in at the last look of this environment, by client and group. */
const lastSeen = new WeakMap<ProviderDeps['elb'], Map<string, readonly string[]>>();

/** Target groups that are known before the look are read beside the rest, since a launch waits for all of it. */
const holdingsOfOne = async (deps: ProviderDeps, group: Group, reading: Promise<Shown>): Promise<Holdings> => {
  const seen = lastSeen.get(deps.elb) ?? new Map<string, readonly string[]>();
  lastSeen.set(deps.elb, seen);
  const known = [...new Set([...namedTargetGroups(group), ...(seen.get(group.name) ?? [])])];
  const [shown, ofKnown] = await Promise.all([reading, describeHealth(deps, known)]);
  const arns = targetGroupsOf(group, shown.asgs);
  seen.set(group.name, arns);
  const others = arns.filter((arn) => !known.includes(arn));
  const ofOthers = others.length === 0 ? [] : await describeHealth(deps, others);
  const read = [...ofKnown].filter(([arn]) => arns.includes(arn));
  return holdingsIn(shown, new Map([...read, ...ofOthers]), deps, group);
};

/** Reads everything that a group holds: its instances, its Auto Scaling groups, and their target health. */
export const describeHoldings = (deps: ProviderDeps, group: Group): Promise<Holdings> =>
  holdingsOfOne(deps, group, readGroups(deps, [group])(group));

/**
 * Begins to read several groups together, and returns how to look at each. Where the common read fails for another
 * reason than a throttle, each group is read by itself, so that what is wrong with one does not hold up the others.
 */
export const describeTogether = (
  deps: ProviderDeps,
  groups: readonly Group[],
): ((group: Group) => Promise<Holdings>) => {
  const common = readGroups(deps, groups);
  if (groups.length === 1) return (group) => holdingsOfOne(deps, group, common(group));
  return async (group) => {
    const shown = await common(group).catch((error: unknown) => {
      if (troubleOf(error) === 'throttled') throw error;
      return readGroups(deps, [group])(group);
    });
    return holdingsIn(shown, await healthInTurn(deps, group, shown, groups.length), deps, group);
  };
};

import { tags } from '../../core/contract.ts';
import type { Group } from '../../core/group/group.ts';
import { asgsOf, namedTargetGroups } from '../../core/group/holders.ts';
import { howHeld } from '../../core/group/holding.ts';
import type { Holdings } from '../../core/ports/capacity-provider.ts';
import { refillGraceMs } from '../../core/times/times.ts';
import type { Changes } from '../../core/view/changes.ts';
import { asReady, needsStatusChecks } from '../../core/view/ready.ts';
import type { AsgView, Member } from '../../core/view/view.ts';
import type { Instance } from '../calls/ec2-shapes.ts';
import { troubleOf } from '../calls/errors.ts';
import { allSettled } from '../calls/in-parallel.ts';
import { asgTag, endingOf, groupOf, isAlive, isStopped, tagOf } from '../instances.ts';
import { type Asg, type Standing, standbyIn, standingsIn, waitingIn } from './auto-scaling-groups.ts';
import { isHealthRead, type LookTogether, type Together } from './health-turns.ts';
import { joinedHere, leaveOutOfNotes } from './joined-here.ts';
import { isDetached, isLeftOutside, type Seen, targetGroupsOf, toMember } from './member-of.ts';
import type { ProviderDeps } from './provider-deps.ts';
import { type Reading, readGroups, type Shown } from './read-groups.ts';
import { statusChecksOf } from './status-checks.ts';
import { describeHealth, hasRegistered } from './target-groups.ts';

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
 * Whether an instance holds a place in its group. An instance that its Auto Scaling group terminates, or keeps in
 * standby or in its warm pool, does not. It does not count in the desired capacity either.
 */
const holdsPlace = (instance: Instance, standings: ReadonlyMap<string, Standing>): boolean =>
  isAlive(instance) && !isAside(instance, standings);

/**
 * Whether an instance exists, and its Auto Scaling group counts it for nothing. A warm pool may have stopped it.
 */
const isAside = (instance: Instance, standings: ReadonlyMap<string, Standing>): boolean =>
  (isAlive(instance) || isStopped(instance)) && standings.get(instance.InstanceId ?? '')?.counts === false;

/** Whether EC2 starts what a warm pool had stopped: its Auto Scaling group has taken it in, and it does not run yet. */
const isStarting = (instance: Instance, standings: ReadonlyMap<string, Standing>): boolean => {
  const standing = standings.get(instance.InstanceId ?? '');
  return isStopped(instance) && standing?.counts === true && !standing.inService;
};

const idsOf = (instances: readonly Instance[]): readonly string[] =>
  instances.map(({ InstanceId }) => InstanceId ?? '');

/** The reasons of EC2 for the ends of instances. */
const endingsIn = (instances: readonly Instance[]): Holdings['endings'] =>
  Object.fromEntries(
    instances.flatMap((instance) => {
      const ending = endingOf(instance);
      return ending === undefined ? [] : [[instance.InstanceId ?? '', ending]];
    }),
  );

/** How many of the ended instances carry the tag of each reservation. */
const endedUnder = (ended: readonly Instance[]): Pick<Holdings, 'endedUnder'> => {
  const found: Record<string, number> = {};
  for (const id of ended.flatMap((instance) => tagOf(instance, tags.reservation) ?? []))
    found[id] = (found[id] ?? 0) + 1;
  return Object.keys(found).length === 0 ? {} : { endedUnder: found };
};

/** What a group holds that was launched lately, and that shows no reservation. */
const untaggedIn = ({ holds }: Asg, known: ReadonlyMap<string, Instance>, nowMs: number): Pick<AsgView, 'untagged'> => {
  const found = holds.flatMap((id) => {
    const instance = known.get(id);
    const launchedAtMs = instance?.LaunchTime?.getTime() ?? Number.NEGATIVE_INFINITY;
    const isLate = instance !== undefined && nowMs - launchedAtMs <= refillGraceMs;
    return isLate && tagOf(instance, tags.reservation) === undefined ? [[id, launchedAtMs] as const] : [];
  });
  return found.length === 0 ? {} : { untagged: Object.fromEntries(found) };
};

const asView = (asg: Asg, known: ReadonlyMap<string, Instance>, nowMs: number): AsgView => {
  const { targetGroups: _t, standings: _s, ...view } = asg;
  return { ...view, ...untaggedIn(asg, known, nowMs) };
};

/** Members as their policy counts them. EC2's status checks are read only where they decide, and never at rest. */
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

/**
 * Target groups that show whether members serve. Those of earlier policies count while members of these are outside of
 * the Auto Scaling groups in which the policy holds members now.
 */
const servedIn = (group: Group, { instances, asgs }: Shown): readonly string[] => {
  const now = targetGroupsOf(group, asgs);
  const { formerTargetGroups = [] } = group;
  if (formerTargetGroups.length === 0) return now;
  const standings = standingsIn(asgs);
  const isLeft = instances.some((instance) => isAlive(instance) && isLeftOutside({ group, standings }, instance));
  return isLeft ? [...new Set([...now, ...formerTargetGroups])] : now;
};

/** The target health of one of several groups, if this look reads it. */
const healthInTurn = (deps: ProviderDeps, group: Group, shown: Shown, together: Together): Promise<Health> => {
  const arns = servedIn(group, shown);
  if (isHealthRead(deps, shown, group, together)) return describeHealth(deps, arns);
  return Promise.resolve(new Map(arns.map((arn) => [arn, 'unread' as const])));
};

/** Instances with the tag of a group in Auto Scaling groups that the group does not name. */
const elsewhereOf = (instances: readonly Instance[], names: readonly string[]): Pick<Holdings, 'elsewhere'> => {
  const found = instances.flatMap((instance) => {
    const asg = tagOf(instance, asgTag);
    return asg === undefined || names.includes(asg) ? [] : [[instance.InstanceId ?? '', asg] as const];
  });
  return found.length === 0 ? {} : { elsewhere: Object.fromEntries(found) };
};

/** Members that the state of a group notes as registered, under the policy that is looked with. */
const notedIn = ({ policyVersion }: Group, { registered }: Partial<Changes> = {}): ReadonlySet<string> =>
  new Set(registered?.policyVersion === policyVersion ? registered.instances : []);

/** What was read of a group, and what its items report. */
type Found = { readonly shown: Shown; readonly health: Health; readonly changes: Changes | undefined };

/** Instances that their user detached. EC2 would refuse a call that tags one of them together with new members. */
const detachedIn = ({ autoScaling }: ProviderDeps, seen: Seen, all: readonly Instance[]): readonly Instance[] => {
  const detached = all.filter((instance) => isAlive(instance) && isDetached(seen, instance));
  const ids = detached.map(({ InstanceId = '' }) => InstanceId);
  leaveOutOfNotes(autoScaling, ids);
  return detached;
};

/** The holdings of a group, each instance once, with its target health. */
const holdingsIn = async ({ shown, health, changes }: Found, deps: ProviderDeps, group: Group): Promise<Holdings> => {
  const { instances, asgs } = shown;
  const noted = notedIn(group, changes);
  const standings = standingsIn(asgs);
  const seen: Seen = {
    group,
    deployment: deps.deployment,
    asgs: new Map(asgs.map((asg) => [asg.name, asg])),
    standings,
    health,
    nowMs: deps.now(),
    hasRegistered: (instance) => noted.has(instance) || hasRegistered(deps.elb, namedTargetGroups(group), instance),
    joinedHere: (instance) => joinedHere(deps.autoScaling, instance),
  };
  const names = asgsOf(group);
  const known = new Map(instances.map((instance) => [instance.InstanceId ?? '', instance]));
  const all = [...known.values()].filter((instance) => isOurs(instance, group, deps.deployment, names));
  const detached = detachedIn(deps, seen, all);
  const stillTagged = detached.filter((instance) => tagOf(instance, asgTag) !== undefined);
  const ours = all.filter((instance) => !detached.includes(instance));
  const ended = ours.filter((instance) => !isAlive(instance) && !isStarting(instance, standings));
  return {
    members: await judgedReady(
      deps,
      group,
      ours.filter((instance) => holdsPlace(instance, standings)).map((instance) => toMember(seen, instance)),
    ),
    asgs: asgs.map((asg) => asView(asg, known, seen.nowMs)),
    aside: idsOf(ours.filter((instance) => isAside(instance, standings))),
    ...(detached.length > 0 && { detached: idsOf(detached) }),
    ...(stillTagged.length > 0 && { stillTagged: idsOf(stillTagged) }),
    ...waitingIn(standings),
    ...standbyIn(standings),
    ...elsewhereOf(instances, names),
    ended: idsOf(ended),
    ...endedUnder(ended),
    stopped: idsOf(ours.filter(isStopped)),
    endings: endingsIn(ours),
  };
};

/** The target groups that a group's members were in at the last look of this environment, by client and group. */
const lastSeen = new WeakMap<ProviderDeps['elb'], Map<string, readonly string[]>>();

/** Reads known target groups at the same time as the instances, because a launch waits for all reads. */
const holdingsOfOne = async (
  deps: ProviderDeps,
  group: Group,
  { shownOf, after }: Reading,
  changes: Changes | undefined,
): Promise<Holdings> => {
  const seen = lastSeen.get(deps.elb) ?? new Map<string, readonly string[]>();
  lastSeen.set(deps.elb, seen);
  const known = [...new Set([...namedTargetGroups(group), ...(seen.get(group.name) ?? [])])];
  const [shown, ofKnown] = await allSettled([shownOf(group), after(() => describeHealth(deps, known))]);
  const arns = servedIn(group, shown);
  seen.set(group.name, arns);
  const others = arns.filter((arn) => !known.includes(arn));
  const ofOthers = await describeHealth(deps, others);
  const read = [...ofKnown].filter(([arn]) => arns.includes(arn));
  return holdingsIn({ shown, health: new Map([...read, ...ofOthers]), changes }, deps, group);
};

/** Reads everything that a group holds: its instances, its Auto Scaling groups, and their target health. */
export const describeHoldings = (deps: ProviderDeps, group: Group, changes?: Changes): Promise<Holdings> =>
  holdingsOfOne(
    deps,
    group,
    readGroups(deps, [group], { changes: new Map(changes && [[group.name, changes]]) }),
    changes,
  );

/**
 * Begins to read several groups together, and returns a function that looks at each. If the common read fails for
 * another reason than a throttle, each group is read by itself, so that a fault of one group does not hold up the
 * others.
 */
export const describeTogether = (
  deps: ProviderDeps,
  groups: readonly Group[],
  look: LookTogether = { isWarned: false },
): ((group: Group) => Promise<Holdings>) => {
  const common = readGroups(deps, groups, look);
  const changesOf = ({ name }: Group): Changes | undefined => look.changes?.get(name);
  if (groups.length === 1) return (group) => holdingsOfOne(deps, group, common, changesOf(group));
  const together = { ...look, groups: groups.length };
  return async (group) => {
    const shown = await common.shownOf(group).catch((error: unknown) => {
      if (troubleOf(error) === 'throttled') throw error;
      return readGroups(deps, [group]).shownOf(group);
    });
    const health = await healthInTurn(deps, group, shown, together);
    return holdingsIn({ shown, health, changes: changesOf(group) }, deps, group);
  };
};

import { tags as ec2Tags, items } from '../../core/contract.ts';
import type { Group } from '../../core/group/group.ts';
import { owedOnDemand } from '../../core/placement/on-demand.ts';
import { durationMs } from '../../core/policy/accepted.ts';
import { lastDue } from '../../core/schedule/due.ts';
import { isKept } from '../../core/swap/kept-members.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { RaisedMax } from '../../core/view/raised-max.ts';
import type { GroupState } from '../../core/view/view.ts';
import { times } from '../../sandbox/judge/times.ts';
import type { InstanceSnapshot, WorldSnapshot } from '../../sandbox/world/world.ts';
import { readUnderWay } from './evidence.ts';
import type { Situation } from './situation.ts';
import { asgsOf, type Stage } from './stage.ts';
import { holdsUnits } from './units.ts';
import { serves } from './watch.ts';

/** A member that waits at a terminating hook leaves when the hook is completed, or when it expires. */
const isLeaving = (asg: InstanceSnapshot['asg']): boolean => asg?.lifecycleState.startsWith('Terminating') === true;

const isWorldStill = ({ sandbox, watched: { isTakenOut } }: Stage): boolean => {
  // A target group may drain the target of a dead instance for an hour, or of one that its user detached: nobody can hasten that.
  const drains = ({ id, targets }: InstanceSnapshot): boolean => !isTakenOut(id) && Object.values(targets).includes('draining');
  const isStill = (instance: InstanceSnapshot): boolean =>
    instance.state === 'terminated' ||
    instance.state === 'stopped' ||
    (instance.state === 'running' && instance.takenAtMs === undefined && !isLeaving(instance.asg) && !drains(instance));
  return sandbox.world.snapshot().instances.every(isStill) && sandbox.executions().every(({ status }) => status !== 'RUNNING');
};

/** A signal or a written policy that was not done with comes again: an edit, perhaps, that nobody follows yet. */
const comesAgain = ({ sandbox: { platform } }: Stage): boolean =>
  platform.areStreamsBehind() || platform.queues.some((queue) => queue.messages().some(({ receiveCount }) => receiveCount > 0));

type Standing = { readonly lifecycleState: string } | undefined;
const isInStandby = (asg: Standing): boolean => asg?.lifecycleState === 'Standby';

/** An instance of a warm pool is no member yet, and one in standby is none until its user puts it back into service. */
const isAside = (asg: Standing): boolean => asg?.lifecycleState.startsWith('Warmed:') === true || isInStandby(asg);

/** How many count towards the size of an Auto Scaling group. */
const heldIn = ({ autoScalingGroups }: WorldSnapshot, name: string): number =>
  autoScalingGroups.find((asg) => asg.name === name)?.instances.filter((instance) => !isAside(instance)).length ?? 0;

/** Members that never answer, and that their user protects from scale-in: they can neither serve nor leave. */
const muteIn = ({ sandbox: { world }, groupOf }: Stage, group: string): ReadonlySet<string> => {
  const { nowMs, instances } = world.snapshot();
  const isMute = ({ id, state, isProtected, asg, bootedAtMs, launchedAtMs }: InstanceSnapshot): boolean =>
    state === 'running' &&
    isProtected === true &&
    asg !== undefined &&
    bootedAtMs === undefined &&
    launchedAtMs <= nowMs - times.neverBootsMs &&
    !isAside(asg) &&
    groupOf(id) === group;
  return new Set(instances.filter(isMute).map(({ id }) => id));
};

/**
 * A member that runs and does not serve yet will change what its group does once it serves. It has not booted yet, or its target group still makes the
 * first checks. One that Holdfast launched has yet to join the Auto Scaling group that members are attached to, unless its user detached it since. Whom
 * EC2 refused to end may be nobody's, and never serve.
 */
const isComingUp = (
  { sandbox: { world }, watched: { lives, isTakenOut }, groupOf }: Stage,
  { name, holding, mode }: Partial<Group> & { readonly name: string },
  refused: ReadonlySet<string>,
): boolean => {
  const joins = holding?.kind === 'attach' && mode !== 'observe';
  return world
    .snapshot()
    .instances.filter(({ id, asg, state }) => state === 'running' && !isAside(asg) && !refused.has(id) && groupOf(id) === name && !isTakenOut(id))
    .some(
      ({ id, asg, targets, tags }) =>
        lives.get(id)?.servingAtMs === undefined ||
        Object.values(targets).includes('initial') ||
        (joins && asg === undefined && tags[ec2Tags.reservation] !== undefined && tags[ec2Tags.joined] === undefined),
    );
};

/** What the minimum sizes of a group's Auto Scaling groups (of one market) keep alive, whatever its policy says: those are the user's own. */
const leastOf = ({ policies, spec }: Situation, { autoScalingGroups }: WorldSnapshot, group: string, market?: string): number => {
  const names = policies.filter((policy) => policy.group === group).flatMap(asgsOf);
  const isOf = (of: string): boolean => market === undefined || spec.autoScalingGroups?.find(({ name }) => name === of)?.market === market;
  return autoScalingGroups.filter(({ name }) => names.includes(name) && isOf(name)).reduce((sum, { min }) => sum + min, 0);
};

/** The most members above its size that a group may keep. Spot does not always give them. */
export const sparesOf = ({ policies }: Situation, group: string): number =>
  Math.max(0, ...policies.filter((policy) => policy.group === group).map(({ spare }) => Number(spare ?? 0)));

const [comesUpMs, moveMs] = [480_000, 60_000];
/** EC2 lets an account launch so many instances at once, and one more in each such time (sandbox/throttle/published-buckets.ts). */
const [launchedAtOnce, refillMs] = [1_000, 500];
/** EC2's status checks have a result this long after the boot at the latest (sandbox/world/spec.ts). */
const checksMs = 120_000;

/** How much longer a member takes until it counts as serving, where its policy says when that is. */
const readyMs = ({ ready }: Situation['policies'][number]): number => {
  const { after = '0s', checks } = (ready ?? {}) as { readonly after?: string; readonly checks?: string };
  return Math.max(durationMs(after), checks === undefined ? 0 : checksMs);
};

/**
 * How long groups may take to be at rest for the first time. An Auto Scaling group that was there before may have launched every member on demand:
 * they move to spot, `maxSurge` at a time, and nothing rests meanwhile, nor while they drain. The next ones move once these count as serving.
 */
export const comesUpWithinMs = ({ asked, policies, spec }: Pick<Situation, 'asked' | 'policies' | 'spec'>): number => {
  const movesMs = policies.map((policy) => {
    const { maxSurge = 1 } = (policy.swap ?? {}) as { readonly maxSurge?: number };
    return Math.ceil((asked[String(policy.group)]?.size ?? 0) / Math.max(1, maxSurge)) * (moveMs + readyMs(policy));
  });
  const delaysMs = (spec.targetGroups ?? []).map(({ deregistrationDelaySeconds = 0 }) => 1_000 * deregistrationDelaySeconds);
  const launchesMs = Object.values(asked).map(({ size }) => Math.max(0, size - launchedAtOnce) * refillMs);
  return comesUpMs + Math.max(0, ...launchesMs) + Math.max(0, ...movesMs) + Math.max(0, ...delaysMs);
};

/**
 * Members that their user protects, and those whose end EC2 refused within the hour: Holdfast lets none of them go, however many the policy wants.
 * One that its user took out of its group is no member. Neither is one in standby, or an instance of a warm pool: both keep their protection.
 */
const protectedIn = (
  { groupOf, situation }: Stage,
  { instances }: WorldSnapshot,
  { group, refused }: { readonly group: string; readonly refused: ReadonlySet<string> },
): number =>
  situation.policies
    .filter((policy) => policy.group === group)
    .slice(0, 1)
    .flatMap((policy) =>
      instances.filter(
        ({ id, state, isProtected, asg }) =>
          state === 'running' &&
          (isProtected === true || refused.has(id)) &&
          groupOf(id) === group &&
          !isAside(asg) &&
          (asg !== undefined || asgsOf(policy).length === 0),
      ),
    ).length;

/** Leaving members that a minimum keeps alive which the user raised meanwhile: they are let go as soon as it allows. */
const keptByMinimum = (swaps: readonly Swap[], { autoScalingGroups }: WorldSnapshot, { bounds }: Stage['operated']): ReadonlySet<string> => {
  const drained = new Set(swaps.filter(({ state }) => state === 'drained').map(({ instance }) => instance));
  const kept = autoScalingGroups.filter(({ name, desired, min }) => bounds.get(name)?.min !== undefined && desired <= min);
  return new Set(kept.flatMap(({ instances }) => instances.map(({ id }) => id)).filter((id) => drained.has(id)));
};

/** Strays that EC2 refused to end: they run, and are nobody's members. */
const straysIn = ({ watched, groupOf }: Stage, swaps: readonly Swap[], group: string): number =>
  swaps.filter(
    (swap) =>
      isKept(swap) && swap.reason === 'unwanted' && groupOf(swap.instance) === group && watched.lives.get(swap.instance)?.servingAtMs !== undefined,
  ).length;

/** Instances in standby that are in no target group: nothing took them out of service, and they are no members. */
const servingInStandby = ({ watched: { lives }, groupOf }: Stage, { instances }: WorldSnapshot, group: string): number =>
  instances.filter(({ id, asg }) => {
    const life = lives.get(id);
    return isInStandby(asg) && life !== undefined && serves(life) && groupOf(id) === group;
  }).length;

/** Policies in force, by group: of one that was let go, and whose new policy was refused, nothing comes to serve. */
const inForce = async ({ sandbox }: Stage): Promise<ReadonlyMap<string, Partial<Group>>> =>
  new Map(
    (await sandbox.items('groups')).flatMap(({ group, item, resolved }) =>
      item === items.accepted ? [[String(group), (resolved ?? {}) as Partial<Group>] as const] : [],
    ),
  );

/** Whether a size of its schedule was due that a group has not followed yet, because a fault met its look. An observed group follows none. */
const hasSizeDue = ({ schedule, mode }: Partial<Group>, { scheduled }: GroupState, nowMs: number): boolean =>
  mode !== 'observe' && schedule !== undefined && scheduled !== undefined && lastDue(schedule, scheduled.atMs, nowMs) !== undefined;

/** Whether a group has as many on demand as its policy keeps there: what it lacks is launched yet, unless all of its members on spot are protected. */
const hasItsFloor = ({ groupOf }: Stage, { instances }: WorldSnapshot, group: string, owed: number): boolean => {
  const members = instances.filter(({ id, state }) => state === 'running' && groupOf(id) === group);
  const spot = members.filter(({ market }) => market === 'spot');
  const mayMove = spot.length === 0 || spot.some(({ isProtected, asg }) => isProtected !== true || asg === undefined);
  return owed <= members.length - spot.length || !mayMove;
};

/** Whether no Auto Scaling group of a group has both room below its owner's maximum and capacity: then members beyond all maxima have to stay. */
const isFullEverywhere = (
  { situation: { spec, policies } }: Stage,
  snapshot: WorldSnapshot,
  group: string,
  raised: readonly RaisedMax[],
): boolean => {
  const names = policies.filter((policy) => policy.group === group).flatMap(asgsOf);
  return names.every((name) => {
    const { max = 0 } = snapshot.autoScalingGroups.find((asg) => asg.name === name) ?? {};
    const { subnets = [], instanceTypes = [], market } = spec.autoScalingGroups?.find((asg) => asg.name === name) ?? {};
    const zones = subnets.map((id) => spec.subnets.find((subnet) => subnet.id === id)?.zone);
    const isSold = (one: { readonly market: string }): boolean => market === 'mixed' || one.market === market;
    const own = snapshot.offerings.filter((one) => isSold(one) && zones.includes(one.zone) && instanceTypes.includes(one.instanceType));
    const ownMax = raised.find(({ asg }) => asg === name)?.fromMax ?? max;
    return heldIn(snapshot, name) >= ownMax || own.every(({ capacity, used }) => capacity !== null && used >= capacity);
  });
};

/**
 * Whether nothing is under way any more: no instance comes or goes, no signal comes again, no drain runs, nothing is reserved or raised, every group
 * serves this size (or, where none is given, the one it has come to). Of what was let go nothing is open any more; its members are nobody's.
 */
export const isAtRest = async (stage: Stage, sizes: Readonly<Record<string, number | undefined>>): Promise<boolean> => {
  const { sandbox, watched, situation } = stage;
  if (!isWorldStill(stage) || comesAgain(stage)) return false;
  const { states, swaps } = readUnderWay(await sandbox.items('state'));
  const snapshot = sandbox.world.snapshot();
  const kept = keptByMinimum(swaps, snapshot, stage.operated);
  const refused = new Set(swaps.filter(isKept).map(({ instance }) => instance));
  const ruled = await inForce(stage);
  const wantedIn = (name: string): number => snapshot.autoScalingGroups.find((asg) => asg.name === name)?.desired ?? 0;
  // A maximum that is too small for the size stays raised to that size. So does that of a pool, if no pool with capacity has room. Where the group was let go,
  // it stays raised to what the Auto Scaling group wants and holds.
  const isSettled = (group: string, { reservations, raised, desired }: GroupState): boolean =>
    raised.every(({ asg, fromMax, toMax }) => {
      if (!ruled.has(group)) return toMax > fromMax && toMax === wantedIn(asg) && toMax === heldIn(snapshot, asg);
      return desired > fromMax && (toMax === desired || (toMax === heldIn(snapshot, asg) && isFullEverywhere(stage, snapshot, group, raised)));
    }) && reservations.every(({ instances }) => instances);
  /** What others want beyond the maximum of the policy: their Auto Scaling group may launch it by itself. */
  const beyondMax = (group: string, desired: number): number => {
    const { size, holding } = ruled.get(group) ?? {};
    if (size?.from !== 'asg' || holding?.kind !== 'attach') return 0;
    return Math.max(0, (snapshot.autoScalingGroups.find(({ name }) => name === holding.asg)?.desired ?? 0) - desired);
  };
  const isWhole = (group: string, { desired }: GroupState): boolean => {
    const holds = holdsUnits(ruled.get(group) ?? {}, snapshot);
    const rules = { ...ruled.get(group), name: group };
    if (holds !== undefined) return holds && !isComingUp(stage, rules, refused);
    const size = Math.max(
      (sizes[group] ?? desired) + kept.size,
      leastOf(situation, snapshot, group) + kept.size,
      protectedIn(stage, snapshot, { group, refused }),
    );
    const floor = ruled.get(group)?.onDemand;
    const owed = floor && owedOnDemand(floor, sizes[group] ?? desired);
    const besideFloor = owed === undefined ? 0 : owed + leastOf(situation, snapshot, group, 'spot');
    const mute = muteIn(stage, group);
    const counted = watched.serving(group) + mute.size - straysIn(stage, swaps, group) - servingInStandby(stage, snapshot, group);
    return (
      counted >= size &&
      counted - mute.size <= Math.max(size, besideFloor) + beyondMax(group, desired) + (ruled.get(group)?.spare ?? 0) &&
      !isComingUp(stage, rules, new Set([...refused, ...mute]))
    );
  };
  stage.settle(new Map([...ruled].map(([group, { holding, pools }]) => [group, { ...holding, pools }])));
  // Only advice takes such a member. It serves on while instances that never answer take the whole surge of its group.
  const waitsForMute = ({ group, reason, state, instance }: Swap): boolean => {
    const { swap } = ruled.get(group) ?? {};
    const { desired } = states.get(group) ?? {};
    const life = watched.lives.get(instance);
    if (state !== 'waiting' || reason !== 'rebalance' || swap === undefined || desired === undefined) return false;
    if (life === undefined || !serves(life)) return false;
    const least = desired - (swap.order === 'drain-first' ? swap.maxSurge : 0);
    return watched.serving(group) <= least && muteIn(stage, group).size >= swap.maxSurge;
  };
  const isSwapOver = (swap: Swap): boolean =>
    swap.state === 'gone' || swap.state === 'withdrawn' || isKept(swap) || kept.has(swap.instance) || waitsForMute(swap);
  const isFloored = (group: string, { desired }: GroupState): boolean => {
    const floor = ruled.get(group)?.onDemand;
    return floor === undefined || hasItsFloor(stage, snapshot, group, owedOnDemand(floor, desired));
  };
  const isHeld = (group: string): boolean => stage.isKept(group) && ruled.has(group);
  return (
    swaps.every(isSwapOver) &&
    [...states].every(([group, state]) => isSettled(group, state) && (!isHeld(group) || (isWhole(group, state) && isFloored(group, state)))) &&
    [...states].every(([group, state]) => !isHeld(group) || !hasSizeDue(ruled.get(group) ?? {}, state, snapshot.nowMs))
  );
};

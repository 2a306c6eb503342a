import type { Group } from '../../core/group/group.ts';
import { asgsFor, asgsOf } from '../../core/group/holders.ts';
import { outsideAsgOf } from '../../core/group/outside-size.ts';
import type { ActionResult, Released, Releasing } from '../../core/ports/capacity-provider.ts';
import { isGivenUp, traitsOf } from '../../core/removal/leave-reason.ts';
import { belowMinSize } from '../../core/swap/shortfall.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { codeOf, isFromAws } from '../calls/errors.ts';
import { allSettled, inParallel } from '../calls/in-parallel.ts';
import { allOf, together } from '../providers/act-on.ts';
import { type Asg, describeAsgs, type Standing, standingsIn } from '../providers/auto-scaling-groups.ts';
import type { ProviderDeps } from '../providers/provider-deps.ts';
import { knownAsgs, recentAsgs } from '../providers/recent-asgs.ts';
import { deregisterTargets, registerTargets } from '../providers/target-groups.ts';
import type { MovesMembers } from './draining.ts';
import { endThroughAsg } from './end-through-asg.ts';
import { isTaken, spareRequests } from './spare-requests.ts';

const idsOf = (swaps: readonly Swap[]): readonly string[] => swaps.map(({ instance }) => instance);
const nothing: ActionResult = { done: [], failed: [] };

/** Members that EC2 takes are deregistered when Auto Scaling has not responded for this long. */
const unansweredMs = 2_000;

/**
 * The earliest deadline first. If the minimum size leaves room for only some, instances with a deadline leave before
 * those that can wait.
 */
const byUrgency = (swaps: readonly Swap[]): readonly Swap[] =>
  swaps.toSorted((a, b) => (a.deadlineMs ?? Number.POSITIVE_INFINITY) - (b.deadlineMs ?? Number.POSITIVE_INFINITY));

/**
 * Members that the minimum size does not let go. An interrupted one is at least deregistered from the group's target
 * groups, and EC2 and the group do the rest. Any other waits until its replacement has joined.
 */
const withoutRoom = async (deps: ProviderDeps, asg: Asg, swaps: readonly Swap[]): Promise<ActionResult> => {
  const taken = idsOf(swaps.filter(isTaken));
  const waiting = idsOf(swaps.filter((swap) => !isTaken(swap)));
  const drained = await deregisterTargets(deps.elb, asg.targetGroups, taken);
  return together([
    drained,
    { done: [], failed: waiting.map((instance) => ({ instance, code: belowMinSize, retry: 'later' })) },
  ]);
};

/** The Auto Scaling group of a member that EC2 has taken notices that within this time, and lets go of it. */
const noticedWithinMs = 5_000;

/** When it is too late to end these members, because EC2 has taken all of them. */
const endedBy = (swaps: readonly Swap[]): { readonly untilMs?: number } => {
  const lastMs = Math.max(
    ...swaps.map((swap) => (isTaken(swap) ? swap.deadlineMs : undefined) ?? Number.POSITIVE_INFINITY),
  );
  return Number.isFinite(lastMs) ? { untilMs: lastMs + noticedWithinMs } : {};
};

type Ending = { readonly isSizeOurs: boolean } & Pick<Releasing, 'beforeEnding'>;

/** Members that the group ends. */
const endThrough = async (
  deps: ProviderDeps,
  asg: Asg,
  going: readonly Swap[],
  { isSizeOurs, beforeEnding = async (ids) => ids }: Ending,
): Promise<Released> => {
  const may = going.length === 0 ? [] : await beforeEnding(idsOf(going));
  const asked = going.filter(({ instance }) => may.includes(instance));
  const ending = endThroughAsg(deps, asg.name, { instances: idsOf(asked), isSizeOurs, ...endedBy(asked) });
  const spareMeanwhile = async (): Promise<void> => {
    if (asked.some(isTaken) && !(await endsWithin(deps, ending))) await spareRequests(deps, asg, asked);
  };
  const [ended] = await allSettled([ending, spareMeanwhile()]);
  const refused = new Set(ended.failed.map(({ instance }) => instance));
  const deregisteredAtMs = await spareRequests(
    deps,
    asg,
    asked.filter(({ instance }) => refused.has(instance)),
  );
  return { ...ended, deregisteredAtMs };
};

/**
 * Members that never served, in an Auto Scaling group whose minimum is above what the group wants. No replacement joins
 * for them, and they do no work, so the Auto Scaling group ends them and launches others for its minimum.
 */
const leftToRefill = ({ min }: Asg, swaps: readonly Swap[], wanted: number): readonly Swap[] =>
  min > wanted ? swaps.filter(isGivenUp) : [];

type How = Ending & Required<Pick<Releasing, 'wanted'>>;

/** Those that the group does not end now wait for no response about the others. */
const releaseFrom = async (
  deps: ProviderDeps,
  asg: Asg,
  { covered, uncovered }: { readonly covered: readonly Swap[]; readonly uncovered: readonly Swap[] },
  { wanted, ...how }: How,
): Promise<Released> => {
  const room = how.isSizeOurs ? Math.max(0, asg.desired - asg.min) : covered.length;
  const [going, held] = [covered.slice(0, room), covered.slice(room)];
  const refilled = leftToRefill(asg, held, wanted);
  const staying = held.filter((swap) => !refilled.includes(swap));
  const ended = [
    endThrough(deps, asg, going, how),
    endThrough(deps, asg, refilled, { ...how, isSizeOurs: false }),
    withoutRoom(deps, asg, [...staying, ...uncovered]),
  ];
  return together(await allSettled(ended));
};

/** Members with a replacement, the most urgent first, and members that EC2 takes without one. */
const byCover = (swaps: readonly Swap[], uncovered: number) => {
  const ordered = byUrgency(swaps);
  const taken = ordered.filter(isTaken);
  const without = new Set(taken.slice(Math.max(0, taken.length - uncovered)));
  return { covered: ordered.filter((swap) => !without.has(swap)), uncovered: [...without] };
};

/** Whether Auto Scaling responds soon. An error is a response too. */
const endsWithin = ({ sleep }: ProviderDeps, ending: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    ending.then(
      () => true,
      () => true,
    ),
    sleep(unansweredMs).then(() => false),
  ]);

/** In no Auto Scaling group of ours, neither now nor when it was claimed. */
const isLoose =
  (standings: ReadonlyMap<string, unknown>) =>
  ({ instance, asg }: Swap): boolean =>
    asg === undefined && !standings.has(instance);

/**
 * Whether a member still has to leave its Auto Scaling group. A member that terminates, or waits on a hook, leaves
 * already. A member in standby or in the warm pool has no work, and stays its user's until EC2 takes it.
 */
const isToLeave = (swap: Swap, standing: Standing | undefined): boolean =>
  traitsOf(swap).endedBy !== 'auto-scaling' && standing?.leaving === false && (standing.counts || !isTaken(swap));

/**
 * Whether the Auto Scaling group of a member terminates it. The group takes the member out of service before that, so
 * a drain makes no call for it.
 */
const hasLeft = (swap: Swap): boolean => traitsOf(swap).endedBy === 'auto-scaling' && swap.asg !== undefined;

/**
 * Auto Scaling cannot be read. EC2 takes interrupted members all the same, so these are deregistered from the target
 * groups that the Auto Scaling groups had when the policy was accepted. All other members wait.
 */
const spareUnread = async (
  deps: ProviderDeps,
  { drain: { asgTargetGroups: targetGroups = [] } }: Group,
  swaps: readonly Swap[],
  error: unknown,
): Promise<Released> => {
  if (!isFromAws(error) || targetGroups.length === 0 || !swaps.some(isTaken)) throw error;
  const failed = idsOf(swaps).map((instance) => ({ instance, code: codeOf(error), retry: 'later' as const }));
  return { done: [], failed, deregisteredAtMs: await spareRequests(deps, { targetGroups }, swaps) };
};

/**
 * The Auto Scaling groups as the last look showed them, if they have room for the ends of all these members. Launches
 * may have raised the desired capacity since. If others have lowered it, Auto Scaling itself keeps the minimum size.
 */
const sufficing = (deps: ProviderDeps, group: Group, swaps: readonly Swap[]): readonly Asg[] | undefined => {
  const known = knownAsgs(deps, asgsFor(group, swaps)) ?? [];
  const standings = standingsIn(known);
  const leaving = Map.groupBy(swaps, ({ instance }) => standings.get(instance)?.asg);
  const isRoomy = ({ name, desired, min }: Asg): boolean =>
    name === outsideAsgOf(group) || (leaving.get(name)?.length ?? 0) <= desired - min;
  const isMember = (swap: Swap): boolean => isToLeave(swap, standings.get(swap.instance));
  return swaps.every(isMember) && known.every(isRoomy) ? known : undefined;
};

/** Members in their Auto Scaling groups, by group. */
const releaseFromAsgs = async (
  deps: ProviderDeps,
  group: Group,
  asgs: readonly Asg[],
  swaps: readonly Swap[],
  { uncovered = 0, wanted = Number.POSITIVE_INFINITY, ...releasing }: Releasing,
): Promise<Released> => {
  const standings = standingsIn(asgs);
  const counted = swaps.filter((swap) => isToLeave(swap, standings.get(swap.instance)));
  const sorted = byCover(counted, uncovered);
  const isIn =
    ({ name }: Asg) =>
    ({ instance }: Swap): boolean =>
      standings.get(instance)?.asg === name;
  const parts = inParallel(asgs, 3, (asg) =>
    releaseFrom(
      deps,
      asg,
      { covered: sorted.covered.filter(isIn(asg)), uncovered: sorted.uncovered.filter(isIn(asg)) },
      { isSizeOurs: asg.name !== outsideAsgOf(group), wanted, ...releasing },
    ),
  );
  const held = new Set(idsOf(counted));
  const others = swaps.filter(({ instance }) => !held.has(instance));
  // An earlier policy may have registered them with a target group that now belongs to the Auto Scaling group.
  const [loose, leaving] = [others.filter(isLoose(standings)), others.filter((swap) => !isLoose(standings)(swap))];
  const targetGroups = [...new Set(asgs.flatMap((asg) => asg.targetGroups))];
  const [inAsgs, inNone] = await allSettled([parts, deregisterTargets(deps.elb, targetGroups, idsOf(loose))]);
  return together([...inAsgs, inNone, { done: idsOf(leaving), failed: [] }]);
};

/**
 * Puts members into service again that were deregistered from the target groups of their Auto Scaling group: the group
 * registers an instance only when it joins.
 */
const putBack = async (deps: ProviderDeps, group: Group, instances: readonly string[]): Promise<ActionResult> => {
  const asgs = await describeAsgs(deps.autoScaling, asgsOf(group));
  const own = await inParallel(asgs, 3, ({ targetGroups, standings }) =>
    registerTargets(
      deps.elb,
      targetGroups,
      instances.filter((instance) => standings.get(instance)?.inService),
    ),
  );
  return allOf(instances, own);
};

/**
 * Auto Scaling groups: members leave through their group, which deregisters them from its target groups and runs its
 * hooks. It holds back those that its minimum size keeps.
 */
export const autoScalingGroups: MovesMembers = (deps) => ({
  release: async (group, swaps, releasing) => {
    const ours = swaps.filter((swap) => !hasLeft(swap));
    if (ours.length === 0) return nothing;
    const known = sufficing(deps, group, ours);
    if (known !== undefined) return releaseFromAsgs(deps, group, known, ours, releasing);
    return recentAsgs(deps, asgsFor(group, ours)).then(
      (asgs) => releaseFromAsgs(deps, group, asgs, ours, releasing),
      (error: unknown) => spareUnread(deps, group, ours, error),
    );
  },
  putBack: (group, instances) => putBack(deps, group, instances),
});

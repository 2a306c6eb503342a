import type { Group } from '../group/group.ts';
import { howHeld } from '../group/holding.ts';
import { isGivenUp } from '../removal/leave-reason.ts';
import type { Swap } from '../swap/swap.ts';
import type { Arriving } from './arriving.ts';
import { mayBeServing, readyWithinMs } from './ready.ts';
import type { AsgView, Member, View } from './view.ts';

/** What keeps a new member from serving, and since when it is known to do so, epoch ms. */
export type Idle = { readonly why: WhyIdle; readonly sinceMs: number };

/** New members that do not serve. */
export type Unserved = Readonly<Record<string, Idle>>;

/** The most that are remembered at once. When these are given up, their pool rests for the others too. */
const mostUnserved = 500;
/** A member is noticed after this time. A member that starts well serves before. */
const noticedAfterMs = 60_000;

/** Why a member does not serve. */
export type WhyIdle = 'pending' | 'not-joined' | 'status-checks' | 'warm-up' | 'target-health';

/** What keeps a member from serving. */
export const whyIdle = ({ state, admitted, unready }: Member): WhyIdle => {
  if (state === 'pending') return 'pending';
  return admitted ? (unready ?? 'target-health') : 'not-joined';
};

type Look = {
  readonly group: Pick<Group, 'ready' | 'swap' | 'holding'>;
  readonly members: readonly Member[];
  readonly unserved: Unserved;
  readonly swaps: readonly Swap[];
  readonly asgs: readonly AsgView[];
  readonly nowMs: number;
};

/** Whether a member is in the first half of the time that it has to serve. */
export const isNew = ({ group, nowMs }: Pick<Look, 'group' | 'nowMs'>, { launchedAtMs }: Member): boolean =>
  nowMs - launchedAtMs <= readyWithinMs(group) / 2;

/** Whether a member is known not to serve. One that a target group may send requests to counts as serving. */
export const isIdle = (member: Member): boolean => !mayBeServing(member);

/**
 * New members that do not serve, as a look finds them. A member that is first found not serving in the second half of
 * its time has served before, and fails for another reason. One that Holdfast launched may just not have been seen:
 * nothing could read its health in that time. The time begins anew for a member that could join at last.
 *
 * @param cameUp members that have served
 * @param arriving members that Holdfast launched and that no look has found serving
 */
export const unservedNow = (
  { group, members, unserved, nowMs }: Omit<Look, 'swaps' | 'asgs'>,
  cameUp: readonly string[] = [],
  arriving: Arriving = {},
): Unserved => {
  const served = new Set(cameUp);
  const mayBeNew = (member: Member): boolean =>
    isNew({ group, nowMs }, member) || arriving[member.instance] !== undefined;
  const idleNow = (member: Member): Idle | undefined => {
    const ageMs = nowMs - member.launchedAtMs;
    const before = unserved[member.instance];
    if (member.serving || served.has(member.instance)) return undefined;
    if (!isIdle(member)) return before;
    const why = whyIdle(member);
    if (before !== undefined) return before.why === why ? before : { why, sinceMs: nowMs };
    return ageMs >= noticedAfterMs && mayBeNew(member) ? { why, sinceMs: nowMs } : undefined;
  };
  const found = members.flatMap((member): readonly (readonly [string, Idle])[] => {
    const idle = idleNow(member);
    return idle === undefined ? [] : [[member.instance, idle]];
  });
  return Object.fromEntries(found.toSorted(([, a], [, b]) => a.sinceMs - b.sinceMs).slice(0, mostUnserved));
};

/** Whether the group shows that an instance can serve here. */
const othersServe = ({ members, swaps }: Look): boolean => {
  const leaving = new Set(swaps.map(({ instance }) => instance));
  return members.some(({ instance, serving }) => serving && !leaving.has(instance));
};

/** Whether the minimum size keeps a member, in an Auto Scaling group that no replacement joins. */
const isKeptByMinimum = ({ group, asgs }: Look, { asg }: Member): boolean =>
  howHeld(group).launchesBy === 'autoScaling' && asgs.some(({ name, desired, min }) => name === asg && desired <= min);

/** Whether its Auto Scaling group is full and cannot be raised, so that no other instance could join either. */
const waitsForRoom = ({ group, asgs }: Look, member: Member): boolean =>
  whyIdle(member) === 'not-joined' &&
  asgs.some(({ name, desired, max }) => name === howHeld(group).joins && desired >= max);

/** How long the same cause has kept a member from serving. */
const idleForMs = ({ unserved, nowMs }: Look, member: Member): number => {
  const idle = unserved[member.instance];
  return idle === undefined || idle.why !== whyIdle(member) ? 0 : nowMs - idle.sinceMs;
};

/** Members that have not served by the age at which they are given up, even if it is not their turn yet. */
export const hopelessIn = ({
  group,
  members,
  state: { unserved = {} },
  nowMs,
}: Pick<View, 'group' | 'members' | 'state' | 'nowMs'>): ReadonlySet<string> =>
  new Set(
    members
      .filter(
        (member) =>
          unserved[member.instance] !== undefined &&
          isIdle(member) &&
          nowMs - member.launchedAtMs >= readyWithinMs(group),
      )
      .map(({ instance }) => instance),
  );

/**
 * Members that never served and are given up: replaced elsewhere, at most `swap.maxSurge` at a time. Each stays until
 * its replacement serves, so while no replacement serves either, no further one is launched. While nobody serves, the
 * target group or the application may be broken, so that other instances would not serve either. One replacement at a
 * time shows whether they do.
 */
export const toBeGivenUp = (look: Look): readonly Member[] => {
  const { group, members, swaps, nowMs } = look;
  const withinMs = readyWithinMs(group);
  const candidates = members.filter(
    (member) =>
      isIdle(member) &&
      idleForMs(look, member) >= withinMs / 2 &&
      !member.protected &&
      nowMs - member.launchedAtMs >= withinMs &&
      !isKeptByMinimum(look, member) &&
      !waitsForRoom(look, member),
  );
  if (candidates.length === 0) return [];
  const known = new Set(swaps.map(({ instance }) => instance));
  const underWay = swaps.filter((swap) => swap.state !== 'gone' && isGivenUp(swap)).length;
  const most = othersServe(look) ? group.swap.maxSurge : Math.min(1, group.swap.maxSurge);
  return candidates
    .filter(({ instance }) => !known.has(instance))
    .toSorted((a, b) => a.launchedAtMs - b.launchedAtMs || (a.instance < b.instance ? -1 : 1))
    .slice(0, Math.max(0, most - underWay));
};

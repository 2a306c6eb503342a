import type { Group } from './group.ts';
import { traitsOf } from './leave-reason.ts';
import { readyWithinMs } from './ready.ts';
import type { Swap } from './swap.ts';
import type { AsgView, Member } from './view.ts';

/** New members that do not serve, and since when this is known, epoch ms. */
export type Unserved = Readonly<Record<string, number>>;

/** More of them than this are not remembered at once: as these leave, others of their kind rest with their pool. */
const mostUnserved = 500;
/** A member that starts as it should serves before it is noticed. */
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

/** A member of which it cannot be read whether it serves is not known to be idle. */
const isIdle = ({ serving, mayServe }: Member): boolean => !serving && mayServe !== true;

/**
 * New members that do not serve, as a look finds them. Whoever serves once is no longer new. A member that is noticed
 * only in the second half of its time has served before, and fails for another reason.
 */
export const unservedNow = ({ group, members, unserved, nowMs }: Omit<Look, 'swaps' | 'asgs'>): Unserved => {
  const lastNoticedMs = readyWithinMs(group) / 2;
  const found = members.flatMap((member): readonly (readonly [string, number])[] => {
    const ageMs = nowMs - member.launchedAtMs;
    const sinceMs = unserved[member.instance];
    if (member.serving) return [];
    if (sinceMs !== undefined) return [[member.instance, sinceMs]];
    const isNoticed = isIdle(member) && ageMs >= noticedAfterMs && ageMs <= lastNoticedMs;
    return isNoticed ? [[member.instance, nowMs]] : [];
  });
  return Object.fromEntries(found.toSorted(([, a], [, b]) => a - b).slice(0, mostUnserved));
};

const isOpen = ({ state }: Swap): boolean => state !== 'gone' && state !== 'withdrawn';

/**
 * Whether the group shows that an instance can serve here. While nobody serves, the target group or the application is
 * broken, and other instances would not serve either. A member that is alone shows nothing, and is replaced once.
 */
const othersServe = ({ members, swaps }: Look): boolean => {
  const leaving = new Set(swaps.filter((swap) => isOpen(swap)).map(({ instance }) => instance));
  return members.length === 1 || members.some(({ instance, serving }) => serving && !leaving.has(instance));
};

/** The minimum size of an Auto Scaling group that no replacement joins belongs to its owner. */
const isKeptByMinimum = ({ group, asgs }: Look, { asg }: Member): boolean =>
  group.holding.kind === 'launch-instances' && asgs.some(({ name, desired, min }) => name === asg && desired <= min);

/**
 * Members that never served and are given up: replaced elsewhere, at most `swap.maxSurge` at a time. Each stays until
 * its replacement serves, so while no replacement serves either, no further one is launched.
 */
export const toBeGivenUp = (look: Look): readonly Member[] => {
  const { group, members, unserved, swaps, nowMs } = look;
  const candidates = members.filter(
    (member) =>
      unserved[member.instance] !== undefined &&
      isIdle(member) &&
      !member.protected &&
      nowMs - member.launchedAtMs >= readyWithinMs(group) &&
      !isKeptByMinimum(look, member),
  );
  if (candidates.length === 0 || !othersServe(look)) return [];
  const known = new Set(swaps.map(({ instance }) => instance));
  const underWay = swaps.filter((swap) => isOpen(swap) && traitsOf(swap).withdrawnWhen === 'serving').length;
  return candidates
    .filter(({ instance }) => !known.has(instance))
    .toSorted((a, b) => a.launchedAtMs - b.launchedAtMs || (a.instance < b.instance ? -1 : 1))
    .slice(0, Math.max(0, group.swap.maxSurge - underWay));
};

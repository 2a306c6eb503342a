import { items } from '../../../core/contract.ts';
import { type Chronicle, stays } from '../chronicle.ts';
import { isMisplaced, type Policy } from '../policy/policy.ts';
import { poolOf } from '../policy/pools.ts';
import { remembered } from '../remembered.ts';
import {
  goneAtMs,
  isFunction,
  isProtected,
  isScheduled,
  type Life,
  lastBackMs,
  lastCalledOffMs,
  lastRefusalMs,
  stayAt,
  tagsAt,
} from '../world/life.ts';
import { isLostByRestore } from '../world/restores.ts';
import { givenUpAtMs, mayBeGivenUp } from '../world/unserved.ts';

/** Tagged with the group's name, but without a reservation and without a pool. Holdfast waits before it removes them, and does not count them. */
export const isStray = (chronicle: Chronicle, life: Life, atMs: number): boolean => {
  if (life.stays.length > 0 || tagsAt(life, atMs)['holdfast:reservation'] !== undefined) return false;
  const group = chronicle.groupAt(life, atMs);
  const policy = group === undefined ? undefined : chronicle.policyAt(group, atMs);
  return policy === undefined ? tagsAt(life, atMs)['holdfast:pool'] === undefined : poolOf(life, policy, atMs) === undefined;
};

/** Members at a moment, by what becomes of them. */
export type Headcount = {
  /** Neither EC2 nor Holdfast removes them. */
  readonly staying: readonly Life[];
  /** EC2 says that they are at risk, the policy holds its members elsewhere, or they never served: they wait for their replacement. */
  readonly waiting: readonly Life[];
  /** How many of these never served and were given up. */
  readonly givenUp: number;
  /** How many of the others never served, and are protected from scale-in: they can neither serve nor leave. */
  readonly stuck: number;
};

type Waiting = Pick<Headcount, 'waiting' | 'givenUp' | 'stuck'>;

/** `claimed`: those that wait, and whose swap a function had written. Nothing is launched ahead for the others. */
type Counted = Headcount & { readonly claimed: Waiting };

const isAdvised = (life: Life, policies: readonly Policy[], atMs: number): boolean =>
  isScheduled(life, atMs) || (policies.some(({ actsOnAdvice }) => actsOnAdvice) && life.advisedAtMs.some((advisedAtMs) => advisedAtMs <= atMs));

/**
 * Whether its swap waited or began at some time since a moment. One that was called off before that, or that a restore of the state table lost, does
 * not count.
 */
const isClaimed = (chronicle: Chronicle, life: Life, sinceMs: number, atMs: number): boolean => {
  const offMs = Math.max(lastRefusalMs(life, sinceMs), lastBackMs(life, sinceMs), lastCalledOffMs(life, sinceMs));
  return life.claims.some(
    (claim) =>
      claim.atMs > offMs &&
      claim.atMs <= atMs &&
      (claim.state === 'waiting' || claim.state === 'leaving') &&
      !isLostByRestore(chronicle, claim.atMs, sinceMs),
  );
};

/** Those that are to be moved: of an Auto Scaling group as many as its minimum lets go, those with a swap first, and none that it protects. */
const movable = (
  chronicle: Chronicle,
  { members, claimed }: { readonly members: readonly Life[]; readonly claimed: ReadonlySet<Life> },
  policies: readonly Policy[],
  atMs: number,
): readonly Life[] => {
  const misplaced = members.filter((life) => !isProtected(life, atMs) && policies.some((policy) => isMisplaced(policy, life, atMs)));
  return [...Map.groupBy(misplaced, (life) => stayAt(life, atMs)?.asg)].flatMap(([asg, list]) => {
    if (asg === undefined) return list;
    const held = members.filter((life) => stayAt(life, atMs)?.asg === asg).length;
    const claimedFirst = [...list.filter((life) => claimed.has(life)), ...list.filter((life) => !claimed.has(life))];
    return claimedFirst.slice(0, Math.max(0, held - (chronicle.cloud.asgAt(asg, atMs)?.min ?? 0)));
  });
};

type Look = {
  /** Of launches of that very moment only those up to this one count. */
  readonly order?: number;
  /** Since when the policy may have been read that the function acted on. */
  readonly sinceMs?: number;
};

/** Who stays at a moment by ground truth. */
export const headcountAt = (
  chronicle: Chronicle,
  group: string,
  atMs: number,
  { order = Number.POSITIVE_INFINITY, sinceMs = atMs }: Look = {},
): Counted => {
  const members = chronicle
    .membersAt(group, atMs)
    .filter((life) => stays(life, atMs) && !isStray(chronicle, life, atMs) && (life.launchedAtMs < atMs || life.order <= order));
  const advised = members.filter((life) => isAdvised(life, chronicle.policiesIn(group, life.advisedAtMs[0] ?? atMs, atMs), atMs));
  const givenUp = members.filter((life) => givenUpAtMs(chronicle, life) <= atMs && mayBeGivenUp(chronicle, life, atMs));
  const claimed = new Set(members.filter((life) => isClaimed(chronicle, life, sinceMs, atMs)));
  const policies = chronicle.policiesIn(group, sinceMs, atMs);
  const waiting = new Set([...advised, ...givenUp, ...movable(chronicle, { members, claimed }, policies, atMs)]);
  const waitingClaimed = [...waiting].filter((life) => claimed.has(life));
  const staying = members.filter((life) => !waiting.has(life));
  const stuck = staying.filter((life) => isProtected(life, atMs) && mayBeGivenUp(chronicle, life, atMs)).length;
  return {
    staying,
    waiting: [...waiting],
    givenUp: givenUp.length,
    stuck,
    claimed: { waiting: waitingClaimed, givenUp: waitingClaimed.filter((life) => givenUp.includes(life)).length, stuck },
  };
};

/**
 * How many more than its size a policy lets a group have, so that members that wait are replaced before they leave. `ahead`: with drain-first, while
 * the latest launch was denied, one launch ahead of its swap finds out whether launches still are (docs/architecture.md).
 */
export const surgeOf = (policies: readonly Policy[], { waiting, givenUp, stuck }: Waiting, ahead: boolean): number =>
  Math.max(
    0,
    ...policies.map(({ order, maxSurge }) => {
      const isLaunchFirst = order === 'launch-first';
      if (!isLaunchFirst) return Math.min(waiting.length, Number(ahead));
      // They may be the replacements that others wait for. Their own replacements are extra.
      const others = waiting.length - givenUp;
      return Math.min(others > 0 ? others + stuck : 0, maxSurge) + Math.min(givenUp, maxSurge);
    }),
  );

/** From when on the function that did something could have looked. */
export const lookedSince = (chronicle: Chronicle, by: Life['by'], atMs: number): number =>
  isFunction(by) ? (chronicle.invocations.get(by.invocation)?.beganAtMs ?? atMs) : atMs;

/** The group that a launch of Holdfast's was for. */
const launchedFor = (chronicle: Chronicle, life: Life): string | undefined =>
  chronicle.groupAt(life, life.launchedAtMs) ?? tagsAt(life, life.launchedAtMs)['holdfast:group']?.split('/')[1];

/** Launches of `LaunchInstances` are tagged a moment later. */
export const reservationOf = (life: Life): string | undefined => tagsAt(life, Number.POSITIVE_INFINITY)['holdfast:reservation'];

const byReservation = remembered(({ lives }: Chronicle) => Map.groupBy(lives, reservationOf));
const writtenItems = remembered((chronicle: Chronicle) => Map.groupBy(chronicle.of('item-written'), ({ item }) => item));

/** The write that first stored a request, by its token. Undefined where none did. */
export const firstStored = (chronicle: Chronicle, token: string | undefined) => writtenItems(chronicle).get(items.request(token ?? ''))?.[0];

/** The write that first stored a request, where another function made it than this one. Undefined where it is its own, or nobody stored it. */
export const repeatedFrom = (chronicle: Chronicle, token: string | undefined, invocation: string) => {
  const stored = firstStored(chronicle, token);
  return stored !== undefined && isFunction(stored.by) && stored.by.invocation !== invocation ? stored : undefined;
};

/** When the request of a launch was first stored. Undefined where none was. */
export const storedAtMs = (chronicle: Chronicle, life: Life): number | undefined => firstStored(chronicle, reservationOf(life))?.atMs;

/**
 * Which function first made the request of a launch, and when it began to look: whoever repeats a request makes the one that was made, whatever has
 * changed since. Undefined where no request was stored before, and where it had launched already: EC2 launches once for a token.
 */
const firstAsked = (chronicle: Chronicle, life: Life): { readonly sinceMs: number; readonly by: Life['by'] } | undefined => {
  const reservation = reservationOf(life);
  const firstMs = byReservation(chronicle).get(reservation)?.[0]?.launchedAtMs ?? life.launchedAtMs;
  if (firstMs < life.launchedAtMs - chronicle.times.launchCallMs) return undefined;
  const written = firstStored(chronicle, reservation);
  return written && { sinceMs: lookedSince(chronicle, written.by, written.atMs), by: written.by };
};

/** A launch of Holdfast's with the group that it was for, when the function that chose its place had begun to look, and which invocation that was. */
type OwnLaunch = { readonly life: Life; readonly group: string; readonly sinceMs: number; readonly placedBy: string };

export const ownLaunches = remembered((chronicle: Chronicle): readonly OwnLaunch[] =>
  chronicle.lives.flatMap((life) => {
    if (!isFunction(life.by)) return [];
    const group = launchedFor(chronicle, life);
    const first = firstAsked(chronicle, life);
    const sinceMs = Math.min(lookedSince(chronicle, life.by, life.launchedAtMs), first?.sinceMs ?? life.launchedAtMs);
    const { invocation: placedBy } = first !== undefined && isFunction(first.by) ? first.by : life.by;
    return group === undefined ? [] : [{ life, group, sinceMs, placedBy }];
  }),
);

/** Its present stay in an Auto Scaling group, where it began so late that a look since then need not show it. */
const lateStay = (life: Life, lookedMs: number, atMs: number) => {
  const stay = stayAt(life, atMs);
  return stay !== undefined && stay.fromMs > lookedMs ? stay : undefined;
};

/** Whether its user put it into standby, and back into service so late that a look since then need not show it. */
const isBackSince = (life: Life, lookedMs: number, atMs: number): boolean => {
  const stay = lateStay(life, lookedMs, atMs);
  return stay !== undefined && life.stays.some(({ how, untilMs }) => how === 'standby' && untilMs <= stay.fromMs);
};

/** Whether its user launched it and put it into an Auto Scaling group so late that a look since then need not show it as a member. */
const isAttachedSince = (chronicle: Chronicle, life: Life, lookedMs: number, atMs: number): boolean => {
  const isLate = lateStay(life, lookedMs, atMs) !== undefined;
  return life.by.kind === 'user' && isLate && chronicle.groupAt(life, lookedMs) !== chronicle.groupAt(life, atMs);
};

/** Whether its Auto Scaling group took it out of its warm pool so late that a look since then need not show it in service. */
const isFromPoolSince = (life: Life, lookedMs: number, atMs: number): boolean => {
  const stay = lateStay(life, lookedMs, atMs);
  return life.by.kind === 'asg' && stay !== undefined && life.stays.every(({ fromMs }) => fromMs >= stay.fromMs);
};

/** Whether it belongs to its group only by a policy that came into force after a look. By the policy of that look it belonged to no group. */
const belongsSince = (chronicle: Chronicle, life: Life, lookedMs: number, atMs: number): boolean => {
  const group = chronicle.groupAt(life, atMs);
  const policies = chronicle.groups.get(group ?? '')?.policies ?? [];
  const isNew = policies.some((one) => one.atMs > lookedMs && one.atMs <= atMs);
  return isNew && life.launchedAtMs <= lookedMs && chronicle.groupAt(life, lookedMs) !== group;
};

/**
 * Members that stayed until they ended a moment before a look, so that its describes may show them alive, and whose end no message had reported to the
 * function that looked.
 */
export const unseenEnds = (
  chronicle: Chronicle,
  group: string,
  { by, sinceMs, atMs }: { readonly by: Life['by']; readonly sinceMs: number; readonly atMs: number },
): readonly Life[] =>
  chronicle.livesIn(group).filter((life) => {
    const endMs = goneAtMs(life);
    const isTold = life.deliveries.some((one) => isFunction(by) && one.invocation === by.invocation && one.atMs <= atMs);
    return (
      endMs > sinceMs - chronicle.times.lagMs &&
      endMs <= sinceMs &&
      life.launchedAtMs < endMs &&
      stays(life, endMs - 1) &&
      chronicle.groupAt(life, endMs - 1) === group &&
      !isTold &&
      !life.claims.some((claim) => claim.atMs <= atMs)
    );
  });

/**
 * What an Auto Scaling group launched by itself or took out of its warm pool, what a user attached or put back from standby, and what was stopped and runs again counts once a
 * describe must show it. What only a later policy made a member counts for looks with that policy.
 */
export const couldBeKnown = (chronicle: Chronicle, life: Life, { sinceMs, atMs }: { readonly sinceMs: number; readonly atMs: number }): boolean => {
  const { times } = chronicle;
  const shownMs = sinceMs - Math.max(times.lagMs, times.asgLagMs);
  return (
    (life.by.kind === 'function' || life.launchedAtMs <= shownMs) &&
    (life.runsAgainMs ?? Number.NEGATIVE_INFINITY) <= shownMs &&
    !isBackSince(life, shownMs, atMs) &&
    !isAttachedSince(chronicle, life, shownMs, atMs) &&
    !isFromPoolSince(life, shownMs, atMs) &&
    !belongsSince(chronicle, life, sinceMs, atMs)
  );
};

import { failedBootsOf } from '../../capacity/boots.ts';
import { returnsAllowed } from '../../capacity/returning.ts';
import { sparesWith } from '../../capacity/spares.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Rule } from '../../finding.ts';
import { couldBeKnown, firstStored, headcountAt, ownLaunches, repeatedFrom, reservationOf, surgeOf, unseenEnds } from '../../members/staying.ts';
import { tellsEnd } from '../../told/leaving.ts';
import { refillAt } from '../../told/refill.ts';
import { isDeniedStill } from '../../world/denied.ts';
import { goneAtMs, isFunction, type Life, stayAt, tagsAt } from '../../world/life.ts';
import { numbersWrittenOver } from '../../world/own-numbers.ts';

type OwnLaunch = ReturnType<typeof ownLaunches>[number];

/** Whether a launch moves a member that had ended a moment before, where the look need not show that. Then that end is not known, and nobody replaces it. */
const movesUnseen = (
  chronicle: Chronicle,
  { life, group, sinceMs }: Pick<OwnLaunch, 'life' | 'group' | 'sinceMs'>,
  known: readonly Life[],
  most: number,
): boolean => {
  const atMs = life.launchedAtMs;
  const unseen = unseenEnds(chronicle, group, { by: life.by, sinceMs, atMs });
  if (unseen.length === 0) return false;
  const shown = [...known, ...unseen];
  const returning = returnsAllowed(chronicle, life, { group, atMs, sinceMs, order: life.order }, shown);
  return returning > 0 && shown.length + refillAt(chronicle, group, { sinceMs, atMs, unseen }) <= most + returning;
};

const poolNamed = (life: Life): string | undefined => tagsAt(life, Number.POSITIVE_INFINITY)['holdfast:pool'];

/** Whether the latest instance that Holdfast launched there before had ended before it served. */
const isInDoubt = (chronicle: Chronicle, { life, group, sinceMs }: OwnLaunch): boolean => {
  const pool = poolNamed(life);
  const last = chronicle.livesIn(group).findLast((one) => isFunction(one.by) && poolNamed(one) === pool && one.launchedAtMs < sinceMs);
  return last !== undefined && failedBootsOf(chronicle, group).some((failed) => failed.life.instance === last.instance && failed.diedAtMs < sinceMs);
};

/**
 * Members with a swap that had ended, where the look need not show that. A launch for one of them that may fail like the one before it covers nobody: once
 * Holdfast knows the end, it leaves the member to its Auto Scaling group, which replaces it.
 */
const leftToTheirGroup = (chronicle: Chronicle, launch: OwnLaunch): number => {
  const { life, group, sinceMs } = launch;
  if (!isInDoubt(chronicle, launch)) return 0;
  return chronicle.livesIn(group).filter((one) => {
    const stay = stayAt(one, sinceMs);
    const isUnseen = goneAtMs(one) <= sinceMs && goneAtMs(one) > sinceMs - chronicle.times.lagMs;
    const isTold = one.deliveries.some((delivery) => tellsEnd(delivery) && delivery.atMs <= life.launchedAtMs);
    return isUnseen && !isTold && stay?.how === 'terminating' && stay.by?.kind === 'asg' && one.claims.some(({ atMs }) => atMs <= sinceMs);
  }).length;
};

/**
 * Members whose swaps wait, and that had ended where the look need not show that and no message had told it. Their replacements are launched as if they
 * lived, and they count as present.
 */
const waitingUnseen = (chronicle: Chronicle, { life, group, sinceMs }: OwnLaunch): readonly Life[] =>
  chronicle.livesIn(group).filter((one) => {
    const endMs = goneAtMs(one);
    const isTold = one.deliveries.some((delivery) => tellsEnd(delivery) && delivery.atMs <= life.launchedAtMs);
    const waits = one.claims.some(({ atMs, state }) => state === 'waiting' && atMs <= life.launchedAtMs);
    return endMs <= sinceMs && endMs > sinceMs - chronicle.times.lagMs && !isTold && waits;
  });

/** Whether the launches are no more than needed by what the look could know of such members. */
const replacesUnseen = (chronicle: Chronicle, launch: OwnLaunch, known: readonly Life[], mostWith: (unseen: readonly Life[]) => number): boolean => {
  const { life, group, sinceMs } = launch;
  const unseen = waitingUnseen(chronicle, launch);
  if (unseen.length === 0) return false;
  return known.length + unseen.length + refillAt(chronicle, group, { sinceMs, atMs: life.launchedAtMs, unseen }) <= mostWith(unseen);
};

/**
 * How many launches before this one may move a member, if this one repeats a request that another function had stored before theirs: they were made for
 * moves beside this request, and it is not beyond the size.
 */
const movesSinceStored = (chronicle: Chronicle, { life, group, sinceMs }: OwnLaunch, known: readonly Life[]): number => {
  const stored = isFunction(life.by) ? repeatedFrom(chronicle, reservationOf(life), life.by.invocation) : undefined;
  if (stored === undefined) return 0;
  const isLater = (one: Life): boolean => (firstStored(chronicle, reservationOf(one))?.atMs ?? 0) > stored.atMs;
  const later = known.filter((one) => one.order < life.order && isFunction(one.by) && isLater(one));
  return Math.max(0, ...later.map((one) => returnsAllowed(chronicle, one, { group, atMs: life.launchedAtMs, sinceMs, order: one.order }, known)));
};

/** Every launch of Holdfast is counted at its moment, by the state of the world. */
export const needlessLaunch: Rule = {
  name: 'nothing is launched that nobody needs',
  meaning:
    'Every launch of Holdfast is counted at its moment. The members that stay, and those that an Auto Scaling group is about to launch by itself, are no more than the desired size in force and the surge that the policy allows for members whose swaps Holdfast has written. While such members wait with launch-first, protected members that never served take a part of this surge too. Launches of an Auto Scaling group for ended members do not count if Holdfast wrote their swaps before it could know of their end, and the group noticed that end while Holdfast launched. Neither do they where the look need not show that end, and the launch is of a pool whose last instance ended before it served: Holdfast leaves these members to the group then. If Holdfast has an Auto Scaling group let an ended member go, what the group launches afterwards is for members that ended since. A member whose swap waits counts as present where it had ended so shortly before the look that describes may still have shown it, and no message had told that. A launch in a better place of the tree may be one more for each member that it can replace, within the policy’s limits for returns, unless its stored decision says that it moves nobody. A launch before it moves a member of its own part of a spread or weights, if its stored decision names one there, and otherwise one of the fullest part. That also holds for a member that had ended so shortly before that describes may still have shown it. A request that another function stored, and that is repeated, may be beside launches for moves that were requested since. An instance that was stopped and runs again is a member once a describe must show it, if no swap of it was written before, or that swap is history. A launch on spot may be one of the policy’s spares. A size that others set counts for as long as a late describe of the Auto Scaling group may show it. So does the number of an attach that others wrote over, once a look may have shown their size.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap((launch) => {
      const { life, group, sinceMs } = launch;
      const atMs = life.launchedAtMs;
      const policies = chronicle.policiesIn(group, sinceMs, atMs);
      const about = { group, instance: life.instance, atMs };
      if (policies.length === 0)
        return [{ ...about, detail: `${life.instance} was launched for ${group}, which was let go before its function looked` }];
      const headcount = headcountAt(chronicle, group, atMs, { order: life.order, sinceMs });
      const known = [...headcount.staying, ...headcount.waiting].filter((one) => couldBeKnown(chronicle, one, { sinceMs, atMs }));
      const desired = Math.max(0, ...chronicle.desiredShownIn(group, sinceMs, atMs), ...numbersWrittenOver(chronicle, group, sinceMs));
      const isDenied = isDeniedStill(chronicle, group, atMs);
      const surge = surgeOf(policies, headcount.claimed, isDenied);
      const refill = Math.max(0, refillAt(chronicle, group, { sinceMs, atMs }) - leftToTheirGroup(chronicle, launch));
      const returning = returnsAllowed(chronicle, life, { group, atMs, sinceMs, order: life.order }, known);
      const spares = sparesWith(life, policies, known, returning > 0);
      const moving = Math.max(returning, movesSinceStored(chronicle, launch, known));
      if (known.length + refill <= desired + surge + moving + spares) return [];
      if (movesUnseen(chronicle, { life, group, sinceMs }, known, desired + surge)) return [];
      const mostWith = (unseen: readonly Life[]): number =>
        desired + surgeOf(policies, { ...headcount.claimed, waiting: [...headcount.claimed.waiting, ...unseen] }, isDenied);
      if (replacesUnseen(chronicle, launch, known, mostWith)) return [];
      const coming = refill > 0 ? ` and ${refill} were coming from their own Auto Scaling group` : '';
      const more = [
        ...(surge > 0 ? [`, and ${surge} more while members wait to be replaced`] : []),
        ...(policies.some(({ spare }) => spare > 0) ? [`, and ${spares} to spare for one on ${life.market}`] : []),
      ].join('');
      return [{ ...about, detail: `with this launch, ${known.length} members stay${coming}, expected at most ${desired}${more}` }];
    }),
};

export const maximumHeld: Rule = {
  name: 'the maximum is never exceeded',
  meaning:
    'After each launch of Holdfast, no more members stay than the maximum of the policy, its spares, and the surge that it allows for swaps that Holdfast has written, and for returns. Members that wait to be replaced count until they are out of service.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap(({ life, group, sinceMs }) => {
      const atMs = life.launchedAtMs;
      const policies = chronicle.policiesIn(group, sinceMs, atMs);
      const headcount = headcountAt(chronicle, group, atMs, { order: life.order, sinceMs });
      const known = [...headcount.staying, ...headcount.waiting].filter((one) => couldBeKnown(chronicle, one, { sinceMs, atMs }));
      const returning = returnsAllowed(chronicle, life, { group, atMs, sinceMs, order: life.order }, known);
      const surge = surgeOf(policies, headcount.claimed, isDeniedStill(chronicle, group, atMs));
      const most = Math.max(...policies.map(({ size, spare }) => size.max + spare)) + surge + returning;
      return policies.length === 0 || known.length <= most
        ? []
        : [{ group, instance: life.instance, atMs, detail: `with this launch, ${known.length} members stay, expected at most ${most}` }];
    }),
};

import { chooseAdmissions, chooseRaises, chooseRestores, type Joining } from './admissions.ts';
import { whileMembersWait } from './advice.ts';
import { groupsToTakeOver, isEndingSome, ownRefill, unnoticed } from './asg-ledger.ts';
import { nextAskMs, planToAskAgain } from './ask-again.ts';
import type { Decision, Leaving } from './decision.ts';
import { type Headcount, takeHeadcount } from './headcount.ts';
import type { Placement } from './placement.ts';
import type { Plan, PlanInput } from './plan-placements.ts';
import { planWithinMaxima } from './plan-within-maxima.ts';
import { remarksOf } from './remarks.ts';
import { isHeldBack } from './reservation-life.ts';
import { keptByMinimum, surplusRemovals } from './surplus.ts';
import { swapsToBegin } from './swaps-to-begin.ts';
import type { Member, View } from './view.ts';

/**
 * A tagged instance without a reservation is removed only after this many sightings and this much time. Before that,
 * its reservation may only have been lost.
 */
const straySightings = 2;
const strayMinimumAgeMs = 300_000;

/**
 * How soon to look again, in milliseconds, while something is under way that may send no event (a boot, a health
 * check).
 */
const lookAgainMs = 10_000;
/** A member that does not serve by this age is not coming up any more: the tick looks whether it serves after all. */
const comesUpWithinMs = 300_000;

/** Extra members to launch now, so that waiting swaps can begin without a gap. */
const surgeOf = (view: View, headcount: Headcount): number =>
  view.group.swap.order === 'launch-first'
    ? Math.min(headcount.waiting.length + headcount.holdingPlace.length, view.group.swap.maxSurge)
    : 0;

const strayRemovals = (view: View, headcount: Headcount): readonly Leaving[] =>
  headcount.strays.flatMap(({ instance }) => {
    const stray = view.state.strays[instance];
    const isOld =
      stray !== undefined && stray.sightings >= straySightings && view.nowMs - stray.firstSeenAtMs >= strayMinimumAgeMs;
    return isOld
      ? [
          {
            instance,
            reason: 'unwanted',
            why: { code: 'stray', firstSeenAtMs: stray.firstSeenAtMs, sightings: stray.sightings },
          },
        ]
      : [];
  });

const joiningByAsg = (
  view: View,
  headcount: Headcount,
  placements: readonly Placement[],
  admissions: readonly string[],
): ReadonlyMap<string, Joining> => {
  const { holding, pools } = view.group;
  if (holding.kind === 'attach') {
    const coming = headcount.inFlightCount + headcount.staying.filter(({ admitted }) => !admitted).length;
    const launched = placements.reduce((sum, { count }) => sum + count, 0);
    return new Map([[holding.asg, { now: admissions.length, soon: coming - admissions.length + launched }]]);
  }
  const joining = new Map<string, Joining>();
  for (const { pool, count } of placements) {
    const asg = pools[pool]?.asg;
    if (asg !== undefined) joining.set(asg, { now: (joining.get(asg)?.now ?? 0) + count, soon: 0 });
  }
  return joining;
};

/** When to look again without a signal: while members are coming up, or while swaps wait for them. */
const nextLook = (view: View, headcount: Headcount, unplaced: number): number | undefined => {
  const comingUp =
    headcount.inFlightCount > 0 || headcount.staying.some(({ admitted }) => !admitted) || isEndingSome(view);
  const isYoung = ({ launchedAtMs }: Member): boolean => view.nowMs - launchedAtMs < comesUpWithinMs;
  const swapsWait =
    headcount.waiting.length > 0 && headcount.staying.some((member) => !member.serving && isYoung(member));
  const cooling =
    unplaced > 0
      ? Object.values(view.state.memory)
          .map(({ coolingUntilMs }) => coolingUntilMs)
          .filter((at) => at > view.nowMs)
      : [];
  const heldBack = isHeldBack(view.state, view.nowMs) && view.state.throttle ? [view.state.throttle.untilMs] : [];
  const askAgain = unplaced > 0 ? nextAskMs(view.group.pools, view.state.memory, view.nowMs) : undefined;
  const asking = askAgain !== undefined && askAgain > view.nowMs ? [askAgain] : [];
  const times = [...(comingUp || swapsWait ? [view.nowMs + lookAgainMs] : []), ...cooling, ...asking, ...heldBack];
  return times.length === 0 ? undefined : Math.min(...times);
};

/**
 * How many members the group lacks, less what its Auto Scaling groups are about to launch by themselves. Negative when
 * they launch more than it lacks.
 */
const lacking = (view: View, headcount: Headcount): number => {
  const present = headcount.staying.length + headcount.holdingPlace.length + headcount.inFlightCount;
  return view.state.desired + surgeOf(view, headcount) - present - ownRefill(view);
};

const without = (members: readonly Member[], leaving: readonly string[]): readonly Member[] =>
  leaving.length === 0 ? members : members.filter(({ instance }) => !leaving.includes(instance));

/** What a plan depends on, with these members counted as gone. */
const planInput = (view: View, headcount: Headcount, lack: number, leaving: readonly string[] = []): PlanInput => ({
  selector: view.group.capacity,
  pools: view.group.pools,
  count: isHeldBack(view.state, view.nowMs) ? 0 : Math.max(0, lack),
  nowMs: view.nowMs,
  memory: whileMembersWait(view.state.memory, view.swaps, view.nowMs),
  prices: view.state.prices.usdPerHour,
  cheapest: view.state.cheapest,
  held: [
    ...without(headcount.staying, leaving).map(({ pool, offering }) => ({
      pool,
      zone: offering.zone,
      instanceType: offering.instanceType,
      count: 1,
    })),
    ...headcount.inFlight.map(({ pool, offerings, count }) => ({
      pool,
      zone: offerings[0]?.zone ?? '',
      instanceType: offerings[0]?.instanceType ?? '',
      count,
    })),
  ],
});

/** Where the missing members come from. When nothing is eligible, EC2 is asked again each minute all the same. */
const planMissing = (view: View, headcount: Headcount, lack: number): Plan => {
  const input = planInput(view, headcount, lack);
  const plan = planWithinMaxima(view, input);
  if (plan.unplaced === 0 || plan.placements.length > 0) return plan;
  return planToAskAgain(input, (again) => planWithinMaxima(view, again)) ?? plan;
};

/**
 * How many of these members the tree could replace now. None while launches are throttled, or while other members are
 * missing that the tree cannot place.
 */
const obtainable = (view: View, headcount: Headcount, lack: number, leaving: readonly string[]): number => {
  if (isHeldBack(view.state, view.nowMs)) return 0;
  const input = planInput(view, headcount, Math.max(0, lack) + leaving.length, leaving);
  const { unplaced } = planWithinMaxima(view, input);
  return Math.max(0, leaving.length - unplaced);
};

/**
 * Looks at a view once and returns everything that should be done about it. Pure: the same view gives the same
 * decision.
 */
export const decide = (view: View): Decision => {
  const headcount = takeHeadcount(view);
  const lack = lacking(view, headcount);
  const plan = planMissing(view, headcount, lack);
  const drains = swapsToBegin(view, headcount, (leaving) => obtainable(view, headcount, lack, leaving));
  const admissions = chooseAdmissions(view, headcount);
  const raise = chooseRaises(view, joiningByAsg(view, headcount, plan.placements, admissions));
  const wakeAtMs = nextLook(view, headcount, plan.unplaced);
  const kept = keptByMinimum(view, headcount);
  return {
    group: view.group.name,
    desired: view.state.desired,
    staying: headcount.staying.length + headcount.inFlightCount,
    placements: plan.placements,
    unplaced: plan.unplaced,
    reasons: plan.reasons,
    rejected: plan.rejected,
    removals: [...strayRemovals(view, headcount), ...surplusRemovals(view, headcount)],
    drains,
    admissions,
    raise,
    restore: chooseRestores(view, headcount, raise),
    takeOver: groupsToTakeOver(view),
    unnoticed: unnoticed(view, -lack),
    cheapest: plan.cheapest,
    remarks: remarksOf(view, kept),
    ...(kept > 0 && { keptByMinimum: kept }),
    ...(wakeAtMs === undefined ? {} : { wakeAtMs }),
  };
};

/** Whether acting on a decision would change anything. A look that changes nothing writes nothing. */
export const isQuiet = (decision: Decision): boolean =>
  [
    decision.placements,
    decision.removals,
    decision.drains,
    decision.admissions,
    decision.raise,
    decision.restore,
    decision.takeOver,
    decision.unnoticed,
    decision.remarks ?? [],
  ].every((list) => list.length === 0) && decision.unplaced === 0;

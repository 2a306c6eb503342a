import type { Remark } from '../decision/remark.ts';
import { launchRoom } from '../limits/launch-limit.ts';
import { onDemandForGood, owedIn } from '../placement/on-demand.ts';
import type { Plan, PlanInput } from '../placement/plan-placements.ts';
import { countIn, planSpares, withSpares } from '../placement/plan-spares.ts';
import { planWithFloor } from '../placement/plan-with-floor.ts';
import { sparesWanted } from '../placement/spare.ts';
import { planToAskAgain } from '../pool-memory/ask-again.ts';
import { diedOnly } from '../pool-memory/boot-memory.ts';
import { withTakenAtOnce } from '../pool-memory/interruptions.ts';
import { isGivenUp } from '../removal/leave-reason.ts';
import { ownRefill } from '../view/asg-ledger.ts';
import { sizeNow } from '../view/size-now.ts';
import { uncoveredBy } from './covering.ts';
import { planInput } from './launch-plan.ts';
import { type Overridden, overBreakers } from './over-breakers.ts';
import type { Rule, Situation } from './rule.ts';
import { neverToServe, toBeReplaced } from './to-be-replaced.ts';

/** A swap that can wait makes the group lack a member ahead of time, within the surge. */
const lacking = ({ view, headcount, arbiter }: Situation) => {
  const waiting = toBeReplaced({ view, headcount });
  const unserved = waiting.filter(isGivenUp).length;
  const others = waiting.length - unserved + headcount.holdingPlace.length;
  const surge =
    arbiter.surge.take(others + neverToServe({ view, headcount })) + arbiter.surgeForUnserved.take(unserved);
  const present = headcount.staying.length + headcount.holdingPlace.length + headcount.inFlightCount;
  const without = sizeNow(view) - present - ownRefill(view);
  const short = without - headcount.undecided.length;
  return { lack: short + surge, short, isUndecided: headcount.undecided.length > 0 && without + surge > 0 };
};

/** Within this time the author of another decision has written that the chosen members leave, or has died. */
const decidedWithinMs = 5_000;

/** While the group is short, breakers do not hold back a repeated request. */
const whatToAsk = (input: PlanInput, short: number): PlanInput => {
  const { breaking, ...unbroken } = input;
  return breaking === undefined || short <= 0 ? input : { ...unbroken, count: Math.min(input.count, short) };
};

/**
 * When nothing else is eligible, two more places are tried: pools whose members never served, and offerings that EC2
 * takes back at once. After that, a refused offering is requested again each minute.
 */
const planOf = ({ view, headcount }: Situation, input: PlanInput, short: number): Overridden => {
  const floor = view.group.onDemand && { owed: owedIn(view), held: onDemandForGood(headcount) };
  const within = planWithFloor(view, input, floor);
  const { plan, overridden } = overBreakers(view, input, within, short);
  if (plan.unplaced === 0 || plan.placements.length > 0) return { plan, overridden };
  const anything = {
    ...input,
    failedBoots: diedOnly(input.failedBoots),
    memory: withTakenAtOnce(input.memory),
  };
  const last = overBreakers(view, anything, planWithFloor(view, anything, floor), short);
  if (last.plan.placements.length > 0) return last;
  const again = planToAskAgain(whatToAsk(input, short), (asked) => planWithFloor(view, asked, floor));
  return { plan: again ?? plan, overridden };
};

/** How many members are missing above the size, and how many of them may be launched now. */
const sparesToAsk = (
  { view, arbiter }: Situation,
  lack: number,
): { readonly missing: number; readonly most: number } => {
  const wanted = sparesWanted(view);
  const missing = Math.max(0, Math.min(wanted, lack + wanted));
  return { missing, most: Math.min(missing, arbiter.forMissing(Math.max(0, lack) + missing).left()) };
};

/**
 * Members of the size that cannot be launched now, because of earlier deaths or the policy's limit of launches, and
 * when that limit allows the next one.
 */
const boundsOf = ({ view, arbiter }: Situation, lack: number) => {
  const bounded = Math.max(0, lack - arbiter.forMissing(lack).left());
  const { left, ...room } = launchRoom(view);
  const overLimit = Math.max(0, lack - bounded - left);
  const ends = view.news?.ends ?? [];
  const remarks: readonly Remark[] = [
    ...(bounded > 0 ? [{ code: 'deaths-bounded' as const, count: bounded }] : []),
    ...(overLimit > 0 ? [{ code: 'launches-bounded' as const, count: overLimit, ...room, ends }] : []),
  ];
  return { bound: bounded + overLimit, remarks, againAtMs: overLimit > 0 ? [room.untilMs] : [] };
};

/**
 * Launches for the missing members. Members up to the size come from the whole tree, and spares from spot alone. While
 * members of the size cannot be placed, no spare is requested.
 */
export const missingMembers: Rule = {
  name: 'missing members',
  propose: (situation) => {
    const { view, arbiter } = situation;
    const { lack, short, isUndecided } = lacking(situation);
    const { bound, remarks, againAtMs } = boundsOf(situation, lack);
    const input = planInput(situation, Math.min(lack - bound, arbiter.launches.left()));
    const { plan: found, overridden } = planOf(situation, input, short);
    const { areSharesFull, ...plan } = found;
    arbiter.forMissing(lack).take(arbiter.launches.take(countIn(plan)));
    const unplaced = plan.unplaced + bound;
    const { missing, most } = sparesToAsk(situation, lack);
    const asked = unplaced > 0 ? 0 : arbiter.launches.take(most);
    const spares = asked > 0 ? planSpares(view, input, plan, asked) : undefined;
    const uncovered = uncoveredBy(view, { ...plan, unplaced });
    const times = [...againAtMs, ...(isUndecided ? [view.nowMs + decidedWithinMs] : [])];
    return {
      lack: lack + sparesWanted(view) - missing,
      ...(spares === undefined ? plan : withSpares(plan, spares)),
      unplaced,
      ...(missing > 0 && { spares: sparesIn(missing, spares) }),
      ...(uncovered > 0 && { uncovered }),
      ...(times.length > 0 && { wakeAtMs: Math.min(...times) }),
      remarks: [
        ...remarks,
        ...(areSharesFull ? [{ code: 'shares-full' as const, count: plan.unplaced }] : []),
        ...(overridden > 0 ? [{ code: 'breaker-overridden' as const, count: overridden }] : []),
      ],
    };
  },
};

const sparesIn = (missing: number, plan: Plan | undefined) => {
  const placed = plan === undefined ? 0 : countIn(plan);
  return { placed, missing: missing - placed };
};

import { type BreakerKey, openBreaker } from '../breaker/breaker.ts';
import { breakingIn } from '../breaker/breaking.ts';
import type { Leaving } from '../decision/decision.ts';
import { modeOf } from '../group/mode.ts';
import { outsideAsgOf } from '../group/outside-size.ts';
import { isHeldBack } from '../launch/reservation-life.ts';
import { keptAmong } from '../placement/spare.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import { ownRefill } from '../view/asg-ledger.ts';
import type { Headcount } from '../view/headcount.ts';
import type { View } from '../view/view.ts';
import { isEvenedOut, planEvenOut } from './even-out.ts';
import { backsOffUntil, flapsUntil, isCalmFrom, movedWithin, noReturns } from './memory.ts';
import { type NotYet, planReturn, type ReturnPlan, workOf } from './plan-return.ts';
import { mostMoves, type Returning } from './returning.ts';
import { standIns } from './stand-ins.ts';
import { isUp } from './under-way.ts';
import { isWindowOpen } from './window.ts';

/** Why no member moves now, although a better place may exist. */
export type NotMoved =
  | NotYet
  | { readonly code: 'window-closed' }
  /**
   * `unsettled`: the size or the policy changed too short a time ago, or the state was lost or restored.
   * `flapping`: moves did not pay.
   */
  | { readonly code: 'unsettled' | 'flapping'; readonly untilMs: number }
  | { readonly code: 'breaker-open'; readonly breaker: BreakerKey; readonly untilMs: number }
  /** As many have moved as the policy allows within that time. */
  | { readonly code: 'budget'; readonly withinMs: number };

/** Better places are requested once a tick at most, whatever signals come in between. */
export const askAtMostEveryMs = 50_000;

const nothing: ReturnPlan = { placements: [], reasons: [], moves: [] };

/**
 * Whether nothing is under way: the desired members and the present spares are all in service, no swap is about to
 * begin, and no Auto Scaling group launches or ends instances by itself. A group may still hold a member that has
 * ended, and will replace it.
 */
const isAtRest = (view: View, { staying, inFlightCount }: Headcount): boolean =>
  staying.length >= view.state.desired &&
  staying.length <= keptAmong(view, staying) &&
  inFlightCount === 0 &&
  view.swaps.every((swap) => swap.state === 'gone' || (traitsOf(swap).isMove && swap.state !== 'leaving')) &&
  staying.every((member) => member.admitted && isUp(member, view.nowMs)) &&
  view.asgs.every(({ desired, held }) => desired === held) &&
  ownRefill(view) === 0 &&
  !isHeldBack(view.state, view.nowMs);

/** The reason that forbids every move now. */
const forbidden = (view: View, rule: Returning): NotMoved | undefined => {
  const { losses, changedAtMs = 0 } = view.state.returns ?? noReturns;
  const open = openBreaker(breakingIn(view), view.nowMs);
  if (open !== undefined) return { code: 'breaker-open', breaker: open.breaker, untilMs: open.untilMs };
  // What moved before the item was lost or restored may be forgotten. From then on it counts for the budget no more.
  const forgottenMs = (view.state.renewedAtMs ?? 0) + rule.everyMs;
  const settledMs = Math.max(changedAtMs + rule.afterMs, forgottenMs);
  if (settledMs > view.nowMs) return { code: 'unsettled', untilMs: settledMs };
  const flapsMs = flapsUntil(losses, view.nowMs);
  if (flapsMs > view.nowMs) return { code: 'flapping', untilMs: flapsMs };
  return isWindowOpen(rule.windows, rule.timezone, view.nowMs) ? undefined : { code: 'window-closed' };
};

/** How many more members may move now by the policy's budget. */
export const movesLeft = ({ group: { returning }, state, nowMs }: View): number =>
  returning === undefined
    ? 0
    : mostMoves(returning.atMost, state.desired) -
      movedWithin((state.returns ?? noReturns).moves, returning.everyMs, nowMs);

/** Launches in better places, or members that leave because spares serve in better places. */
type Chosen = { readonly plan: ReturnPlan; readonly leaving: readonly Leaving[]; readonly notMoved?: NotMoved };

/** The longest that refusals put off a return. Members that stay on demand for longer cost more than another call. */
const longestWaitMs = 10 * 60_000;

/**
 * Better places go first. Spreads and shares are evened out when no member has a better place. This saves no money, so
 * refusals and interruptions put it off for longer.
 */
const planMoves = (view: View, { afterMs }: Returning, headcount: Headcount, most: number) => {
  const work = workOf(view, { afterMs, longestWaitMs, backsOffUntil }, headcount);
  const plan = planReturn(work, headcount, most);
  if (plan.moves.length > 0) return { plan, leaving: [] };
  const leaving = standIns(work, headcount, most);
  // Where others set the size, the Auto Scaling group balances its zones itself.
  const isEven = outsideAsgOf(view.group) !== undefined || !work.tree.branches.some(isEvenedOut);
  if (leaving.length > 0 || isEven) return { plan, leaving };
  const patience = { afterMs, longestWaitMs: Number.POSITIVE_INFINITY, backsOffUntil: isCalmFrom };
  return { plan: { ...plan, ...planEvenOut(workOf(view, patience, headcount), headcount, most) }, leaving };
};

/**
 * Members that move to better places of the tree now. A move is launch-first whatever `swap.order` says, and begins
 * only while nothing else is under way. So a group of 10 has 11 members while one moves, and never 9 because of a move.
 *
 * @param most how many may move
 */
export const chooseReturns = (view: View, headcount: Headcount, most: number): Chosen => {
  const rule = view.group.returning;
  const { askedAtMs = 0 } = view.state.returns ?? noReturns;
  if (
    rule === undefined ||
    modeOf(view.group) !== 'act' ||
    !isAtRest(view, headcount) ||
    view.nowMs - askedAtMs < askAtMostEveryMs
  )
    return { plan: nothing, leaving: [] };
  // Without a budget, the plan still shows whether a member would move.
  const { plan, leaving } = planMoves(view, rule, headcount, Math.max(1, most));
  if (plan.moves.length === 0 && leaving.length === 0)
    return { plan: nothing, leaving, ...(plan.notYet && { notMoved: plan.notYet }) };
  const notMoved = forbidden(view, rule);
  if (notMoved !== undefined) return { plan: nothing, leaving: [], notMoved };
  return most > 0
    ? { plan, leaving }
    : { plan: nothing, leaving: [], notMoved: { code: 'budget', withinMs: rule.everyMs } };
};

import { choicesOf } from '../../core/chosen.ts';
import type { Decision } from '../../core/decision.ts';
import { isHard } from '../../core/headcount.ts';
import type { Reservation } from '../../core/reservation.ts';
import type { Swap } from '../../core/swap.ts';
import type { GroupState, View } from '../../core/view.ts';
import { reactTimeoutSeconds } from '../contract.ts';
import { reservationId } from './identifiers.ts';
import { abandoned } from './launch.ts';

/** Longer than an invocation lives: whoever finds an open reservation past it knows that its writer is gone. */
const leaseMs = (reactTimeoutSeconds + 5) * 1_000;
/** How long what we wrote down about a launch outweighs a describe that does not show it (EC2: eventual consistency, up to minutes). */
const believeMs = 180_000;

/** Leaving instances that nothing was launched for yet, the most pressing first. */
const unreplaced = (view: View): readonly string[] => {
  const replaced = new Set(view.state.reservations.flatMap(({ replaces }) => replaces));
  return view.swaps
    .filter((swap) => swap.reason !== 'scale-in' && swap.reason !== 'unwanted' && swap.state !== 'gone' && !replaced.has(swap.instance))
    .filter((swap) => isHard(swap) || swap.reason === 'rebalance')
    .sort((a, b) => (a.deadlineMs ?? Number.POSITIVE_INFINITY) - (b.deadlineMs ?? Number.POSITIVE_INFINITY) || (a.instance < b.instance ? -1 : 1))
    .map(({ instance }: Swap) => instance);
};

/** A reservation per placement of the decision, each under a token of its own. */
const reservationsOf = (decision: Decision, view: View, id: { readonly decision: string; readonly round: number }): readonly Reservation[] => {
  const leaving = [...unreplaced(view)];
  return decision.placements.map((placement, index) => {
    const name = reservationId(id.decision, id.round, index);
    return {
      id: name,
      token: name,
      placement,
      decision: id.decision,
      replaces: leaving.splice(0, placement.count),
      atMs: view.nowMs,
      leaseUntilMs: view.nowMs + leaseMs,
      forgetAtMs: view.nowMs + believeMs,
    };
  });
};

/** What is launched now: what was just decided, and requests of invocations that died, repeated under their own tokens. */
export type ToLaunch = { readonly state: GroupState; readonly reservations: readonly Reservation[] };

/** The state item that makes a decision binding: written before anything is launched. */
export const bind = (decision: Decision, view: View, id: { readonly decision: string; readonly round: number }): ToLaunch => {
  const leaseUntilMs = view.nowMs + leaseMs;
  const repeated = abandoned(view.state, view.nowMs).map((reservation) => ({ ...reservation, leaseUntilMs, forgetAtMs: view.nowMs + believeMs }));
  const fresh = reservationsOf(decision, view, id);
  const repeatedIds = new Set(repeated.map(({ id: name }) => name));
  const lastReservation = [view.state.lastReservation ?? '', ...fresh.map(({ id: name }) => name)].toSorted().at(-1);
  const chosen = [...(view.state.chosen ?? []), ...choicesOf(decision, id.decision, leaseUntilMs)];
  const raisedNow = new Set(decision.raise.map(({ asg }) => asg));
  return {
    reservations: [...repeated, ...fresh],
    state: {
      ...view.state,
      reservations: [...view.state.reservations.filter(({ id: name }) => !repeatedIds.has(name)), ...repeated, ...fresh],
      raised: [...view.state.raised.filter(({ asg }) => !raisedNow.has(asg)), ...decision.raise],
      cheapest: decision.cheapest,
      ...(chosen.length === 0 ? {} : { chosen }),
      ...(lastReservation ? { lastReservation } : {}),
    },
  };
};

import { choicesOf } from '../../core/chosen.ts';
import type { Decision } from '../../core/decision.ts';
import { traitsOf } from '../../core/leave-reason.ts';
import type { Placement } from '../../core/placement.ts';
import type { Reservation } from '../../core/reservation.ts';
import { abandoned, believeMs, inBrief, takenUp } from '../../core/reservation-life.ts';
import type { Swap } from '../../core/swap.ts';
import type { GroupState, View } from '../../core/view.ts';
import { reactTimeoutSeconds } from '../contract.ts';
import { reservationId } from './identifiers.ts';

/** Longer than an invocation runs: an open reservation past it has no worker any more. */
const leaseMs = (reactTimeoutSeconds + 5) * 1_000;
/** Target capacity of one fleet (EC2 User Guide, EC2 Fleet quotas). */
export const mostPerRequest = 10_000;

/** Leaving instances without a replacement, the most urgent first. */
const unreplaced = (view: View): readonly string[] => {
  const replaced = new Set(view.state.reservations.flatMap(({ replaces }) => replaces));
  return view.swaps
    .filter((swap) => traitsOf(swap).isReplaced && swap.state !== 'gone' && !replaced.has(swap.instance))
    .sort(
      (a, b) =>
        (a.deadlineMs ?? Number.POSITIVE_INFINITY) - (b.deadlineMs ?? Number.POSITIVE_INFINITY) ||
        (a.instance < b.instance ? -1 : 1),
    )
    .map(({ instance }: Swap) => instance);
};

/** A placement in parts that one request can hold. */
const requestable = (placement: Placement): readonly Placement[] =>
  Array.from({ length: Math.ceil(placement.count / mostPerRequest) }, (_, index) => ({
    ...placement,
    count: Math.min(mostPerRequest, placement.count - index * mostPerRequest),
  }));

/** A reservation for each request of the decision, each under a token of its own. */
const reservationsOf = (
  decision: Decision,
  view: View,
  id: { readonly decision: string; readonly round: number },
): readonly Reservation[] => {
  const leaving = [...unreplaced(view)];
  return decision.placements.flatMap(requestable).map((placement, index) => {
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

/** A reservation that a repeat has taken up, and its earlier value. */
export type TakenUp = { readonly reservation: Reservation; readonly before: Reservation };

/**
 * What is launched now: the new decision's requests, and requests of invocations that died, repeated under their own
 * tokens.
 */
export type ToLaunch = {
  readonly state: GroupState;
  readonly fresh: readonly Reservation[];
  readonly repeated: readonly TakenUp[];
};

/** The state item that makes a decision binding: written before anything is launched. */
export const bind = (
  decision: Decision,
  view: View,
  id: { readonly decision: string; readonly round: number },
): ToLaunch => {
  const repeated = abandoned(view.state, view.nowMs).map((before) => ({
    before,
    reservation: takenUp(before, view.nowMs, leaseMs),
  }));
  const fresh = reservationsOf(decision, view, id);
  const repeatedIds = new Set(repeated.map(({ before }) => before.id));
  const lastReservation = [view.state.lastReservation ?? '', ...fresh.map(({ id: name }) => name)].toSorted().at(-1);
  const chosen = [...(view.state.chosen ?? []), ...choicesOf(decision, id.decision, view.nowMs + leaseMs)];
  const { keptByMinimum: _before, ...state } = view.state;
  const raisedNow = new Set(decision.raise.map(({ asg }) => asg));
  return {
    fresh,
    repeated,
    state: {
      ...state,
      reservations: [
        ...view.state.reservations.filter(({ id: name }) => !repeatedIds.has(name)),
        ...repeated.map(({ reservation }) => reservation),
        ...fresh.map(inBrief),
      ],
      raised: [...view.state.raised.filter(({ asg }) => !raisedNow.has(asg)), ...decision.raise],
      cheapest: decision.cheapest,
      ...(decision.keptByMinimum !== undefined && { keptByMinimum: decision.keptByMinimum }),
      ...(chosen.length === 0 ? {} : { chosen }),
      ...(lastReservation ? { lastReservation } : {}),
    },
  };
};

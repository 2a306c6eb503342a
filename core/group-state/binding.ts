import { withTrials } from '../breaker/breaker.ts';
import { choicesOf } from '../decision/chosen-members.ts';
import type { Decision } from '../decision/decision.ts';
import { modeOf } from '../group/mode.ts';
import { noted, withTries } from '../group/outside-size.ts';
import { unfitNow } from '../group/unfit.ts';
import type { Reservation } from '../launch/reservation.ts';
import { abandoned, inBrief, takenUp } from '../launch/reservation-life.ts';
import { rememberAdvised } from '../limits/advice-budget.ts';
import type { Placement } from '../placement/placement.ts';
import { withoutAdmitted } from '../pool-memory/boot-memory.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { Swap } from '../swap/swap.ts';
import { describeLagMs, launchOverdueMs } from '../times/times.ts';
import { notedBy } from '../view/raised-max.ts';
import { replacedIn } from '../view/replaced.ts';
import { type Suspension, suspendedFrom } from '../view/suspension.ts';
import type { GroupState, View } from '../view/view.ts';
import { withMoves } from './returns.ts';

/** Target capacity of one fleet (EC2 User Guide, EC2 Fleet quotas). */
export const mostPerRequest = 10_000;

/** Leaving instances without a replacement, the most urgent first. */
const unreplaced = (view: View): string[] => {
  const replaced = replacedIn(view.state);
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
    ...(placement.moves && { moves: placement.moves.slice(index * mostPerRequest, (index + 1) * mostPerRequest) }),
  }));

/** The names and times under which a decision is stored. */
type Author = {
  /** The id of the decision. */
  readonly decision: string;
  /** Which decision of its run this is. */
  readonly round: number;
  /** Longer than the author can run. */
  readonly leaseMs: number;
};

/** Id of a reservation; also its client token (at most 64 characters of letters, digits and `-`). */
const reservationId = ({ decision, round }: Author, index: number): string => `${decision}-r${round}-${index}`;

/** A reservation for each request of the decision, each under a token of its own. */
const reservationsOf = (decision: Decision, view: View, author: Author): readonly Reservation[] => {
  const leaving = unreplaced(view);
  return decision.placements.flatMap(requestable).map((placement, index) => {
    const name = reservationId(author, index);
    return {
      id: name,
      token: name,
      placement,
      decision: author.decision,
      replaces: placement.moves ?? leaving.splice(0, placement.count),
      atMs: view.nowMs,
      leaseUntilMs: view.nowMs + author.leaseMs,
      repeatFromMs: view.nowMs + launchOverdueMs,
      forgetAtMs: view.nowMs + describeLagMs,
    };
  });
};

/** A reservation that a repeat has taken up, and its earlier value. */
export type TakenUp = { readonly reservation: Reservation; readonly before: Reservation };

/**
 * The launches of this moment: the requests of the new decision, and requests of invocations that died, repeated under
 * their own tokens.
 */
export type ToLaunch = {
  readonly state: GroupState;
  readonly fresh: readonly Reservation[];
  readonly repeated: readonly TakenUp[];
};

/** Notes of processes with those that this decision suspends. */
const withSuspensions = (
  { state: { suspended = [] }, nowMs }: View,
  suspend: readonly Suspension[] = [],
): readonly Suspension[] => [
  ...suspended.filter(({ asg }) => !suspend.some((one) => one.asg === asg)),
  ...suspend.map((one) => suspendedFrom(one, suspended, nowMs)),
];

const takenUpOf = (before: Reservation, nowMs: number, leaseMs: number): TakenUp => ({
  before,
  reservation: takenUp(before, nowMs, leaseMs),
});

const unlessEmpty = <Item>(list: readonly Item[]): readonly Item[] | undefined => (list.length > 0 ? list : undefined);

/** Swaps that waited and begin now. */
export const begunBy = ({ drains }: Decision, { swaps }: View): readonly Swap[] => {
  const begun = new Set(drains);
  return swaps.filter(({ instance }) => begun.has(instance));
};

/** The state item that makes a decision binding: written before anything is launched. */
export const bind = (decision: Decision, view: View, author: Author): ToLaunch => {
  // Only a group that acts repeats open requests. In other modes, describes show what they launched.
  const unanswered = modeOf(view.group) === 'act' ? abandoned(view.state, view.nowMs) : [];
  const repeated = unanswered.map((before) => takenUpOf(before, view.nowMs, author.leaseMs));
  const fresh = reservationsOf(decision, view, author);
  const repeatedIds = new Set(repeated.map(({ before }) => before.id));
  const lastReservation = [view.state.lastReservation ?? '', ...fresh.map(({ id: name }) => name)].toSorted().at(-1);
  const chosen = choicesOf(decision, author.decision, view.nowMs + author.leaseMs);
  const maxima = [...decision.raise, ...(decision.lower ?? [])];
  const notedNow = new Set(maxima.map(({ asg }) => asg));
  return {
    fresh,
    repeated,
    state: {
      ...view.state,
      reservations: [
        ...view.state.reservations.filter(({ id: name }) => !repeatedIds.has(name)),
        ...repeated.map(({ reservation }) => reservation),
        ...fresh.map(inBrief),
      ],
      raised: [
        ...view.state.raised.filter(({ asg }) => !notedNow.has(asg)),
        ...maxima.map((raise) => notedBy(author.decision, raise, view.state.raised, view.nowMs)),
      ],
      cheapest: decision.cheapest,
      ...withTrials(view.state, fresh, view.nowMs),
      ...rememberAdvised(view, begunBy(decision, view)),
      ...withMoves(view.state, fresh, { decision: author.decision, removals: decision.removals }, view.nowMs),
      newcomers: withoutAdmitted(view.state, decision.admissions),
      added: unlessEmpty(withTries(noted(view, decision.admissions), decision.takeDown, view.nowMs)),
      suspended: unlessEmpty(withSuspensions(view, decision.suspend)),
      chosen: unlessEmpty([...(view.state.chosen ?? []), ...chosen]),
      lastReservation: lastReservation || undefined,
      // Each decision says these anew.
      uncovered: decision.uncovered,
      sparesMissing: decision.spares?.missing || undefined,
      keptByMinimum: decision.keptByMinimum,
      unfit: unlessEmpty(unfitNow(view)),
      onDemandShort: decision.onDemandShort,
      goneAsgs: decision.goneAsgs,
    },
  };
};

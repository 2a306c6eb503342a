import { withAnswers } from '../breaker/breaker.ts';
import type { LaunchRequest } from '../launch/launch-request.ts';
import type { Reservation } from '../launch/reservation.ts';
import { type Attempt, afterAttempt, isOpen, isRepeatable, repeatAfterMs } from '../launch/reservation-life.ts';
import { countsIn, rememberLaunches } from '../limits/launch-limit.ts';
import { offeringKey } from '../pool/offering.ts';
import { doublingMs } from '../pool-memory/back-off.ts';
import { rememberNewcomers } from '../pool-memory/boot-memory.ts';
import { type Answer, rememberDenials } from '../pool-memory/denials.ts';
import { rememberRefusals } from '../pool-memory/refusals.ts';
import { rememberSuccess, type Success } from '../pool-memory/successes.ts';
import type { Refusal } from '../ports/launches.ts';
import { againAtMs, againInMs, failsSinceMs } from '../times/again.ts';
import { withGranted } from '../view/arriving.ts';
import type { GroupState, View } from '../view/view.ts';
import { afterAnswers } from './returns.ts';

/** A request and the reservation that it is made under. */
export type Order = {
  readonly reservation: Reservation;
  readonly request: LaunchRequest | undefined;
  readonly before?: Reservation;
};

/** One reservation and the result of an attempt of its request. */
export type Launched = Order & Attempt;

/**
 * The longest that the first throttles in a row put off the next request. The bucket of CreateFleet is full again after
 * ten seconds (50 calls, 5 a second). While all groups wait for longer, tokens are lost.
 */
const longestHoldMs = 10_000;
/** The number of fleets is a quota and no bucket, so nothing shows when the account has room again. */
const longestHoldForRoomMs = 60_000;
const noRoomForFleets = 'MaxFleetCountExceeded';

/**
 * Each throttle in a row doubles the time until the next launch request. Throttles that last are no matter of a bucket,
 * so requests are then tried again as seldom as whatever else fails. A response that is not a throttle ends the row.
 */
const throttleAfter = (state: GroupState, launched: readonly Launched[], nowMs: number): GroupState['throttle'] => {
  const codes = launched.flatMap(({ result }) => (result.kind === 'throttled' ? [result.code] : []));
  if (codes.length === 0) return launched.some(({ result }) => result.kind === 'answered') ? undefined : state.throttle;
  const streak = (state.throttle?.streak ?? 0) + 1;
  const longestMs = codes.every((code) => code === noRoomForFleets) ? longestHoldForRoomMs : longestHoldMs;
  const sinceMs = failsSinceMs(state.throttle, nowMs);
  const holdMs = Math.max(doublingMs(repeatAfterMs, streak, longestMs), againInMs(nowMs - sinceMs));
  return { streak, sinceMs, untilMs: nowMs + holdMs };
};

const refusalsOf = ({ result }: Launched): readonly Refusal[] => (result.kind === 'answered' ? result.refusals : []);

/**
 * A wrong request (a missing right, a deleted template) is no statement about capacity. Its pool rests for a minute, so
 * that the tree takes its next choice.
 */
const answerOf = ({ reservation: { placement }, result }: Launched): readonly Answer[] => {
  const { pool } = placement;
  if (result.kind === 'answered') return [{ pool }];
  return result.kind === 'invalid' ? [{ pool, denied: { code: result.code, message: result.message } }] : [];
};

const successesOf = ({ reservation: { atMs }, result }: Launched): readonly Success[] =>
  result.kind === 'answered'
    ? result.instances.map(({ offering }) => ({ offering: offeringKey(offering), askedAtMs: atMs }))
    : [];

const grantedUnder = ({ reservation, result }: Launched) =>
  result.kind === 'answered'
    ? result.instances.map(({ instance, offering }) => ({ reservation: reservation.id, instance, offering }))
    : [];

type Shown = Pick<View, 'members' | 'ended'>;

/**
 * New members that come up now. The response to a repeated request names the instances of the first one. Those that
 * were put into service since, or have ended, are left out.
 */
const newcomersOf = ({ reservation, result }: Launched, { members, ended }: Shown) => {
  if (result.kind !== 'answered') return [];
  const old = new Set([...ended, ...members.flatMap(({ instance, admitted }) => (admitted ? [instance] : []))]);
  return result.instances
    .filter(({ instance }) => !old.has(instance))
    .map(({ instance, offering }) => ({ instance, pool: reservation.placement.pool, offering }));
};

/**
 * A stored reservation after an attempt. Another invocation may have taken the request up meanwhile, because its
 * response took long. Then only instances settle it here: everything else is for that repeat to tell.
 */
const settled = (
  stored: Reservation,
  attempt: Launched,
  repeatAtMs: number,
  nowMs: number,
): Reservation | undefined => {
  const isWithOthers = !isOpen(stored) || stored.leaseUntilMs !== attempt.reservation.leaseUntilMs;
  return isWithOthers && grantedBy(attempt) === 0 ? stored : afterAttempt(stored, attempt, repeatAtMs, nowMs);
};

/**
 * What EC2 granted and the limit of launches counts. The policy may have been written since the request was made: only
 * the stored reservation says so.
 */
const countingIn =
  ({ reservations }: GroupState, shown: Shown) =>
  (one: Launched) => {
    const counts = countsIn(shown);
    const stored = reservations.find(({ id }) => id === one.reservation.id) ?? one.reservation;
    return grantedUnder(one).filter(({ instance }) => counts(stored, instance));
  };

/** Attempts whose requests no other response has settled yet. Two attempts of one request have the same response. */
const notSettled = (launched: readonly Launched[], { reservations }: GroupState): readonly Launched[] => {
  const known = new Set(reservations.flatMap((one) => (isOpen(one) ? [] : [one.id])));
  return launched.filter(({ reservation: { id } }) => !known.has(id));
};

/**
 * Since when no request of the group has had a response. An outage leaves all of them open, and also those that are
 * made while it lasts. So a new one does not begin the tries anew. Any response shows that the outage is over.
 */
const unansweredSinceMs = ({ reservations }: GroupState, launched: readonly Launched[]): number => {
  if (launched.some(({ result }) => result.kind === 'answered')) return Number.POSITIVE_INFINITY;
  return Math.min(...reservations.filter(isRepeatable).map(({ atMs }) => atMs));
};

/**
 * The state after responses: reservations settled, refusals and successes remembered. Changes nothing else, so it can
 * be merged into a newer state. The members are those of the look that requested.
 */
export const applyAnswers = (
  state: GroupState,
  launched: readonly Launched[],
  { group, nowMs, ...shown }: Pick<View, 'group' | 'nowMs' | 'members' | 'ended'>,
): GroupState => {
  const attempts = new Map(launched.map((one) => [one.reservation.id, one]));
  const throttle = throttleAfter(state, launched, nowMs);
  const unansweredMs = unansweredSinceMs(state, launched);
  const repeatAtMs = ({ atMs }: Reservation): number =>
    Math.max(againAtMs(nowMs, Math.min(atMs, unansweredMs)), throttle?.untilMs ?? 0);
  const reservations = state.reservations.flatMap((reservation) => {
    const attempt = attempts.get(reservation.id);
    return attempt === undefined
      ? [reservation]
      : (settled(reservation, attempt, repeatAtMs(reservation), nowMs) ?? []);
  });
  // Successes first: EC2 may grant some of an offering and refuse the rest. Then the refusal counts.
  const memory = rememberSuccess(state.memory, launched.flatMap(successesOf));
  const fresh = notSettled(launched, state);
  const granting = fresh.flatMap((one) => newcomersOf(one, shown));
  const newcomers = rememberNewcomers(state, granting, nowMs);
  const arriving = withGranted(
    state.arriving,
    granting.map(({ instance }) => instance),
    nowMs,
  );
  const breakers = withAnswers(state.breakers, {
    asked: new Set(attempts.keys()),
    stays: new Set(reservations.map(({ id }) => id)),
    granted: launched.flatMap(grantedUnder),
  });
  const denials = rememberDenials(state.denials, launched.flatMap(answerOf), nowMs);
  const counted = rememberLaunches(state, group, fresh.flatMap(countingIn(state, shown)).length, nowMs);
  return {
    ...counted,
    throttle,
    denials,
    newcomers,
    arriving,
    breakers,
    reservations,
    ...afterAnswers(state, [...attempts.keys()], reservations),
    memory: rememberRefusals(memory, launched.flatMap(refusalsOf), group.pools, nowMs),
  };
};

/** How many instances EC2 granted. */
export const grantedBy = ({ result }: Launched): number => (result.kind === 'answered' ? result.instances.length : 0);

/** How many of the requested instances were not granted, for reasons that a new decision can solve at once. */
const notGranted = (launched: readonly Launched[]): number =>
  launched
    .filter(({ result, before }) => result.kind === 'answered' || (result.kind === 'invalid' && before === undefined))
    .reduce((sum, one) => sum + one.reservation.placement.count - grantedBy(one), 0);

const isMove = ({ reservation }: Launched): boolean => reservation.placement.moves !== undefined;

/** How many members are missing because their launches were not granted. A refused move leaves no member missing. */
export const missingAfter = (launched: readonly Launched[]): number =>
  notGranted(launched.filter((one) => !isMove(one)));

/** How many members stay where they are because the launches of their moves were not granted. */
export const unmovedAfter = (launched: readonly Launched[]): number => notGranted(launched.filter(isMove));

/**
 * Whether a request must be repeated soon, because its response was lost. A throttled request waits until launches are
 * requested again.
 */
export const mustRepeat = (launched: readonly Launched[]): boolean =>
  launched.some(({ result }) => result.kind === 'ambiguous');

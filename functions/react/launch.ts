import { inParallel } from '../../aws/in-parallel.ts';
import { rememberNewcomers } from '../../core/boots.ts';
import type { Group } from '../../core/group.ts';
import type { LaunchRequest } from '../../core/launch-request.ts';
import { type OfferingKey, offeringKey } from '../../core/offering.ts';
import { rememberRefusals, rememberSuccess } from '../../core/pool-memory.ts';
import type { LaunchResult, Refusal } from '../../core/ports.ts';
import type { Reservation } from '../../core/reservation.ts';
import { type Attempt, afterAttempt, repeatAfterMs, repeatStepMs } from '../../core/reservation-life.ts';
import type { GroupState } from '../../core/view.ts';
import { metrics } from '../contract.ts';
import { writesAtOnce } from './claims.ts';
import type { ReactPorts } from './ports.ts';
import type { TakenUp } from './reserve.ts';
import type { Run } from './run.ts';

/**
 * The longest that throttles in a row may put off the next request. The bucket of CreateFleet is full again after ten
 * seconds (50 calls, 5 a second): what refills while every group still waits is lost to all of them.
 */
const longestHoldMs = 10_000;

/**
 * Each throttle in a row doubles the time until the next launch request. A response that is not a throttle ends the
 * row.
 */
const throttleAfter = (state: GroupState, launched: readonly Launched[], nowMs: number): GroupState['throttle'] => {
  if (!launched.some(({ result }) => result.kind === 'throttled'))
    return launched.some(({ result }) => result.kind === 'answered') ? undefined : state.throttle;
  const streak = (state.throttle?.streak ?? 0) + 1;
  return { streak, untilMs: nowMs + Math.min(longestHoldMs, repeatAfterMs * 2 ** (streak - 1)) };
};

/** A request and the reservation that it is made under. */
type Order = {
  readonly reservation: Reservation;
  readonly request: LaunchRequest | undefined;
  readonly before?: Reservation;
};

/** One reservation and how EC2 answered an attempt of its request. */
export type Launched = Order & Attempt;

/**
 * The requests of the new decision. Each is stored before the reservation that names it, so that a repeat always finds
 * it.
 */
export const writeRequests = (
  reservations: readonly Reservation[],
  { group, provider, ports }: Run,
): Promise<readonly Order[]> =>
  inParallel(reservations, writesAtOnce, async (reservation) => {
    const request = provider.requestOf(group, reservation);
    if (request !== undefined) await ports.store.putRequest(group.name, reservation.id, request);
    return { reservation, request };
  });

/**
 * The requests of reservations that are repeated, exactly as they were made. A request that was not stored is made from
 * the policy in force: where it differs, EC2 recognises the token and returns an error.
 */
export const readRequests = (
  repeated: readonly TakenUp[],
  { group, provider, ports }: Run,
): Promise<readonly Order[]> =>
  inParallel(repeated, writesAtOnce, async ({ reservation, before }) => ({
    reservation,
    before,
    request: (await ports.store.request(group.name, reservation.id)) ?? provider.requestOf(group, reservation),
  }));

const nothingToAsk: LaunchResult = {
  kind: 'invalid',
  code: 'NoSuchPool',
  message: 'the policy in force has no such pool, or no subnet for it',
};

/** Sends requests, all at once where the provider can. */
export const launchAll = async (orders: readonly Order[], { provider, ports }: Run): Promise<readonly Launched[]> => {
  const makable = orders.flatMap(({ request, reservation: { leaseUntilMs }, before }) =>
    request === undefined ? [] : [{ request, leaseUntilMs, isRepeat: before !== undefined }],
  );
  const results = makable.length === 0 ? [] : [...(await provider.launch(makable))];
  const launched = orders.map((order): Launched => {
    const result =
      order.request === undefined ? nothingToAsk : (results.shift() ?? { kind: 'ambiguous', code: 'NoAnswer' });
    return { ...order, result };
  });
  countLaunches(launched, ports);
  return launched;
};

const countLaunches = (launched: readonly Launched[], { telemetry }: ReactPorts): void => {
  for (const { reservation, result } of launched) {
    if (result.kind === 'answered') {
      telemetry.count(metrics.launched, result.instances.length);
      telemetry.count(metrics.refused, result.refusals.length);
    }
    if (result.kind === 'throttled') telemetry.count(metrics.throttled);
    if (result.kind === 'invalid') {
      telemetry.count(metrics.actionsFailed);
      telemetry.logger.error('EC2 refused a launch request as invalid. The next choice of the policy is tried.', {
        pool: reservation.placement.pool,
        code: result.code,
        reason: result.message,
      });
    }
  }
};

/**
 * A request that is wrong in itself (a template that is gone) counts as a refusal of all its offerings, so that the
 * tree takes its next choice.
 */
const refusalsOf = ({ reservation, request, result }: Launched): readonly Refusal[] => {
  if (result.kind === 'answered') return result.refusals;
  if (result.kind !== 'invalid') return [];
  return (request ?? reservation).placement.offerings.map((offering) => ({
    offering,
    code: result.code,
    message: result.message,
    scope: 'offering',
  }));
};

const granted = ({ result }: Launched): readonly OfferingKey[] =>
  result.kind === 'answered' ? result.instances.map(({ offering }) => offeringKey(offering)) : [];

const newcomersOf = ({ reservation, result }: Launched) =>
  result.kind === 'answered'
    ? result.instances.map(({ instance }) => ({ instance, pool: reservation.placement.pool }))
    : [];

/**
 * The state after responses: reservations settled, refusals and successes remembered. Changes nothing else, so it can
 * be merged into a newer state.
 */
export const applyAnswers = (
  state: GroupState,
  launched: readonly Launched[],
  group: Group,
  nowMs: number,
): GroupState => {
  const attempts = new Map(launched.map((one) => [one.reservation.id, one]));
  const throttle = throttleAfter(state, launched, nowMs);
  const repeatAtMs = ({ atMs }: Reservation): number =>
    Math.max(nowMs + repeatStepMs(nowMs - atMs), throttle?.untilMs ?? 0);
  const reservations = state.reservations.flatMap((reservation) => {
    const attempt = attempts.get(reservation.id);
    return attempt === undefined
      ? [reservation]
      : (afterAttempt(reservation, attempt, repeatAtMs(reservation), nowMs) ?? []);
  });
  // Successes first: EC2 may grant some of an offering and refuse the rest, and then the refusal stands.
  const memory = rememberSuccess(state.memory, launched.flatMap(granted));
  const newcomers = rememberNewcomers(state, launched.flatMap(newcomersOf), nowMs);
  const { throttle: _before, ...rest } = state;
  return {
    ...rest,
    ...(newcomers && { newcomers }),
    reservations,
    memory: rememberRefusals(memory, launched.flatMap(refusalsOf), group.pools, nowMs),
    ...(throttle === undefined ? {} : { throttle }),
  };
};

/** How many of the requested instances were not granted, for reasons that a new decision can solve at once. */
export const missingAfter = (launched: readonly Launched[]): number =>
  launched
    .filter(({ result, before }) => result.kind === 'answered' || (result.kind === 'invalid' && before === undefined))
    .reduce(
      (sum, { reservation, result }) =>
        sum + reservation.placement.count - (result.kind === 'answered' ? result.instances.length : 0),
      0,
    );

/**
 * Whether a request must be repeated soon, because its response was lost. A throttled request waits until launches are
 * requested again.
 */
export const mustRepeat = (launched: readonly Launched[]): boolean =>
  launched.some(({ result }) => result.kind === 'ambiguous');

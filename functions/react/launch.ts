import type { Group } from '../../core/group.ts';
import { type OfferingKey, offeringKey } from '../../core/offering.ts';
import { rememberRefusals, rememberSuccess } from '../../core/pool-memory.ts';
import type { CapacityIn, LaunchResult, Refusal } from '../../core/ports.ts';
import type { Reservation } from '../../core/reservation.ts';
import type { GroupState } from '../../core/view.ts';
import { metrics } from '../contract.ts';
import type { ReactPorts } from './ports.ts';

/** How soon a request whose answer was lost is made again, and one that was throttled for the first time. */
export const repeatAfterMs = 2_000;
/** Most that throttles in a row may put off the next request: inside a spot notice there is still time for several. */
const longestHoldMs = 30_000;

/** Each throttle in a row doubles the time until launches are asked for again; an answer ends the row. */
const throttleAfter = (state: GroupState, launched: readonly Launched[], nowMs: number): GroupState['throttle'] => {
  if (!launched.some(({ result }) => result.kind === 'throttled'))
    return launched.some(({ result }) => result.kind === 'answered') ? undefined : state.throttle;
  const streak = (state.throttle?.streak ?? 0) + 1;
  return { streak, untilMs: nowMs + Math.min(longestHoldMs, repeatAfterMs * 2 ** (streak - 1)) };
};

/** One reservation and what EC2 said to it. */
export type Launched = { readonly reservation: Reservation; readonly result: LaunchResult };

/** Requests that stay open although nobody works on them: made by an invocation that died, or answered by silence. */
export const abandoned = (state: GroupState, nowMs: number): readonly Reservation[] =>
  state.reservations.filter(({ instances, leaseUntilMs }) => instances === undefined && leaseUntilMs <= nowMs);

/** Carries out reservations, all at once where the provider can. */
export const launchAll = async (
  group: Group,
  reservations: readonly Reservation[],
  provider: CapacityIn,
  ports: ReactPorts,
): Promise<readonly Launched[]> => {
  if (reservations.length === 0) return [];
  const results = await provider.launch(group, reservations);
  const launched = reservations.map(
    (reservation, index): Launched => ({ reservation, result: results[index] ?? { kind: 'ambiguous', code: 'NoAnswer' } }),
  );
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
      telemetry.logger.error('EC2 refused a launch request as wrong; the policy goes on with its next choice.', {
        pool: reservation.placement.pool,
        code: result.code,
        reason: result.message,
      });
    }
  }
};

/** A request that is wrong in itself (a template that is gone) says no for all its offerings, so that the tree goes on to its next choice. */
const refusalsOf = ({ reservation, result }: Launched): readonly Refusal[] => {
  if (result.kind === 'answered') return result.refusals;
  if (result.kind !== 'invalid') return [];
  return reservation.placement.offerings.map((offering) => ({ offering, code: result.code, message: result.message, scope: 'offering' }));
};

const granted = ({ result }: Launched): readonly OfferingKey[] =>
  result.kind === 'answered' ? result.instances.map(({ offering }) => offeringKey(offering)) : [];

/** The reservation as it stands after its answer: with its instances, still open, or (undefined) released. */
const settled = ({ reservation, result }: Launched, nowMs: number): Reservation | undefined => {
  if (result.kind === 'ambiguous') return { ...reservation, leaseUntilMs: nowMs + repeatAfterMs };
  if (result.kind !== 'answered' || result.instances.length === 0) return undefined;
  const instances = result.instances.map(({ instance }) => instance);
  // What was not given replaces nobody: the next decision takes those up again.
  const replaces = reservation.replaces.slice(0, instances.length);
  return { ...reservation, instances, replaces, placement: { ...reservation.placement, count: instances.length } };
};

/** The state after answers: reservations settled, refusals and successes remembered. Touches nothing else, so it can be merged into a newer state. */
export const applyAnswers = (state: GroupState, launched: readonly Launched[], group: Group, nowMs: number): GroupState => {
  const answers = new Map(launched.map((one) => [one.reservation.id, one]));
  const reservations = state.reservations.flatMap((reservation) => {
    const answer = answers.get(reservation.id);
    return answer === undefined ? [reservation] : (settled(answer, nowMs) ?? []);
  });
  // Successes first: EC2 may give some of an offering and refuse the rest, and then the refusal stands.
  const memory = rememberSuccess(state.memory, launched.flatMap(granted));
  const { throttle: _before, ...rest } = state;
  const throttle = throttleAfter(state, launched, nowMs);
  return {
    ...rest,
    reservations,
    memory: rememberRefusals(memory, launched.flatMap(refusalsOf), group.pools, nowMs),
    ...(throttle === undefined ? {} : { throttle }),
  };
};

/** How many of the instances asked for were not given, for reasons that a new decision can mend at once. */
export const missingAfter = (launched: readonly Launched[]): number =>
  launched
    .filter(({ result }) => result.kind === 'answered' || result.kind === 'invalid')
    .reduce((sum, { reservation, result }) => sum + reservation.placement.count - (result.kind === 'answered' ? result.instances.length : 0), 0);

/** Whether a request must be made again soon, because its answer was lost. One that was throttled waits until launches are asked for again. */
export const mustRepeat = (launched: readonly Launched[]): boolean => launched.some(({ result }) => result.kind === 'ambiguous');

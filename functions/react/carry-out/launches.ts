import { inParallel } from '../../../aws/calls/in-parallel.ts';
import { metrics } from '../../../core/contract.ts';
import type { Launched, Order } from '../../../core/group-state/answers.ts';
import type { TakenUp } from '../../../core/group-state/binding.ts';
import type { Reservation } from '../../../core/launch/reservation.ts';
import { offeringKey } from '../../../core/pool/offering.ts';
import type { LaunchResult } from '../../../core/ports/launches.ts';
import type { ReactPorts } from '../ports.ts';
import type { Run } from '../run.ts';
import { writesAtOnce } from './claims.ts';

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
 * The requests of repeated reservations, exactly as they were sent. A request that was not stored is made from the
 * policy in force. If it differs from the sent one, EC2 recognises the token and returns an error.
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
export const launchAll = async (
  orders: readonly Order[],
  { group, provider, ports }: Run,
): Promise<readonly Launched[]> => {
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
  for (const { reservation, result } of launched)
    if (result.kind === 'answered')
      ports.seen.launched(group.name, reservation.placement.pool, result.instances, ports.clock.now());
  return launched;
};

const countLaunches = (launched: readonly Launched[], { telemetry }: ReactPorts): void => {
  for (const { reservation, result } of launched) {
    if (result.kind === 'answered') {
      telemetry.count(metrics.launched, result.instances.length);
      telemetry.count(metrics.refused, new Set(result.refusals.map(({ offering }) => offeringKey(offering))).size);
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

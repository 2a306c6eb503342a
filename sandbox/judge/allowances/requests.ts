import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import type { HistoryEvent } from '../history.ts';
import { hasDied } from '../leaving.ts';
import { isFunction } from '../life.ts';
import { requestedSoon } from '../rules/serving.ts';
import { ownLaunches } from '../staying.ts';
import { times } from '../times.ts';

/** The least delay of a call by a fault. No read takes this long without one. */
const slowMs = 2_500;

/** Whether a fault held up a read of a function that launched for the group later in the same look. */
const holdsUpLaunch = (
  chronicle: Chronicle,
  { askedAtMs, atMs, invocation, isMutating, function: name }: Extract<HistoryEvent, { readonly kind: 'called' }>,
  group: string | undefined,
): boolean => {
  const injected = chronicle.invocations.get(invocation)?.ended?.injected !== false;
  if (isMutating || !name.endsWith('react') || atMs - askedAtMs < slowMs || !injected) return false;
  return ownLaunches(chronicle).some(
    ({ life, group: its }) => its === group && isFunction(life.by) && life.by.invocation === invocation && life.launchedAtMs > atMs,
  );
};

export const requestMetTrouble: Allowance = {
  name: 'the request met a fault',
  excuses: requestedSoon.name,
  trouble:
    'A call that launches for the group was throttled, lost or delayed, by a fault or by the account’s own request tokens. Or a fault delayed a read of the function that launched.',
  reaches: 'Warnings and ends of members of that group, if the call or the read fell between the message and the request for it.',
  reason:
    'A throttled request is repeated after a while. A request whose response was lost is repeated only when describes show its result, or when its lease is over.',
  covers: ({ group, atMs, heardAtMs = atMs }, chronicle) => {
    const sinceMs = heardAtMs - chronicle.times.launchCallMs;
    return chronicle.of('called').some((call) => {
      const { launch, trouble, outcome, askedAtMs } = call;
      if (askedAtMs < sinceMs || askedAtMs > atMs) return false;
      if (launch === undefined) return holdsUpLaunch(chronicle, call, group);
      const isItsGroup = launch.group === group || launch.asg !== undefined;
      return isItsGroup && (trouble !== undefined || outcome === 'lost' || outcome === 'crashed');
    });
  },
};

export const leaseOfTheDead: Allowance = {
  name: 'a launch waits for the lease of a function that died',
  excuses: requestedSoon.name,
  trouble: 'A fault killed a function during a launch for the group, or before it. Its reservation is repeated when its lease is over.',
  reaches: 'Warnings and ends of members of that group that are received while the lease of that reservation runs.',
  reason: 'Until then a slow function and a dead one look the same, and a second launch would be one more than needed.',
  covers: ({ group, atMs, heardAtMs: heardMs = atMs }, chronicle) => {
    const wasRunning = (sinceMs: number): boolean => sinceMs <= heardMs && sinceMs >= heardMs - times.leaseMs;
    const died = (invocation: string): boolean => chronicle.invocations.get(invocation)?.ended === undefined || hasDied(chronicle, invocation);
    const called = chronicle
      .of('called')
      .some(
        ({ launch, invocation, askedAtMs }) =>
          launch !== undefined && wasRunning(askedAtMs) && died(invocation) && (launch.group === group || launch.asg !== undefined),
      );
    // It may have died with its reservation written, before the call.
    const reserved = (chronicle.groups.get(group ?? '')?.written ?? []).some(
      ({ by, atMs: writtenMs, lastReservation }, index, all) =>
        isFunction(by) && lastReservation !== all[index - 1]?.lastReservation && wasRunning(writtenMs) && died(by.invocation),
    );
    return called || reserved;
  },
};

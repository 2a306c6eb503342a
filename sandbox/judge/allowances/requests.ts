import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import type { HistoryEvent } from '../history.ts';
import { ownLaunches } from '../members/staying.ts';
import { asgsOf } from '../policy/policy.ts';
import { remembered } from '../remembered.ts';
import { requestedSoon, requestTime, unrequestedUntil } from '../rules/launches/requested.ts';
import { times } from '../times.ts';
import { hasDied, isHealthy } from '../told/leaving.ts';
import { isFunction } from '../world/life.ts';

/** The least delay of a call by a fault. No read takes this long without one. */
const slowMs = 2_500;

type Called = Extract<HistoryEvent, { readonly kind: 'called' }>;

/** Whether a fault held up a read of a function that decides. */
const isHeldUp = ({ invocations }: Chronicle, { askedAtMs, atMs, invocation, isMutating, function: name }: Called): boolean =>
  !isMutating && name.endsWith('react') && atMs - askedAtMs >= slowMs && invocations.get(invocation)?.ended?.injected !== false;

/** Whether a fault held up a read of a function that launched for the group later in the same look. */
const holdsUpLaunch = (chronicle: Chronicle, call: Called, group: string | undefined): boolean =>
  isHeldUp(chronicle, call) &&
  ownLaunches(chronicle).some(
    ({ life, group: its }) => its === group && isFunction(life.by) && life.by.invocation === call.invocation && life.launchedAtMs > call.atMs,
  );

/** How many members were warned, where a fault holds up a read of the function that received the warning beyond the time. */
const heldUpBeyond = (chronicle: Chronicle, group: string | undefined, heardMs: number, untilMs: number): number => {
  const open = chronicle.of('called').filter((call) => call.askedAtMs <= untilMs && call.atMs > untilMs && isHeldUp(chronicle, call));
  const functions = new Set(open.map(({ invocation }) => invocation));
  return chronicle
    .livesIn(group ?? '')
    .filter(({ deliveries }) =>
      deliveries.some(({ told, atMs, invocation }) => told.about === 'warning' && atMs <= heardMs && functions.has(invocation)),
    ).length;
};

export const requestMetTrouble: Allowance = {
  name: 'the request met a fault',
  excuses: requestedSoon.name,
  trouble:
    'A call that launches for the group was throttled, lost or delayed, by a fault or by the account’s own request tokens. Or a fault delayed a read of the function that launched, or still delays a read of one that received the warning of another member before.',
  reaches:
    'Warnings and ends of members of that group, if the call or the read fell between the message and the request for it. Where the read of a function is still delayed, as many missing members as it received warnings of.',
  reason:
    'A throttled request is repeated after a while. A request whose response was lost is repeated only when describes show its result, or when its lease is over.',
  covers: ({ group, atMs, heardAtMs = atMs, members = Number.POSITIVE_INFINITY }, chronicle) => {
    const sinceMs = heardAtMs - chronicle.times.launchCallMs;
    if (members <= heldUpBeyond(chronicle, group, heardAtMs, atMs)) return true;
    return chronicle.of('called').some((call) => {
      const { launch, trouble, outcome, askedAtMs } = call;
      if (askedAtMs < sinceMs || askedAtMs > atMs) return false;
      if (launch === undefined) return holdsUpLaunch(chronicle, call, group);
      const isItsGroup = launch.group === group || launch.asg !== undefined;
      return isItsGroup && (trouble !== undefined || outcome === 'lost' || outcome === 'crashed');
    });
  },
};

type Launching = Extract<HistoryEvent, { readonly kind: 'called' }>;

/** The calls that launch for a group or for an Auto Scaling group and that were answered before a moment. */
const launchesBefore = (chronicle: Chronicle, group: string | undefined, beforeMs: number): readonly Launching[] =>
  chronicle
    .of('called')
    .filter(({ launch, atMs }) => launch !== undefined && (launch.group === group || launch.asg !== undefined) && atMs <= beforeMs);

const noRoomCode = 'MaxFleetCountExceeded';
/** A wake is sent for the end of the wait, and the look takes a moment. */
const wakeMs = 3_000;

export const noRoomForFleets: Allowance = {
  name: 'the account has no room for another fleet',
  excuses: requestedSoon.name,
  trouble: 'The last call that launched for the group failed with MaxFleetCountExceeded.',
  reaches: 'Warnings and ends of members of that group that are received within a minute after that call.',
  reason:
    'Nothing shows when the account has room again, so launches wait a minute at most (docs/architecture.md). A call for each need would be wasted.',
  covers: ({ group, heardAtMs: heardMs, atMs }, chronicle) => {
    const last = launchesBefore(chronicle, group, heardMs ?? atMs).at(-1);
    return last !== undefined && last.outcome === noRoomCode && atMs <= last.atMs + times.noRoomMs + wakeMs;
  },
};

/** A bucket that is empty is full again within this time. */
const inLineMs = 30_000;

/** No call needs this long to be made where it has its token. */
const atOnceMs = 1_000;

/**
 * Whether a further page of Auto Scaling groups waited for its token: its function made no other call of AWS since the page before, but those with which it
 * takes tokens.
 */
const hasWaited = (chronicle: Chronicle, { operation, invocation, askedAtMs }: Called): boolean => {
  if (operation !== 'DescribeAutoScalingGroups') return false;
  const before = chronicle
    .of('called')
    .findLast((call) => call.invocation === invocation && call.service !== 'dynamodb' && call.askedAtMs < askedAtMs);
  return before !== undefined && before.operation === operation && before.outcome === 'ok' && askedAtMs - before.atMs >= atOnceMs;
};

export const shortPagesTakeTokens: Allowance = {
  name: 'short pages take the account’s tokens',
  excuses: requestedSoon.name,
  trouble:
    'A page shows so few Auto Scaling groups that each look takes several of the account’s request tokens of Auto Scaling. A call of a look was throttled because none was left, or a further page waited a second for one.',
  reaches:
    'Warnings and ends of members of that group that were received before such a throttle or wait, if a call that launches for it through Auto Scaling follows within half a minute.',
  reason: 'A launch through Auto Scaling takes its token from the same bucket. Looks and launches wait for tokens in line.',
  covers: ({ group = '', heardAtMs: heardMs = Number.NEGATIVE_INFINITY, atMs }, chronicle) => {
    if (chronicle.history.spec.longestPage === undefined) return false;
    const policy = chronicle.policyAt(group, atMs);
    const asgs = new Set(policy === undefined ? [] : asgsOf(policy));
    const calls = chronicle.of('called').filter(({ service, askedAtMs }) => service === 'autoscaling' && askedAtMs >= heardMs);
    const looks = calls.filter(({ launch, askedAtMs }) => launch === undefined && askedAtMs <= atMs);
    const throttled = looks.find((call) => call.trouble === 'bucket' || hasWaited(chronicle, call));
    return calls.some(
      ({ launch, askedAtMs }) =>
        launch?.asg !== undefined &&
        asgs.has(launch.asg) &&
        throttled !== undefined &&
        askedAtMs > throttled.askedAtMs &&
        askedAtMs <= throttled.askedAtMs + inLineMs,
    );
  },
};

/** Server errors of EC2 and of Auto Scaling ("Error codes" in the Amazon EC2 API Reference; "Common Errors"). */
const serverErrors = ['InternalError', 'InternalFailure', 'ServiceUnavailable', 'Unavailable'];

/** Results after which the request may have been carried out. */
const unsure = new Set(['lost', 'IdempotentCallInProgress', ...serverErrors]);

export const repeatIsDue: Allowance = {
  name: 'a request without a response is repeated later',
  excuses: requestedSoon.name,
  trouble: 'The last calls of requests for the group got no response or a server error, or EC2 said that the request was in progress.',
  reaches: 'Warnings and ends of members of that group, for as many members as these requests are for, until a tick after these calls.',
  reason:
    'A request stays open, and its repeats become rarer until the tick makes them. Several are repeated at different times. Another request for the same members would be one more than needed.',
  covers: ({ group, heardAtMs: heardMs, atMs, members = Number.POSITIVE_INFINITY }, chronicle) => {
    const before = launchesBefore(chronicle, group, heardMs ?? atMs);
    const last = [...new Map(before.map((call) => [call.launch?.token, call])).values()];
    const open = last.filter((call) => unsure.has(call.outcome) && atMs <= call.atMs + times.tickMs);
    return members <= open.reduce((sum, { launch }) => sum + (launch?.count ?? 0), 0);
  },
};

/** When the functions ended that received a message about an instance at a moment, and that no fault met. */
const lookEndMs = (chronicle: Chronicle, instance: string | undefined, heardMs: number): number =>
  Math.max(
    heardMs,
    ...(chronicle.life(instance ?? '')?.deliveries ?? []).flatMap(({ atMs, invocation }) =>
      atMs === heardMs && isHealthy(chronicle, invocation) ? (chronicle.invocations.get(invocation)?.ended?.atMs ?? heardMs) : [],
    ),
  );

export const leaseOfTheDead: Allowance = {
  name: 'a launch waits for a function that died',
  excuses: requestedSoon.name,
  trouble: 'A fault killed a function during a launch for the group, or before it. Its request is repeated after twelve seconds.',
  reaches:
    'Warnings and ends of members of that group that are received within fifteen seconds after that reservation, or whose function found the reservation, because both ran at the same time. If the group was let go, they count as received when a function without an injected fault received its next policy or a tick.',
  reason: 'Until then a slow function and a dead one look the same, and a second launch would be one more than needed.',
  covers: ({ group = '', instance, atMs, heardAtMs: toldMs = atMs }, chronicle) => {
    const { heardMs } = requestTime(chronicle, group, toldMs);
    const lookedUntilMs = lookEndMs(chronicle, instance, heardMs);
    const wasRunning = (sinceMs: number): boolean => sinceMs <= heardMs && sinceMs >= heardMs - times.launchRepeatedMs;
    const died = (invocation: string): boolean => chronicle.invocations.get(invocation)?.ended === undefined || hasDied(chronicle, invocation);
    const called = chronicle
      .of('called')
      .some(
        ({ launch, invocation, askedAtMs }) =>
          launch !== undefined && wasRunning(askedAtMs) && died(invocation) && (launch.group === group || launch.asg !== undefined),
      );
    // It may have died with its reservation written, before the call. A repeat writes a lease of its own.
    const reserved = (chronicle.groups.get(group)?.written ?? []).some(({ by, atMs: writtenMs, lastReservation, leasedUntilMs = 0 }, index, all) => {
      const before = all[index - 1];
      const isNew = lastReservation !== before?.lastReservation || leasedUntilMs > (before?.leasedUntilMs ?? 0);
      const isFound = writtenMs > heardMs && writtenMs <= lookedUntilMs;
      return isFunction(by) && isNew && (wasRunning(writtenMs) || isFound) && died(by.invocation);
    });
    return called || reserved;
  },
};

/** Functions that wrote the state of a group, or stored something about it. */
const writersOf = remembered((chronicle: Chronicle) => {
  const known = new Map<string, Set<string>>();
  for (const kind of ['item-written', 'state-written'] as const)
    for (const { group, by } of chronicle.of(kind)) {
      const writers = known.get(group) ?? new Set();
      if (isFunction(by)) writers.add(by.invocation);
      known.set(group, writers);
    }
  return known;
});

/** A write of one item takes about ten milliseconds. Beyond this, the table is in trouble. */
const slowWriteMs = 500;

const isSlowWrite = ({ service, isMutating, askedAtMs, atMs }: Called): boolean =>
  service === 'dynamodb' && isMutating && atMs - askedAtMs >= slowWriteMs;

/** The time within a span in which at least one of these calls was under way. */
const underWayWithin = (calls: readonly Called[], fromMs: number, untilMs: number): number => {
  let [sum, endMs] = [0, fromMs];
  for (const { askedAtMs, atMs } of calls.toSorted((one, other) => one.askedAtMs - other.askedAtMs)) {
    const endedMs = Math.min(untilMs, atMs);
    sum += Math.max(0, endedMs - Math.max(endMs, askedAtMs));
    endMs = Math.max(endMs, endedMs);
  }
  return sum;
};

export const writesWereSlow: Allowance = {
  name: 'writes of the decision were slow',
  excuses: requestedSoon.name,
  trouble: 'Writes to the state table by functions that decided on the group took half a second or longer.',
  reaches: 'Warnings and ends of members of that group, if all are requested within the bound and the time that such writes took.',
  reason: 'Each launch follows the write of its request, so that no launch is forgotten. A launch that EC2 refuses needs the same writes again.',
  covers: ({ group = '', atMs, heardAtMs: toldMs = atMs }, chronicle) => {
    const { heardMs } = requestTime(chronicle, group, toldMs);
    const writers = writersOf(chronicle).get(group);
    const slow = chronicle.of('called').filter((call) => isSlowWrite(call) && writers?.has(call.invocation));
    // Writes within the time that is added may be slow as well.
    let [untilMs, laterMs] = [atMs, atMs + underWayWithin(slow, heardMs, atMs)];
    while (laterMs > untilMs) [untilMs, laterMs] = [laterMs, atMs + underWayWithin(slow, heardMs, laterMs)];
    return untilMs > atMs && unrequestedUntil(chronicle, group, heardMs, untilMs) <= 0;
  },
};

import { announcements, items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { headcountAt, isStray, reservationOf } from '../../members/staying.ts';
import { asgsOf } from '../../policy/policy.ts';
import { goneAtMs, isFunction, type Life, leavesAtMs } from '../../world/life.ts';
import { lastingShortagesTold } from '../launches/lasting-shortage.ts';
import { detailsAreTrue } from './announced-details.ts';
import { acceptancesAreTrue, failuresTold, shortagesMiscounted, shortagesOverstated, shortagesTold, staysTold } from './announced-shortfalls.ts';

type Broken = Omit<Finding, 'rule'>;
type Refused = Extract<HistoryEvent, { readonly kind: 'refused' }>;

const announced = (chronicle: Chronicle, detailType: string) => chronicle.of('announced').filter((event) => event.detailType === detailType);

const instancesIn = (detail: Readonly<Record<string, unknown>>): readonly string[] =>
  Array.isArray(detail.instances) ? detail.instances.map(String) : [];

/** The first claim of every instance, even if a restored table lost its swap. */
const claimsOf = (chronicle: Chronicle): readonly { readonly instance: string; readonly group: string; readonly atMs: number }[] => {
  const written = chronicle.of('item-written').filter(({ item, by }) => item.startsWith(items.swapPrefix) && isFunction(by));
  const first = [...Map.groupBy(written, ({ item }) => item).values()].flatMap((list) => list[0] ?? []);
  return first.map(({ item, group, atMs }) => ({ instance: item.slice(items.swapPrefix.length), group, atMs }));
};

const swapsStarted = (chronicle: Chronicle): readonly Broken[] => {
  const told = announced(chronicle, announcements.swapStarted);
  const named = new Set(told.flatMap(({ detail }) => instancesIn(detail)));
  const missing = claimsOf(chronicle)
    .filter(({ instance }) => !named.has(instance))
    .map(({ instance, group, atMs }) => ({ group, instance, atMs, detail: `the swap of ${instance} was not sent to the bus` }));
  const invented = told.flatMap(({ detail, atMs }) =>
    instancesIn(detail)
      .filter((instance) => chronicle.life(instance)?.claims.length === 0)
      .map((instance) => ({ instance, atMs, detail: `a swap of ${instance} was sent to the bus, and there is none` })),
  );
  return [...missing, ...invented];
};

/**
 * Whether a drain still had a member when it ended: the swap of each names the drain that took it last, which may never have run. A member that was put back
 * into service before its drain began has left it: its swap is history then, and its last state was that it would leave.
 */
const keepsSome = (chronicle: Chronicle, drain: string, endedMs: number): boolean => {
  const written = chronicle.of('item-written').filter(({ atMs }) => atMs <= endedMs);
  const last = new Map(written.flatMap(({ item, swap, atMs }) => (swap?.drain === undefined ? [] : [[item, { ...swap, atMs }] as const])));
  const isPast = (item: string, afterMs: number): boolean =>
    written.some((one) => one.item === items.past(item.slice(items.swapPrefix.length)) && one.atMs >= afterMs);
  return [...last].some(([item, swap]) => swap.drain === drain && !(swap.state === 'leaving' && isPast(item, swap.atMs)));
};

const drainsFinished = (chronicle: Chronicle): readonly Broken[] => {
  const told = new Set(announced(chronicle, announcements.drainFinished).map(({ detail }) => detail.drain));
  const drains = chronicle.of('drain');
  const known = new Set(drains.map(({ drain }) => drain));
  // A drain sends no event if another drain took over all of its members. A drain that began after its end took over none.
  const wasLast = (drain: string, endedMs: number): boolean =>
    chronicle.lives.some(({ drains: ordered }) => ordered.findLast(({ atMs }) => atMs <= endedMs)?.drain === drain);
  return [
    ...drains
      .filter(({ drain, status, atMs }) => status === 'succeeded' && !told.has(drain) && wasLast(drain, atMs) && keepsSome(chronicle, drain, atMs))
      .map(({ drain, group, atMs }) => ({ group, atMs, detail: `the end of drain ${drain} was not sent to the bus` })),
    ...announced(chronicle, announcements.drainFinished)
      .filter(({ detail }) => !known.has(String(detail.drain)))
      .map(({ detail, atMs }) => ({ atMs, detail: `the end of drain ${String(detail.drain)} was sent to the bus, and there is none` })),
  ];
};

const groupOf = (detail: Readonly<Record<string, unknown>>): string => String(detail.group);
const toldWithinMs = 60_000;

/** A record of the stream that failed comes again within a minute, and its run takes a while. */
const againWithinMs = 90_000;

/** Whether a run gave back a change of the policy of a group: the stream delivers it again, and a later run sends the event. */
const gaveBack = (chronicle: Chronicle, invocation: string, group: string): boolean => {
  const { deliveries = [], ended } = chronicle.invocations.get(invocation) ?? {};
  return deliveries.some(({ told, message }) => told.about === 'policy' && told.group === group && ended?.again.includes(message));
};

/**
 * Calls of `accept-policy` that a fault met and that put off the event of a policy that came into force at this time:
 * those that send events, and every call of the very run that put it in force and had not sent its event yet, or of one
 * that gave back a change of the same policy, for which it may not have come as far as its events.
 */
const putOff = (chronicle: Chronicle, group: string, atMs: number) => {
  const calls = chronicle.of('called').filter((call) => call.function.endsWith('accept-policy'));
  const isWrite = (call: (typeof calls)[number]): boolean => call.operation === 'PutItem' && call.askedAtMs <= atMs && call.atMs >= atMs;
  const writers = new Set(calls.filter(isWrite).map(({ invocation }) => invocation));
  const isPutOff = ({ operation, invocation }: (typeof calls)[number]): boolean =>
    operation === 'PutEvents' || writers.has(invocation) || gaveBack(chronicle, invocation, group);
  return calls.filter((call) => call.trouble !== undefined && isPutOff(call));
};

/** Until when the event of a policy must be sent. After a failed call, the stream delivers the change again. */
const tellUntilMs = (chronicle: Chronicle, group: string, atMs: number): number =>
  putOff(chronicle, group, atMs).reduce(
    (untilMs, call) => (call.atMs >= atMs && call.atMs < untilMs ? Math.max(untilMs, call.atMs + againWithinMs) : untilMs),
    atMs + toldWithinMs,
  );

const policiesTold = (chronicle: Chronicle): readonly Broken[] =>
  [...chronicle.groups.values()].flatMap(({ group, policies }) =>
    policies.flatMap(({ atMs, policy, version }, index): readonly Broken[] => {
      const kind = policy === undefined ? announcements.groupLetGo : announcements.policyAccepted;
      // Launches that go on after a group was let go are told by an event of this kind too, which names no version.
      const before = policies.slice(0, index).findLast((one) => one.version !== undefined);
      const isNamed = (detail: Readonly<Record<string, unknown>>): boolean =>
        policy === undefined ? detail.lastVersion === before?.version : detail.version === version;
      const untilMs = tellUntilMs(chronicle, group, atMs);
      const isTold = announced(chronicle, kind).some(
        (event) => groupOf(event.detail) === group && event.atMs > atMs - toldWithinMs && event.atMs < untilMs && isNamed(event.detail),
      );
      return isTold ? [] : [{ group, atMs, detail: `${kind} of ${group} was not sent to the bus` }];
    }),
  );

/** When the functions began that were sending events at a moment. */
const lookedMs = (chronicle: Chronicle, atMs: number): number =>
  Math.min(
    atMs,
    ...chronicle
      .of('called')
      .filter((call) => call.operation === 'PutEvents' && call.askedAtMs <= atMs && call.atMs >= atMs)
      .map(({ invocation }) => chronicle.invocations.get(invocation)?.beganAtMs ?? atMs),
  );

/**
 * Who is there as far as the function could see that reports a shortage. A launch that an Auto Scaling group makes by itself after the function read
 * shows nowhere yet.
 */
const seenAt = (chronicle: Chronicle, group: string, atMs: number): readonly Life[] => {
  const { lagMs, asgLagMs } = chronicle.times;
  const readMs = lookedMs(chronicle, atMs) - Math.max(lagMs, asgLagMs);
  const isUnseen = ({ by, launchedAtMs }: Life): boolean => by.kind === 'asg' && launchedAtMs > readMs;
  return chronicle.membersAt(group, atMs).filter((life) => leavesAtMs(life, atMs) > atMs && !isStray(chronicle, life, atMs) && !isUnseen(life));
};

/** A fallback follows a refusal of the same moment; capacity is exhausted while the group is short, or members wait for their replacements. */
const inventedShortage = (chronicle: Chronicle): readonly Broken[] => [
  ...announced(chronicle, announcements.fallback).flatMap(({ detail, atMs }): readonly Broken[] =>
    chronicle.of('refused').some((refused) => refused.atMs <= atMs && refused.atMs > atMs - toldWithinMs)
      ? []
      : [{ group: groupOf(detail), atMs, detail: 'a fallback was sent to the bus, and nothing was refused' }],
  ),
  ...announced(chronicle, announcements.exhausted).flatMap(({ detail, atMs }): readonly Broken[] => {
    const group = groupOf(detail);
    const members = seenAt(chronicle, group, atMs);
    const { waiting } = headcountAt(chronicle, group, atMs);
    const wanted = Math.max(0, ...chronicle.desiredIn(group, atMs - toldWithinMs, atMs));
    return members.filter((life) => !waiting.includes(life)).length < wanted ||
      chronicle.livesIn(group).some((life) => life.advisedAtMs.length + life.scheduled.length > 0 && goneAtMs(life) > atMs - toldWithinMs)
      ? []
      : [{ group, atMs, detail: `an event reported exhausted capacity, and ${members.length} of ${wanted} members are there` }];
  }),
];

/** The group that a request was refused for: a fleet names it, and a policy names its Auto Scaling group. */
const groupRefused = (chronicle: Chronicle, { group, asg, atMs }: Refused): string | undefined =>
  group ??
  [...chronicle.groups.keys()].find((name) =>
    chronicle.policiesIn(name, Number.NEGATIVE_INFINITY, atMs).some((policy) => asgsOf(policy).includes(asg ?? '')),
  );

/**
 * Launches that were refused and then placed elsewhere in the same look. Requests of one round are sent together, so a request that was sent before the refusal
 * arrived is not a fallback. Neither is a later part of a request that was begun before the refusal arrived.
 */
const fallbacksTold = (chronicle: Chronicle): readonly Broken[] => {
  const byLook = Map.groupBy(chronicle.of('refused'), (refused) => `${refused.invocation} ${groupRefused(chronicle, refused)}`);
  return [...byLook.values()].flatMap((refusals): readonly Broken[] => {
    const [first] = refusals;
    if (first === undefined) return [];
    const { invocation, atMs: firstMs } = first;
    const group = groupRefused(chronicle, first) ?? '';
    const ended = chronicle.invocations.get(invocation)?.ended;
    const own = chronicle.livesIn(group).filter(({ by }) => isFunction(by) && by.invocation === invocation);
    const isLater = ({ launchedAtMs, askedAtMs = launchedAtMs }: Life): boolean => askedAtMs > firstMs;
    const begun = new Set(own.filter((life) => !isLater(life)).map(reservationOf));
    const fellBack = own.some((life) => isLater(life) && (reservationOf(life) === undefined || !begun.has(reservationOf(life))));
    if (!fellBack || ended === undefined) return [];
    const isTold = announced(chronicle, announcements.fallback).some(
      ({ atMs, detail }) => groupOf(detail) === group && atMs >= firstMs && atMs <= ended.atMs + toldWithinMs / 10,
    );
    return isTold
      ? []
      : [{ group, invocation, atMs: ended.atMs, detail: `${invocation} fell back after a refusal, and did not send that to the bus` }];
  });
};

export const toldOnTheBus: Rule = {
  name: 'what happens is sent to the bus',
  meaning:
    'Holdfast sends an event for every swap, every end of a drain that did not lose all of its members before it began, every end that EC2 refuses, every member that could not be taken out of service by choice, every policy, every group that is let go (with the version that was in force), every fallback and every shortage. With drain-first, a member that leaves on advice is not missing before it has gone. The event of a policy comes within a minute. It may come later only while faults meet calls that send events, or where a fault met the run that put the policy in force, or one that gave back a change of this policy for a later run. What events say about members, counts, reasons and refusals is true. A shortage is the one that the last round of its decision found. An instance that ended at work counts as drained if the step that recorded so could not know its end: describes did not have to show it yet, and no message had reported it. No event reports something that did not happen.',
  broken: (chronicle) => [
    ...swapsStarted(chronicle),
    ...drainsFinished(chronicle),
    ...policiesTold(chronicle),
    ...inventedShortage(chronicle),
    ...fallbacksTold(chronicle),
    ...shortagesTold(chronicle),
    ...shortagesMiscounted(chronicle),
    ...shortagesOverstated(chronicle),
    ...failuresTold(chronicle),
    ...staysTold(chronicle),
    ...acceptancesAreTrue(chronicle),
    ...detailsAreTrue(chronicle),
    ...lastingShortagesTold(chronicle),
  ],
};

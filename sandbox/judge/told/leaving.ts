import type { Chronicle } from '../chronicle.ts';
import type { Policy } from '../policy/policy.ts';
import { times } from '../times.ts';
import { type Delivery, endless, goneAtMs, isFunction, type Life, type Service, takenByMs, warnedAtMs } from '../world/life.ts';
import { isLostByRestore } from '../world/restores.ts';

/** Messages that gave the reason why an instance leaves, before it ended. */
export const toldOf = (life: Life, about: Delivery['told']['about']): readonly Delivery[] =>
  life.deliveries.filter(({ told, atMs }) => told.about === about && atMs < goneAtMs(life));

/** Whether the function that a message reached ran to its end, and no fault was injected into it. */
export const isHealthy = ({ invocations }: Chronicle, invocation: string): boolean => {
  const ended = invocations.get(invocation)?.ended;
  return ended !== undefined && !ended.injected && ended.error === undefined;
};

/** Whether an injected fault had killed a function by a moment. */
export const hasDied = ({ invocations }: Chronicle, invocation: string, byMs = endless): boolean => {
  const ended = invocations.get(invocation)?.ended;
  return ended?.injected === true && ended.error !== undefined && ended.atMs <= byMs;
};

/** The function gave the message back. The message comes again. */
const isGivenBack = ({ invocations }: Chronicle, { invocation, message }: Delivery): boolean =>
  invocations.get(invocation)?.ended?.again.includes(message) === true;

/** The function gave the message back because no describe showed the instance yet. */
export const isTooYoung = (chronicle: Chronicle, life: Life, delivery: Delivery): boolean =>
  isGivenBack(chronicle, delivery) && isUnshown(chronicle, life, delivery);

/** A fault met the function, and the function gave the message back. */
export const isFailed = (chronicle: Chronicle, delivery: Delivery): boolean =>
  isGivenBack(chronicle, delivery) && chronicle.invocations.get(delivery.invocation)?.ended?.injected === true;

/**
 * Whether the swap of a warned member was lost with the state table before a message told the warning again. EC2 warns once, and describes say nothing
 * about warnings.
 */
export const isForgotten = (chronicle: Chronicle, { told, atMs }: Delivery, byMs: number): boolean =>
  told.about === 'warning' && isLostByRestore(chronicle, atMs, byMs);

/** When Holdfast could first act on a message about this instance: it reached a function that no fault was injected into. */
export const heardAtMs = (chronicle: Chronicle, life: Life, about: Delivery['told']['about']): number =>
  firstHealthy(chronicle, life, toldOf(life, about));

const firstHealthy = (chronicle: Chronicle, life: Life, deliveries: readonly Delivery[]): number =>
  Math.min(endless, ...deliveries.flatMap((one) => (isHealthy(chronicle, one.invocation) && !isTooYoung(chronicle, life, one) ? [one.atMs] : [])));

const isNoEnd = new Set(['pending', 'running']);

/** Whether a message says that an instance stops, is ended, or has ended. */
export const tellsEnd = ({ told }: Delivery): boolean => told.about === 'state' && !isNoEnd.has(told.state ?? '');

/** Whether a message arrived before every describe had to show the instance. The event of an end is then about nobody's instance, and the tick finds the end. */
export const isUnshown = ({ times: { lagMs } }: Chronicle, { launchedAtMs }: Life, { atMs }: Delivery): boolean =>
  atMs < launchedAtMs + lagMs + 2 * times.batchMs;

/**
 * When Holdfast first had to act on the event of an end that it did not cause: a function that no fault was injected into received it, so soon that describes
 * do not count against it, and describes had shown the instance before.
 */
export const heardOfEndAtMs = (chronicle: Chronicle, life: Life): number => {
  if (isFunction(life.ending?.by)) return endless;
  const young = life.deliveries.filter(
    (one) => tellsEnd(one) && one.atMs >= goneAtMs(life) && !isUnshown(chronicle, life, one) && one.atMs - one.happenedAtMs <= times.describeLagMs,
  );
  return firstHealthy(chronicle, life, young);
};

/** A function that received a policy or a tick: when, when it was over, and whether a fault was injected into it. Epoch milliseconds. */
type Look = { readonly atMs: number; readonly overMs: number; readonly injected: boolean };

/** When functions received the group's policy or a tick about it, and whether a fault was injected into them. */
export const looksFrom = (chronicle: Chronicle, group: string, fromMs: number): readonly Look[] =>
  chronicle.of('delivered').flatMap(({ told, atMs, invocation, function: name }) => {
    const isAbout = (told.about === 'policy' && told.group === group) || (told.about === 'tick' && told.groups.includes(group));
    if (!isAbout || atMs < fromMs || !name.includes('react')) return [];
    const ended = chronicle.invocations.get(invocation)?.ended;
    return [{ atMs, overMs: ended?.atMs ?? endless, injected: ended?.injected === true }];
  });

/** When a function without an injected fault first received the policy of a group, or a tick about it, while the group had one. */
export const followsFromMs = (chronicle: Chronicle, group: string, fromMs: number): number => {
  const looks = looksFrom(chronicle, group, fromMs).filter((one) => !one.injected && chronicle.policyAt(group, one.atMs) !== undefined);
  return Math.min(endless, ...looks.map(({ atMs }) => atMs));
};

/**
 * When Holdfast could first launch for a warned member. For a group that was let go, this is when a function without an injected fault received its
 * next policy, or a tick.
 */
export const couldLaunchAtMs = (chronicle: Chronicle, group: string, heardMs: number): number =>
  chronicle.policyAt(group, heardMs) === undefined ? followsFromMs(chronicle, group, heardMs) : heardMs;

/** The same for a message about one hook: each has its own, with the token that completes it. */
export const heardOfHookAtMs = (chronicle: Chronicle, life: Life, hook: string): number =>
  firstHealthy(
    chronicle,
    life,
    toldOf(life, 'hook').filter(({ told }) => told.about === 'hook' && (told.hook ?? hook) === hook),
  );

/** When EC2 takes it, by the tightest warning that was announced. */
export const deadlineOf = ({ warnings }: Life): number => Math.min(endless, ...warnings.filter(({ silent }) => !silent).map(takenByMs));

/** The same of the warnings whose time is still to come at a moment. Where there is none, of all: EC2 takes it late then. */
export const deadlineFrom = (life: Life, atMs: number): number => {
  const ahead = life.warnings.filter((warning) => takenByMs(warning) > atMs);
  return deadlineOf(ahead.some(({ silent }) => !silent) ? { ...life, warnings: ahead } : life);
};

/** When Holdfast knew, because it received the warning or had claimed the member before. A member that waits on advice is not known to be warned. */
export const knewAtMs = (chronicle: Chronicle, life: Life): number => {
  const warnedMs = warnedAtMs(life);
  const claimedMs = Math.min(endless, ...life.claims.filter(({ atMs, state }) => atMs >= warnedMs && state !== 'waiting').map(({ atMs }) => atMs));
  return Math.min(heardAtMs(chronicle, life, 'warning'), claimedMs);
};

/** The last time in service of each target group that it served when it was warned, or came to serve afterwards. */
export const lastServices = (life: Life): readonly Service[] => {
  const sinceMs = warnedAtMs(life);
  const served = life.services.filter(({ untilMs }) => untilMs > sinceMs);
  return [...Map.groupBy(served, ({ targetGroup }) => targetGroup).values()].flatMap((list) => list.at(-1) ?? []);
};

/** Whether Holdfast or others took it out of service. */
export const isTakenOut = ({ why, untilMs }: Service, life: Life): boolean => why === 'deregistered' && untilMs <= goneAtMs(life);

export const takenOutByUs = ({ why, by }: Service): boolean => why === 'deregistered' && isFunction(by);

/** Longest deregistration delay of these target groups. */
export const delayOf = ({ history }: Chronicle, targetGroups: readonly string[]): number =>
  Math.max(0, ...history.spec.targetGroups.filter(({ name }) => targetGroups.includes(name)).map((one) => 1_000 * one.deregistrationDelaySeconds));

export const policyFor = (chronicle: Chronicle, life: Life, atMs: number): Policy | undefined => {
  const group = chronicle.groupAt(life, atMs);
  return group === undefined ? undefined : chronicle.policyAt(group, atMs);
};

/** Whether calls follow its drain: an Auto Scaling group holds it. Otherwise EC2 ends it, and nothing more is to be done. */
export const isFollowedByCalls = ({ stays, hooks }: Life): boolean => stays.length > 0 || hooks.length > 0;

/**
 * When the drain of a warned member begins at the latest, by the rule of the architecture: the deregistration delay (or the drain time-out, if that
 * is shorter) fits before the deadline, and before the margin where calls follow; where it does not, the time up to the margin is halved.
 */
const latestStartBy = (chronicle: Chronicle, life: Life, heardMs: number, policy: Policy | undefined): number => {
  const neededMs = Math.min(
    delayOf(
      chronicle,
      life.services.map(({ targetGroup }) => targetGroup),
    ),
    policy?.drainTimeoutMs ?? endless,
  );
  const deadlineMs = deadlineFrom(life, heardMs);
  const marginMs = deadlineMs - times.deadlineMarginMs;
  const [endsMs, startMs] = isFollowedByCalls(life) ? [marginMs, 0] : [deadlineMs, times.drainStartMs];
  return neededMs <= Math.max(0, endsMs - heardMs) ? Math.max(heardMs, endsMs - neededMs - startMs) : heardMs + Math.max(0, marginMs - heardMs) / 2;
};

/** The latest start by the policy that was in force when the warning was heard. Undefined when none was. */
const latestStartAsHeard = (chronicle: Chronicle, life: Life, heardMs: number): number | undefined => {
  const policy = policyFor(chronicle, life, heardMs);
  return policy && latestStartBy(chronicle, life, heardMs, policy);
};

/** The latest start by the policy that is in force at that start. Undefined when no policy has one while it is in force. */
const latestStartInForce = (chronicle: Chronicle, life: Life, heardMs: number): number | undefined => {
  const policies = chronicle.groups.get(chronicle.groupAt(life, heardMs) ?? '')?.policies ?? [];
  const starts = policies.flatMap(({ atMs, policy }, index): readonly number[] => {
    const untilMs = policies[index + 1]?.atMs ?? endless;
    const startMs = Math.max(atMs, latestStartBy(chronicle, life, heardMs, policy));
    return policy !== undefined && untilMs > heardMs && startMs < untilMs ? [startMs] : [];
  });
  return starts.length === 0 ? undefined : Math.min(...starts);
};

/**
 * When the drain of a warned member may begin, and when it has to. The two differ if a policy with another drain time comes into force before the drain
 * has to begin, because a function may follow either policy. Where no policy was in force, the deregistration delay alone counts.
 */
export const drainStartsMs = (chronicle: Chronicle, life: Life, heardMs: number): { readonly earliestMs: number; readonly latestMs: number } => {
  const found = [latestStartAsHeard(chronicle, life, heardMs), latestStartInForce(chronicle, life, heardMs)].flatMap((startMs) => startMs ?? []);
  const starts = found.length > 0 ? found : [latestStartBy(chronicle, life, heardMs, undefined)];
  return { earliestMs: Math.min(...starts), latestMs: Math.max(...starts) };
};

/** Calls to the load balancer that were to take an instance out of service, and did not. */
export const failedDeregistrations = (chronicle: Chronicle, instance: string) =>
  chronicle.of('called').filter(({ takesOut = [], outcome, applied }) => takesOut.includes(instance) && outcome !== 'ok' && !applied);

import type { Leaving } from '../decision/decision.ts';
import { isWarnedAgain, tighter } from '../drain/deadline.ts';
import { offeringKey } from '../pool/offering.ts';
import type { Owner } from '../ports/owners.ts';
import { type LeaveReason, traitsOf } from '../removal/leave-reason.ts';
import { describeLagMs } from '../times/times.ts';
import type { Member } from '../view/view.ts';
import { anotherDrain } from './another-drain.ts';
import { type DrainKind, kindOf, type NameDrain } from './drain-kind.ts';
import { servesOn } from './kept-in-service.ts';
import type { LifecycleHook, Swap } from './swap.ts';

/** An instance of the group that leaves, or should leave, and what we know about it. */
export type LeavingFact = {
  readonly instance: string;
  readonly reason: LeaveReason;
  /** When it happened, by the sender's clock, epoch milliseconds. */
  readonly atMs: number;
  /** When an earlier look first received it. */
  readonly heardAtMs?: number;
  /** When the drain of an earlier swap was wanted. The table has lost that swap. */
  readonly drainWantedAtMs?: number;
  readonly deadlineMs?: number;
  /** When the end of an announced event is due. */
  readonly untilMs?: number;
  readonly hook?: LifecycleHook;
  readonly owner?: Owner;
};

/** The facts and names that a claim uses. */
export type Claiming = {
  readonly group: string;
  readonly nowMs: number;
  readonly decision: string;
  readonly drainFor: NameDrain;
  readonly members: ReadonlyMap<string, Member>;
  /** Auto Scaling groups that may hold members. */
  readonly asgs: ReadonlySet<string>;
  /** Instances that EC2 shows as ended. */
  readonly ended: ReadonlySet<string>;
};

/** The swap of an instance that a signal reports for the first time. It waits for the surge budget, or leaves. */
export const claimedBy = (fact: LeavingFact, claiming: Claiming): Swap => {
  const member = claiming.members.get(fact.instance);
  const offering = member?.offering ?? fact.owner?.offering;
  const { waitsForSurge, isAnnounced } = traitsOf(fact);
  const asg = member?.asg ?? fact.owner?.asg;
  const launchedAtMs = member?.launchedAtMs ?? fact.owner?.launchedAtMs;
  return {
    group: claiming.group,
    instance: fact.instance,
    reason: fact.reason,
    state: waitsForSurge ? 'waiting' : 'leaving',
    pool: member?.pool ?? fact.owner?.pool ?? 'unknown',
    offering: offering === undefined ? 'unknown' : offeringKey(offering),
    ...(asg !== undefined && claiming.asgs.has(asg) && { asg }),
    ...(launchedAtMs !== undefined && { launchedAtMs }),
    claimedAtMs: claiming.nowMs,
    ...(isAnnounced && { warnedAtMs: fact.atMs }),
    ...(fact.heardAtMs !== undefined && { heardAtMs: fact.heardAtMs }),
    ...(fact.deadlineMs === undefined ? {} : { deadlineMs: fact.deadlineMs }),
    ...(fact.hook === undefined ? {} : { hooks: [fact.hook] }),
    // An instance that ended before its first signal needs no drain. Its Auto Scaling group, if any, replaces it.
    ...(waitsForSurge || claiming.ended.has(fact.instance)
      ? {}
      : {
          drain: claiming.drainFor(kindOf(fact), fact.deadlineMs),
          drainOrderedAtMs: fact.drainWantedAtMs ?? claiming.nowMs,
        }),
    decision: claiming.decision,
  };
};

/** The swap of a member that a decision removes. It leaves at once. */
export const removedBy = (
  { reason }: Pick<Leaving, 'reason'>,
  { instance, pool = 'unknown', offering, asg }: Member,
  { group, nowMs, drain, decision }: Pick<Claiming, 'group' | 'nowMs' | 'decision'> & { readonly drain: string },
): Swap => ({
  group,
  instance,
  reason,
  state: 'leaving',
  pool,
  offering: offeringKey(offering),
  ...(asg !== undefined && { asg }),
  claimedAtMs: nowMs,
  drain,
  drainOrderedAtMs: nowMs,
  decision,
});

/**
 * The swap of a member that EC2 warned again while it was put back into service: its swap got the deadline of that
 * warning, and was out of service until then. It leaves anew. Undefined where that warning ordered a drain itself.
 */
export const claimedAgain = (
  { group, instance, reason, pool, offering, asg, state, deadlineMs, warnedAtMs }: Swap,
  { nowMs, drainFor, decision }: Pick<Claiming, 'nowMs' | 'drainFor' | 'decision'>,
): Swap | undefined => {
  if (deadlineMs === undefined || (state !== 'draining' && state !== 'drained')) return undefined;
  return {
    ...{ group, instance, reason, state: 'leaving', pool, offering, ...(asg !== undefined && { asg }) },
    ...{ claimedAtMs: nowMs, ...(warnedAtMs !== undefined && { warnedAtMs }), deadlineMs },
    ...{ drain: drainFor(kindOf({ reason }), deadlineMs), drainOrderedAtMs: nowMs, decision },
  };
};

type Tightening = Pick<Claiming, 'drainFor' | 'nowMs'>;

/** A waiting swap begins to leave with its first deadline or hook. */
const onItsWay = ({ state }: Swap): Pick<Partial<Swap>, 'state'> => (state === 'waiting' ? { state: 'leaving' } : {});

/**
 * Whether two hooks are one action. A group runs each of its terminating hooks once for an instance, so the names are
 * enough where one of the two was found without its message.
 */
const isSameHook = (a: LifecycleHook, b: LifecycleHook): boolean =>
  a.token === undefined || b.token === undefined ? a.asg === b.asg && a.hook === b.hook : a.token === b.token;

/**
 * The hooks of a swap with another one. Undefined where nothing is new. A known hook changes only where a look found it
 * before its message came: the message says since when Auto Scaling has waited, and the drain counts connections from
 * then. An instance that had ended has no drain.
 */
const hooksWith = ({ hooks = [], state, drain }: Swap, hook: LifecycleHook): Swap['hooks'] => {
  const known = hooks.find((one) => isSameHook(one, hook));
  if (known === undefined) return [...hooks, hook];
  const { sinceMs = Number.POSITIVE_INFINITY } = hook;
  if (drain === undefined || state === 'drained' || known.token !== undefined) return undefined;
  if (sinceMs >= (known.sinceMs ?? 0)) return undefined;
  return hooks.map((one) => (one === known ? { ...hook, ...known, sinceMs } : one));
};

const withHook = (swap: Swap, { hook }: LeavingFact, { drainFor, nowMs }: Tightening): Partial<Swap> | undefined => {
  const hooks = hook && hooksWith(swap, hook);
  if (hooks === undefined) return undefined;
  // Another drain takes over, because the present one may have read the swap without this hook or its time, and may
  // look again only after the hook has expired, or long after the last connections could end.
  const order = anotherDrain(swap, drainFor('hook', swap.deadlineMs), nowMs);
  return { hooks, ...onItsWay(swap), ...order };
};

/** A swap that drains already cannot wait for its replacement, so it does not join a drain that waits. */
const kindOnceWarned = (swap: Swap, warning: LeavingFact): DrainKind => {
  if (traitsOf(swap).endedBy === 'auto-scaling') return kindOf(swap);
  return swap.state === 'waiting' || swap.state === 'leaving' ? kindOf(warning) : 'swap';
};

/** Whether the deadline was long over when the instance was claimed. Then EC2 did not take it. */
const isOutlived = ({ claimedAtMs }: Swap, { deadlineMs }: LeavingFact): boolean =>
  deadlineMs !== undefined && claimedAtMs - deadlineMs > describeLagMs;

/** Whether a warning had its time before the present one came. It was delivered late, or a second time. */
const isOvertaken = ({ deadlineMs, warnedAtMs = 0 }: Swap, fact: LeavingFact): boolean =>
  deadlineMs !== undefined && isWarnedAgain(fact.deadlineMs, warnedAtMs);

const withDeadline = (swap: Swap, fact: LeavingFact, { drainFor, nowMs }: Tightening): Partial<Swap> | undefined => {
  const isAgain = isWarnedAgain(swap.deadlineMs, fact.atMs);
  const deadlineMs = isAgain ? fact.deadlineMs : tighter(swap.deadlineMs, fact.deadlineMs);
  if (deadlineMs === swap.deadlineMs || deadlineMs === undefined) return undefined;
  if (isOutlived(swap, fact) || isOvertaken(swap, fact)) return undefined;
  if (swap.state === 'drained') return { deadlineMs, warnedAtMs: fact.atMs };
  return {
    reason: traitsOf(swap).endedBy === 'auto-scaling' ? swap.reason : fact.reason,
    deadlineMs,
    warnedAtMs: fact.atMs,
    ...anotherDrain(swap, drainFor(kindOnceWarned(swap, fact), deadlineMs), nowMs),
    ...onItsWay(swap),
  };
};

/**
 * The first warning may come when its instance has ended already. The swap keeps its deadline, so that the warning
 * counts once, however often its message comes.
 */
const warnedOnceGone = ({ deadlineMs: known }: Swap, fact: LeavingFact): Partial<Swap> | undefined => {
  const { deadlineMs } = fact;
  const isFirst = traitsOf(fact).endedBy === 'ec2' && known === undefined && deadlineMs !== undefined;
  return isFirst ? { deadlineMs, warnedAtMs: fact.atMs } : undefined;
};

/**
 * What a later signal changes in an existing swap: it may only tighten the deadline or add a hook. A warning that comes
 * after the deadline brings a new one. Undefined when it changes nothing.
 */
export const tightened = (swap: Swap, fact: LeavingFact, tightening: Tightening): Partial<Swap> | undefined => {
  if (traitsOf(fact).waitsForSurge) return undefined;
  if (swap.state === 'gone') return warnedOnceGone(swap, fact);
  return traitsOf(fact).endedBy === 'auto-scaling'
    ? withHook(swap, fact, tightening)
    : withDeadline(swap, fact, tightening);
};

/**
 * Whether a warning makes the swap of its member anew: the present swap is over, and its member serves on because it
 * could not be taken out of service. EC2 would take it at work.
 */
export const beginsAnew = (swap: Swap, fact: LeavingFact): boolean =>
  traitsOf(fact).endedBy === 'ec2' && fact.deadlineMs !== undefined && servesOn(swap);

/** Whether a fact is a new warning of EC2 for a swap. Only a new deadline shows that. */
export const isNewWarning = (fact: LeavingFact, swap: Swap, before: Swap | undefined): boolean =>
  traitsOf(fact).endedBy === 'ec2' && swap.deadlineMs === fact.deadlineMs && before?.deadlineMs !== fact.deadlineMs;

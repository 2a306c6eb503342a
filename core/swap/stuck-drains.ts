import { drainEndsByMs } from '../drain/drain.ts';
import { isOnHook, isUnattended } from '../drain/heartbeat.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import { anotherDrain } from './another-drain.ts';
import { kindOf, type NameDrain } from './drain-kind.ts';
import { isKept } from './kept-members.ts';
import { outlivedForGoodMs } from './outlived.ts';
import { isHard, type Swap } from './swap.ts';

/** A drain that has not ended this long after it should have is broken, and a new one takes over. */
const overdueMs = 120_000;
/**
 * An instance that EC2 warned about and only stopped is terminated after this time, so that it is not forgotten. An
 * instance that still runs is put back into service (`outlived.ts`), and is terminated only when that keeps failing.
 */
const spareMs = 300_000;

/** Which instances still run, and what a drain may take. */
export type TakingOver = {
  readonly nowMs: number;
  readonly timeoutMs: number;
  readonly shown: ReadonlySet<string>;
  /** Members that EC2 shows as running. Absent: none. */
  readonly running?: ReadonlySet<string>;
  /** Shown instances that EC2 warned about and did not take. They are put back into service if possible. */
  readonly spared?: ReadonlySet<string>;
  /** Instances that are stopped, and that the group does not need if they start again. Absent: none. */
  readonly stopped?: ReadonlySet<string>;
  /** Instances whose end was received before, whatever a describe still shows. Absent: none. */
  readonly ended?: ReadonlySet<string>;
  readonly drainFor: NameDrain;
  /** Drains that a user stopped. */
  readonly stoppedDrains: readonly string[];
};

const drainDueByMs = (swap: Swap, timeoutMs: number): number =>
  Math.max(swap.deadlineMs ?? 0, (swap.drainOrderedAtMs ?? swap.claimedAtMs) + 2 * timeoutMs);

/** Whether no drain was ordered for a member that EC2 takes, because it had stopped when its first signal came. */
const isUndrained = ({ state, drain, deadlineMs }: Swap): boolean =>
  state === 'leaving' && drain === undefined && deadlineMs !== undefined;

/**
 * Whether such a member runs before its deadline: the describe that showed it as stopped was older than its start, as
 * when its Auto Scaling group takes it out of a warm pool. EC2 would take it at work.
 */
const runsUndrained = (swap: Swap, { running, nowMs }: TakingOver): boolean =>
  isUndrained(swap) && running?.has(swap.instance) === true && nowMs < (swap.deadlineMs ?? 0);

/**
 * Whether a drain is over while its instance still exists: a call failed, EC2 did not take the instance, or EC2 only
 * stopped it.
 */
const isLeftover = (swap: Swap, { timeoutMs, shown, spared, nowMs }: TakingOver): boolean => {
  if ((swap.state !== 'drained' && !isUndrained(swap)) || isKept(swap) || !shown.has(swap.instance)) return false;
  const sparedMs = spared?.has(swap.instance) ? outlivedForGoodMs : spareMs;
  const sinceMs = Math.max(
    swap.drainOrderedAtMs ?? 0,
    isHard(swap) ? (swap.deadlineMs ?? 0) + sparedMs - overdueMs : (swap.drainedAtMs ?? drainEndsByMs(swap, timeoutMs)),
  );
  return nowMs - sinceMs >= overdueMs;
};

/**
 * Whether the drain of a swap may never have been started, because the function that ordered it died or left the start
 * to another one. A member that is already out of service has a newer drain that took over. Starting a drain again has
 * no effect.
 */
export const mayBeUnstarted = (swap: Swap, nowMs: number): boolean =>
  swap.state === 'leaving' || (isOrderedSince(swap) && nowMs - (swap.drainOrderedAtMs ?? 0) < overdueMs);

/** Whether another drain was ordered for a member that was out of service, or drained, by then. */
const isOrderedSince = ({ drainOrderedAtMs = 0, drainStartedAtMs, drainedAtMs }: Swap): boolean => {
  const outAtMs = drainedAtMs ?? drainStartedAtMs;
  return outAtMs !== undefined && drainOrderedAtMs > outAtMs;
};

/**
 * Whether no drain works on a swap any more. If it keeps a hook alive, missing heartbeats show this before the hook
 * expires. Otherwise it shows when the end of the drain is overdue. A drained member is left to the drain that took it
 * out of service.
 */
const isBroken = (swap: Swap, { timeoutMs, nowMs }: TakingOver): boolean => {
  if (swap.state === 'drained') return isOrderedSince(swap) && isOnHook(swap) && isUnattended(swap, nowMs);
  if ((swap.state !== 'leaving' && swap.state !== 'draining') || isUndrained(swap)) return false;
  return isOnHook(swap) ? isUnattended(swap, nowMs) : nowMs - drainDueByMs(swap, timeoutMs) >= overdueMs;
};

/**
 * Whether a user stopped its drain before the end. Even a drained member needs its hook completed. The end of a drain
 * also says which members it kept, because EC2 would refuse to end them.
 */
const isStopped = (swap: Swap, { stoppedDrains }: TakingOver): boolean =>
  swap.drain !== undefined &&
  stoppedDrains.includes(swap.drain) &&
  (swap.state === 'leaving' ||
    swap.state === 'draining' ||
    (swap.state === 'drained' && (isOnHook(swap) || isKept(swap))));

/** Whether an instance was stopped while it waits for its turn. It does no work, so nothing has to serve first. */
const isStoppedInTurn = ({ state, instance }: Swap, { stopped }: TakingOver): boolean =>
  state === 'waiting' && stopped?.has(instance) === true;

/**
 * The new drain of a swap whose own drain failed, or ended before the instance did. From then on Holdfast terminates an
 * instance that EC2 warned about and did not take. A swap that waits for its turn gets its first drain here once its
 * instance is stopped, and a warned member that seemed stopped gets it once a look shows that it runs. Undefined while
 * its drain goes on, or when the drain succeeded. A swap without a drain whose instance has ended gets none: there is
 * no work to take off.
 */
export const takenOver = (swap: Swap, taking: TakingOver): Partial<Swap> | undefined => {
  if (swap.drain === undefined && taking.ended?.has(swap.instance)) return undefined;
  // A drain ends when its last member has drained. So members that end at other times get drains of their own.
  const endsAtMs = swap.deadlineMs ?? (swap.state === 'draining' ? swap.busyUntilMs : undefined);
  const order = anotherDrain(swap, taking.drainFor(isOnHook(swap) ? 'hook' : 'mend', endsAtMs), taking.nowMs);
  if (isStopped(swap, taking) || isBroken(swap, taking)) return order;
  if (runsUndrained(swap, taking))
    return anotherDrain(swap, taking.drainFor(kindOf(swap), swap.deadlineMs), taking.nowMs);
  if (isStoppedInTurn(swap, taking)) return { ...order, state: 'leaving' };
  if (!isLeftover(swap, taking)) return undefined;
  return { ...order, reason: traitsOf(swap).endedBy === 'ec2' ? 'unwanted' : swap.reason };
};

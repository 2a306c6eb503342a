import { inParallel } from '../../aws/in-parallel.ts';
import { isOnHook, isUnattended } from '../../core/drain/heartbeat.ts';
import { asGone } from '../../core/drain/shortfall.ts';
import { drainEndsByMs } from '../../core/drain.ts';
import { isKept } from '../../core/kept.ts';
import { traitsOf } from '../../core/leave-reason.ts';
import { wasLeftAlone } from '../../core/let-go.ts';
import { type Mode, mayTakeOver, modeOf } from '../../core/mode.ts';
import { isMisplaced, keptByMinimum } from '../../core/moved.ts';
import { isHard, type Swap } from '../../core/swap.ts';
import type { NameDrain } from '../../core/swap-life/drain-kind.ts';
import { changeTo } from '../runtime/drain/record.ts';
import { writesAtOnce } from './claims.ts';
import type { Gathered } from './gather.ts';
import type { ReactPorts } from './ports.ts';
import type { Run } from './run.ts';

/**
 * A swap whose instance no describe shows any more is closed after this time. Describes show ended instances for about
 * an hour, and new ones within minutes.
 */
const unseenMs = 600_000;
/** A drain that has not ended this long after it should have is broken, and a new one takes over. */
const overdueMs = 120_000;
/**
 * An instance that EC2 warned about and did not take is terminated after this time, so that nothing is left running.
 */
const spareMs = 300_000;
/**
 * Ended swaps stay beside the active ones for this time, because describes may still show their instances. Then they
 * become history.
 */
const retireAfterMs = 600_000;

const isGone = (swap: Swap, ended: ReadonlySet<string>, shown: ReadonlySet<string>, nowMs: number): boolean => {
  if (swap.state === 'gone') return false;
  if (ended.has(swap.instance)) return true;
  return !shown.has(swap.instance) && nowMs - Math.max(swap.claimedAtMs, swap.deadlineMs ?? 0) >= unseenMs;
};

/**
 * When its Auto Scaling group still shows a member in service, its terminating hook is not believed: describes of
 * groups lag by seconds.
 */
const hookedMs = 60_000;

/** What waits for its turn to begin is not begun any more, unless the group acts. */
const isWithdrawn = ({ state }: Swap, mode: Mode): boolean => state === 'waiting' && mode !== 'act';

/** A member that is again where the policy holds its members was to be moved by an earlier policy. */
const isBack = ({ group, holdings }: Gathered, swap: Swap, nowMs: number): boolean => {
  if (traitsOf(swap).withdrawnWhen !== 'in-place' || swap.state !== 'waiting') return false;
  const member = holdings.members.find(({ instance }) => instance === swap.instance);
  return member !== undefined && !isMisplaced(group, member, nowMs);
};

const isMistake = (swap: Swap, held: ReadonlySet<string>, nowMs: number): boolean =>
  traitsOf(swap).endedBy === 'auto-scaling' &&
  swap.deadlineMs === undefined &&
  held.has(swap.instance) &&
  nowMs - swap.claimedAtMs >= hookedMs;

/**
 * Closes swaps whose instance has ended. Moves swaps that were an error, or that were kept long enough, into history.
 */
const close = async (run: Run, gathered: Gathered): Promise<readonly Swap[]> => {
  const nowMs = run.ports.clock.now();
  const mode = modeOf(run.group);
  const stopped = new Set([...gathered.holdings.stopped, ...run.facts.stopped]);
  const ended = new Set([...gathered.holdings.ended, ...run.facts.ended].filter((instance) => !stopped.has(instance)));
  const shown = new Set([
    ...gathered.holdings.members.map(({ instance }) => instance),
    ...gathered.holdings.aside,
    ...stopped,
  ]);
  const gone = gathered.swaps.filter((swap) => isGone(swap, ended, shown, nowMs));
  const closed = new Map(gone.map((swap) => [swap.instance, asGone(swap, nowMs)]));
  await inParallel(gone, writesAtOnce, (swap) =>
    run.ports.store.advance(swap, { from: [swap.state], ...changeTo(closed.get(swap.instance) ?? swap) }),
  );
  const held = new Set(gathered.holdings.asgs.flatMap(({ holds }) => holds));
  const kept = keptByMinimum(gathered.swaps, gathered.holdings.asgs);
  const old = gathered.swaps.filter((swap) =>
    swap.state === 'gone'
      ? // Its drain may look again only when the target groups are done, and has to say how it ended.
        nowMs - Math.max(swap.goneAtMs ?? nowMs, swap.busyUntilMs ?? 0) >= retireAfterMs
      : isWithdrawn(swap, mode) ||
        wasLeftAlone(swap) ||
        isMistake(swap, held, nowMs) ||
        isBack(gathered, swap, nowMs) ||
        kept.has(swap.instance) ||
        (swap.keptUntilMs ?? Number.POSITIVE_INFINITY) <= nowMs,
  );
  await inParallel(old, writesAtOnce, (swap) => run.ports.store.retire(swap));
  const oldIds = new Set(old.map(({ instance }) => instance));
  return gathered.swaps
    .filter(({ instance }) => !oldIds.has(instance))
    .map((swap) => closed.get(swap.instance) ?? swap);
};

const drainDueByMs = (swap: Swap, timeoutMs: number): number =>
  Math.max(swap.deadlineMs ?? 0, (swap.drainOrderedAtMs ?? swap.claimedAtMs) + 2 * timeoutMs);

/**
 * A drain that is over while its instance is still there: a call that failed, a warning that nothing followed, or an
 * instance that EC2 only stopped.
 */
const isLeftover = (swap: Swap, timeoutMs: number, shown: ReadonlySet<string>, nowMs: number): boolean => {
  if (swap.state !== 'drained' || isKept(swap) || !shown.has(swap.instance)) return false;
  const sinceMs = Math.max(
    swap.drainOrderedAtMs ?? 0,
    isHard(swap) ? (swap.deadlineMs ?? 0) + spareMs - overdueMs : (swap.drainedAtMs ?? drainEndsByMs(swap, timeoutMs)),
  );
  return nowMs - sinceMs >= overdueMs;
};

/**
 * Whether no drain continues with a swap. A drain that keeps a hook alive is missed by its heartbeats, in time for the
 * next one; any other is missed after its end was due.
 */
const isBroken = (swap: Swap, timeoutMs: number, nowMs: number): boolean => {
  if (swap.state !== 'leaving' && swap.state !== 'draining') return false;
  return isOnHook(swap) ? isUnattended(swap, nowMs) : nowMs - drainDueByMs(swap, timeoutMs) >= overdueMs;
};

/** Whether somebody stopped its drain before the end: a hook of a drained member is still to be completed. */
const isStopped = (swap: Swap, stoppedDrains: readonly string[]): boolean =>
  swap.drain !== undefined &&
  stoppedDrains.includes(swap.drain) &&
  (swap.state === 'leaving' || swap.state === 'draining' || (swap.state === 'drained' && isOnHook(swap)));

/** Which instances run on, and what a drain may take. */
type TakingOver = {
  readonly timeoutMs: number;
  readonly shown: ReadonlySet<string>;
  readonly drainFor: NameDrain;
  /** Drains that somebody stopped. */
  readonly stoppedDrains: readonly string[];
};

/**
 * Puts swaps on a new drain whose own drain failed, or ended while their instances did not. An instance that EC2 warned
 * about and did not take is terminated by us from then on. Returns the swaps that were put on a new drain.
 */
export const takeOverDrains = async (
  swaps: readonly Swap[],
  { timeoutMs, shown, drainFor, stoppedDrains }: TakingOver,
  { store, clock }: Pick<ReactPorts, 'store' | 'clock'>,
): Promise<readonly Swap[]> => {
  const nowMs = clock.now();
  const stuck = swaps.flatMap((swap) => {
    const order = { drain: drainFor(isOnHook(swap) ? 'hook' : 'mend', swap.deadlineMs), drainOrderedAtMs: nowMs };
    if (isStopped(swap, stoppedDrains) || isBroken(swap, timeoutMs, nowMs)) return [{ swap, set: order }];
    if (!isLeftover(swap, timeoutMs, shown, nowMs)) return [];
    const reason = traitsOf(swap).endedBy === 'ec2' ? ('unwanted' as const) : swap.reason;
    return [{ swap, set: { ...order, reason } }];
  });
  const written = await inParallel(stuck, writesAtOnce, ({ swap, set }) =>
    store.advance(swap, { from: [swap.state], set }),
  );
  return stuck.filter((_, index) => written[index] === 'done').map(({ swap, set }) => ({ ...swap, ...set }));
};

/** Repairs what time or lost messages left unfinished. Returns the swaps as they are afterwards. */
export const mend = async (run: Run, gathered: Gathered, drainFor: NameDrain): Promise<readonly Swap[]> => {
  const swaps = await close(run, gathered);
  const { members, stopped } = gathered.holdings;
  // An instance that EC2 stopped may start again, and is kept while too few members serve.
  const isSpare = members.filter(({ serving }) => serving).length >= gathered.state.desired;
  const shown = new Set([...members.map(({ instance }) => instance), ...(isSpare ? stopped : [])]);
  const taking = { timeoutMs: run.group.drain.timeoutMs, shown, drainFor, stoppedDrains: run.facts.stoppedDrains };
  const mode = modeOf(run.group);
  const mendable = swaps.filter((swap) => mayTakeOver(mode, swap));
  const taken = new Map((await takeOverDrains(mendable, taking, run.ports)).map((swap) => [swap.instance, swap]));
  return swaps.map((swap) => taken.get(swap.instance) ?? swap);
};

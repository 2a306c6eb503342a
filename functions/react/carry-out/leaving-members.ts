import { inParallel } from '../../../aws/calls/in-parallel.ts';
import { rememberedByKey } from '../../../aws/calls/remembered.ts';
import { upToThrice } from '../../../aws/calls/unless-troubled.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import { beginsByMs } from '../../../core/drain/begin.ts';
import { mayBegin, modeOf } from '../../../core/group/mode.ts';
import { removedBy } from '../../../core/swap/claim.ts';
import { kindOf } from '../../../core/swap/drain-kind.ts';
import { isTriedAgain } from '../../../core/swap/kept-in-service.ts';
import { mayBeUnstarted } from '../../../core/swap/stuck-drains.ts';
import { isHard, type Swap } from '../../../core/swap/swap.ts';
import { enteredFrom } from '../../../core/swap/transitions.ts';
import { tickEveryMs } from '../../../core/times/times.ts';
import type { View } from '../../../core/view/view.ts';
import type { ReactPorts } from '../ports.ts';
import type { Run } from '../run.ts';
import { type Claimed, claimEach, writesAtOnce } from './claims.ts';
import { drainName } from './drain-names.ts';

/** When this environment last found each drain running. */
const foundAt = rememberedByKey<ReactPorts['drains'], number>();

/**
 * Whether this environment found the drain running within the last minute. Then only the next tick starts it again,
 * because otherwise each look would start every drain that waits for replacements.
 */
export const isKnownToRun = ({ drains, clock }: Pick<ReactPorts, 'drains' | 'clock'>, drain: string): boolean =>
  clock.now() - (foundAt(drains).get(drain) ?? Number.NEGATIVE_INFINITY) < tickEveryMs;

/** The shortest pause before a drain that was found running is started again. */
const foundAgainMs = 5_000;

/** Half of the time from a moment until a drain must take a member out of service. Without a deadline: endless. */
const halfOfTimeMs = ({ group }: Run, swap: Swap, sinceMs: number): number =>
  swap.deadlineMs === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(foundAgainMs, (beginsByMs(group.drain, swap, swap.deadlineMs) - sinceMs) / 2);

/**
 * Whether half of the time is over since this environment found a drain running. Somebody may have stopped it since,
 * and the event that says so may be lost.
 */
const mayHaveStopped = (run: Run, swap: Swap): boolean => {
  const foundMs = foundAt(run.ports.drains).get(swap.drain ?? '');
  if (foundMs === undefined || swap.state !== 'leaving') return false;
  return run.ports.clock.now() - foundMs >= halfOfTimeMs(run, swap, foundMs);
};

/**
 * Whether the latest time is over at which a drain must take this member out of service, and EC2 has not taken it yet.
 * A drain that runs would have done so. The wake that was to find a stopped one may have been lost with its function.
 */
const isOverdue = ({ group, ports }: Run, swap: Swap): boolean => {
  const nowMs = ports.clock.now();
  const { deadlineMs = 0 } = swap;
  return swap.state === 'leaving' && nowMs < deadlineMs && nowMs >= beginsByMs(group.drain, swap, deadlineMs);
};

/** Starts a drain. A drain that runs already is not changed. `over`: its execution has ended, and is not repeated. */
const startDrain = async (group: string, drain: string, { drains, clock }: ReactPorts): Promise<'running' | 'over'> => {
  const found = foundAt(drains);
  const result = await drains.start({ group, drain });
  if (result === 'running') found.set(drain, clock.now());
  else found.delete(drain);
  return result;
};

type LeaveContext = {
  readonly view: View;
  readonly decision: string;
  readonly drain: string;
  readonly ports: ReactPorts;
};

/**
 * Claims members that the decision removes. Each gets a swap item, and all are on one drain. The state says already
 * that they leave, so without these writes they count as leaving for `leaseMs`, and nobody drains them.
 */
export const claimRemovals = async (
  decision: Decision,
  { view, decision: id, drain, ports }: LeaveContext,
): Promise<Pick<Claimed, 'fresh' | 'failure'>> => {
  const members = new Map(view.members.map((member) => [member.instance, member]));
  const author = { group: view.group.name, nowMs: view.nowMs, drain, decision: id };
  const wanted = decision.removals.flatMap((leaving) => {
    const member = members.get(leaving.instance);
    return member === undefined ? [] : [removedBy(leaving, member, author)];
  });
  const claimed = new Set<Swap>();
  const failed = await claimEach(wanted, async (swap) => {
    if ((await upToThrice(() => ports.store.claim(swap))).kind === 'claimed') claimed.add(swap);
  });
  return { fresh: wanted.filter((swap) => claimed.has(swap)), ...failed };
};

/** The Auto Scaling group that a member joined after its swap was written. */
const joinedSince = ({ members, asgs }: View, { instance, asg: known }: Swap): Pick<Swap, 'asg'> => {
  const asg = members.find((member) => member.instance === instance)?.asg;
  return known === undefined && asg !== undefined && asgs.some(({ name }) => name === asg) ? { asg } : {};
};

/**
 * Names this group on swaps of members that joined it while they were claimed. Calls follow their drains then, so these
 * begin earlier.
 */
export const nameJoined = async (view: View, { store }: Pick<ReactPorts, 'store'>): Promise<void> => {
  const joined = view.swaps.flatMap((swap) => {
    const set = swap.drain === undefined || swap.state === 'gone' ? {} : joinedSince(view, swap);
    return set.asg === undefined ? [] : [{ swap, set }];
  });
  await inParallel(joined, writesAtOnce, ({ swap, set }) => store.advance(swap, { from: [swap.state], set }));
};

/** Begins swaps that waited for their turn. The state says already that they leave, and a budget may count them. */
export const beginWaiting = async (
  decision: Decision,
  { view, drain, ports }: LeaveContext,
): Promise<readonly Swap[]> => {
  const waiting = view.swaps.filter(({ instance }) => decision.drains.includes(instance));
  const begun = { state: 'leaving', drain, chosenAtMs: view.nowMs, drainOrderedAtMs: view.nowMs } as const;
  const written = await inParallel(waiting, writesAtOnce, async (swap) => {
    const set = { ...begun, ...joinedSince(view, swap) };
    const result = await upToThrice(() => ports.store.advance(swap, { from: enteredFrom.leaving, set }));
    return result === 'done' ? [{ ...swap, ...set }] : [];
  });
  return written.flat();
};

/** The swaps whose drains a run may start. */
export type Starting = {
  readonly run: Run;
  /** The active ones. */
  readonly swaps: readonly Swap[];
  /** All swaps that the run has read or written, those of ended instances included. */
  readonly known: readonly Swap[];
  /** Whether this run has put the swap on its drain. */
  readonly isOrdered: (swap: Swap) => boolean;
};

/**
 * Swaps whose drain must be started now:
 *
 * - those that this run has put on it;
 * - those that have not begun and whose signal came again, because the invocation that claimed them may have died;
 * - at each tick and wake, and with a written policy, all that have not begun, unless they were tried lately;
 * - at each look, those that should have begun by now.
 *
 * A drain that this environment found running is started again only by the tick of the minute or a written policy, by
 * a wake that comes when it must begin soon, and by any look once it should have begun.
 */
const dueOf = ({ run, swaps, isOrdered }: Starting): readonly Swap[] => {
  const { facts, group, ports } = run;
  const nowMs = ports.clock.now();
  const named = new Set(facts.leaving.map(({ instance }) => instance));
  // In a group that does not act, members that AWS takes just wait. For members that Holdfast chose, a drain runs and
  // records that they stay.
  const isIdle = (swap: Swap): boolean => swap.state === 'leaving' && isHard(swap) && !mayBegin(modeOf(group), swap);
  const isForAll = facts.isMinute || facts.causes.some(({ code }) => code === 'policy-change');
  const isNamed = ({ instance }: Swap): boolean => named.has(instance);
  const mayBeOver = (swap: Swap): boolean => !isKnownToRun(ports, swap.drain ?? '') || mayHaveStopped(run, swap);
  const isAsked = (swap: Swap): boolean => facts.isTick || isNamed(swap) || isOverdue(run, swap);
  const isAgain = (swap: Swap): boolean => isForAll || (isAsked(swap) && mayBeOver(swap));
  const isDue = (swap: Swap): boolean =>
    isOrdered(swap) || (mayBeUnstarted(swap, nowMs) && isAgain(swap) && (isNamed(swap) || isTriedAgain(swap, nowMs)));
  return swaps.filter((swap) => swap.drain !== undefined && isDue(swap) && !isIdle(swap));
};

const drainsAtOnce = 8;

/** A drain looks at least this often at instances that it could not take out of service yet. */
const patienceMs = 15_000;

/** Instances that drains took out of service, also those that have ended since, by drain. */
const begunBy = (swaps: readonly Swap[]): ReadonlyMap<string, readonly Swap[]> =>
  Map.groupBy(
    swaps.filter(
      ({ state, drainStartedAtMs }) =>
        state === 'draining' || state === 'drained' || (state === 'gone' && drainStartedAtMs !== undefined),
    ),
    ({ drain }) => drain ?? '',
  );

/**
 * Finds members whose drain began without them, because they joined at that moment. The drain might not see them before
 * all others have drained, and their own time may be over before that.
 */
const leftBehind = ({ run, known }: Starting): ((swap: Swap) => boolean) => {
  if (!run.facts.isTick) return () => false;
  const lastBegunMs = new Map(
    [...begunBy(known)].map(([drain, begun]) => [
      drain,
      Math.max(...begun.map(({ drainStartedAtMs = Number.POSITIVE_INFINITY }) => drainStartedAtMs)),
    ]),
  );
  return (swap) => {
    const sinceMs = Math.max(swap.drainOrderedAtMs ?? 0, lastBegunMs.get(swap.drain ?? '') ?? Number.POSITIVE_INFINITY);
    return run.ports.clock.now() - sinceMs > Math.min(patienceMs, halfOfTimeMs(run, swap, sinceMs));
  };
};

/** Gives new drains to swaps whose drain was over when they joined, or was stopped before it began. */
const moveOn = async ({ run: { group, id, ports } }: Starting, late: readonly Swap[]): Promise<readonly string[]> => {
  const drainOrderedAtMs = ports.clock.now();
  const drainFor = ({ deadlineMs, ...swap }: Swap): string =>
    drainName({ group: group.name, kind: kindOf(swap), deadlineMs, decision: id });
  const written = await inParallel(late, writesAtOnce, (swap) =>
    ports.store.advance(swap, {
      from: ['leaving'],
      ...(swap.drain && { drain: swap.drain }),
      set: { drain: drainFor(swap), drainOrderedAtMs },
    }),
  );
  return [...new Set(late.filter((_, index) => written[index] === 'done').map(drainFor))];
};

/**
 * Swaps that this run put on a running drain, and that the drain began without, because it read its batch before they
 * joined. The swaps are read again, because the drain may have begun since this run looked.
 */
const joinedTooLate = async (
  { run: { group, ports }, swaps, isOrdered }: Starting,
  running: ReadonlySet<string>,
): Promise<readonly Swap[]> => {
  const joined = swaps.filter((swap) => swap.state === 'leaving' && isOrdered(swap) && running.has(swap.drain ?? ''));
  if (joined.length === 0) return [];
  const stored = await ports.store.swaps(group.name);
  const leaving = new Set(stored.filter(({ state }) => state === 'leaving').map(({ instance }) => instance));
  const begun = begunBy(stored);
  return joined.filter(({ instance, drain = '' }) => leaving.has(instance) && begun.has(drain));
};

/** Starts the drains that are due, one execution per batch. Returns how many. */
export const startDrains = async (starting: Starting): Promise<number> => {
  const { group, ports } = starting.run;
  const start = (drain: string): Promise<'running' | 'over'> => startDrain(group.name, drain, ports);
  const batches = [...Map.groupBy(dueOf(starting), ({ drain }) => drain ?? '')];
  const started = await inParallel(batches, drainsAtOnce, ([drain]) => start(drain));
  const found = (what: 'running' | 'over'): ReadonlySet<string> =>
    new Set(batches.flatMap(([drain], index) => (started[index] === what ? [drain] : [])));
  const over = found('over');
  const isLeftBehind = leftBehind(starting);
  const late = starting.swaps.filter(
    (swap) => swap.state === 'leaving' && (over.has(swap.drain ?? '') || isLeftBehind(swap)),
  );
  const tooLate = await joinedTooLate(starting, found('running'));
  await inParallel(await moveOn(starting, [...new Set([...late, ...tooLate])]), drainsAtOnce, start);
  return batches.length;
};

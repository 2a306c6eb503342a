import { throwIfFailed } from '../../../aws/calls/in-parallel.ts';
import { beginsByMs } from '../../../core/drain/begin.ts';
import type { Group } from '../../../core/group/group.ts';
import { asgsOf, isAdmittedRunning, withFormer } from '../../../core/group/holders.ts';
import { modeOf } from '../../../core/group/mode.ts';
import { initialState, withRefusedRefills } from '../../../core/group-state/state.ts';
import { withRun } from '../../../core/pool-memory/boot-memory.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { againInMs, drainAgainAtMs, isWorthALook } from '../../../core/times/again.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { inVain } from '../../runtime/in-vain.ts';
import { claimAll } from '../carry-out/claims.ts';
import { drainsOf } from '../carry-out/drain-names.ts';
import { isKnownToRun } from '../carry-out/leaving-members.ts';
import type { InForce } from '../look/in-force.ts';
import { reportedIn } from '../look/leaving-now.ts';
import type { Facts } from '../messages/facts.ts';
import type { ReactPorts } from '../ports.ts';
import { announceStarted } from '../record/announce.ts';
import { newDecisionId } from '../record/identifiers.ts';
import { mostConflicts, putState } from '../record/put-state.ts';

/** How soon another invocation continues after a hand-over, at first. Later looks without signals are rarer. */
const handedOverMs = 2_000;
/** The same after a look without signals that AWS throttled. */
const throttledMs = 10_000;

/** What a look in vain read of its group. */
type Known = { readonly group: Group; readonly swaps?: readonly Swap[] };

/** Since when looks of each group in this environment have been in vain time and again. */
const looksInVain = inVain<ReactPorts['store']>();

/** The longest pause before a drain that starts late is started again. */
const startsLateMs = 5_000;

/**
 * When drains are started again that must start before a deadline, and that this environment did not find running. The
 * tries become more frequent towards the latest start of the drain, as the tries of a drain do, and after that towards
 * the deadline.
 */
const startsAgainAtMs = ({ group, swaps = [] }: Known, ports: ReactPorts, nowMs: number): number => {
  const unstarted = swaps.filter(({ state, drain }) => state === 'leaving' && !isKnownToRun(ports, drain ?? ''));
  const times = unstarted.flatMap((swap) => {
    const { deadlineMs } = swap;
    if (deadlineMs === undefined || deadlineMs <= nowMs) return [];
    const latestMs = beginsByMs(group.drain, swap, deadlineMs);
    if (latestMs > nowMs) return [drainAgainAtMs(nowMs, { sinceMs: 0, endsByMs: latestMs })];
    return [nowMs + Math.max(handedOverMs, Math.min(startsLateMs, Math.floor((deadlineMs - nowMs) / 8)))];
  });
  return Math.min(Number.POSITIVE_INFINITY, ...times);
};

/**
 * How soon to look again after a look in vain without signals. Undefined: the tick does. Drains that must still start
 * before a deadline may make it sooner.
 */
const againAfterMs = (
  name: string,
  known: Known | undefined,
  ports: ReactPorts,
  shortestMs: number,
): number | undefined => {
  const { store, clock } = ports;
  const nowMs = clock.now();
  const usualMs = Math.max(shortestMs, againInMs(looksInVain.noteMs(store, name, nowMs)));
  const pressedMs = known === undefined ? usualMs : startsAgainAtMs(known, ports, nowMs) - nowMs;
  const inMs = Math.min(usualMs, pressedMs);
  return isWorthALook(nowMs + inMs, nowMs) ? inMs : undefined;
};

/** How soon to look again for drains that must start before a deadline. Undefined: the tick does. */
const pressedAfterMs = (known: Known | undefined, ports: ReactPorts): number | undefined => {
  const nowMs = ports.clock.now();
  const atMs = known === undefined ? Number.POSITIVE_INFINITY : startsAgainAtMs(known, ports, nowMs);
  return isWorthALook(atMs, nowMs) ? atMs - nowMs : undefined;
};

/** How soon to look again after a failed look with signals. */
const afterFailureMs = 20_000;

/**
 * Why a group is handed over, if not after lost races. `crowded`: the groups before it took the time, so no look at it
 * has been in vain. `slow`: its own reads took the time.
 */
export type Hindrance = 'throttled' | 'failed' | 'crowded' | 'slow';

/** How soon another invocation continues. Undefined: the tick does. */
const goesOnInMs = (
  facts: Facts,
  ports: ReactPorts,
  known: Known | undefined,
  trouble?: Hindrance,
): number | undefined => {
  const isSignaled = facts.messages.length > 0;
  if (isSignaled && trouble === 'failed') return afterFailureMs;
  if (isSignaled || trouble === 'crowded') return handedOverMs;
  // The next tick looks, unless a drain must start before. Otherwise each tick of an outage would add looks that last
  // for minutes. A wake for such a drain may have come together with this tick.
  if ((trouble === 'slow' || trouble === 'failed') && facts.isMinute === true) return pressedAfterMs(known, ports);
  return againAfterMs(facts.group, known, ports, trouble === 'throttled' ? throttledMs : handedOverMs);
};

/** Whether some facts (of alarms, stopped drains or policy changes) exist only in their messages. */
export const isOnlyInMessages = ({ alarms, stoppedDrains = [], causes }: Facts): boolean =>
  alarms.length + stoppedDrains.length > 0 || causes.some(({ code }) => code === 'policy-change');

/** Whether a wake can continue once these facts are stored, without their messages. */
export const canHandOver = (facts: Facts, group: Group): boolean => modeOf(group) === 'act' && !isOnlyInMessages(facts);

/**
 * Arranges another invocation, which continues with a group whose claims are written. Looks in vain without signals are
 * ever rarer: they are repeated after a quarter of the time for which looks have been in vain. Only drains that must
 * start before a deadline make them more frequent.
 */
export const wakeSoon = async (
  facts: Facts,
  ports: ReactPorts,
  { known, trouble }: { readonly known?: Known; readonly trouble?: Hindrance } = {},
): Promise<void> => {
  const inMs = goesOnInMs(facts, ports, known, trouble);
  if (inMs !== undefined) await ports.wakes.wake([facts.group], ports.clock.now() + inMs);
};

/** The state with notes of what only these signals say: refills that EC2 refused, and new members that ran. */
const withNotes = (state: GroupState, { refusedAsgs, ran }: Facts, group: Group, nowMs: number): GroupState =>
  withRun(withRefusedRefills(state, refusedAsgs, nowMs), isAdmittedRunning(group) ? ran : []);

/**
 * Notes in the state item which Auto Scaling groups could not refill themselves, and which new members ran, where they
 * need nothing more. Otherwise a later look would take the end of such a member for a failed boot.
 *
 * @throws Error if there is no state item, or after too many lost races: the messages are then delivered again
 */
export const keepNotes = async (
  facts: Facts,
  { group, state: known }: Pick<InForce, 'group' | 'state'>,
  ports: ReactPorts,
): Promise<void> => {
  const nowMs = ports.clock.now();
  const isNew = known !== undefined && withRun(known, facts.ran) !== known && isAdmittedRunning(group);
  if (facts.refusedAsgs.length === 0 && !isNew) return;
  for (let attempt = 0; attempt < mostConflicts; attempt++) {
    const stored = await ports.store.state(facts.group);
    if (stored === undefined) break;
    const state = ports.believed(facts.group, stored);
    const next = withNotes(state, facts, group, nowMs);
    if (next === state) return;
    const noted = { ...next, version: stored.version + 1, notes: (stored.notes ?? 0) + 1 };
    if ((await putState(facts.group, noted, ports)) !== 'conflict') return;
  }
  throw new Error(`Signals of group ${facts.group} could not be noted. Their messages are delivered again.`);
};

/** Stores what signals say about a group without a look at it, so that their messages need not come again. */
export const keepFacts = async (
  facts: Facts,
  { group, state }: Pick<InForce, 'group' | 'state'>,
  ports: ReactPorts,
): Promise<void> => {
  const { store, clock, random } = ports;
  const asgs = new Set(asgsOf(withFormer(group, state ?? initialState(group))));
  const leaving = reportedIn(facts, group, asgs);
  if (leaving.length > 0) {
    const id = newDecisionId(clock, random);
    const swaps = await store.swaps(group.name);
    const drainFor = drainsOf(group.name, id, swaps);
    const told = { members: new Map(), asgs, ended: new Set(facts.ended) };
    const context = { store, group: group.name, nowMs: clock.now(), decision: id, drainFor, ...told };
    const claimed = await claimAll(leaving, swaps, context);
    await announceStarted({ group, id, ports }, claimed.fresh);
    throwIfFailed(claimed);
  }
  await keepNotes(facts, { group, state }, ports);
};

/**
 * Claims the instances that signals name, and leaves all other work to another invocation, because this one has no time
 * left or may not look at the group now. The other invocation, or the next tick, starts the drains.
 *
 * @param trouble why the look could not go on
 */
export const handOver = async (
  facts: Facts,
  known: Pick<InForce, 'group' | 'state'> & Partial<Pick<InForce, 'swaps'>>,
  ports: ReactPorts,
  trouble: Hindrance,
): Promise<void> => {
  await keepFacts(facts, known, ports);
  await wakeSoon(facts, ports, { known, trouble });
};

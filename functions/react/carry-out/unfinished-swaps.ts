import { inParallel } from '../../../aws/calls/in-parallel.ts';
import { unlessTroubled } from '../../../aws/calls/unless-troubled.ts';
import { metrics } from '../../../core/contract.ts';
import { hasNoDrainForHooks, isSparedOnHook } from '../../../core/drain/left-on-hook.ts';
import { mayTakeOver, modeOf } from '../../../core/group/mode.ts';
import { endsHeard } from '../../../core/group-state/state.ts';
import type { NameDrain } from '../../../core/swap/drain-kind.ts';
import { endsIn, unseenIn } from '../../../core/swap/ends.ts';
import { asOutlived, outlivedIn, startedAgainIn } from '../../../core/swap/outlived.ts';
import { changeTo } from '../../../core/swap/progress.ts';
import { type TakingOver, takenOver } from '../../../core/swap/stuck-drains.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { Gathered } from '../look/gather.ts';
import type { ReactPorts } from '../ports.ts';
import type { Run } from '../run.ts';
import { writesAtOnce } from './claims.ts';
import { completeHooksOf } from './hooks.ts';
import { claimWarnedAgain } from './warned-again.ts';

/**
 * Puts members back into service that EC2 warned about and did not take, or started again. Their swaps are withdrawn.
 * Members that could not be put back keep their swaps, and the next look tries again.
 */
const putBack = async ({ group, provider, ports }: Run, spared: readonly Swap[]): Promise<ReadonlySet<string>> => {
  if (spared.length === 0 || modeOf(group) !== 'act') return new Set();
  const ids = spared.map(({ instance }) => instance);
  const { done, failed } = await provider.putBack(group, ids);
  ports.telemetry.count(metrics.actionsFailed, failed.filter(({ retry }) => retry === 'never').length);
  return new Set(done);
};

/**
 * Closes swaps whose instance has ended, and moves those that are over into history. Returns the others, and the swaps
 * of members that are back in service and were warned again meanwhile.
 */
const close = async (
  { group, facts, ports, id }: Run,
  { swaps, holdings, state }: Pick<Gathered, 'swaps' | 'holdings' | 'state'>,
  { back, again }: { readonly back: ReadonlySet<string>; readonly again: ReadonlySet<string> },
): Promise<{ readonly open: readonly Swap[]; readonly warnedAgain: readonly Swap[] }> => {
  const look = { group, holdings, state, heard: facts, back, nowMs: ports.clock.now() };
  const unseen = unseenIn(swaps, look).map(({ instance }) => instance);
  const beyond = unseen.length === 0 ? new Map() : await unlessTroubled(ports.owners.ownersOf(unseen));
  const { gone, over, open } = endsIn(swaps, { ...look, beyond });
  const spared = open.filter((swap) => isSparedOnHook(swap, look.nowMs));
  // This look has completed the hooks of what it claimed itself. An earlier one may have failed before it did.
  const earlier = gone.map(({ before }) => before).filter(({ decision }) => decision !== id);
  // A swap stays as it is until its hooks are completed, so that the next look tries again.
  const held = await completeHooksOf([...earlier.filter(hasNoDrainForHooks), ...spared], ports);
  const ended = gone.filter(({ before }) => !held.has(before));
  // A drain may have had its Auto Scaling group end the instance since the swap was read. The next look finds that.
  await inParallel(ended, writesAtOnce, ({ before, after }) =>
    ports.store.advance(before, {
      from: [before.state],
      ...(before.releaseAskedAtMs === undefined && { unasked: true }),
      ...changeTo(after),
    }),
  );
  const retired = await inParallel(over, writesAtOnce, (swap) =>
    ports.store.retire(back.has(swap.instance) && !again.has(swap.instance) ? asOutlived(swap) : swap),
  );
  return {
    open,
    warnedAgain: over.filter(({ instance }, index) => retired[index] === 'conflict' && back.has(instance)),
  };
};

/** Puts swaps on a new drain if their own drain does not go on. Returns these swaps. */
export const takeOverDrains = async (
  swaps: readonly Swap[],
  taking: Omit<TakingOver, 'nowMs'>,
  { store, clock }: Pick<ReactPorts, 'store' | 'clock'>,
): Promise<readonly Swap[]> => {
  const nowMs = clock.now();
  const stuck = swaps.flatMap((swap) => {
    const set = takenOver(swap, { ...taking, nowMs });
    return set === undefined ? [] : [{ swap, set }];
  });
  const written = await inParallel(stuck, writesAtOnce, ({ swap, set }) =>
    store.advance(swap, { from: [swap.state], set }),
  );
  return stuck.filter((_, index) => written[index] === 'done').map(({ swap, set }) => ({ ...swap, ...set }));
};

/** Finishes what lost messages or time left open. Returns the swaps afterwards, and the members that are back. */
export const continueSwaps = async (
  run: Run,
  gathered: Gathered,
  drainFor: NameDrain,
): Promise<Pick<Gathered, 'swaps' | 'putBack'>> => {
  const { members, stopped, aside } = gathered.holdings;
  const again = startedAgainIn(gathered.swaps, members);
  const others = members.filter(({ serving, instance }) => serving && !again.has(instance));
  const isEnough = others.length >= gathered.state.desired;
  const spared = outlivedIn(gathered.swaps, members, run.ports.clock.now(), isEnough ? again : new Set());
  const back = await putBack(run, spared);
  const { open, warnedAgain } = await close(run, gathered, { back, again });
  const swaps = [...open, ...(await claimWarnedAgain(run, warnedAgain, drainFor))];
  // An instance that EC2 stopped may start again, and is kept while too few members serve.
  const needless = isEnough ? stopped : [];
  const running = members.filter(({ instance }) => isEnough || !again.has(instance));
  const shown = new Set([...running.map(({ instance }) => instance), ...needless]);
  const taking = {
    timeoutMs: run.group.drain.timeoutMs,
    shown,
    running: new Set(members.flatMap(({ instance, state }) => (state === 'running' ? [instance] : []))),
    spared: new Set(spared.map(({ instance }) => instance)),
    stopped: new Set(needless.filter((instance) => !aside.includes(instance))),
    ended: new Set(endsHeard(gathered.state, members)),
    drainFor,
    stoppedDrains: run.facts.stoppedDrains,
  };
  const mode = modeOf(run.group);
  const mendable = swaps.filter((swap) => mayTakeOver(mode, swap));
  const taken = new Map((await takeOverDrains(mendable, taking, run.ports)).map((swap) => [swap.instance, swap]));
  return {
    swaps: swaps.map((swap) => taken.get(swap.instance) ?? swap),
    ...(back.size > 0 && { putBack: [...back] }),
  };
};

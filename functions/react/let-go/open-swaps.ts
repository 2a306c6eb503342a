import { inParallel } from '../../../aws/calls/in-parallel.ts';
import { hasNoDrainForHooks, isSparedOnHook } from '../../../core/drain/left-on-hook.ts';
import { asGone } from '../../../core/drain/shortfall.ts';
import type { Owner } from '../../../core/ports/owners.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import { hasEnded, isAlive } from '../../../core/signals/signal-age.ts';
import { isLongUnseen } from '../../../core/swap/ends.ts';
import { asGoneAfterLetGo, asLetOff, isLetOff } from '../../../core/swap/let-go.ts';
import { changeTo } from '../../../core/swap/progress.ts';
import { mayBeUnstarted } from '../../../core/swap/stuck-drains.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { hasBegun } from '../../runtime/drain/batch.ts';
import { writesAtOnce } from '../carry-out/claims.ts';
import { drainsOf } from '../carry-out/drain-names.ts';
import { completeHooksOf } from '../carry-out/hooks.ts';
import { takeOverDrains } from '../carry-out/unfinished-swaps.ts';
import type { Facts } from '../messages/facts.ts';
import type { ReactPorts } from '../ports.ts';
import { newDecisionId } from '../record/identifiers.ts';

const isOver = (swap: Swap, owner: Owner | undefined, nowMs: number): boolean =>
  owner === undefined ? isLongUnseen(swap, nowMs) : hasEnded(owner);

const drainsAtOnce = 8;

/**
 * Continues drains that had begun, with another execution if their own broke off. A warning moves a member that drains
 * already to another drain, and the function that ordered that one may have died before it started it.
 */
const carryOn = async (
  group: string,
  open: readonly Swap[],
  { known, stoppedDrains }: { readonly known: ReadonlyMap<string, Owner>; readonly stoppedDrains: readonly string[] },
  ports: ReactPorts,
): Promise<void> => {
  const begun = open.filter(hasBegun);
  const last = begun.length === 0 ? undefined : await ports.store.lastGroup(group);
  if (last === undefined) return;
  const drainFor = drainsOf(group, newDecisionId(ports.clock, ports.random), open);
  // A stopped instance stays as it is: EC2 may start it again, and nobody knows whether enough others serve.
  const alive = new Set([...known].flatMap(([instance, owner]) => (isAlive(owner) ? [instance] : [])));
  const taking = { timeoutMs: last.drain.timeoutMs, shown: alive, spared: alive, drainFor, stoppedDrains };
  const taken = await takeOverDrains(begun, taking, ports);
  const unstarted = begun.filter((swap) => mayBeUnstarted(swap, ports.clock.now()));
  const drains = new Set([...taken, ...unstarted].flatMap(({ drain }) => drain ?? []));
  await inParallel([...drains], drainsAtOnce, (drain) => ports.drains.start({ group, drain }));
};

/** Whether its hook is completed because it gets no drain, since its group was let go. */
const isHeld = (swap: Swap): boolean => swap.state === 'leaving' && traitsOf(swap).endedBy === 'auto-scaling';

type LetGoSwaps = Pick<Facts, 'group' | 'stoppedDrains'> & {
  /**
   * Whether an earlier look has let the group go. An instance that the first such look finds ended may have ended
   * before the policy was deleted, and then the deletion kept nothing from it.
   */
  readonly wasLetGo: boolean;
};

/**
 * Finishes the swaps of a group whose policy was deleted. A swap becomes `gone` when its instance has ended. A swap
 * whose instance stays is dropped, and the instance stays as it is. A drain that has begun goes on. Returns the swaps
 * that are still open.
 */
export const closeLetGo = async (
  { group, stoppedDrains, wasLetGo }: LetGoSwaps,
  ports: ReactPorts,
): Promise<readonly Swap[]> => {
  const { store, owners, clock } = ports;
  const swaps = (await store.swaps(group)).filter(({ state }) => state !== 'gone');
  if (swaps.length === 0) return [];
  const known = await owners.ownersOf(swaps.map(({ instance }) => instance));
  const nowMs = clock.now();
  const over = swaps.filter((swap) => isOver(swap, known.get(swap.instance), nowMs));
  const alive = swaps.filter((swap) => !over.includes(swap));
  const off = alive.filter((swap) => isLetOff(swap, nowMs));
  const open = alive.filter((swap) => !off.includes(swap));
  // A swap stays as it is until its hooks are completed, so that the next look tries again.
  const onHook = open.filter((swap) => isHeld(swap) || isSparedOnHook(swap, nowMs));
  const held = await completeHooksOf([...over.filter(hasNoDrainForHooks), ...onHook], ports);
  const ended = over.filter((swap) => !held.has(swap));
  const asClosed = wasLetGo ? asGoneAfterLetGo : asGone;
  await inParallel(ended, writesAtOnce, (swap) =>
    store.advance(swap, { from: [swap.state], ...changeTo(asClosed(swap, nowMs)) }),
  );
  await inParallel(off, writesAtOnce, (swap) => store.retire(asLetOff(swap)));
  await carryOn(group, open, { known, stoppedDrains }, ports);
  return open;
};

import { inParallel } from '../../aws/in-parallel.ts';
import type { Decision } from '../../core/decision.ts';
import { latestDrainStart } from '../../core/drain.ts';
import type { Group } from '../../core/group.ts';
import { isHard } from '../../core/headcount.ts';
import { offeringKey } from '../../core/offering.ts';
import type { DrainOrder } from '../../core/ports.ts';
import type { Swap } from '../../core/swap.ts';
import type { View } from '../../core/view.ts';
import { writesAtOnce } from './claims.ts';
import type { ReactPorts } from './ports.ts';

/** A drain that was ordered this long ago and has taken nothing out of service is ordered again, under its own name: a no-op if it runs. */
const reorderAfterMs = 30_000;

type LeaveContext = { readonly view: View; readonly decision: string; readonly drain: string; readonly ports: ReactPorts };

/** Claims members that the decision removes: each gets a swap item of its own, on one drain together. */
export const claimRemovals = async (decision: Decision, { view, decision: id, drain, ports }: LeaveContext): Promise<readonly Swap[]> => {
  const members = new Map(view.members.map((member) => [member.instance, member]));
  const wanted = decision.removals.flatMap(({ instance, reason }): Swap[] => {
    const member = members.get(instance);
    if (member === undefined) return [];
    return [
      {
        group: view.group.name,
        instance,
        reason,
        state: 'leaving',
        pool: member.pool ?? 'unknown',
        offering: offeringKey(member.offering),
        claimedAtMs: view.nowMs,
        drain,
        drainOrderedAtMs: view.nowMs,
        decision: id,
      },
    ];
  });
  const claims = await inParallel(wanted, writesAtOnce, (swap) => ports.store.claim(swap));
  return wanted.filter((_, index) => claims[index]?.kind === 'claimed');
};

/** Lets swaps begin that waited for their turn. */
export const beginWaiting = async (decision: Decision, { view, drain, ports }: LeaveContext): Promise<readonly Swap[]> => {
  const waiting = view.swaps.filter(({ instance }) => decision.drains.includes(instance));
  const set = { state: 'leaving', drain, drainOrderedAtMs: view.nowMs } as const;
  const written = await inParallel(waiting, writesAtOnce, (swap) => ports.store.advance(swap, { from: ['waiting'], set }));
  return waiting.filter((_, index) => written[index] === 'done').map((swap) => ({ ...swap, ...set }));
};

/** Drains that must run now: of swaps that this run touched, and of those whose drain should have begun by now and did not. */
const isDue = (swap: Swap, isTouched: (swap: Swap) => boolean, nowMs: number): boolean =>
  swap.drain !== undefined && (isTouched(swap) || (swap.state === 'leaving' && nowMs - (swap.drainOrderedAtMs ?? 0) >= reorderAfterMs));

const orderOf = (group: Group, drain: string, batch: readonly Swap[]): DrainOrder => {
  const deadlines = batch.flatMap(({ deadlineMs }) => deadlineMs ?? []);
  const deadlineMs = deadlines.length === 0 ? undefined : Math.min(...deadlines);
  const orderedAtMs = Math.min(...batch.map(({ drainOrderedAtMs, claimedAtMs }) => drainOrderedAtMs ?? claimedAtMs));
  // Only where EC2 takes the instance is there a gap to wait out: every other removal begins with enough members serving, or is under way already.
  const waits = group.swap.order === 'launch-first' && batch.every((swap) => isHard(swap) && swap.reason === 'interruption');
  return {
    group: group.name,
    drain,
    instances: batch.map(({ instance }) => instance).sort(),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(waits ? { awaitServingUntilMs: latestDrainStart({ nowMs: orderedAtMs, deadlineMs, timeoutMs: group.drain.timeoutMs }) } : {}),
  };
};

/** Starts the drains that are due, one execution per batch. Answers how many. */
export const startDrains = async (group: Group, swaps: readonly Swap[], isTouched: (swap: Swap) => boolean, ports: ReactPorts): Promise<number> => {
  const nowMs = ports.clock.now();
  const due = swaps.filter((swap) => isDue(swap, isTouched, nowMs));
  const batches = Map.groupBy(due, ({ drain }) => drain ?? '');
  await inParallel([...batches], 8, ([drain, batch]) => ports.drains.start(orderOf(group, drain, batch)));
  return batches.size;
};

import { justWarned } from '../../../core/limits/counted-warnings.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import { type Changes, changesIn } from '../../../core/view/changes.ts';
import type { Facts } from '../messages/facts.ts';
import type { ReactPorts } from '../ports.ts';
import type { InForce } from './in-force.ts';

/** A group that is looked at, and what was read of it. */
type Looked = { readonly facts: Facts; readonly one: { readonly read: InForce | undefined } | undefined };

/** Changes of each group that an earlier describe may not show. */
const changesOf = (looked: readonly Looked[]): ReadonlyMap<string, Changes> =>
  new Map(
    looked.flatMap(({ facts, one }) => {
      const changes = one?.read && changesIn(one.read.state, { swaps: one.read.swaps, ended: facts.ended });
      return changes ? [[facts.group, changes] as const] : [];
    }),
  );

/** Whether signals of this batch report that EC2 takes members. */
const warn = (batch: readonly Facts[]): boolean =>
  batch.some(({ leaving }) => leaving.some((fact) => traitsOf(fact).endedBy === 'ec2'));

/** Whether EC2 takes members now: signals report it, or half of the groups had warnings within three minutes. */
const areWarned = (batch: readonly Facts[], inForce: readonly InForce[], nowMs: number): boolean => {
  const warned = inForce.filter(({ swaps }) => justWarned(swaps, nowMs).length > 0).length;
  return (warned > 0 && 2 * warned >= inForce.length) || warn(batch);
};

/**
 * How groups are looked at together. The tick finds what nobody reported, so it reads all. Warnings in its batch do not
 * wait for that, and no look with signals waits for Auto Scaling.
 *
 * @param batch facts of all groups of the batch
 */
export const howToLook = (
  batch: readonly Facts[],
  looked: readonly Looked[],
  { isTick, nowMs }: { readonly isTick: boolean; readonly nowMs: number },
): Parameters<ReactPorts['describeTogether']>[1] => {
  const inForce = looked.flatMap(({ one }) => one?.read ?? []);
  return {
    isWarned: areWarned(batch, inForce, nowMs),
    ...(batch.some(({ messages }) => messages.length > 0) && { isReported: true }),
    ...(isTick && { isTick }),
    ...(isTick && !warn(batch) && { isWhole: true }),
    changes: changesOf(looked),
  };
};

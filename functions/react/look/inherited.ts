import { allSettled } from '../../../aws/calls/in-parallel.ts';
import type { Group } from '../../../core/group/group.ts';
import { namedAsgs } from '../../../core/group/holders.ts';
import type { Loss } from '../../../core/returning/memory.ts';
import type { LeavingFact } from '../../../core/swap/claim.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { allNotes, type Notes, notesThat } from '../../../core/view/notes.ts';
import type { GroupState } from '../../../core/view/view.ts';
import type { ReactPorts } from '../ports.ts';

/** What an earlier holder of an Auto Scaling group left undone there, and where EC2 took its members. */
export type Inherited = Required<Notes> & {
  readonly leaving: readonly LeavingFact[];
  readonly losses: readonly Loss[];
};

const nothing: Inherited = { raised: [], added: [], suspended: [], leaving: [], losses: [] };

/** EC2 takes these instances, whichever group holds them now. */
const warnings = (swaps: readonly Swap[], nowMs: number): readonly LeavingFact[] =>
  swaps.flatMap(({ instance, state, warnedAtMs, claimedAtMs, deadlineMs }) =>
    state === 'gone' || deadlineMs === undefined || deadlineMs <= nowMs
      ? []
      : [{ instance, reason: 'interruption' as const, atMs: warnedAtMs ?? claimedAtMs, deadlineMs }],
  );

/**
 * Read once, when a group first holds an Auto Scaling group that another group held before. A maximum that the earlier
 * holder raised is not the owner's value, a desired capacity is not all what others set if its attach added to it, the
 * processes that it suspended are to be resumed, and the warnings that it received are still true. Members do not move
 * to a place where EC2 took members of the earlier holder.
 */
export const inherit = async (group: Group, state: GroupState, { store, clock }: ReactPorts): Promise<Inherited> => {
  const isNew = namedAsgs(group).filter((asg) => !state.holders?.includes(asg));
  if (isNew.length === 0 || group.after === undefined) return nothing;
  const left = await allSettled(
    group.after.map(async (name) => ({ state: await store.state(name), swaps: await store.swaps(name) })),
  );
  const notes = notesThat(
    allNotes(left.flatMap((one) => one.state ?? [])),
    ({ asg }, kind) => isNew.includes(asg) && !state[kind]?.some((one) => one.asg === asg),
  );
  return {
    ...notes,
    raised: [...new Map(notes.raised.toReversed().map((one) => [one.asg, one])).values()],
    leaving: left.flatMap(({ swaps }) => warnings(swaps, clock.now())),
    losses: left.flatMap((one) => one.state?.returns?.losses ?? []).toSorted((a, b) => a.atMs - b.atMs),
  };
};

import { throwIfFailed } from '../../../aws/calls/in-parallel.ts';
import { asgsOf, withFormer } from '../../../core/group/holders.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { claimAll } from '../carry-out/claims.ts';
import { drainsOf } from '../carry-out/drain-names.ts';
import { claimable, reportedIn } from '../look/leaving-now.ts';
import type { Facts } from '../messages/facts.ts';
import type { ReactPorts } from '../ports.ts';
import { announceStarted } from '../record/announce.ts';
import { newDecisionId } from '../record/identifiers.ts';

/**
 * Claims members that EC2 takes while their group is let go, because EC2 warns only once. A policy that returns before
 * they have gone finds their swaps, and so does the next group that holds their Auto Scaling group.
 */
export const claimTaken = async (facts: Facts, state: GroupState, ports: ReactPorts): Promise<void> => {
  const { store, clock, random } = ports;
  const taken = facts.leaving.filter((fact) => traitsOf(fact).endedBy === 'ec2');
  const last = taken.length === 0 ? undefined : await store.lastGroup(facts.group);
  if (last === undefined) return;
  const group = withFormer(last, state);
  const asgs = new Set(asgsOf(group));
  const ours = reportedIn({ ...facts, leaving: taken }, group, asgs);
  const { leaving } = claimable(group, { told: ours, leaving: ours });
  const [id, swaps] = [newDecisionId(clock, random), await store.swaps(facts.group)];
  const claimed = await claimAll(leaving, swaps, {
    store,
    group: facts.group,
    nowMs: clock.now(),
    decision: id,
    drainFor: drainsOf(facts.group, id, swaps),
    members: new Map(),
    asgs,
    ended: new Set(facts.ended),
  });
  await announceStarted({ group, id, ports }, claimed.fresh);
  throwIfFailed(claimed);
};

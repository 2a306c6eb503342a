import type { Group } from '../../../core/group/group.ts';
import { asgsOf, withFormer } from '../../../core/group/holders.ts';
import { howHeld } from '../../../core/group/holding.ts';
import { modeOf } from '../../../core/group/mode.ts';
import { initialState } from '../../../core/group-state/state.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import type { LeavingFact } from '../../../core/swap/claim.ts';
import type { NameDrain } from '../../../core/swap/drain-kind.ts';
import type { Swap, Warned } from '../../../core/swap/swap.ts';
import type { GroupState } from '../../../core/view/view.ts';
import type { Gathered } from '../look/gather.ts';
import { claimable, heardIn, warnedIfActed } from '../look/leaving-now.ts';
import type { Run } from '../run.ts';
import { type Claimed, claimAll } from './claims.ts';
import { drainsOf } from './drain-names.ts';

/** The facts of signals, and the claims because of them. */
export type Told = {
  readonly claimed: Claimed;
  /** Members that EC2 has just warned about. Pool memory counts them, whether they are claimed or only observed. */
  readonly warned: readonly Warned[];
  /** Members that signals reported. */
  readonly told: readonly LeavingFact[];
  readonly ended: ReadonlySet<string>;
  readonly drainFor: NameDrain;
};

/** Whether EC2 takes a running member of this group, by the describe of its signal. */
const isPlain = (fact: LeavingFact, group: Group, asgs: ReadonlySet<string>): boolean => {
  const { owner } = fact;
  if (traitsOf(fact).endedBy !== 'ec2' || owner?.state !== 'running') return false;
  return owner.asg === undefined ? owner.group === group.name && !howHeld(group).isInAsgs : asgs.has(owner.asg);
};

/**
 * Claims warned members while the look goes on. One storm arrives in several batches at the same moment, and each reads
 * the claims of the others after its look. So the first decision launches for all of them.
 */
export const claimBeforeLook = async (
  { facts, group, ports, id }: Run,
  state: GroupState | undefined,
  swaps: readonly Swap[],
): Promise<Claimed> => {
  const asgs = new Set(asgsOf(withFormer(group, state ?? initialState(group))));
  const plain = modeOf(group) === 'act' ? facts.leaving.filter((fact) => isPlain(fact, group, asgs)) : [];
  const drainFor = drainsOf(group.name, id, swaps);
  const told = { members: new Map(), asgs, ended: new Set(facts.ended) };
  return claimAll(plain, swaps, {
    store: ports.store,
    group: group.name,
    nowMs: ports.clock.now(),
    decision: id,
    drainFor,
    ...told,
  });
};

/** Claims the instances that the signals name, and other members that the look found to leave. */
export const claimFacts = async (run: Run, gathered: Gathered, early: Claimed): Promise<Told> => {
  const { facts, group, ports, id } = run;
  const asgs = new Set(asgsOf(gathered.group));
  const nowMs = ports.clock.now();
  const heard = heardIn(facts, gathered, nowMs);
  const { told, leaving } = claimable(group, heard);
  const drainFor = drainsOf(group.name, id, gathered.swaps);
  const members = new Map(gathered.holdings.members.map((member) => [member.instance, member]));
  const ended = new Set([...gathered.holdings.ended, ...facts.ended, ...Object.keys(gathered.state.ended ?? {})]);
  const context = { store: ports.store, group: group.name, nowMs, decision: id, drainFor, members, asgs, ended };
  const late = await claimAll(leaving, early.swaps, context);
  const claimed = {
    swaps: late.swaps,
    fresh: [...early.fresh, ...late.fresh],
    warned: [...early.warned, ...late.warned],
    ...(late.failure && { failure: late.failure }),
  };
  const warned = modeOf(group) === 'observe' ? warnedIfActed(gathered, heard) : claimed.warned;
  return { claimed, warned, told, ended, drainFor };
};

import type { Failed } from '../../aws/calls/in-parallel.ts';
import type { Decision } from '../../core/decision/decision.ts';
import type { SizeChange } from '../../core/decision/decision-record.ts';
import type { Group } from '../../core/group/group.ts';
import type { Launched } from '../../core/group-state/answers.ts';
import type { CapacityIn } from '../../core/ports/capacity-provider.ts';
import type { Suspension } from '../../core/view/suspension.ts';
import type { GroupState, View } from '../../core/view/view.ts';
import type { Facts } from './messages/facts.ts';
import type { ReactPorts } from './ports.ts';
import type { Turns } from './turns/turns.ts';

/**
 * What the steps of converging one group share. `id` is the id of the decision, and the beginning of every id that
 * follows from it.
 */
export type Run = {
  readonly group: Group;
  readonly provider: CapacityIn;
  readonly facts: Facts;
  readonly ports: ReactPorts;
  readonly id: string;
  /** The id of an observed decision, which is stored beside the decision of the same look. */
  readonly observedId: string;
  readonly startedAtMs: number;
  /** When its invocation began. */
  readonly beganAtMs: number;
  /** The number of groups in the batch. All of them draw on the account's buckets now. */
  readonly groupsAtOnce: number;
  /** Turns of those groups at the account's buckets. */
  readonly turns: Turns;
  /** Work beside the first launches, once they are reserved. */
  readonly whileLaunching?: () => Promise<void>;
  /** It has claimed members. Their swaps name its decision, so that is stored whatever becomes of it. */
  readonly hasClaimed?: true;
};

/** One decision and its result. A refusal is followed by another round. */
export type Round = {
  readonly decision: Decision;
  readonly view: View;
  /** When its look began. */
  readonly lookedAtMs: number;
  readonly sizes: readonly SizeChange[];
  readonly launched: readonly Launched[];
  readonly state: GroupState;
  /** Processes that AWS denied to suspend, and those that it suspended. */
  readonly denied?: readonly Suspension[];
  readonly suspended?: readonly Suspension[];
  /** Desired capacities that were lowered. */
  readonly lowered?: Decision['takeOver'];
  /** Auto Scaling groups of which AWS has answered the raise of the maximum size. */
  readonly raised?: readonly string[];
  /** Whether its events reached the bus. */
  readonly told?: Failed;
  /** Other functions decided about the group while its launches were requested. */
  readonly isCrowded?: true;
};

import type { Adjustment } from '../group/group.ts';
import type { Cost } from '../observe/not-done.ts';
import type { Offering } from '../pool/offering.ts';
import type { LaunchResult } from '../ports/launches.ts';
import type { LeaveReason } from '../removal/leave-reason.ts';
import type { SignalCause } from '../signals/signal.ts';
import type { Prose } from '../swap/shortfall.ts';
import type { SwapState } from '../swap/swap.ts';
import type { Decision } from './decision.ts';

/** What led to a decision. Prose is what the first version stored. */
export type Cause = SignalCause | Prose;

/** How the desired size changed before the decision, or why it did not. */
export type SizeChange =
  /** The policy set another size, or bounds that the size was outside of. */
  | { readonly code: 'policy'; readonly from: number; readonly to: number }
  /** The state item was lost or is older than the members: the size is kept at what is running. */
  | { readonly code: 'caught-up'; readonly from: number; readonly to: number }
  /** Others changed the desired capacity of the Auto Scaling group that the policy takes its size from. */
  | { readonly code: 'outside'; readonly from: number; readonly to: number }
  /** The schedule of the policy set it. */
  | {
      readonly code: 'schedule';
      readonly at: string;
      readonly timezone: string;
      readonly atMs: number;
      readonly from: number;
      readonly to: number;
    }
  /** `from` and `to` are equal where the size is at its bound. */
  | {
      readonly code: 'alarm';
      readonly alarm: string;
      readonly atMs: number;
      readonly adjust: Adjustment;
      /** How far its metric was from its threshold. Of alarms with steps. */
      readonly fromThreshold?: number;
      readonly from: number;
      readonly to: number;
      /** It is still in `ALARM` after its cooldown. */
      readonly lasts?: true;
    }
  | { readonly code: 'alarm-cooling'; readonly alarm: string; readonly untilMs: number }
  /** It went off too long ago to show the present load. */
  | { readonly code: 'alarm-late'; readonly alarm: string; readonly atMs: number }
  /** Its actions are suppressed by another alarm, or muted. */
  | { readonly code: 'alarm-quiet'; readonly alarm: string; readonly why: 'suppressed' | 'muted' };

/** When spot prices were read, and whether the policy states prices on demand. */
export type PriceSource = { readonly readAtMs?: number; readonly isStated?: true };

/** What a decision looked at, in numbers. */
export type ViewDigest = {
  readonly nowMs: number;
  readonly desired: number;
  readonly members: number;
  readonly serving: number;
  /** Members whose health was not read, and that may serve. Absent: none. */
  readonly unread?: number;
  readonly byPool: Readonly<Record<string, number>>;
  readonly swaps: Readonly<Partial<Record<SwapState, number>>>;
  /** Launches that were requested and that no describe shows yet. */
  readonly reservations: number;
  /** The source of the prices that the decision compared. Absent when none was known. */
  readonly prices?: PriceSource;
  /** Of a group that is short: instances that EC2 shows as ended, without a swap and without a signal in this look. */
  readonly ended?: readonly string[];
  /** Which write of the state item the decision was based on. */
  readonly stateVersion?: number;
};

/** One launch that followed from a decision, and its result. */
export type LaunchOutcome = {
  readonly reservation: string;
  readonly pool: string;
  readonly count: number;
  readonly replaces: readonly string[];
} & (
  | {
      readonly result: 'answered';
      readonly instances: readonly string[];
      readonly refusals: readonly { readonly offering: Offering; readonly code: string }[];
    }
  | { readonly result: Exclude<LaunchResult['kind'], 'answered'>; readonly code: string }
);

/** How a decision was carried out. */
export type CarriedOut = {
  readonly code: 'carried-out';
  readonly launches: readonly LaunchOutcome[];
  /** Swaps that were claimed. */
  readonly claimed: readonly { readonly instance: string; readonly reason: LeaveReason; readonly drain?: string }[];
  readonly drainsStarted: number;
  readonly admitted: readonly string[];
  /** Members that could not be put into service. */
  readonly failed: readonly { readonly instance: string; readonly awsCode: string }[];
  /** Auto Scaling groups whose maximum size was put back. */
  readonly restored: readonly string[];
  readonly wakeAtMs?: number;
};

/** Why a decision was not carried out: another write came first. */
export type Overtaken =
  /** Another invocation wrote the state item after this version was read. */
  | { readonly by: 'state'; readonly readVersion: number }
  | { readonly by: 'policy'; readonly policyVersion: number }
  /** Signals reported `count` more leaving members meanwhile. At most fifty are named. */
  | { readonly by: 'claims'; readonly instances: readonly string[]; readonly count: number };

/** The group is only observed: the decision was not carried out, and no call changed anything. */
export type Observed = {
  readonly code: 'observed';
  /** Members that leave, or would have been replaced, because of signals that were new then. At most fifty. */
  readonly leaves: readonly { readonly instance: string; readonly reason: LeaveReason }[];
  /** What the launches would have cost, what the removals would have saved, and what the members cost then. */
  readonly adds: Cost;
  readonly ends: Cost;
  readonly now: Cost;
};

export type Outcome = CarriedOut | Observed | { readonly code: 'not-carried-out'; readonly overtaken: Overtaken };

/** Parts that may be left out of a record that is too large to be stored. */
export type TrimmedPart = 'rounds' | 'view' | 'outcome';

/**
 * A stored decision: what was decided, from which view, and its outcome. `holdfast explain` and `holdfast
 * decisions` read these.
 */
export type DecisionRecord = {
  readonly group: string;
  /** Sortable: time first. */
  readonly id: string;
  readonly atMs: number;
  readonly policyVersion: number;
  readonly correlation: string;
  readonly causes: readonly Cause[];
  /** Changes of the desired size. Empty when it did not change. */
  readonly sizes: readonly SizeChange[];
  /** The first decision, and one after each refusal. */
  readonly rounds: readonly Decision[];
  readonly view?: ViewDigest;
  /** Absent when the decision was made and nothing is known about its outcome. */
  readonly outcome?: Outcome;
  /** Parts that were left out, and how large each was, where that is known. */
  readonly trimmed?: readonly { readonly part: TrimmedPart; readonly bytes?: number }[];
};

/** A stored item that could not be read, and why. */
export type Unreadable = { readonly group: string; readonly item: string; readonly problems: readonly string[] };

/** Reads stored decisions, newest first. Decisions that cannot be read are returned beside the others. */
export type DecisionLog = {
  decisions(
    group: string,
    limit: number,
  ): Promise<{ readonly records: readonly DecisionRecord[]; readonly unreadable: readonly Unreadable[] }>;
};

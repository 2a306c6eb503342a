import * as z from 'zod/mini';
import type { Owner } from '../ports/owners.ts';
import type { AlarmFact } from '../scaling/lasting-alarms.ts';
import type { LeavingFact } from '../swap/claim.ts';
import { firstProblem } from './fields.ts';

/** Facts about a group from signals. Signals only add facts, and one decision follows from all of them. */
export type News = {
  readonly leaving: readonly LeavingFact[];
  /** Instances that EC2 reports as running. They may have ended since. */
  readonly ran: readonly string[];
  /** Of those, the ones that were in an Auto Scaling group by then, which had launched them. */
  readonly ranInAsg: readonly string[];
  /** Instances that EC2 reports as shutting down, stopped or terminated. */
  readonly ended: readonly string[];
  /** Of those, the ones that are stopped or stopping. */
  readonly stopped: readonly string[];
  readonly alarms: readonly AlarmFact[];
  /** Auto Scaling groups that could not launch by themselves. */
  readonly refusedAsgs: readonly string[];
  /** Drains whose executions were stopped. Other drains take over their members. */
  readonly stoppedDrains: readonly string[];
  /** Whether to repair what time or lost messages left unfinished. */
  readonly isTick: boolean;
  /** Whether one of the ticks is of the schedule. Absent: all ticks are wakes, or there is none. */
  readonly isMinute?: boolean;
  /** Whether one of the ticks is a wake, so something of the group is due. Absent: all are of the schedule. */
  readonly isWoken?: boolean;
  /** When a user last wrote the policy. */
  readonly writtenAtMs?: number;
};

/** What a signal is about, from which its groups are found. */
export type Subject =
  | { readonly groups: readonly string[] }
  | { readonly alarm: string }
  | { readonly asg: string }
  /** `asg`: the Auto Scaling group that the event names beside the instance. */
  | { readonly instance: string; readonly asg?: string };

/** A message that is not a signal. `ignored`: known and without effect. `invalid`: malformed. Both with the reason. */
export type Unread = { readonly kind: 'ignored' | 'invalid'; readonly why: string };

/** `kind` names the signal, and `atMs` is when it happened, by the sender's clock. */
type AnySignal = { readonly kind: string; readonly atMs: number };

/** The part that all kinds have, whatever the schemas of their details. */
type Common<S extends AnySignal, Cause extends object> = {
  readonly kind: S['kind'];
  readonly source: string;
  readonly detailType: string;
  /** AWS's sample has an empty `time`, so the time of the message counts. Other kinds without a time are refused. */
  readonly mayLackTime?: true;
  /**
   * How events come. `rule`: an EventBridge rule takes them from the bus; `where` has what it compares in the detail,
   * and `ofOwnDrains` restricts it to executions of this deployment's state machine. `queue`: Holdfast sends them.
   */
  readonly comes:
    | { readonly by: 'rule'; readonly where?: Readonly<Record<string, unknown>>; readonly ofOwnDrains?: true }
    | { readonly by: 'queue' };
  /**
   * When its message is delivered again. `failed`: when its group could not be converged. `always`: also while it is
   * young and EC2 does not show its instance yet. `never`: because another message follows anyway.
   */
  readonly comesAgain: 'always' | 'failed' | 'never';
  /** The fields that a stored decision keeps beside its kind, and how they are read back. */
  readonly cause: { readonly [Field in keyof Cause]-?: z.ZodMiniType<Cause[Field]> };
  about(signal: S): Subject;
  /**
   * Whether it is out of date: the announced event did not happen, or the reported state has changed. Events may be
   * delayed, or replayed from a dead-letter queue, so each is compared with what EC2 shows now.
   */
  isOver(signal: S, owner: Owner | undefined, nowMs: number): boolean;
  /** The facts that it adds. `owner`: what EC2 shows of its instance. */
  adds(signal: S, owner: Owner | undefined): Partial<News>;
  causeOf(signal: S): Cause;
};

/** Reads the text of a time in an event, as epoch milliseconds. Undefined if it cannot be read. */
export type TimeOf = (text: string | undefined) => number | undefined;

/** One kind of signal: where it comes from, how it is read, which groups it is for, and which facts it adds. */
export type SignalKind<S extends AnySignal, Cause extends object = object> = Common<S, Cause> & {
  /** `detail` is of the event, and `atMs` when it happened. */
  read(
    detail: unknown,
    atMs: number,
    timeOf: TimeOf,
  ): { readonly kind: 'signals'; readonly signals: readonly S[] } | Unread;
};

const isList = <S>(read: S | readonly S[]): read is readonly S[] => Array.isArray(read);

/**
 * Makes a kind from its parts. A detail that does not fit the schema is invalid, with the path of the error. The type
 * of the signal is what `toSignal` returns: one signal, or several where an event is about several instances.
 */
export const signalKind = <S extends AnySignal, Detail extends z.ZodMiniType, Cause extends object>({
  detail,
  toSignal,
  ...common
}: Common<S, Cause> & {
  readonly detail: Detail;
  readonly toSignal: (detail: z.output<Detail>, atMs: number, timeOf: TimeOf) => S | readonly S[] | Unread;
}): SignalKind<S, Cause> => ({
  ...common,
  read: (found, atMs, timeOf) => {
    const parsed = z.safeParse(detail, found);
    if (!parsed.success) return { kind: 'invalid', why: `${common.detailType}: detail.${firstProblem(parsed.error)}` };
    const read = toSignal(parsed.data, atMs, timeOf);
    if (isList(read)) return { kind: 'signals', signals: read };
    return 'why' in read ? read : { kind: 'signals', signals: [read] };
  },
});

/** For kinds that are about the present, however old. */
export const neverOver = (): boolean => false;

/** Instances named as far as a record has room; `count` counts all of them. */
type Instances = { readonly instances: readonly string[]; readonly count: number };

/** For kinds about instances. They are filled in when signals are collected. */
export const instancesCause = {
  cause: { instances: z.array(z.string()), count: z.number() },
  causeOf: (): Instances => ({ instances: [], count: 0 }),
};

/** For kinds whose name says everything. */
export const noCause = { cause: {}, causeOf: (): object => ({}) };

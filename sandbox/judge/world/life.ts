import type { Market } from '../../../core/pool/offering.ts';
import type { LaunchedVersion } from '../../world/instance.ts';
import type { Actor } from '../history.ts';
import { remembered } from '../remembered.ts';
import { times } from '../times.ts';
import type { Told } from './message.ts';

/** A span of time. Without an end, it still lasts. */
export type Span = { readonly fromMs: number; readonly untilMs: number };

/** The end of a span that has no end. */
export const endless = Number.POSITIVE_INFINITY;

export const covers = ({ fromMs, untilMs }: Span, atMs: number): boolean => fromMs <= atMs && atMs < untilMs;

/** A time in service of one target group, until it was taken out or failed. */
export type Service = Span & { readonly targetGroup: string; readonly why?: 'deregistered' | 'unhealthy' | 'ending'; readonly by?: Actor };

/** Held by an Auto Scaling group. */
export type Stay = Span & { readonly asg: string; readonly how?: 'detached' | 'standby' | 'terminating'; readonly by?: Actor };

export type Warning = {
  readonly atMs: number;
  readonly takenAtMs: number;
  readonly action: 'terminate' | 'stop' | 'hibernate';
  readonly silent: boolean;
};

export type HookWait = {
  readonly atMs: number;
  readonly asg: string;
  readonly hook: string;
  /** The hook's time-out: how long it waits, and how far each heartbeat extends it. */
  readonly timeoutMs: number;
  readonly expiresAtMs: number;
  readonly over?: { readonly atMs: number; readonly how: 'completed' | 'expired' | 'gone'; readonly result?: string; readonly by: Actor };
};

/** A message that reached a function. */
export type Delivery = {
  readonly atMs: number;
  readonly invocation: string;
  readonly message: string;
  readonly told: Told;
  readonly happenedAtMs: number;
};

/** How an instance ended, or how one run of it did. */
export type End = {
  readonly ending?: { readonly atMs: number; readonly by: Actor; readonly code?: string };
  readonly ended?: { readonly atMs: number; readonly state: 'terminated' | 'stopped' };
};

/** All events of one instance. */
export type Life = End & {
  readonly instance: string;
  /** Its launch among all events: orders launches of one moment. */
  readonly order: number;
  readonly instanceType: string;
  readonly zone: string;
  readonly subnet: string;
  readonly market: Market;
  readonly priceUsdPerHour: number;
  readonly template?: LaunchedVersion;
  readonly launchedAtMs: number;
  readonly askedAtMs?: number;
  readonly by: Actor;
  readonly tags: readonly { readonly atMs: number; readonly tags: Readonly<Record<string, string>>; readonly by: Actor }[];
  readonly stays: readonly Stay[];
  readonly runningAtMs?: number;
  readonly bootedAtMs?: number;
  /** When EC2's status checks first passed. */
  readonly passedAtMs?: number;
  /** When its software stopped answering, and answered again. */
  readonly answers: readonly { readonly atMs: number; readonly isOn: boolean }[];
  readonly services: readonly Service[];
  readonly empties: readonly { readonly atMs: number; readonly targetGroup: string }[];
  readonly warnings: readonly Warning[];
  /** When a swap of it became history. */
  readonly historyAtMs: readonly number[];
  /** When it was certain that EC2 did not take it, although it had warned. */
  readonly sparedAtMs: readonly number[];
  /** When its swap was withdrawn after that. */
  readonly backAtMs: readonly number[];
  /** When a swap of it became history while it lived on, and EC2 had announced nothing. */
  readonly calledOffAtMs: readonly number[];
  /**
   * When it was a member again after the state table with its swap was restored or emptied: when it served again after Holdfast took it out of service,
   * or at once where nothing was done yet.
   */
  readonly forgottenAtMs: readonly number[];
  readonly advisedAtMs: readonly number[];
  /** When AWS said that it will retire it, and from when on. */
  readonly scheduled: readonly { readonly atMs: number; readonly startsAtMs: number }[];
  readonly hooks: readonly HookWait[];
  /** Each time that it ran again after EC2 or somebody had stopped it, and how that run ended. The end of the life stays the first one. */
  readonly restarts: readonly ({ readonly atMs: number } & End)[];
  /** Of a run after the first one: when the instance ran again. */
  readonly runsAgainMs?: number;
  /** When it was started again to join its Auto Scaling group, where a warm pool had stopped it. EC2 shows that as its launch time. */
  readonly drawnAtMs?: number;
  /** When a warm pool had begun to stop it before that. */
  readonly pooledAtMs?: number;
  readonly protections: readonly { readonly atMs: number; readonly from: 'scale-in' | 'termination'; readonly isOn: boolean }[];
  /** When its swap item was written, in which state, for which reason, with which drain, and in which invocation. */
  readonly claims: readonly {
    readonly atMs: number;
    readonly by: Actor;
    readonly state: string;
    readonly reason?: string;
    readonly drain?: string;
  }[];
  /** When EC2 refused to Holdfast to end it: from then on it stays, whatever was begun. */
  readonly refusedAtMs: readonly number[];
  readonly drains: readonly { readonly atMs: number; readonly drain: string }[];
  readonly deliveries: readonly Delivery[];
};

/** When an instance was launched, as EC2 shows it (DescribeInstances, LaunchTime): at its last start. */
export const launchTimeOf = ({ launchedAtMs, drawnAtMs }: Life): number => drawnAtMs ?? launchedAtMs;

/**
 * Whether an instance is as old as `ready.after` of its policy says, by a clock that may be ahead. EC2 reports launch times in whole seconds.
 */
export const isWarmAt = (life: Life, afterMs: number, atMs: number, { clockMs }: { readonly clockMs: number }): boolean =>
  launchTimeOf(life) + afterMs - clockMs - 1_000 <= atMs;

export const tagsAt = ({ tags }: Life, atMs: number): Readonly<Record<string, string>> =>
  (tags.findLast((change) => change.atMs <= atMs) ?? tags[0])?.tags ?? {};

export const isAlive = ({ launchedAtMs, ending, ended }: Life, atMs: number): boolean =>
  launchedAtMs <= atMs && Math.min(ending?.atMs ?? endless, ended?.atMs ?? endless) > atMs;

/** When it was first gone for good: it shuts down, or has ended. */
export const goneAtMs = ({ ending, ended }: End): number => Math.min(ending?.atMs ?? endless, ended?.atMs ?? endless);

/** Whether its software answers: it has booted, and did not stop answering since. */
export const answersAt = ({ bootedAtMs = endless, answers }: Life, atMs: number): boolean =>
  bootedAtMs <= atMs && answers.findLast((change) => change.atMs <= atMs)?.isOn !== false;

export const stayAt = ({ stays }: Life, atMs: number): Stay | undefined => stays.find((stay) => covers(stay, atMs));

export const isFunction = (by: Actor | undefined): by is Extract<Actor, { kind: 'function' }> => by?.kind === 'function';

/** Whether an Auto Scaling group acts to exchange members: to even out its zones, to follow a changed distribution, or to replace a member at risk. */
export const isExchange = (by: Actor): boolean => by.kind === 'asg' && (by.why === 'zones' || by.why === 'distribution' || by.why === 'risk');

/** When Holdfast first took it out of service of some target group, of what came after a moment. */
export const takenOutAtMs = ({ services }: Life, sinceMs = Number.NEGATIVE_INFINITY): number =>
  Math.min(
    endless,
    ...services.filter(({ why, by, untilMs }) => why === 'deregistered' && isFunction(by) && untilMs > sinceMs).map(({ untilMs }) => untilMs),
  );

/**
 * Since when the protection by the Auto Scaling group lasts. Standby does not end it, and neither does the way from its warm pool into the group (EC2
 * Auto Scaling User Guide). An instance that left its group comes back without protection.
 */
const protectedSinceMs = ({ stays }: Life, stay: Stay): number =>
  Math.max(Number.NEGATIVE_INFINITY, ...stays.flatMap(({ how, untilMs }) => (how !== 'standby' && untilMs <= stay.fromMs ? [untilMs] : [])));

/** Whether the Auto Scaling group that holds it protects it from scale-in, which its describes tell. */
export const isProtected = (life: Life, atMs: number): boolean => {
  const stay = stayAt(life, atMs);
  if (stay === undefined) return false;
  const sinceMs = protectedSinceMs(life, stay);
  return life.protections.findLast((change) => change.from === 'scale-in' && change.atMs >= sinceMs && change.atMs <= atMs)?.isOn === true;
};

/** When EC2 last refused to Holdfast to end it. */
export const lastRefusalMs = ({ refusedAtMs }: Life, atMs: number): number =>
  Math.max(Number.NEGATIVE_INFINITY, ...refusedAtMs.filter((refusedMs) => refusedMs <= atMs));

/** The time at which EC2 takes it, by a warning: after two minutes, or at once if it hibernates. EC2 may act otherwise. */
export const takenByMs = ({ atMs, action }: Pick<Warning, 'atMs' | 'action'>): number => atMs + (action === 'hibernate' ? 0 : times.spotNoticeMs);

/** Announced warnings: a warning that no function received cannot be acted on. */
export const warnedAtMs = ({ warnings }: Life, sinceMs = Number.NEGATIVE_INFINITY): number =>
  Math.min(endless, ...warnings.filter(({ silent, atMs }) => !silent && atMs > sinceMs).map(({ atMs }) => atMs));

/** Whether AWS had said by then that it will retire it. */
export const isScheduled = ({ scheduled }: Life, atMs: number): boolean => scheduled.some((one) => one.atMs <= atMs);

/** When it was last put back into service, because EC2 had not taken it. */
export const lastBackMs = ({ backAtMs }: Life, atMs: number): number =>
  Math.max(Number.NEGATIVE_INFINITY, ...backAtMs.filter((backMs) => backMs <= atMs));

/** When EC2 last let pass a time by which it said to take it, and nobody had ever chosen it to leave: no message had told Holdfast to. */
const lastSparedUnchosenMs = ({ sparedAtMs, claims }: Life, atMs: number): number =>
  Math.max(Number.NEGATIVE_INFINITY, ...sparedAtMs.filter((sparedMs) => sparedMs <= atMs && claims.every((claim) => claim.atMs > sparedMs)));

/** When it was last chosen to leave without effect: its swap became history before anything was done, and it still runs. */
export const lastCalledOffMs = (life: Life, atMs: number): number =>
  Math.max(Number.NEGATIVE_INFINITY, ...life.calledOffAtMs.filter((offMs) => offMs <= atMs && takenOutAtMs(life) > offMs));

/** When it was last a member again because the state table had lost that it leaves. */
const lastForgottenMs = ({ forgottenAtMs }: Life, atMs: number): number =>
  Math.max(Number.NEGATIVE_INFINITY, ...forgottenAtMs.filter((servesMs) => servesMs <= atMs));

/** Events name whole seconds. */
const eventMs = 1_000;

/** Whether a message about a warning of this moment is about this warning. */
export const isToldBy = ({ atMs }: Warning, happenedAtMs: number): boolean => Math.abs(atMs - happenedAtMs) < eventMs;

/**
 * From when on it leaves without a choice of Holdfast, because EC2 takes it or its Auto Scaling group ends it. A warning that did not come true no longer
 * counts when its member is back in service.
 */
export const forcedOutAtMs = (life: Life, sinceMs = Number.NEGATIVE_INFINITY): number =>
  Math.min(
    ...life.warnings.filter(({ atMs }) => atMs > sinceMs).flatMap(({ atMs, takenAtMs, silent }) => [takenAtMs, ...(silent ? [] : [atMs])]),
    ...life.hooks.map(({ atMs }) => atMs),
    ...life.stays.filter(({ how, by }) => how === 'terminating' && !isFunction(by)).map(({ untilMs }) => untilMs),
    isFunction(life.ending?.by) ? endless : goneAtMs(life),
  );

/** When its Auto Scaling group began to end it. It runs on for a while, and is no longer a member. */
export const beganToEndMs = ({ stays }: Life): number =>
  Math.min(endless, ...stays.filter(({ how }) => how === 'terminating').map(({ untilMs }) => untilMs));

/** Whether a drain says only that it is kept: EC2 had refused to end it, and nobody chose it since. Its first drain may have been stopped before that. */
const saysThatItIsKept = (life: Life, atMs: number): boolean => {
  const refusedMs = lastRefusalMs(life, atMs);
  return (
    refusedMs > Number.NEGATIVE_INFINITY && !life.claims.some((claim) => claim.state === 'leaving' && claim.atMs > refusedMs && claim.atMs <= atMs)
  );
};

/** From when on it leaves, if what happened to it before these two moments counts no more: what Holdfast began, and a warning. */
const leavesSince = (life: Life, sinceMs: number, warnedSinceMs: number): number => {
  const drained = life.drains.filter(({ atMs }) => atMs > sinceMs && !saysThatItIsKept(life, atMs)).map(({ atMs }) => atMs);
  const acted = Math.min(takenOutAtMs(life, sinceMs), goneAtMs(life), ...drained);
  const left = beganToEndMs(life);
  // A choice that was not carried out does not count.
  const claimed = life.claims.find((claim) => claim.atMs > sinceMs && claim.state === 'leaving')?.atMs ?? endless;
  return Math.min(forcedOutAtMs(life, warnedSinceMs), acted, left, Math.min(acted, left) === endless ? endless : claimed);
};

/** The same for one that never stays again. Rules ask for it often. */
const leavesOnceAtMs = remembered((life: Life): number => leavesSince(life, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY));

/** When a swap of it was over or lost while it lived on, so that it stayed again. */
export const staysAgainAtMs = ({ refusedAtMs, backAtMs, calledOffAtMs, forgottenAtMs }: Life): readonly number[] => [
  ...refusedAtMs,
  ...backAtMs,
  ...calledOffAtMs,
  ...forgottenAtMs,
];

const staysAgainNever = (life: Life): boolean => staysAgainAtMs(life).length + life.sparedAtMs.length === 0;

/**
 * From when on it leaves, as known at a moment: it is forced to, or Holdfast's choice was carried out. A member that waits for its turn stays. A
 * member that EC2 refused to end stays again, and so does one whose choice was called off before anything was done, or was lost with the state table.
 * A member that nobody chose stays again once EC2 has not taken it.
 */
export const leavesAtMs = (life: Life, atMs: number): number => {
  if (staysAgainNever(life)) return leavesOnceAtMs(life);
  const sinceMs = Math.max(lastRefusalMs(life, atMs), lastBackMs(life, atMs), lastCalledOffMs(life, atMs), lastForgottenMs(life, atMs));
  return leavesSince(life, sinceMs, Math.max(lastBackMs(life, atMs), lastSparedUnchosenMs(life, atMs)));
};

/** Whether the swap of an instance in this state takes it out of the group: it does not wait, and is not over or withdrawn. */
export const isOnItsWay = (state: string | undefined): boolean => state === 'leaving' || state === 'draining' || state === 'drained';

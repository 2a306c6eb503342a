import type { Reservation } from '../launch/reservation.ts';
import { isOpen } from '../launch/reservation-life.ts';
import type { Deaths } from '../pool-memory/boot-memory.ts';
import type { MoveLimit } from '../returning/returning.ts';
import type { GroupState, View } from '../view/view.ts';

/** The most launches within a time (`launches` of a policy). */
export type LaunchLimit = { readonly atMost: MoveLimit; readonly withinMs: number };

/** The limit where a policy sets none: three times the size within ten minutes. */
const usualLaunchLimit: LaunchLimit = { atMost: { kind: 'share', percent: 300 }, withinMs: 600_000 };

/** A share of a small group still allows this many launches, for ordinary failures. */
const leastOfShare = 10;

/** Launches of about the same time: their number, when the last of them was granted, and the desired size then. */
export type LaunchTally = { readonly atMs: number; readonly count: number; readonly desired: number };

/** What a group's state remembers about its launches within the time of the limit. */
export type LaunchMemory = {
  readonly launches?: readonly LaunchTally[];
  /** Members that EC2 warned about. Warnings of about the same time have the time of the first one. */
  readonly warnings?: readonly Deaths[];
};

/** The time of a limit is counted in this many parts, so that a storm leaves no longer list than a quiet day. */
const parts = 30;

const within = <T extends { readonly atMs: number }>(
  list: readonly T[] | undefined,
  withinMs: number,
  nowMs: number,
): readonly T[] => (list ?? []).filter(({ atMs }) => nowMs - atMs < withinMs);

const sumOf = (list: readonly { readonly count: number }[]): number => list.reduce((sum, { count }) => sum + count, 0);

const limitOf = ({ launches = usualLaunchLimit }: { readonly launches?: LaunchLimit }): LaunchLimit => launches;

const isSamePart = (before: { readonly atMs: number }, nowMs: number, withinMs: number): boolean =>
  Math.floor((before.atMs * parts) / withinMs) === Math.floor((nowMs * parts) / withinMs);

const withoutEmpty = (state: GroupState, { launches = [], warnings = [] }: LaunchMemory): GroupState => {
  const { launches: _l, warnings: _w, ...rest } = state;
  return { ...rest, ...(launches.length > 0 && { launches }), ...(warnings.length > 0 && { warnings }) };
};

type Limited = { readonly launches?: LaunchLimit };

/** The state after EC2 granted launches. A part counts from its last launch, so the limit is never exceeded. */
export const rememberLaunches = (state: GroupState, group: Limited, count: number, nowMs: number): GroupState => {
  if (count === 0) return state;
  const { withinMs } = limitOf(group);
  const young = within(state.launches, withinMs, nowMs);
  const last = young.at(-1);
  const isSame = last !== undefined && isSamePart(last, nowMs, withinMs);
  const tally = {
    atMs: Math.max(nowMs, last?.atMs ?? 0),
    count: count + (isSame ? last.count : 0),
    desired: Math.max(state.desired, isSame ? last.desired : 0),
  };
  return withoutEmpty(state, { ...state, launches: [...(isSame ? young.slice(0, -1) : young), tally] });
};

/** The state after EC2 warned about members. A part counts from its first warning. */
export const rememberWarnings = (state: GroupState, group: Limited, count: number, nowMs: number): GroupState => {
  if (count === 0) return state;
  const { withinMs } = limitOf(group);
  const young = within(state.warnings, withinMs, nowMs);
  const last = young.at(-1);
  const isSame = last !== undefined && isSamePart(last, nowMs, withinMs);
  const tally = isSame ? { ...last, count: last.count + count } : { atMs: nowMs, count };
  return withoutEmpty(state, { ...state, warnings: [...(isSame ? young.slice(0, -1) : young), tally] });
};

/** The state without launches and warnings that no longer count. */
export const forgetLaunches = (state: GroupState, group: Limited, nowMs: number): GroupState => {
  const { withinMs } = limitOf(group);
  const isOver = (list: readonly { readonly atMs: number }[] | undefined): boolean =>
    list !== undefined && within(list, withinMs, nowMs).length === 0;
  const { launches, warnings } = state;
  if (!isOver(launches) && !isOver(warnings)) return state;
  return withoutEmpty(state, {
    ...(launches && !isOver(launches) && { launches }),
    ...(warnings && !isOver(warnings) && { warnings }),
  });
};

/**
 * The state without launches and warnings until a user wrote the policy. A part of the time that ends later stays
 * whole, so the limit is never exceeded. Open requests from before keep the time of the write.
 */
export const withoutLaunches = (state: GroupState, writtenAtMs: number, nowMs: number): GroupState => {
  const later = <T extends { readonly atMs: number }>(list: readonly T[] = []): readonly T[] =>
    list.filter(({ atMs }) => atMs > writtenAtMs);
  const rewrittenAtMs = Math.min(writtenAtMs, nowMs);
  const reservations = state.reservations.map((one) =>
    isOpen(one) && one.atMs <= rewrittenAtMs ? { ...one, rewrittenAtMs } : one,
  );
  return withoutEmpty({ ...state, reservations }, { launches: later(state.launches), warnings: later(state.warnings) });
};

/**
 * Whether an instance counts in the limit. It does not if its request is from before the policy was written, and the
 * look before its response showed that it was launched before that too, or that it has ended.
 */
export const countsIn =
  ({ members, ended }: Pick<View, 'members' | 'ended'>) =>
  ({ rewrittenAtMs }: Pick<Reservation, 'rewrittenAtMs'>, instance: string): boolean => {
    if (rewrittenAtMs === undefined) return true;
    const shown = members.find((member) => member.instance === instance);
    return shown === undefined ? !ended.includes(instance) : shown.launchedAtMs > rewrittenAtMs;
  };

/**
 * Launches without a response that are forgotten now. They count as far as describes show their instances.
 *
 * @param kept ids of the reservations that stay
 */
export const countForgotten = (view: View, kept: ReadonlySet<string>): GroupState => {
  const { state, members, group, nowMs } = view;
  const gone = new Map(state.reservations.flatMap((one) => (isOpen(one) && !kept.has(one.id) ? [[one.id, one]] : [])));
  const counts = countsIn(view);
  const shown = members.filter(({ reservation = '', instance }) => {
    const forgotten = gone.get(reservation);
    return forgotten !== undefined && counts(forgotten, instance);
  });
  return rememberLaunches(state, group, shown.length, nowMs);
};

/** How much of its limit a group has left. */
export type LaunchRoom = {
  /** How many may be launched now. */
  readonly left: number;
  /** How many were launched within the time. `atMost`: the limit, plus one for each interrupted member. */
  readonly launched: number;
  readonly atMost: number;
  readonly withinMs: number;
  /** When the first of these launches no longer counts. */
  readonly untilMs: number;
};

const mostOf = ({ kind, ...limit }: MoveLimit, size: number): number => {
  if ('by' in limit) return limit.by;
  return kind === 'share' ? Math.max(leastOfShare, Math.ceil((size * limit.percent) / 100)) : 0;
};

/**
 * How many instances of an open request may count in the limit: all but those that `countsIn` leaves out. A look has
 * the ended ones as a number alone.
 */
const mayCount = (open: Reservation, view: View): number => {
  const counts = countsIn(view);
  const before = view.members.filter(({ reservation, instance }) => reservation === open.id && !counts(open, instance));
  const ended = open.rewrittenAtMs === undefined ? 0 : (view.endedUnder?.[open.id] ?? 0);
  return Math.max(0, open.placement.count - before.length - ended);
};

/**
 * How many instances a group may launch now. Replacements for members that EC2 warned about do not count, so the limit
 * never delays them in a storm. A share is of the largest desired size within the time.
 */
export const launchRoom = (view: View): LaunchRoom => {
  const { state, group, nowMs } = view;
  const { atMost, withinMs } = limitOf(group);
  const tallies = within(state.launches, withinMs, nowMs);
  const open = state.reservations.filter(isOpen).map((one) => mayCount(one, view));
  const launched = sumOf(tallies) + open.reduce((sum, count) => sum + count, 0);
  const size = Math.max(state.desired, ...tallies.map(({ desired }) => desired));
  const most = mostOf(atMost, size) + sumOf(within(state.warnings, withinMs, nowMs));
  return {
    left: Math.max(0, most - launched),
    launched,
    atMost: most,
    withinMs,
    untilMs: (tallies[0]?.atMs ?? nowMs) + withinMs,
  };
};

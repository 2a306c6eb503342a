import type { Leaving } from '../decision/decision.ts';
import type { Group } from '../group/group.ts';
import type { Reservation } from '../launch/reservation.ts';
import { offeringKey, parseOfferingKey } from '../pool/offering.ts';
import { answeredMoves, type Loss, type Move, noReturns, rememberLosses } from '../returning/memory.ts';
import { standInsAmong } from '../returning/stand-ins.ts';
import { movesNow } from '../returning/under-way.ts';
import type { Warned } from '../swap/swap.ts';
import { takeHeadcount } from '../view/headcount.ts';
import type { GroupState, View } from '../view/view.ts';

type Remembered = Pick<GroupState, 'returns'>;

/** The moves that these launches begin, beside those under way: written before anything is launched. */
export const withMoves = (
  state: GroupState,
  fresh: readonly Reservation[],
  { decision, removals }: { readonly decision: string; readonly removals: readonly Leaving[] },
  nowMs: number,
): Remembered => {
  const begun = fresh.flatMap(({ id, placement: { count, moves } }): readonly Move[] =>
    moves === undefined ? [] : [{ reservation: id, atMs: nowMs, leaving: moves, count }],
  );
  const count = standInsAmong(removals);
  // A move without a launch: its members do not leave later.
  const stoodIn = count === 0 ? [] : [{ reservation: decision, atMs: nowMs, leaving: [], count }];
  const before = state.returns ?? noReturns;
  return begun.length + stoodIn.length === 0
    ? {}
    : { returns: { ...before, moves: [...before.moves, ...begun, ...stoodIn], askedAtMs: nowMs } };
};

/** The moves after the responses to these requests. */
export const afterAnswers = (
  { returns }: GroupState,
  requests: readonly string[],
  reservations: readonly Reservation[],
): Remembered =>
  returns === undefined ? {} : { returns: { ...returns, moves: answeredMoves(returns.moves, requests, reservations) } };

/** Forgets moves that are over, and interruptions that are older than a day. */
export const followReturns = (view: View): Remembered => {
  const { returns } = view.state;
  if (returns === undefined) return {};
  const losses = rememberLosses(returns.losses, [], view.nowMs);
  const moves = returns.moves.length === 0 ? returns.moves : movesNow(view, takeHeadcount(view));
  return { returns: { ...returns, moves, losses } };
};

/**
 * The state with the time at which its desired size or its policy changed, because members do not move for a while
 * after that. The same holds after a state item was lost or restored: the number of recent moves is unknown then.
 */
export const noteChange = (state: GroupState, stored: GroupState, group: Group, nowMs: number): GroupState => {
  const isOlder = state.lastReservation !== stored.lastReservation;
  const isLost = stored.version === 0 && stored.renewedAtMs !== undefined;
  const isChanged = state.desired !== stored.desired || state.policyVersion !== stored.policyVersion;
  return group.returning !== undefined && (isOlder || isLost || (isChanged && stored.version > 0))
    ? { ...state, returns: { ...(state.returns ?? noReturns), changedAtMs: nowMs } }
    : state;
};

/**
 * When an instance was launched. EC2 may warn an instance that is not a member at that time: it hibernates, or it waits
 * on a hook to leave.
 */
export type Launched = { readonly instance: string; readonly launchedAtMs: number };

/** The state with interruptions that it did not know, the oldest first. */
export const withLosses = (state: GroupState, { returning }: Group, losses: readonly Loss[]): GroupState => {
  if (returning === undefined || losses.length === 0) return state;
  const before = state.returns ?? noReturns;
  return { ...state, returns: { ...before, losses: [...losses, ...before.losses] } };
};

/** The state with how long the instances that EC2 warned about lived where they were. */
export const rememberLives = (
  state: GroupState,
  { group, launched }: { readonly group: Group; readonly launched: readonly Launched[] },
  warned: readonly Warned[],
  nowMs: number,
): GroupState => {
  if (group.returning === undefined || warned.length === 0) return state;
  const launchedAt = new Map(launched.map(({ instance, launchedAtMs }) => [instance, launchedAtMs]));
  const lived = warned.flatMap(({ instance, offering, toldAtMs: atMs = nowMs }): readonly Loss[] => {
    const [launchedAtMs, known] = [launchedAt.get(instance), parseOfferingKey(offering)];
    if (launchedAtMs === undefined || known === undefined) return [];
    return [{ offering: offeringKey(known), atMs, livedMs: atMs - launchedAtMs }];
  });
  const before = state.returns ?? noReturns;
  return { ...state, returns: { ...before, losses: rememberLosses(before.losses, lived, nowMs) } };
};

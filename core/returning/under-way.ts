import type { Leaving } from '../decision/decision.ts';
import { isOpen } from '../launch/reservation-life.ts';
import { isOnDemand, onDemandToSpare } from '../placement/on-demand.ts';
import { keptAmong } from '../placement/spare.ts';
import type { Headcount } from '../view/headcount.ts';
import type { Member, View } from '../view/view.ts';
import { isMovable } from './ground.ts';
import { type Move, movedRecently, noReturns, paysAfterMs } from './memory.ts';
import { kindOf } from './plan-return.ts';

/** A move whose replacements are there or on their way, and the members that are to leave for them. */
export type MoveUnderWay = {
  readonly move: Move;
  /** At most as many as there are replacements, and as the group has members above its desired size. */
  readonly leaving: readonly string[];
  /** Replacements that describes show. */
  readonly shown: readonly Member[];
  /** How many other members may be replacements too, because the request of the move has no response yet. */
  readonly unnamed: number;
};

/** Replacements of a move that no describe shows yet, without those that leave already. */
const stillComing = ({ inFlight }: Headcount, { reservation: id }: Move): number =>
  inFlight.find(({ reservation }) => reservation === id)?.count ?? 0;

/** The clocks of EC2 and of functions differ by less than this. */
const clocksDifferMs = 10_000;

/**
 * Members that an open request of `LaunchInstances` may have launched. Only its response says which they are: until
 * then they carry no reservation.
 */
const unnamedOf = ({ group, state }: View, { staying }: Headcount, { reservation: id }: Move): number => {
  const open = state.reservations.find((one) => one.id === id && isOpen(one));
  if (open === undefined) return 0;
  const { pool, count } = open.placement;
  const mayBeIts = ({ pool: of, reservation, launchedAtMs }: Member): boolean =>
    of === pool && reservation === undefined && launchedAtMs > open.atMs - clocksDifferMs;
  return group.pools[pool]?.asg === undefined ? 0 : Math.min(count, staying.filter(mayBeIts).length);
};

/**
 * Who leaves where a move names a member: that member. If its user protects it after the move began, the youngest other
 * member of its place leaves, because the replacement can take the place of either.
 */
const leavesFor = ({ group }: View, { staying, waiting }: Headcount, moves: readonly Move[]) => {
  const waits = new Set(waiting.map(({ instance }) => instance));
  const free = staying.filter((member) => !member.protected && isMovable(group, member) && !waits.has(member.instance));
  const named = new Set(moves.flatMap(({ leaving }) => leaving));
  const others = free
    .filter(({ instance }) => !named.has(instance))
    .toSorted((a, b) => b.launchedAtMs - a.launchedAtMs);
  return (id: string): readonly Member[] => {
    const kept = staying.find((member) => member.protected && member.instance === id);
    if (kept === undefined) return free.filter(({ instance }) => instance === id);
    const index = others.findIndex((other) => kindOf(other) === kindOf(kept));
    return index < 0 ? [] : others.splice(index, 1);
  };
};

/** Whether a member may leave. What the group owes on demand stays, even if the policy changed during the move. */
const sparedBy = (view: View, headcount: Headcount): ((instance: string) => boolean) => {
  let left = onDemandToSpare(view, headcount);
  const onDemand = new Set(headcount.staying.filter(isOnDemand).map(({ instance }) => instance));
  return (instance) => {
    if (!onDemand.has(instance)) return true;
    left -= 1;
    return left >= 0;
  };
};

/**
 * Moves that are under way. If a member is lost meanwhile, the replacement takes its place. Then the group has no
 * member above what it keeps, and the move ends.
 */
export const movesUnderWay = (view: View, headcount: Headcount): readonly MoveUnderWay[] => {
  const { moves } = view.state.returns ?? noReturns;
  // Three rules call this at each look, and a group seldom has moves.
  if (moves.length === 0) return [];
  const leaves = leavesFor(view, headcount, moves);
  const isSpared = sparedBy(view, headcount);
  const kept = keptAmong(view, headcount.staying);
  let above = headcount.staying.length - headcount.waiting.length + headcount.inFlightCount - kept;
  return moves.flatMap((move) => {
    const shown = headcount.staying.filter((member) => member.reservation === move.reservation);
    const replacements = shown.length + stillComing(headcount, move);
    const leaving = move.leaving
      .flatMap(leaves)
      .map(({ instance }) => instance)
      .slice(0, Math.max(0, Math.min(replacements, above)))
      .filter(isSpared);
    above -= leaving.length;
    return leaving.length === 0 ? [] : [{ move, leaving, shown, unnamed: unnamedOf(view, headcount, move) }];
  });
};

/**
 * How many members above the desired size are replacements whose members have not left yet.
 *
 * @param stays whether no earlier rule lets a member leave
 */
export const arrived = (underWay: readonly MoveUnderWay[], stays: (instance: string) => boolean): number =>
  underWay.reduce(
    (sum, { leaving, shown, unnamed }) => sum + Math.min(leaving.filter(stays).length, shown.length + unnamed),
    0,
  );

/**
 * Replacements that stay for the members that are to leave for them: those that serve, then those that came first.
 *
 * @param stays whether no earlier rule lets a member leave
 */
export const keptFor = (underWay: readonly MoveUnderWay[], stays: (instance: string) => boolean): ReadonlySet<string> =>
  new Set(
    underWay.flatMap(({ leaving, shown }) =>
      shown
        .toSorted((a, b) => Number(b.serving) - Number(a.serving) || a.launchedAtMs - b.launchedAtMs)
        .slice(0, leaving.filter(stays).length)
        .map(({ instance }) => instance),
    ),
  );

/** Without a check of its service, an instance counts as up this long after its launch. */
const upAfterMs = 180_000;

/** Whether a member serves, as far as Holdfast can know. */
export const isUp = ({ serving, unchecked, launchedAtMs }: Member, nowMs: number): boolean =>
  serving && (!unchecked || nowMs - launchedAtMs >= upAfterMs);

/** Members that may leave now, because their replacements serve. */
export const replacedMembers = (underWay: readonly MoveUnderWay[], nowMs: number): readonly Leaving[] =>
  underWay.flatMap(({ move, leaving, shown }) => {
    const serving = shown.filter((member) => isUp(member, nowMs));
    const pool = serving[0]?.pool;
    return leaving.slice(0, serving.length).map(
      (instance): Leaving => ({
        instance,
        reason: 'return',
        why: { code: 'return', reservation: move.reservation, ...(pool !== undefined && { pool }) },
      }),
    );
  });

/**
 * Moves to remember: those under way, those that still count for a budget, and those that may still be undone. A member
 * whose drain has not begun is still named, because its drain may be called off.
 */
export const movesNow = (view: View, headcount: Headcount): readonly Move[] => {
  const { moves } = view.state.returns ?? noReturns;
  const leavingOf = new Map(movesUnderWay(view, headcount).map(({ move, leaving }) => [move.reservation, leaving]));
  const begins = new Set(view.swaps.filter(({ state }) => state === 'leaving').map(({ instance }) => instance));
  const keptMs = Math.max(view.group.returning?.everyMs ?? 0, paysAfterMs);
  return moves.flatMap((move) => {
    const leaving = leavingOf.get(move.reservation);
    const beginning = move.leaving.filter((instance) => begins.has(instance));
    if (leaving === undefined && !movedRecently(move, keptMs, view.nowMs)) return [];
    return [{ ...move, leaving: [...beginning, ...(leaving ?? [])] }];
  });
};

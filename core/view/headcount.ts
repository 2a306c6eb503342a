import { howHeld } from '../group/holding.ts';
import type { Reservation } from '../launch/reservation.ts';
import { isOpen, isRepeatable, repeatedAtMs } from '../launch/reservation-life.ts';
import type { Offering } from '../pool/offering.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import { isHard, type Swap } from '../swap/swap.ts';
import type { Member, View } from './view.ts';

/** A launch that was requested or granted and that no describe shows yet. */
export type InFlight = {
  /** The id of its reservation. */
  readonly reservation: string;
  readonly pool: string;
  readonly count: number;
  readonly offerings: readonly Offering[];
  /** When it was requested, epoch ms. */
  readonly atMs: number;
  /** When a request without a response may be repeated, epoch ms. */
  readonly repeatAtMs?: number;
  /** No response has named its instances. */
  readonly isOpen?: true;
};

/** The members of a group: present, leaving and coming. Every instance is counted once. */
export type Headcount = {
  /** Members that stay, including those whose swap waits to begin. */
  readonly staying: readonly Member[];
  /** Staying members at risk, whose swap waits for surge budget. */
  readonly waiting: readonly Swap[];
  /** Swaps that still hold their place: drain-first and not drained yet, or chosen to begin and not begun. */
  readonly holdingPlace: readonly Swap[];
  /**
   * Members that another decision chose to leave and whose swaps are not written yet: its author still writes them, or
   * is dead. No other member leaves in their place, and nothing is launched for them.
   */
  readonly undecided: readonly Member[];
  readonly inFlight: readonly InFlight[];
  /**
   * All members that are to come: launches in flight, and members that Auto Scaling groups hold and EC2 does not show
   * yet.
   */
  readonly inFlightCount: number;
  /** Of these, members that Auto Scaling groups hold and EC2 does not show yet, by the group. */
  readonly unseen: readonly { readonly asg: string; readonly count: number }[];
  /** Members without a pool and without a reservation. Their origin is unknown. */
  readonly strays: readonly Member[];
};

/**
 * The part of a reservation that is still to come: the instances requested or granted, without those that a describe
 * shows, and without those that leave, have ended or hold no place. EC2's describes lag behind its launches, so an
 * instance that is not shown yet counts until `forgetAtMs`. While there is no response, the tags of the instances say
 * what was launched, also the tags of those that have ended.
 */
const stillToCome = (
  { id, instances, placement }: Reservation,
  { members, endedUnder = {} }: View,
  seen: ReadonlyMap<string, Member>,
  accounted: ReadonlySet<string>,
): number => {
  if (instances) return instances.filter((instance) => !seen.has(instance) && !accounted.has(instance)).length;
  const launched = members.filter(({ reservation }) => reservation === id).length + (endedUnder[id] ?? 0);
  return Math.max(0, placement.count - launched);
};

/**
 * Instances that an Auto Scaling group launched by itself and holds already, while EC2's describes do not show them
 * yet. They count as members. Those of a request without a response are among them, and its count counts too: nothing
 * says yet who launched them. Too few launches for some seconds are better than too many.
 */
const unseenIn = (
  view: View,
  seen: ReadonlyMap<string, Member>,
  accounted: ReadonlySet<string>,
): Headcount['unseen'] => {
  const reserved = new Set(view.state.reservations.flatMap(({ instances }) => instances ?? []));
  const isUnseen = (instance: string): boolean =>
    !seen.has(instance) && !accounted.has(instance) && !reserved.has(instance);
  return view.asgs.map(({ name, holds }) => ({ asg: name, count: holds.filter(isUnseen).length }));
};

/** A tagged instance that no reservation and no pool accounts for, and that none of our Auto Scaling groups holds. */
export const isStray = (group: View['group'], { asg, reservation, pool }: Member): boolean =>
  !howHeld(group).isInAsgs && asg === undefined && reservation === undefined && pool === undefined;

/** Counts a view. */
export const takeHeadcount = (view: View): Headcount => {
  const swapOf = new Map(view.swaps.map((swap) => [swap.instance, swap]));
  const ended = new Set(view.ended);
  const seen = new Map(
    view.members.filter(({ instance }) => !ended.has(instance)).map((member) => [member.instance, member]),
  );
  const isLeaving = (instance: string): boolean => (swapOf.get(instance)?.state ?? 'waiting') !== 'waiting';
  const present = [...seen.values()].filter(({ instance }) => !isLeaving(instance));
  const strays = present.filter((member) => isStray(view.group, member));
  const accounted = new Set([
    ...view.ended,
    ...(view.aside ?? []),
    ...view.swaps.filter(({ state }) => state !== 'waiting').map(({ instance }) => instance),
  ]);
  const inFlight = view.state.reservations
    .filter(({ forgetAtMs, instances }) => instances === undefined || view.nowMs < forgetAtMs)
    .map((reservation) => ({
      reservation: reservation.id,
      pool: reservation.placement.pool,
      offerings: reservation.placement.offerings,
      atMs: reservation.atMs,
      count: stillToCome(reservation, view, seen, accounted),
      ...(isRepeatable(reservation) && { repeatAtMs: repeatedAtMs(reservation) }),
      ...(isOpen(reservation) && { isOpen: true as const }),
    }))
    .filter(({ count }) => count > 0);
  const unseen = unseenIn(view, seen, accounted);
  return {
    staying: present.filter((member) => !strays.includes(member)),
    waiting: view.swaps.filter((swap) => swap.state === 'waiting' && seen.has(swap.instance)),
    holdingPlace: view.swaps.filter((swap) => holdsPlace(swap, view) || (isToBegin(swap) && seen.has(swap.instance))),
    undecided: view.swaps.flatMap((swap) => {
      const member = isChosenOnly(swap) ? seen.get(swap.instance) : undefined;
      return member === undefined || isStray(view.group, member) ? [] : [member];
    }),
    inFlight,
    inFlightCount: [...inFlight, ...unseen].reduce((sum, { count }) => sum + count, 0),
    unseen,
    strays,
  };
};

/** Whether a swap drains before its replacement is launched. */
export const drainsFirst = (swap: Swap, { group }: Pick<View, 'group'>): boolean =>
  group.swap.order === 'drain-first' &&
  traitsOf(swap).waitsForSurge &&
  !isHard(swap) &&
  (swap.state === 'leaving' || swap.state === 'draining');

/**
 * With `drain-first`, a swap that can wait keeps its place until it is drained. Its replacement is launched only then.
 * It keeps none if the size fell meanwhile, so that a member that is lost then is replaced at once.
 */
const holdsPlace = (swap: Swap, view: View): boolean =>
  drainsFirst(swap, view) && view.state.unreplaced?.includes(swap.instance) !== true;

/**
 * Another decision has chosen this swap to begin, and has not written it yet. It waits until that is done, so that its
 * replacement stays within the surge even if the author of that decision dies.
 */
const isToBegin = (swap: Swap): boolean => isUnordered(swap) && traitsOf(swap).waitsForSurge;

/** Another decision has chosen this member to leave without a replacement, and has not written its swap yet. */
const isChosenOnly = (swap: Swap): boolean => isUnordered(swap) && !traitsOf(swap).waitsForSurge;

const isUnordered = (swap: Swap): boolean => swap.state === 'leaving' && swap.drain === undefined && !isHard(swap);

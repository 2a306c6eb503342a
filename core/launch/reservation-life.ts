import type { LaunchResult } from '../ports/launches.ts';
import { isWorthALook } from '../times/again.ts';
import { describeLagMs, launchOverdueMs, repeatableMs } from '../times/times.ts';
import type { GroupState, View } from '../view/view.ts';
import type { Reservation } from './reservation.ts';

/** Whoever could not be tagged for this long is left without tags. */
const taggedLateMs = 3_600_000;

type Shown = Pick<View, 'group' | 'members' | 'nowMs'>;

/** How soon a request is repeated when it was throttled for the first time. */
export const repeatAfterMs = 2_000;

export const isOpen = ({ instances }: Reservation): boolean => instances === undefined;

/** Whether a repeat may still bring a response to a request. */
export const isRepeatable = (reservation: Reservation): boolean =>
  isOpen(reservation) && reservation.unanswerable === undefined;

/**
 * A throttle is no statement about capacity, but further requests would be throttled too. So nothing is requested until
 * its end, whatever signal arrives.
 */
export const isHeldBack = ({ throttle }: GroupState, nowMs: number): boolean =>
  throttle !== undefined && nowMs < throttle.untilMs;

/** When to look again because launches were throttled, if that is before the tick. */
export const heldBackTimes = ({ throttle }: Pick<GroupState, 'throttle'>, nowMs: number): readonly number[] =>
  throttle !== undefined && isWorthALook(throttle.untilMs, nowMs) ? [throttle.untilMs] : [];

/** When another invocation may repeat an open request. */
export const repeatedAtMs = ({ repeatFromMs, leaseUntilMs }: Reservation): number => repeatFromMs ?? leaseUntilMs;

/**
 * Open requests without a worker: the invocation that sent them seems to have died, or no response came. They have to
 * be repeated.
 */
export const abandoned = (state: GroupState, nowMs: number): readonly Reservation[] =>
  isHeldBack(state, nowMs)
    ? []
    : state.reservations.filter(
        (reservation) =>
          isRepeatable(reservation) && repeatedAtMs(reservation) <= nowMs && nowMs - reservation.atMs < repeatableMs,
      );

/**
 * The reservation of a repeat: its lease and its time of belief start anew, because this attempt may be the one that is
 * carried out.
 */
export const takenUp = (reservation: Reservation, nowMs: number, leaseMs: number): Reservation => ({
  ...reservation,
  leaseUntilMs: nowMs + leaseMs,
  repeatFromMs: nowMs + launchOverdueMs,
  forgetAtMs: nowMs + describeLagMs,
});

/** Whether a reservation still counts. Afterwards describes have shown everything that was launched. */
export const isBelieved =
  (nowMs: number) =>
  ({ leaseUntilMs, forgetAtMs, instances }: Reservation): boolean =>
    nowMs < forgetAtMs || (instances === undefined && nowMs < leaseUntilMs);

/**
 * The instances of each reservation that are tagged late: an Auto Scaling group launched them for us, and describes do
 * not show their tags yet. EC2 Fleet tags what it launches, so a missing tag was removed on purpose.
 */
export const awaitingTags = ({ group: { pools }, members }: Pick<View, 'group' | 'members'>) => {
  const untagged = new Set(members.flatMap(({ instance, asg, isUntagged }) => (asg && isUntagged ? [instance] : [])));
  return ({ instances = [], placement }: Pick<Reservation, 'instances' | 'placement'>): readonly string[] => {
    const pool = pools[placement.pool];
    return pool !== undefined && pool.asg === undefined ? [] : instances.filter((instance) => untagged.has(instance));
  };
};

/**
 * A reservation while it counts. Afterwards it is kept for instances that are not tagged yet, because nothing else says
 * whose they are. Such instances are shown, so they count as members.
 */
export const stillKnown = (reservation: Reservation, shown: Shown): Reservation | undefined => {
  if (isBelieved(shown.nowMs)(reservation)) return reservation;
  const instances = awaitingTags(shown)(reservation);
  return instances.length > 0 && shown.nowMs - reservation.atMs < taggedLateMs
    ? { ...reservation, instances }
    : undefined;
};

/** A reservation as the state item stores it. The whole list of offerings is in its request only. */
export const inBrief = (reservation: Reservation): Reservation =>
  reservation.placement.offerings.length <= 1
    ? reservation
    : {
        ...reservation,
        placement: { ...reservation.placement, offerings: reservation.placement.offerings.slice(0, 1) },
      };

/** The result of an attempt. `before`: the reservation before the repeat. Absent for the first attempt. */
export type Attempt = { readonly result: LaunchResult; readonly before?: Reservation };

const granted = (reservation: Reservation, instances: readonly string[]): Reservation | undefined =>
  instances.length === 0
    ? undefined
    : {
        ...reservation,
        instances,
        // Only granted instances replace members. The next decision handles the other leaving members.
        replaces: reservation.replaces.slice(0, instances.length),
        placement: { ...reservation.placement, count: instances.length },
      };

type Unanswered = Exclude<LaunchResult['kind'], 'answered'>;

/** An open reservation after an attempt without a response. */
const unanswered = (
  stored: Reservation,
  kind: Unanswered,
  { before }: Attempt,
  repeatAtMs: number,
  nowMs: number,
): Reservation | undefined => {
  const { repeatFromMs: _, ...open } = stored;
  switch (kind) {
    case 'not-asked':
      return stored;
    case 'ambiguous':
      return { ...open, leaseUntilMs: repeatAtMs, forgetAtMs: nowMs + describeLagMs };
    case 'throttled':
      return before && { ...open, leaseUntilMs: repeatAtMs, forgetAtMs: before.forgetAtMs };
    case 'invalid':
      return before && { ...open, unanswerable: true, leaseUntilMs: nowMs, forgetAtMs: before.forgetAtMs };
    case 'made-before':
      // The text is the same byte for byte, so a repeat may succeed. Only it names what `LaunchInstances` launched.
      return { ...open, leaseUntilMs: repeatAtMs, forgetAtMs: (before ?? open).forgetAtMs };
  }
};

/**
 * A reservation after an attempt: with its instances, still open, or (undefined) released.
 *
 * Only a response to its token settles a request. A first attempt that was throttled or refused as wrong launched
 * nothing, so its reservation is released. The same result of a repeat does not show what earlier attempts did. So the
 * reservation stays open until a response or describes settle it. Describes have three minutes for that, counted from
 * the last attempt that may have been carried out.
 *
 * @param stored the reservation as stored now. Another function may have settled it meanwhile
 * @param repeatAtMs when the request may be repeated
 */
export const afterAttempt = (
  stored: Reservation,
  attempt: Attempt,
  repeatAtMs: number,
  nowMs: number,
): Reservation | undefined => {
  const { result } = attempt;
  if (result.kind !== 'answered')
    return isOpen(stored) ? unanswered(stored, result.kind, attempt, repeatAtMs, nowMs) : stored;
  return granted(
    stored,
    result.instances.map(({ instance }) => instance),
  );
};

/**
 * The state without ended instances in its reservations. They will not come, so nothing waits for them.
 */
export const withoutEnded = (state: GroupState, ended: readonly string[]): GroupState => {
  const gone = new Set(ended);
  const reservations = state.reservations.map((reservation) => ({
    ...reservation,
    instances: reservation.instances?.filter((instance) => !gone.has(instance)),
  }));
  return { ...state, reservations };
};

/**
 * Members with the reservation that they came from. EC2 may not show the tag yet: an instance that an Auto Scaling
 * group launched is tagged a moment later. Until then the stored reservation counts.
 */
export const withReservations = <Seen extends { readonly instance: string; readonly reservation?: string }>(
  members: readonly Seen[],
  reservations: readonly Reservation[],
): readonly (Seen & { readonly isUntagged?: true })[] => {
  const known = new Map(
    reservations.flatMap(({ id, instances = [] }) => instances.map((instance) => [instance, id] as const)),
  );
  return members.map((member) => {
    const reservation = known.get(member.instance);
    return member.reservation !== undefined || reservation === undefined
      ? member
      : { ...member, reservation, isUntagged: true };
  });
};

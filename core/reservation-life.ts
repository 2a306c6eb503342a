import type { LaunchResult } from './ports.ts';
import type { Reservation } from './reservation.ts';
import type { GroupState } from './view.ts';

/**
 * How long what we wrote down about a launch outweighs a describe that does not show it (EC2: eventual consistency, up
 * to minutes).
 */
export const believeMs = 180_000;
/** How soon a request whose answer was lost is made again, and one that was throttled for the first time. */
export const repeatAfterMs = 2_000;
/** A request is repeated while its token is sure to be known (8 hours for LaunchInstances). */
const repeatableMs = 1_800_000;

export const isOpen = ({ instances }: Reservation): boolean => instances === undefined;

/**
 * A throttle says nothing about capacity, only that asking on would be throttled too: whatever signal comes, nothing is
 * asked for until then.
 */
export const isHeldBack = ({ throttle }: GroupState, nowMs: number): boolean =>
  throttle !== undefined && nowMs < throttle.untilMs;

/**
 * Requests that stay open although nobody works on them: made by an invocation that died, or answered by silence. They
 * are to be repeated.
 */
export const abandoned = (state: GroupState, nowMs: number): readonly Reservation[] =>
  isHeldBack(state, nowMs)
    ? []
    : state.reservations.filter(
        (reservation) =>
          isOpen(reservation) &&
          reservation.unanswerable === undefined &&
          reservation.leaseUntilMs <= nowMs &&
          nowMs - reservation.atMs < repeatableMs,
      );

/** The reservation of a repeat: leased anew, and believed anew, for this attempt may be the one that is carried out. */
export const takenUp = (reservation: Reservation, nowMs: number, leaseMs: number): Reservation => ({
  ...reservation,
  leaseUntilMs: nowMs + leaseMs,
  forgetAtMs: nowMs + believeMs,
});

/** Whether a reservation is still to be counted: afterwards describes have shown all that there is. */
export const isBelieved =
  (nowMs: number) =>
  ({ leaseUntilMs, forgetAtMs, instances }: Reservation): boolean =>
    nowMs < forgetAtMs || (instances === undefined && nowMs < leaseUntilMs);

/** A reservation as the state item keeps it: the whole list of offerings stands in its request alone. */
export const inBrief = (reservation: Reservation): Reservation =>
  reservation.placement.offerings.length <= 1
    ? reservation
    : {
        ...reservation,
        placement: { ...reservation.placement, offerings: reservation.placement.offerings.slice(0, 1) },
      };

/**
 * What EC2 said to an attempt. `before`: the reservation as it stood when a repeat took it up; absent for the first
 * attempt.
 */
export type Attempt = { readonly result: LaunchResult; readonly before?: Reservation };

const granted = (reservation: Reservation, instances: readonly string[]): Reservation | undefined =>
  instances.length === 0
    ? undefined
    : {
        ...reservation,
        instances,
        // What was not given replaces nobody: the next decision takes those up again.
        replaces: reservation.replaces.slice(0, instances.length),
        placement: { ...reservation.placement, count: instances.length },
      };

type Unanswered = Exclude<LaunchResult['kind'], 'answered'>;

/** An open reservation after an attempt that was not answered. */
const unanswered = (
  open: Reservation,
  kind: Unanswered,
  { before }: Attempt,
  repeatAtMs: number,
  nowMs: number,
): Reservation | undefined => {
  switch (kind) {
    case 'not-asked':
      return open;
    case 'ambiguous':
      return { ...open, leaseUntilMs: repeatAtMs, forgetAtMs: nowMs + believeMs };
    case 'throttled':
      return before && { ...open, leaseUntilMs: repeatAtMs, forgetAtMs: before.forgetAtMs };
    case 'invalid':
      return before && { ...open, unanswerable: true, leaseUntilMs: nowMs, forgetAtMs: before.forgetAtMs };
    case 'made-before':
      return { ...open, unanswerable: true, leaseUntilMs: nowMs, forgetAtMs: (before ?? open).forgetAtMs };
  }
};

/**
 * A reservation after an attempt: with its instances, still open, or (undefined) released.
 *
 * Only an answer under its token says what became of a request. A first attempt that was throttled or refused as wrong
 * launched nothing, so its reservation is released; the same of a repeat says nothing about the attempts before it, so
 * the reservation stays open until an answer or describes settle it, and these are believed from the last attempt that
 * may have been carried out.
 *
 * @param stored as it stands now, which others may have settled meanwhile
 * @param repeatAtMs when the request may be made again
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

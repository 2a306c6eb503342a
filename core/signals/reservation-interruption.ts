import * as z from 'zod/mini';
import { describeLagMs, spotNoticeMs } from '../times/times.ts';
import { instanceId } from './fields.ts';
import { isAlive } from './signal-age.ts';
import { instancesCause, signalKind } from './signal-kind.ts';

type ReservationInterruption = {
  readonly kind: 'reservation-interruption';
  readonly instance: string;
  readonly deadlineMs: number;
  readonly atMs: number;
};

/**
 * The owner of an interruptible capacity reservation takes it back: EC2 terminates the instance two minutes after this
 * (EC2 User Guide, "Interruptible Capacity Reservations"). It is an interruption like that of a spot instance.
 */
export const reservationInterruption = signalKind({
  kind: 'reservation-interruption',
  source: 'aws.ec2',
  detailType: 'EC2 Capacity Reservation Instance Interruption Warning',
  mayLackTime: true,
  comes: { by: 'rule' },
  detail: z.object({ 'instance-id': instanceId, 'instance-termination-time': z.optional(z.string()) }),
  toSignal: (detail, atMs, timeOf): ReservationInterruption => ({
    kind: 'reservation-interruption',
    instance: detail['instance-id'],
    deadlineMs: timeOf(detail['instance-termination-time']) ?? atMs + spotNoticeMs,
    atMs,
  }),
  about: ({ instance }) => ({ instance }),
  isOver: ({ deadlineMs }, owner, nowMs) => isAlive(owner) && nowMs - deadlineMs > describeLagMs,
  comesAgain: 'always',
  adds: ({ instance, atMs, deadlineMs }, owner) => ({
    leaving: [{ instance, reason: 'interruption', atMs, deadlineMs, ...(owner && { owner }) }],
  }),
  ...instancesCause,
});

import * as z from 'zod/mini';
import { describeLagMs, spotNoticeMs } from '../times/times.ts';
import { instanceId } from './fields.ts';
import { isAlive } from './signal-age.ts';
import { instancesCause, signalKind } from './signal-kind.ts';

type Interruption = {
  readonly kind: 'interruption';
  readonly instance: string;
  readonly action: 'terminate' | 'stop' | 'hibernate';
  readonly atMs: number;
};

/** A hibernation begins at once: the two minutes apply to stop and terminate only. */
const noticeMs = ({ action }: Interruption): number => (action === 'hibernate' ? 0 : spotNoticeMs);

/**
 * EC2 takes a spot instance two minutes after this (at once when it hibernates). The instance id is read from the
 * detail, because the ARN of this event has a zone in place of the region, and no account (EC2 User Guide, "Spot
 * Instance interruption notices").
 */
export const interruption = signalKind({
  kind: 'interruption',
  source: 'aws.ec2',
  detailType: 'EC2 Spot Instance Interruption Warning',
  comes: { by: 'rule' },
  detail: z.object({ 'instance-id': instanceId, 'instance-action': z.enum(['terminate', 'stop', 'hibernate']) }),
  toSignal: (detail, atMs): Interruption => ({
    kind: 'interruption',
    instance: detail['instance-id'],
    action: detail['instance-action'],
    atMs,
  }),
  about: ({ instance }) => ({ instance }),
  isOver: ({ atMs }, owner, nowMs) => isAlive(owner) && nowMs - atMs > spotNoticeMs + describeLagMs,
  comesAgain: 'always',
  adds: (signal, owner) => ({
    leaving: [
      {
        instance: signal.instance,
        reason: 'interruption',
        atMs: signal.atMs,
        deadlineMs: signal.atMs + noticeMs(signal),
        ...(owner && { owner }),
      },
    ],
  }),
  ...instancesCause,
});

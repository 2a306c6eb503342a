import * as z from 'zod/mini';
import { instanceId, timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

/**
 * EC2 takes a spot instance two minutes after this (at once when it hibernates). The instance id is read from the
 * detail, because the ARN of this event has a zone in place of the region, and no account (EC2 User Guide, "Spot
 * Instance interruption notices").
 */
export const interruption = signalType({
  source: 'aws.ec2',
  detailType: 'EC2 Spot Instance Interruption Warning',
  detail: z.object({ 'instance-id': instanceId, 'instance-action': z.enum(['terminate', 'stop', 'hibernate']) }),
  toReading: (detail, event) => ({
    kind: 'signal',
    signal: {
      kind: 'interruption',
      instance: detail['instance-id'],
      action: detail['instance-action'],
      atMs: timeOf(event),
    },
  }),
});

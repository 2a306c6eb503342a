import * as z from 'zod/mini';
import { instanceId, timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

/** An instance began to run, or ended. */
export const stateChange = signalType({
  source: 'aws.ec2',
  detailType: 'EC2 Instance State-change Notification',
  detail: z.object({
    'instance-id': instanceId,
    state: z.enum(['pending', 'running', 'stopping', 'stopped', 'shutting-down', 'terminated']),
  }),
  toReading: (detail, event) => {
    if (detail.state === 'pending') return { kind: 'ignored', why: 'pending: its launch is known already' };
    return {
      kind: 'signal',
      signal: { kind: 'state-change', instance: detail['instance-id'], state: detail.state, atMs: timeOf(event) },
    };
  },
});

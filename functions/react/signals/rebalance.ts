import * as z from 'zod/mini';
import { instanceId, timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

/** EC2 sees a raised risk of interruption. It may come before the warning, with it, or without one. */
export const rebalance = signalType({
  source: 'aws.ec2',
  detailType: 'EC2 Instance Rebalance Recommendation',
  detail: z.object({ 'instance-id': instanceId }),
  toReading: (detail, event) => ({
    kind: 'signal',
    signal: { kind: 'rebalance', instance: detail['instance-id'], atMs: timeOf(event) },
  }),
});

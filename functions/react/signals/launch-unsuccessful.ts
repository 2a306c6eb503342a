import * as z from 'zod/mini';
import { asgName, timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

const refusalCodes = [
  'InsufficientInstanceCapacity',
  'UnfulfillableCapacity',
  'SpotMaxPriceTooLow',
  'MaxSpotInstanceCountExceeded',
  'VcpuLimitExceeded',
];
const refusalCode = new RegExp(`\\b(${refusalCodes.join('|')})\\b`);

/**
 * An Auto Scaling group could not launch by itself. Only the status message has the code of the refusal, if there is
 * one.
 */
export const launchUnsuccessful = signalType({
  source: 'aws.autoscaling',
  detailType: 'EC2 Instance Launch Unsuccessful',
  detail: z.object({ AutoScalingGroupName: asgName, StatusMessage: z.optional(z.string()) }),
  toReading: (detail, event) => {
    const code = refusalCode.exec(detail.StatusMessage ?? '');
    return {
      kind: 'signal',
      signal: {
        kind: 'launch-unsuccessful',
        asg: detail.AutoScalingGroupName,
        code: code?.[1] ?? 'unknown',
        atMs: timeOf(event),
      },
    };
  },
});

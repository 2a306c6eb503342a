import * as z from 'zod/mini';
import { asgName, timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

/**
 * An Auto Scaling group could not launch by itself. Only the status message has the code of the refusal, if there is
 * one.
 */
export const launchUnsuccessful = signalType({
  source: 'aws.autoscaling',
  detailType: 'EC2 Instance Launch Unsuccessful',
  detail: z.object({ AutoScalingGroupName: asgName, StatusMessage: z.optional(z.string()) }),
  toReading: (detail, event) => {
    const code =
      /\b(InsufficientInstanceCapacity|UnfulfillableCapacity|SpotMaxPriceTooLow|MaxSpotInstanceCountExceeded|VcpuLimitExceeded)\b/.exec(
        detail.StatusMessage ?? '',
      );
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

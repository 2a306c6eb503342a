import * as z from 'zod/mini';
import { asgName } from './fields.ts';
import { signalKind } from './signal-kind.ts';

type LaunchUnsuccessful = {
  readonly kind: 'launch-unsuccessful';
  readonly asg: string;
  readonly code: string;
  readonly atMs: number;
};

/** An Auto Scaling group tries again within minutes, so an older failure does not show what it lacks now. */
const failureTellsForMs = 300_000;

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
export const launchUnsuccessful = signalKind({
  kind: 'launch-unsuccessful',
  source: 'aws.autoscaling',
  detailType: 'EC2 Instance Launch Unsuccessful',
  comes: { by: 'rule' },
  detail: z.object({ AutoScalingGroupName: asgName, StatusMessage: z.optional(z.string()) }),
  toSignal: (detail, atMs): LaunchUnsuccessful => ({
    kind: 'launch-unsuccessful',
    asg: detail.AutoScalingGroupName,
    code: refusalCode.exec(detail.StatusMessage ?? '')?.[1] ?? 'unknown',
    atMs,
  }),
  about: ({ asg }) => ({ asg }),
  isOver: ({ atMs }, _, nowMs) => nowMs - atMs > failureTellsForMs,
  comesAgain: 'always',
  adds: ({ asg }) => ({ refusedAsgs: [asg] }),
  cause: { asg: z.string(), awsCode: z.string() },
  causeOf: ({ asg, code }) => ({ asg, awsCode: code }),
});

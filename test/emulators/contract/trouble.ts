import { DescribeAutoScalingGroupsCommand, LaunchInstancesCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { expect } from 'vitest';
import { codeOf, troubleOf } from '../../../aws/errors.ts';
import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { type Cloud, createTargetGroup, groups } from './cloud.ts';
import { launch } from './ec2.ts';
import { type Expectation, refusal } from './expectation.ts';

const neverThrottled = 'it is never too much there';
const neverInTrouble = 'it answers every call there';

/** One call under one fault. */
const under = async (cloud: Cloud, fault: FaultInput, call: () => Promise<unknown>): Promise<Error> => {
  cloud.setFaults?.([{ ...fault, times: 1 } as FaultInput]);
  try {
    return await refusal(call());
  } finally {
    cloud.setFaults?.([]);
  }
};

const throttle = (operation: string): FaultInput => ({ on: 'call', kind: 'throttle', match: { operation, caller: 'operator' } });
const fail = (operation: string, code: string, status: number): FaultInput => ({
  on: 'call',
  kind: 'error',
  code,
  status,
  match: { operation, caller: 'operator' },
});

const throttled = (call: string, source: string, codes: RegExp, ask: (cloud: Cloud) => Promise<unknown>): Expectation => ({
  call,
  rule: `asked too often fails with a code that says so (${codes.source})`,
  source,
  cannot: { ministack: neverThrottled, moto: neverThrottled },
  async check(cloud) {
    const error = await under(cloud, throttle(call), () => ask(cloud));
    expect(codeOf(error)).toMatch(codes);
    expect(troubleOf(error)).toBe('throttled');
  },
});

const ec2Throttling = 'https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html';
const ec2Errors = 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html';
const launchSource = 'https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_LaunchInstances.html';

const launchIntoGroup = ({ autoScaling }: Cloud) =>
  autoScaling.send(new LaunchInstancesCommand({ AutoScalingGroupName: groups.plain, RequestedCapacity: 1, RetryStrategy: 'none' }));

export const trouble: readonly Expectation[] = [
  throttled('CreateFleet', ec2Throttling, /^RequestLimitExceeded$/, (cloud) => launch(cloud, 1)),
  throttled('DescribeSubnets', ec2Throttling, /^RequestLimitExceeded$/, ({ ec2 }) => ec2.send(new DescribeSubnetsCommand({}))),
  throttled(
    'DescribeAutoScalingGroups',
    'https://docs.aws.amazon.com/autoscaling/ec2/APIReference/CommonErrors.html',
    /^Throttling/,
    ({ autoScaling }) => autoScaling.send(new DescribeAutoScalingGroupsCommand({})),
  ),
  throttled(
    'CreateTargetGroup',
    'https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html',
    /^Throttling/,
    (cloud) => createTargetGroup(cloud, 'too-often'),
  ),
  {
    call: 'CreateFleet',
    rule: 'that fails with InternalError may have been carried out',
    source: ec2Errors,
    cannot: { ministack: neverInTrouble, moto: neverInTrouble },
    async check(cloud) {
      expect(troubleOf(await under(cloud, fail('CreateFleet', 'InternalError', 500), () => launch(cloud, 1)))).toBe('ambiguous');
    },
  },
  {
    call: 'CreateFleet',
    rule: 'whose answer never arrives may have been carried out',
    source: 'https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html',
    cannot: { ministack: neverInTrouble, moto: neverInTrouble },
    async check(cloud) {
      const lost: FaultInput = { on: 'call', kind: 'lose-answer', when: 'after', match: { operation: 'CreateFleet', caller: 'operator' } };
      expect(troubleOf(await under(cloud, lost, () => launch(cloud, 1)))).toBe('ambiguous');
    },
  },
  {
    call: 'LaunchInstances',
    rule: 'fails with ResourceContention while another change to the group is under way, and with IdempotentCallInProgress while the same token is',
    source: launchSource,
    cannot: { ministack: 'the call does not exist there', moto: 'the call does not exist there' },
    async check(cloud) {
      const troubleWith = async (code: string) => troubleOf(await under(cloud, fail('LaunchInstances', code, 500), () => launchIntoGroup(cloud)));
      expect(await troubleWith('ResourceContention')).toBe('throttled');
      expect(await troubleWith('IdempotentCallInProgress')).toBe('ambiguous');
    },
  },
];

import { LaunchInstancesCommand } from '@aws-sdk/client-auto-scaling';
import { expect } from 'vitest';
import { codeOf, isAboveMax } from '../../../aws/calls/errors.ts';
import { groups, instanceType, zones } from './cloud.ts';
import { type Expectation, refusal } from './expectation.ts';
import { api, bringIn, groupNamed, noLaunchInstances, tidily } from './members.ts';

const launchSource = 'https://docs.aws.amazon.com/autoscaling/ec2/userguide/launch-instances-synchronously.html';
const withoutLaunch = { cannot: { ministack: noLaunchInstances, moto: noLaunchInstances } };

/** The call that launches into an Auto Scaling group of one market and zone. */
export const launchInstances: readonly Expectation[] = [
  {
    call: 'LaunchInstances',
    rule: 'returns at once the ids, type, market and zone of what it launched into the group',
    source: api('LaunchInstances'),
    ...withoutLaunch,
    check: (cloud) =>
      tidily(cloud, groups.plain, async () => {
        const command = new LaunchInstancesCommand({ AutoScalingGroupName: groups.plain, RequestedCapacity: 2, RetryStrategy: 'none' });
        const { Instances = [], Errors = [] } = await cloud.autoScaling.send(command);
        expect(Errors).toEqual([]);
        expect(Instances).toMatchObject([{ InstanceType: instanceType, MarketType: 'spot', AvailabilityZone: zones[0] }]);
        const ids = Instances.flatMap(({ InstanceIds = [] }) => InstanceIds);
        expect(ids).toHaveLength(2);
        const members = (await groupNamed(cloud, groups.plain)).Instances?.map(({ InstanceId }) => InstanceId);
        expect(members).toEqual(expect.arrayContaining(ids));
      }),
  },
  {
    call: 'LaunchInstances',
    rule: 'repeated with the same ClientToken launches nothing more and returns the same instances',
    source: api('LaunchInstances'),
    ...withoutLaunch,
    check: (cloud) =>
      tidily(cloud, groups.plain, async () => {
        const token = `token-${Math.random()}`;
        expect(await bringIn(cloud, 1, token)).toEqual(await bringIn(cloud, 1, token));
      }),
  },
  {
    call: 'LaunchInstances',
    rule: 'with a ClientToken used for other parameters fails with IdempotentParameterMismatch',
    source: api('LaunchInstances'),
    ...withoutLaunch,
    check: (cloud) =>
      tidily(cloud, groups.plain, async () => {
        const token = `token-${Math.random()}`;
        await bringIn(cloud, 1, token);
        expect(codeOf(await refusal(bringIn(cloud, 2, token)))).toMatch(/^IdempotentParameterMismatch/);
      }),
  },
  {
    call: 'LaunchInstances',
    rule: 'names in Errors what EC2 does not have, in a successful response, and with RetryStrategy none does not change the desired capacity for it',
    source: launchSource,
    ...withoutLaunch,
    async check(cloud) {
      const offering = { instanceType, zone: zones[0], market: 'spot' as const };
      cloud.world?.setOffering(offering, { capacity: 0 });
      try {
        const command = new LaunchInstancesCommand({ AutoScalingGroupName: groups.plain, RequestedCapacity: 1, RetryStrategy: 'none' });
        const before = (await groupNamed(cloud, groups.plain)).DesiredCapacity;
        const { Instances = [], Errors = [] } = await cloud.autoScaling.send(command);
        expect(Instances).toEqual([]);
        expect(Errors).toMatchObject([{ InstanceType: instanceType, AvailabilityZone: zones[0], ErrorCode: 'InsufficientInstanceCapacity' }]);
        expect((await groupNamed(cloud, groups.plain)).DesiredCapacity).toBe(before);
      } finally {
        cloud.world?.setOffering(offering, { capacity: null });
      }
    },
  },
  {
    call: 'LaunchInstances',
    rule: 'beyond the maximum size launches nothing and fails with a ValidationError',
    source: launchSource,
    ...withoutLaunch,
    async check(cloud) {
      expect(isAboveMax(await refusal(bringIn(cloud, 5)))).toBe(true);
    },
  },
];

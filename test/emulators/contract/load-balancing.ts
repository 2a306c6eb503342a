import {
  DeregisterTargetsCommand,
  DescribeTargetGroupAttributesCommand,
  DescribeTargetHealthCommand,
  RegisterTargetsCommand,
  type TargetHealthDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { expect } from 'vitest';
import { instancesNamedIn, isGone, isInvalidTarget } from '../../../aws/calls/errors.ts';
import { type Cloud, createTargetGroup } from './cloud.ts';
import { type Expectation, refusal } from './expectation.ts';
import { launch, launchRunning } from './instances.ts';

const api = (operation: string): string => `https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_${operation}.html`;
const absentId = 'i-0cccccccccccccccc';
const absentGroup = 'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/nobody/0123456789abcdef';

let made = 0;
const newGroup = (cloud: Cloud): Promise<string> => {
  made += 1;
  return createTargetGroup(cloud, `contract-${made}`);
};
const targets = (ids: readonly string[]) => ids.map((Id) => ({ Id }));
const register = ({ elb }: Cloud, TargetGroupArn: string, ids: readonly string[]) =>
  elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: targets(ids) }));
const deregister = ({ elb }: Cloud, TargetGroupArn: string, ids: readonly string[]) =>
  elb.send(new DeregisterTargetsCommand({ TargetGroupArn, Targets: targets(ids) }));
const health = async ({ elb }: Cloud, TargetGroupArn: string): Promise<readonly TargetHealthDescription[]> =>
  (await elb.send(new DescribeTargetHealthCommand({ TargetGroupArn }))).TargetHealthDescriptions ?? [];

export const loadBalancing: readonly Expectation[] = [
  {
    call: 'RegisterTargets',
    rule: 'takes running instances in; a repeat changes nothing; DescribeTargetHealth lists each once, with a state',
    source: api('RegisterTargets'),
    async check(cloud) {
      const arn = await newGroup(cloud);
      const ids = await launchRunning(cloud, 2);
      await register(cloud, arn, ids);
      await register(cloud, arn, ids);
      const found = await health(cloud, arn);
      expect(found.map(({ Target }) => Target?.Id).toSorted()).toEqual(ids.toSorted());
      for (const { TargetHealth } of found) expect(TargetHealth?.State).toMatch(/^(initial|healthy|unused|unavailable)$/);
    },
  },
  {
    call: 'RegisterTargets',
    rule: 'fails with InvalidTarget for an instance that does not exist',
    source: api('RegisterTargets'),
    differs: { ministack: 'it is accepted', moto: 'it is accepted' },
    async check(cloud) {
      expect(isInvalidTarget(await refusal(register(cloud, await newGroup(cloud), [absentId])))).toBe(true);
    },
  },
  {
    call: 'RegisterTargets',
    rule: 'with one target among several that is not valid fails as a whole, names it, and registers none',
    source: api('RegisterTargets'),
    differs: { ministack: 'it is accepted', moto: 'it is accepted' },
    async check(cloud) {
      const arn = await newGroup(cloud);
      const error = await refusal(register(cloud, arn, [...(await launchRunning(cloud)), absentId]));
      expect(instancesNamedIn(error)).toEqual([absentId]);
      expect(await health(cloud, arn)).toEqual([]);
    },
  },
  {
    call: 'RegisterTargets',
    rule: 'fails with InvalidTarget for an instance that is not running',
    source: api('RegisterTargets'),
    cannot: { ministack: 'instances run at once: none is pending', moto: 'instances run at once: none is pending' },
    async check(cloud) {
      const arn = await newGroup(cloud);
      expect(isInvalidTarget(await refusal(register(cloud, arn, await launch(cloud, 1))))).toBe(true);
    },
  },
  {
    call: 'RegisterTargets',
    rule: 'fails with TargetGroupNotFound for a target group that does not exist',
    source: api('RegisterTargets'),
    async check(cloud) {
      expect(isGone(await refusal(register(cloud, absentGroup, await launchRunning(cloud))))).toBe(true);
    },
  },
  {
    call: 'DeregisterTargets',
    rule: 'leaves the target draining for the deregistration delay, and a repeat is no error',
    source: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-target-group-attributes.html',
    differs: { ministack: 'the target is gone at once', moto: 'the target is gone at once, and the repeat fails with InvalidTarget' },
    async check(cloud) {
      const { usedTargetGroup: arn } = cloud;
      const ids = await launchRunning(cloud);
      await register(cloud, arn, ids);
      await deregister(cloud, arn, ids);
      await deregister(cloud, arn, ids);
      expect((await health(cloud, arn)).map(({ TargetHealth }) => TargetHealth?.State)).toEqual(['draining']);
    },
  },
  {
    call: 'DeregisterTargets',
    rule: 'of a target that is not registered is no error',
    source: api('DeregisterTargets'),
    differs: { moto: 'it fails with InvalidTarget' },
    async check(cloud) {
      await deregister(cloud, await newGroup(cloud), await launchRunning(cloud));
    },
  },
  {
    call: 'DeregisterTargets',
    rule: 'fails with TargetGroupNotFound for a target group that does not exist',
    source: api('DeregisterTargets'),
    async check(cloud) {
      expect(isGone(await refusal(deregister(cloud, absentGroup, [absentId])))).toBe(true);
    },
  },
  {
    call: 'DescribeTargetHealth',
    rule: 'fails with TargetGroupNotFound for a target group that does not exist',
    source: api('DescribeTargetHealth'),
    async check(cloud) {
      expect(isGone(await refusal(health(cloud, absentGroup)))).toBe(true);
    },
  },
  {
    call: 'DescribeTargetHealth',
    rule: 'calls targets of a group that no load balancer uses unused, with the reason Target.NotInUse',
    source: api('TargetHealth'),
    differs: { ministack: 'they are healthy at once', moto: 'they are healthy at once' },
    async check(cloud) {
      const arn = await newGroup(cloud);
      await register(cloud, arn, await launchRunning(cloud));
      expect((await health(cloud, arn)).map(({ TargetHealth }) => TargetHealth)).toMatchObject([{ State: 'unused', Reason: 'Target.NotInUse' }]);
    },
  },
  {
    call: 'DescribeTargetGroupAttributes',
    rule: 'returns deregistration_delay.timeout_seconds, 300 unless it was changed',
    source: api('TargetGroupAttribute'),
    async check(cloud) {
      const command = new DescribeTargetGroupAttributesCommand({ TargetGroupArn: await newGroup(cloud) });
      const { Attributes = [] } = await cloud.elb.send(command);
      expect(Attributes).toContainEqual({ Key: 'deregistration_delay.timeout_seconds', Value: '300' });
    },
  },
  {
    call: 'DescribeTargetGroupAttributes',
    rule: 'fails with TargetGroupNotFound for a target group that does not exist',
    source: api('DescribeTargetGroupAttributes'),
    async check({ elb }) {
      expect(isGone(await refusal(elb.send(new DescribeTargetGroupAttributesCommand({ TargetGroupArn: absentGroup }))))).toBe(true);
    },
  },
];

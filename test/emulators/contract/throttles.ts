import { DescribeAutoScalingGroupsCommand, UpdateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import { CreateTagsCommand, DescribeSubnetsCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import { DeregisterTargetsCommand, DescribeTargetHealthCommand, RegisterTargetsCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { StartExecutionCommand } from '@aws-sdk/client-sfn';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { codeOf, retryOf, troubleOf } from '../../../aws/calls/errors.ts';
import { type Cloud, groups, stateTable } from './cloud.ts';
import type { Expectation } from './expectation.ts';
import { absentId, describe, launch } from './instances.ts';
import { attach, bringIn, end } from './members.ts';
import { under } from './under-fault.ts';

const neverThrottled = 'the server never throttles';

type Ask = (cloud: Cloud) => Promise<unknown>;

const targets = [{ Id: absentId }];

/** Each service's own code, and a call of each kind that we make of it. */
const asked: readonly { readonly source: string; readonly codes: RegExp; readonly calls: Readonly<Record<string, Ask>> }[] = [
  {
    source: 'https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html',
    codes: /^RequestLimitExceeded$/,
    calls: {
      CreateFleet: (cloud) => launch(cloud, 1),
      DescribeInstances: (cloud) => describe(cloud, 'instance-id', absentId),
      DescribeSubnets: ({ ec2 }) => ec2.send(new DescribeSubnetsCommand({})),
      TerminateInstances: ({ ec2 }) => ec2.send(new TerminateInstancesCommand({ InstanceIds: [absentId] })),
      CreateTags: ({ ec2 }) => ec2.send(new CreateTagsCommand({ Resources: [absentId], Tags: [{ Key: 'a', Value: 'b' }] })),
    },
  },
  {
    source: 'https://docs.aws.amazon.com/autoscaling/ec2/APIReference/CommonErrors.html',
    codes: /^Throttling/,
    calls: {
      DescribeAutoScalingGroups: ({ autoScaling }) => autoScaling.send(new DescribeAutoScalingGroupsCommand({})),
      AttachInstances: (cloud) => attach(cloud, groups.held, [absentId]),
      LaunchInstances: (cloud) => bringIn(cloud, 1),
      TerminateInstanceInAutoScalingGroup: (cloud) => end(cloud, groups.held, [absentId]),
      UpdateAutoScalingGroup: ({ autoScaling }) => autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName: groups.held })),
    },
  },
  {
    source: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html',
    codes: /^Throttling/,
    calls: {
      RegisterTargets: ({ elb, usedTargetGroup: TargetGroupArn }) => elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: targets })),
      DeregisterTargets: ({ elb, usedTargetGroup: TargetGroupArn }) => elb.send(new DeregisterTargetsCommand({ TargetGroupArn, Targets: targets })),
      DescribeTargetHealth: ({ elb, usedTargetGroup: TargetGroupArn }) => elb.send(new DescribeTargetHealthCommand({ TargetGroupArn })),
    },
  },
  {
    source: 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html',
    codes: /^RequestThrottled/,
    calls: { SendMessage: ({ sqs, queueUrl: QueueUrl }) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'contract' })) },
  },
  {
    source: 'https://docs.aws.amazon.com/step-functions/latest/apireference/CommonErrors.html',
    codes: /^ThrottlingException$/,
    calls: { StartExecution: ({ sfn, stateMachineArn }) => sfn.send(new StartExecutionCommand({ stateMachineArn, input: '{}' })) },
  },
  {
    source: 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/CommonErrors.html',
    codes: /^ThrottlingException$/,
    calls: {
      PutEvents: ({ events }) =>
        events.send(new PutEventsCommand({ Entries: [{ Source: 'holdfast', DetailType: 'Holdfast Contract', Detail: '{}' }] })),
    },
  },
  {
    source: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html',
    codes: /^(ThrottlingException|ProvisionedThroughputExceededException)$/,
    calls: { PutItem: ({ tables }) => tables.send(new PutCommand({ TableName: stateTable, Item: { group: 'contract', item: 'throttled' } })) },
  },
];

/** The error of each service when a call is made too often, and that Holdfast reads it as throttling. */
export const throttles: readonly Expectation[] = asked.flatMap(({ source, codes, calls }) =>
  Object.entries(calls).map(([call, ask]) => ({
    call,
    rule: `called too often fails with a throttling code (${codes.source.replaceAll('|', ' or ')})`,
    source,
    cannot: { ministack: neverThrottled, moto: neverThrottled },
    async check(cloud) {
      const error = await under(cloud, { on: 'call', kind: 'throttle', match: { operation: call, caller: 'operator' } }, () => ask(cloud));
      expect(codeOf(error)).toMatch(codes);
      expect([troubleOf(error), retryOf(error)]).toEqual(['throttled', 'later']);
    },
  })),
);

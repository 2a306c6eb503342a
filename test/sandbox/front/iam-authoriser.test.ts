import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiCall } from '../../../sandbox/api.ts';
import { type Authoriser, createAuthoriser } from '../../../sandbox/iam/authoriser.ts';
import type { Statement } from '../../../sandbox/iam/statement.ts';

const place = { accountId: '123456789012', region: 'eu-west-1' };
const ec2 = 'arn:aws:ec2:eu-west-1:123456789012';
const ours: Readonly<Record<string, string>> = { 'holdfast:group': 'holdfast/workers', 'aws:autoscaling:groupName': 'workers-asg' };
const groupArn = 'arn:aws:autoscaling:eu-west-1:123456789012:autoScalingGroup:*:autoScalingGroupName/workers-asg';
const tags: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'i-ours': ours,
  'i-strange': {},
  [groupArn]: { 'holdfast:managed': 'holdfast' },
};
const tagsOf = (resource: string) => tags[resource];

const authoriserWith = (statements: readonly Statement[]): Promise<Authoriser> =>
  createAuthoriser({ policiesByRole: { react: statements }, place, tagsOf, templateOf: () => undefined });
const callOf = (name: string, input: Record<string, unknown>): ApiCall => {
  const [service = '', operation = ''] = name.split(':');
  return { service, operation, input, caller: { kind: 'role', name: 'react' } };
};

const ingredients = ['launch-template/*', 'network-interface/*', 'volume/*', 'spot-instances-request/*', 'subnet/*', 'security-group/*'];
const launching: readonly Statement[] = [
  {
    Sid: 'Tagged',
    Effect: 'Allow',
    Action: ['ec2:CreateFleet', 'ec2:RunInstances'],
    Resource: `${ec2}:instance/*`,
    Condition: { StringLike: { 'aws:RequestTag/holdfast:group': 'holdfast/*' } },
  },
  {
    Sid: 'Ingredients',
    Effect: 'Allow',
    Action: ['ec2:CreateFleet', 'ec2:RunInstances'],
    Resource: [`${ec2}:fleet/*`, ...ingredients.map((kind) => `${ec2}:${kind}`), 'arn:aws:ec2:eu-west-1:*:image/*'],
  },
  {
    Sid: 'Tagging',
    Effect: 'Allow',
    Action: 'ec2:CreateTags',
    Resource: `${ec2}:*/*`,
    Condition: { StringEquals: { 'ec2:CreateAction': ['CreateFleet', 'RunInstances'] } },
  },
];
const fleet = (tags: readonly object[]) => ({
  LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName: 'web' }, Overrides: [{ SubnetId: 'subnet-a' }] }],
  TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'spot' },
  TagSpecifications: tags.length > 0 ? [{ ResourceType: 'instance', Tags: tags }] : [],
});
const groupTag = { Key: 'holdfast:group', Value: 'holdfast/workers' };

describe('CreateFleet', () => {
  test('is allowed with the tag that the role requires', async () => {
    const { authorise } = await authoriserWith(launching);
    expect(authorise(callOf('ec2:CreateFleet', fleet([groupTag])))).toBeUndefined();
  });

  test('is refused without the tag, in the words of EC2', async () => {
    const { authorise } = await authoriserWith(launching);
    const denied = authorise(callOf('ec2:CreateFleet', fleet([])));
    expect(denied).toMatchObject({ code: 'UnauthorizedOperation', status: 403 });
    expect(denied?.message).toBe(
      'You are not authorized to perform this operation. User: arn:aws:sts::123456789012:assumed-role/react/react is not authorized to perform: ' +
        `ec2:CreateFleet on resource: ${ec2}:instance/* because no identity-based policy allows the ec2:CreateFleet action`,
    );
  });

  test.each(['ec2:RunInstances', 'ec2:CreateTags'])('needs %s too', async (action) => {
    const { authorise } = await authoriserWith([...launching, { Effect: 'Deny', Action: action, Resource: '*' }]);
    expect(authorise(callOf('ec2:CreateFleet', fleet([groupTag])))?.message).toContain(`is not authorized to perform: ${action}`);
  });

  test('a condition on a key that EC2 does not give for a resource does not match', async () => {
    const condition = { StringLike: { 'aws:RequestTag/holdfast:group': 'holdfast/*' } };
    const { authorise } = await authoriserWith([{ Effect: 'Allow', Action: 'ec2:*', Resource: '*', Condition: condition }]);
    expect(authorise(callOf('ec2:CreateFleet', fleet([groupTag])))?.message).toContain('ec2:CreateFleet on resource');
  });
});

test.each<[string, Statement, string, Record<string, unknown>, boolean]>([
  [
    'ends what carries our tag',
    {
      Effect: 'Allow',
      Action: 'ec2:TerminateInstances',
      Resource: '*',
      Condition: { StringLike: { 'ec2:ResourceTag/holdfast:group': 'holdfast/*' } },
    },
    'ec2:TerminateInstances',
    { InstanceIds: ['i-ours'] },
    true,
  ],
  [
    'one strange instance spoils the call',
    {
      Effect: 'Allow',
      Action: 'ec2:TerminateInstances',
      Resource: '*',
      Condition: { StringLike: { 'ec2:ResourceTag/holdfast:group': 'holdfast/*' } },
    },
    'ec2:TerminateInstances',
    { InstanceIds: ['i-ours', 'i-strange'] },
    false,
  ],
  ['describes ask for everything', { Effect: 'Allow', Action: 'ec2:Describe*', Resource: '*' }, 'ec2:DescribeInstances', {}, true],
  [
    'a describe limited to a resource is none',
    { Effect: 'Allow', Action: 'ec2:Describe*', Resource: `${ec2}:instance/*` },
    'ec2:DescribeInstances',
    {},
    false,
  ],
  [
    'groups by name',
    { Effect: 'Allow', Action: 'autoscaling:AttachInstances', Resource: 'arn:aws:autoscaling:*:*:autoScalingGroup:*:autoScalingGroupName/workers-*' },
    'autoscaling:AttachInstances',
    { AutoScalingGroupName: 'workers-asg', InstanceIds: ['i-ours'] },
    true,
  ],
  [
    'groups by tag',
    { Effect: 'Allow', Action: 'autoscaling:*', Resource: '*', Condition: { StringEquals: { 'aws:ResourceTag/holdfast:managed': 'holdfast' } } },
    'autoscaling:AttachInstances',
    { AutoScalingGroupName: 'workers-asg' },
    true,
  ],
  [
    'launching into a group, which needs rights of EC2 too',
    { Effect: 'Allow', Action: 'autoscaling:LaunchInstances', Resource: '*' },
    'autoscaling:LaunchInstances',
    { AutoScalingGroupName: 'workers-asg' },
    false,
  ],
  [
    'the group of an instance',
    { Effect: 'Allow', Action: 'autoscaling:*', Resource: '*:autoScalingGroupName/other' },
    'autoscaling:TerminateInstanceInAutoScalingGroup',
    { InstanceId: 'i-ours' },
    false,
  ],
  [
    'target groups by ARN',
    { Effect: 'Allow', Action: 'elasticloadbalancing:DeregisterTargets', Resource: 'arn:tg/*' },
    'elasticloadbalancing:DeregisterTargets',
    { TargetGroupArn: 'arn:tg/web' },
    true,
  ],
  [
    'tables by name',
    { Effect: 'Allow', Action: 'dynamodb:UpdateItem', Resource: 'arn:aws:dynamodb:eu-west-1:123456789012:table/state' },
    'dynamodb:UpdateItem',
    { TableName: 'state' },
    true,
  ],
  [
    'an index is not its table',
    { Effect: 'Allow', Action: 'dynamodb:Query', Resource: 'arn:aws:dynamodb:*:*:table/state' },
    'dynamodb:Query',
    { TableName: 'state', IndexName: 'by-instance' },
    false,
  ],
  [
    'every table of a batch',
    { Effect: 'Allow', Action: 'dynamodb:BatchGetItem', Resource: '*:table/state' },
    'dynamodb:BatchGetItem',
    { RequestItems: { state: {}, groups: {} } },
    false,
  ],
  [
    'a batch of messages needs SendMessage',
    { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: 'arn:aws:sqs:eu-west-1:123456789012:signals' },
    'sqs:SendMessageBatch',
    { QueueUrl: 'https://sqs/123456789012/signals' },
    true,
  ],
  [
    'state machines by ARN',
    { Effect: 'Allow', Action: 'states:StartExecution', Resource: 'arn:machine' },
    'states:StartExecution',
    { stateMachineArn: 'arn:other' },
    false,
  ],
  [
    'events by their source',
    {
      Effect: 'Allow',
      Action: 'events:PutEvents',
      Resource: '*:event-bus/default',
      Condition: { 'ForAllValues:StringEquals': { 'events:source': 'holdfast' } },
    },
    'events:PutEvents',
    { Entries: [{ Source: 'holdfast' }, { Source: 'aws.ec2' }] },
    false,
  ],
])('%s', async (_, statement, name, input, isAllowed) => {
  const { authorise } = await authoriserWith([statement]);
  expect(authorise(callOf(name, input)) === undefined).toBe(isAllowed);
});

test('a plain operator on a key that has several values is refused at the start, with what to use instead', async () => {
  const statement = {
    Effect: 'Allow',
    Action: 'events:PutEvents',
    Resource: '*',
    Condition: { StringEquals: { 'events:source': 'holdfast' } },
  } as const;
  await expect(authoriserWith([statement])).rejects.toThrow('ForAllValues:StringEquals or ForAnyValue:StringEquals');
});

describe('an allow-everything role', () => {
  let authoriser: Authoriser;
  beforeAll(async () => {
    authoriser = await authoriserWith([
      { Sid: 'All', Effect: 'Allow', Action: '*', Resource: '*' },
      { Sid: 'Idle', Effect: 'Allow', Action: 's3:*', Resource: '*' },
    ]);
  });

  test('may not call what the sandbox has no rule for, and gets an error that states that', () => {
    expect(authoriser.authorise(callOf('ec2:ModifyFleet', {}))).toMatchObject({
      message: expect.stringContaining('does not know what rights ec2:ModifyFleet needs'),
    });
  });

  test('the uses of each statement are counted', () => {
    authoriser.authorise(callOf('sqs:SendMessage', { QueueUrl: 'q' }));
    expect(authoriser.usage()).toMatchObject([
      { sid: 'All', uses: 1, actions: ['sqs:SendMessage'] },
      { sid: 'Idle', uses: 0, actions: [] },
    ]);
  });

  test('a role without policies may do nothing, the operator everything', () => {
    const call = callOf('sqs:SendMessage', { QueueUrl: 'q' });
    expect(authoriser.authorise({ ...call, caller: { kind: 'role', name: 'nobody' } })).toMatchObject({ code: 'AccessDeniedException', status: 400 });
    expect(authoriser.authorise({ ...call, caller: { kind: 'operator' } })).toBeUndefined();
  });
});

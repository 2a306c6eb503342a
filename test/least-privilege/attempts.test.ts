import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { HoldfastStack } from '../../lib/stack.ts';
import type { ApiError } from '../../sandbox/api.ts';
import { type Authoriser, createAuthoriser } from '../../sandbox/iam/authoriser.ts';
import { parseStatements, type Statement } from '../../sandbox/iam/statement.ts';
import { resolveStack } from '../../sandbox/platform/template/stack.ts';

const place = { accountId: '111122223333', region: 'eu-west-1' };

/** What IAM sees of the instances and groups of an account in which two deployments live beside others' things. */
const tagsById: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'i-0aaaaaaaaaaaaaaaa': { 'holdfast:group': 'holdfast/web' },
  'i-0bbbbbbbbbbbbbbbb': { 'holdfast:group': 'holdfast-b/web' },
  'i-0cccccccccccccccc': { Name: 'database' },
  'i-0dddddddddddddddd': { 'holdfast:group': 'web' },
  'i-0eeeeeeeeeeeeeeee': { 'aws:autoscaling:groupName': 'web', 'holdfast:group': 'holdfast-b/web' },
  managed: { 'holdfast:managed': 'holdfast' },
  theirs: { 'holdfast:managed': 'holdfast-b' },
};
const [ours, otherDeployment, untagged, otherTag, otherMember] = Object.keys(tagsById) as [string, string, string, string, string];

type Roles = { readonly open: Authoriser; readonly onlyTagged: Authoriser; readonly roleOf: (name: string) => string };
let roles: Roles;

const judgeOf = async (props: { readonly onlyTagged?: boolean }) => {
  const stack = new HoldfastStack(new App({ builtinCloudFormationValidation: false }), 'holdfast', props);
  const { resources } = resolveStack(Template.fromStack(stack).toJSON() as Parameters<typeof resolveStack>[0], { name: 'holdfast', place });
  const documents = (role: string): readonly Statement[] =>
    resources
      .filter(({ type, properties }) => type === 'AWS::IAM::Policy' && (properties.Roles as readonly unknown[]).includes(role))
      .flatMap(({ properties }) => parseStatements((properties.PolicyDocument as { Statement: readonly unknown[] }).Statement));
  const names = resources.filter(({ type }) => type === 'AWS::IAM::Role').map(({ ref }) => ref);
  const tagsOf = (resource: string) => tagsById[resource.split('/').at(-1) ?? ''];
  const rights = await createAuthoriser({
    place,
    policiesByRole: Object.fromEntries(names.map((role) => [role, documents(role)])),
    tagsOf,
    templateOf: () => undefined,
  });
  const roleOf = (functionName: string): string => {
    const fn = resources.find(({ type, properties }) => type === 'AWS::Lambda::Function' && properties.FunctionName === functionName);
    return String(fn?.properties.Role).split('/').at(-1) ?? '';
  };
  return { rights, roleOf };
};

beforeAll(async () => {
  await assemble();
  const [open, tagged] = [await judgeOf({}), await judgeOf({ onlyTagged: true })];
  roles = { open: open.rights, onlyTagged: tagged.rights, roleOf: open.roleOf };
}, 90_000);

const attempt = (rights: Authoriser, name: string, action: string, input: Readonly<Record<string, unknown>>): ApiError | undefined => {
  const [service = '', operation = ''] = action.split(':');
  return rights.authorise({ service, operation, input, caller: { kind: 'role', name: roles.roleOf(`holdfast-${name}`) } });
};
const refused = (...attempted: Parameters<typeof attempt>): void => {
  expect(attempt(...attempted)?.code, `${attempted[1]} ${attempted[2]} ${JSON.stringify(attempted[3])}`).toMatch(
    /UnauthorizedOperation|AccessDenied/,
  );
};
const granted = (...attempted: Parameters<typeof attempt>): void => expect(attempt(...attempted)?.message).toBeUndefined();

const functions = ['react', 'tick', 'accept-policy', 'begin-drain', 'check-drain', 'end-drain'];

describe('with the credentials of a function', () => {
  test('no function can end an instance that is not this deployment’s', () => {
    granted(roles.open, 'end-drain', 'ec2:TerminateInstances', { InstanceIds: [ours] });
    for (const name of functions) {
      for (const id of [otherDeployment, untagged, otherTag, otherMember]) refused(roles.open, name, 'ec2:TerminateInstances', { InstanceIds: [id] });
      refused(roles.open, name, 'ec2:TerminateInstances', { InstanceIds: [ours, untagged] });
      refused(roles.open, name, 'ec2:StopInstances', { InstanceIds: [ours] });
    }
  });

  test('nothing can be launched without this deployment’s tag, or by another way', () => {
    const fleet = (Tags?: readonly { Key: string; Value: string }[]) => ({
      Type: 'instant',
      LaunchTemplateConfigs: [{ LaunchTemplateSpecification: { LaunchTemplateName: 'web' }, Overrides: [{ SubnetId: 'subnet-a' }] }],
      TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'spot' },
      ...(Tags && { TagSpecifications: [{ ResourceType: 'instance', Tags }] }),
    });
    granted(roles.open, 'react', 'ec2:CreateFleet', fleet([{ Key: 'holdfast:group', Value: 'holdfast/web' }]));
    refused(roles.open, 'react', 'ec2:CreateFleet', fleet());
    refused(roles.open, 'react', 'ec2:CreateFleet', fleet([{ Key: 'holdfast:group', Value: 'holdfast-b/web' }]));
    refused(roles.open, 'react', 'ec2:CreateFleet', fleet([{ Key: 'team', Value: 'web' }]));
    refused(roles.open, 'react', 'ec2:RunInstances', {
      LaunchTemplate: { LaunchTemplateName: 'web' },
      SubnetId: 'subnet-a',
      MinCount: 1,
      MaxCount: 1,
    });
    for (const name of functions.slice(1)) refused(roles.open, name, 'ec2:CreateFleet', fleet([{ Key: 'holdfast:group', Value: 'holdfast/web' }]));
  });

  test('an instance cannot be made ours by a tag, so that it could be ended afterwards', () => {
    for (const name of functions) {
      for (const id of [untagged, otherDeployment, otherTag, otherMember]) {
        refused(roles.open, name, 'ec2:CreateTags', { Resources: [id], Tags: [{ Key: 'holdfast:group', Value: 'holdfast/web' }] });
      }
      refused(roles.open, name, 'ec2:DeleteTags', { Resources: [ours], Tags: [{ Key: 'holdfast:group' }] });
    }
  });

  test('where only tagged groups are in reach, others cannot be touched', () => {
    const out = (AutoScalingGroupName: string) => ({ AutoScalingGroupName, InstanceIds: [ours], ShouldDecrementDesiredCapacity: true });
    granted(roles.onlyTagged, 'end-drain', 'autoscaling:TerminateInstanceInAutoScalingGroup', out('managed'));
    for (const group of ['theirs', 'unmarked']) {
      for (const name of functions) refused(roles.onlyTagged, name, 'autoscaling:TerminateInstanceInAutoScalingGroup', out(group));
      refused(roles.onlyTagged, 'react', 'autoscaling:AttachInstances', { AutoScalingGroupName: group, InstanceIds: [ours] });
      refused(roles.onlyTagged, 'react', 'autoscaling:UpdateAutoScalingGroup', { AutoScalingGroupName: group, MaxSize: 100 });
    }
  });

  test('no role can be passed on by itself, and no policy, table or machine changed', () => {
    const others = [
      'iam:PassRole',
      'iam:AttachRolePolicy',
      'dynamodb:DeleteTable',
      'dynamodb:Scan',
      'states:StopExecution',
      'ec2:ModifyInstanceAttribute',
    ];
    for (const name of functions) for (const action of others) refused(roles.open, name, action, { RoleName: 'x', TableName: 'holdfast-groups' });
  });

  test('only accept-policy writes the table of policies', () => {
    for (const name of functions.filter((one) => one !== 'accept-policy')) {
      refused(roles.open, name, 'dynamodb:PutItem', { TableName: 'holdfast-groups', Item: {} });
      refused(roles.open, name, 'dynamodb:DeleteItem', { TableName: 'holdfast-groups', Key: {} });
    }
    refused(roles.open, 'accept-policy', 'dynamodb:PutItem', { TableName: 'holdfast-state', Item: {} });
  });
});

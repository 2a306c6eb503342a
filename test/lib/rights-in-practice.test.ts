import { beforeAll, describe, expect, test } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { type Authoriser, createAuthoriser } from '../../sandbox/iam/authoriser.ts';
import { parseStatements, type Statement } from '../../sandbox/iam/statement.ts';
import { readAssembly } from '../../sandbox/platform/template/assembly.ts';
import { resolveStack, type StackResource } from '../../sandbox/platform/template/stack.ts';
import type { TemplateContents } from '../../sandbox/world/spec.ts';

const place = { accountId: '111122223333', region: 'eu-west-1' };
const tagged = (group: string) => [{ Key: 'holdfast:group', Value: group }];

/** Instances by what IAM sees of them. */
const [ours, neighbours, stranger, member, theirMember] = ['i-0a', 'i-0b', 'i-0c', 'i-0d', 'i-0e'] as const;
const tagsById: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [ours]: { 'holdfast:group': 'holdfast/web' },
  [neighbours]: { 'holdfast:group': 'holdfast-b/web' },
  [stranger]: { Name: 'database' },
  [member]: { 'aws:autoscaling:groupName': 'web' },
  [theirMember]: { 'aws:autoscaling:groupName': 'web', 'holdfast:group': 'holdfast-b/web' },
};

/** What the launch template holds from which the fleets below are launched. */
let held: TemplateContents = {};
let rights: Authoriser;
let roleOf: (functionName: string) => string;

const documentsOf = (resources: readonly StackResource[], role: string): readonly Statement[] =>
  resources
    .filter(({ type, properties }) => type === 'AWS::IAM::Policy' && (properties.Roles as readonly unknown[]).includes(role))
    .flatMap(({ properties }) => parseStatements((properties.PolicyDocument as { Statement: readonly unknown[] }).Statement));

beforeAll(async () => {
  const { template, stackName } = readAssembly(await assemble());
  const { resources } = resolveStack(template, { name: stackName, place });
  const roles = resources.filter(({ type }) => type === 'AWS::IAM::Role').map(({ ref }) => ref);
  roleOf = (functionName) => {
    const fn = resources.find(({ type, properties }) => type === 'AWS::Lambda::Function' && properties.FunctionName === functionName);
    return String(fn?.properties.Role).split('/').at(-1) ?? '';
  };
  const policiesByRole = Object.fromEntries(roles.map((role) => [role, documentsOf(resources, role)]));
  rights = await createAuthoriser({
    place,
    policiesByRole,
    tagsOf: (resource) => tagsById[resource.split('/').at(-1) ?? ''],
    templateOf: () => held,
  });
});

const may = (functionName: string, action: string, input: Readonly<Record<string, unknown>>): boolean => {
  const [service = '', operation = ''] = action.split(':');
  return rights.authorise({ service, operation, input, caller: { kind: 'role', name: roleOf(`holdfast-${functionName}`) } }) === undefined;
};

const fleet = (group: string | undefined) => ({
  Type: 'instant',
  LaunchTemplateConfigs: [
    { LaunchTemplateSpecification: { LaunchTemplateName: 'web' }, Overrides: [{ SubnetId: 'subnet-a', InstanceType: 'm7g.large' }] },
  ],
  TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'spot' },
  ...(group && { TagSpecifications: [{ ResourceType: 'instance', Tags: tagged(group) }] }),
});

const arn = (service: string, rest: string): string => `arn:aws:${service}:eu-west-1:111122223333:${rest}`;
const theirs = (rest: string): string => `arn:aws:ec2:eu-west-1:444455556666:${rest}`;
const nameTag = [{ Key: 'Name', Value: 'web' }];

describe('the synthesized roles, judged as IAM would', () => {
  test('react launches under this deployment’s tag, and not without it or under another’s', () => {
    expect(may('react', 'ec2:CreateFleet', fleet('holdfast/web'))).toBe(true);
    expect(may('react', 'ec2:CreateFleet', fleet(undefined))).toBe(false);
    expect(may('react', 'ec2:CreateFleet', fleet('holdfast-b/web'))).toBe(false);
  });

  test.each<[string, TemplateContents]>([
    [
      'tags on volumes, as the CDK writes them',
      { TagSpecifications: ['instance', 'volume'].map((ResourceType) => ({ ResourceType, Tags: nameTag })) },
    ],
    [
      'tags on network interfaces and spot requests',
      { TagSpecifications: ['network-interface', 'spot-instances-request'].map((ResourceType) => ({ ResourceType, Tags: nameTag })) },
    ],
    ['an image by a public parameter', { ImageId: 'resolve:ssm:/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64' }],
    ['a licence configuration', { LicenseSpecifications: [{ LicenseConfigurationArn: arn('license-manager', 'license-configuration:lic-0a') }] }],
    [
      'a group of capacity reservations',
      {
        CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationResourceGroupArn: arn('resource-groups', 'group/web') } },
      },
    ],
    [
      'a reservation that another account shares',
      { CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: theirs('capacity-reservation/cr-0a') } } },
    ],
    ['a placement group that another account shares', { Placement: { GroupId: theirs('placement-group/pg-0a') } }],
    ['an instance profile', { IamInstanceProfile: { Name: 'web' } }],
  ])('react launches from a template with %s', (_, contents) => {
    held = contents;
    const denied = rights.authorise({
      service: 'ec2',
      operation: 'CreateFleet',
      input: fleet('holdfast/web'),
      caller: { kind: 'role', name: roleOf('holdfast-react') },
    });
    held = {};
    expect(denied?.message).toBeUndefined();
  });

  test('react tags volumes only in a launch, and reads no parameter of the account', () => {
    expect(may('react', 'ec2:CreateTags', { Resources: ['vol-0a'], Tags: nameTag })).toBe(false);
    held = { ImageId: 'resolve:ssm:/prod/password' };
    expect(may('react', 'ec2:CreateFleet', fleet('holdfast/web'))).toBe(false);
    held = {};
  });

  test('whoever compares which members serve may read their status checks and their target health', () => {
    for (const name of ['react', 'begin-drain', 'end-drain']) {
      expect(may(name, 'ec2:DescribeInstanceStatus', { InstanceIds: [ours] }), name).toBe(true);
      expect(may(name, 'elasticloadbalancing:DescribeTargetHealth', { TargetGroupArn: 'tg' }), name).toBe(true);
    }
    expect(may('tick', 'ec2:DescribeInstanceStatus', { InstanceIds: [ours] })).toBe(false);
  });

  test('end-drain ends only our instances', () => {
    const end = (...InstanceIds: readonly string[]) => may('end-drain', 'ec2:TerminateInstances', { InstanceIds });
    expect(end(ours)).toBe(true);
    for (const id of [neighbours, stranger, member]) expect(end(id), id).toBe(false);
    expect(end(ours, stranger)).toBe(false);
  });

  test.each(['react', 'tick', 'accept-policy', 'begin-drain', 'check-drain'])('%s cannot end an instance', (name) => {
    expect(may(name, 'ec2:TerminateInstances', { InstanceIds: [ours] })).toBe(false);
  });

  test('react tags members of Auto Scaling groups that no other deployment has tagged, and nothing else', () => {
    const tag = (id: string, group = 'holdfast/web') => may('react', 'ec2:CreateTags', { Resources: [id], Tags: tagged(group) });
    expect(tag(member)).toBe(true);
    expect(tag(member, 'holdfast-b/web')).toBe(false);
    expect(tag(theirMember)).toBe(false);
    expect(tag(stranger)).toBe(false);
    expect(may('react', 'ec2:CreateTags', { Resources: [member], Tags: [{ Key: 'team', Value: 'web' }] })).toBe(false);
  });

  test('react fills Auto Scaling groups and target groups', () => {
    expect(may('react', 'autoscaling:AttachInstances', { AutoScalingGroupName: 'web', InstanceIds: [ours] })).toBe(true);
    expect(may('react', 'autoscaling:LaunchInstances', { AutoScalingGroupName: 'web', RequestedCapacity: 1, ClientToken: 't' })).toBe(true);
    expect(may('react', 'autoscaling:UpdateAutoScalingGroup', { AutoScalingGroupName: 'web', MaxSize: 5 })).toBe(true);
    const TargetGroupArn = arn('elasticloadbalancing', 'targetgroup/web/0123456789abcdef');
    expect(may('react', 'elasticloadbalancing:RegisterTargets', { TargetGroupArn, Targets: [{ Id: ours }] })).toBe(true);
    expect(may('begin-drain', 'elasticloadbalancing:DeregisterTargets', { TargetGroupArn, Targets: [{ Id: ours }] })).toBe(true);
    expect(may('begin-drain', 'elasticloadbalancing:RegisterTargets', { TargetGroupArn, Targets: [{ Id: ours }] })).toBe(false);
  });

  test('drains take members out of Auto Scaling groups and complete their lifecycle actions', () => {
    const out = { AutoScalingGroupName: 'web', InstanceIds: [member], ShouldDecrementDesiredCapacity: true };
    expect(may('begin-drain', 'autoscaling:TerminateInstanceInAutoScalingGroup', out)).toBe(true);
    const hook = { AutoScalingGroupName: 'web', LifecycleHookName: 'h', LifecycleActionToken: 't' };
    expect(may('check-drain', 'autoscaling:RecordLifecycleActionHeartbeat', hook)).toBe(true);
    expect(may('end-drain', 'autoscaling:CompleteLifecycleAction', { ...hook, LifecycleActionResult: 'CONTINUE' })).toBe(true);
    expect(may('check-drain', 'autoscaling:CompleteLifecycleAction', { ...hook, LifecycleActionResult: 'CONTINUE' })).toBe(false);
  });

  test('only accept-policy writes the groups table; tick writes no table', () => {
    const put = (name: string, table: string) => may(name, 'dynamodb:PutItem', { TableName: table, Item: {} });
    expect(put('accept-policy', 'holdfast-groups')).toBe(true);
    for (const name of ['react', 'tick', 'begin-drain', 'check-drain', 'end-drain']) expect(put(name, 'holdfast-groups'), name).toBe(false);
    expect(put('react', 'holdfast-state')).toBe(true);
    expect(put('tick', 'holdfast-state')).toBe(false);
  });

  test('events are announced as ours or not at all', () => {
    const say = (Source: string) =>
      may('react', 'events:PutEvents', { Entries: [{ Source, DetailType: 'd', Detail: '{}', EventBusName: 'default' }] });
    expect(say('holdfast')).toBe(true);
    expect(say('somebody')).toBe(false);
  });
});

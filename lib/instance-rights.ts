import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { tags } from '../core/contract.ts';
import { allow } from './right.ts';

const page = 'https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html';

/**
 * The resources that a launch template may use. A launch changes none of these, and none is known before a user names
 * it.
 */
const ingredients = ['key-pair', 'launch-template', 'network-interface', 'volume', 'spot-instances-request'];

/** What a launch makes and Holdfast tags. */
const taggedByUs = ['instance', 'fleet'];

/** What a launch makes beside its instances. Launch templates tag these: those of the CDK always tag volumes. */
const taggedByTemplates = ['volume', 'network-interface', 'spot-instances-request'];

const ec2Arns = (fn: LambdaFunction, kinds: readonly string[]): readonly string[] =>
  kinds.map((resource) => Stack.of(fn).formatArn({ service: 'ec2', resource, resourceName: '*' }));

/**
 * Subnets, security groups, capacity reservations and placement groups may be shared by another account; images and
 * snapshots by any.
 */
const shared = ['subnet', 'security-group', 'image', 'snapshot', 'capacity-reservation', 'placement-group'];

const sharedArns = (fn: LambdaFunction): readonly string[] => [
  ...shared.map((resource) => Stack.of(fn).formatArn({ service: 'ec2', account: '*', resource, resourceName: '*' })),
  Stack.of(fn).formatArn({
    service: 'license-manager',
    account: '*',
    resource: 'license-configuration',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  }),
  Stack.of(fn).formatArn({ service: 'resource-groups', account: '*', resource: 'group', resourceName: '*' }),
];

/** Tag values of this deployment's groups: `<deployment>/<group>`. */
const ourTag = (deployment: string): string => `${deployment}/*`;

/** Launching instances that carry this deployment's group tag, and no others. */
export const allowLaunchingInstances = (fn: LambdaFunction, deployment: string): void => {
  allow(fn, {
    actions: ['ec2:RunInstances'],
    resources: ec2Arns(fn, ['instance']),
    conditions: { StringLike: { [`aws:RequestTag/${tags.group}`]: ourTag(deployment) } },
    reason: `An instance has no id before it is launched; the request must carry this deployment's tag: ${page}`,
  });
  // LaunchInstances needs it and passes no tag. A fleet also needs `ec2:RunInstances`, which requires the tag.
  allow(fn, {
    actions: ['ec2:CreateFleet'],
    resources: ec2Arns(fn, ['instance']),
    reason: `No instance id is known before a launch. It also needs ec2:RunInstances, which requires the tag: ${page}`,
  });
  allow(fn, {
    actions: ['ec2:CreateFleet', 'ec2:RunInstances'],
    resources: [...ec2Arns(fn, ['fleet', ...ingredients]), ...sharedArns(fn)],
    reason:
      'Users name launch templates and subnets in policies after this stack is deployed; ' +
      `what is launched from them is limited by tag: ${page}`,
  });
  allow(fn, {
    actions: ['ec2:CreateTags'],
    resources: ec2Arns(fn, taggedByUs),
    conditions: {
      StringLike: { [`aws:RequestTag/${tags.group}`]: ourTag(deployment) },
      StringEquals: { 'ec2:CreateAction': ['CreateFleet', 'RunInstances'] },
    },
    reason: `Tagging is allowed only as part of a launch that carries this deployment's tag: ${page}`,
  });
  allow(fn, {
    actions: ['ec2:CreateTags'],
    resources: ec2Arns(fn, taggedByTemplates),
    conditions: { StringEquals: { 'ec2:CreateAction': ['CreateFleet', 'RunInstances'] } },
    reason: `The tags are those of the user's launch template; they are set only as part of a launch: ${page}`,
  });
  allowReadingImageParameters(fn);
  allowHandingOverRoles(fn);
};

/**
 * A launch template may name its image by a parameter of Systems Manager (`resolve:ssm:…`), which EC2 reads with the
 * caller's rights. AWS's public parameters are nobody's secret; others need the property `imageParameters`.
 */
const allowReadingImageParameters = (fn: LambdaFunction): void =>
  allow(fn, {
    actions: ['ssm:GetParameters'],
    resources: [
      Stack.of(fn).formatArn({ service: 'ssm', account: '', resource: 'parameter', resourceName: 'aws/service/*' }),
    ],
    reason:
      'The public parameters of AWS, which name images: ' +
      'https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-public-parameters.html',
  });

/** @param parameters names of parameters, or patterns of names, that launch templates take images from */
export const allowImageParameters = (fn: LambdaFunction, parameters: readonly string[]): void => {
  if (parameters.length === 0) return;
  allow(fn, {
    actions: ['ssm:GetParameters'],
    resources: parameters.map((name) =>
      Stack.of(fn).formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.replace(/^\//, '') }),
    ),
    reason: `The property imageParameters names them: ${page}`,
  });
};

const spotAndFleet = [
  'spot.amazonaws.com/AWSServiceRoleForEC2Spot',
  'ec2fleet.amazonaws.com/AWSServiceRoleForEC2Fleet',
];

/** Launch templates contain instance profiles, and an account's first spot launch creates two service-linked roles. */
const allowHandingOverRoles = (fn: LambdaFunction): void => {
  const roleArn = (resourceName: string): string =>
    Stack.of(fn).formatArn({ service: 'iam', region: '', resource: 'role', resourceName });
  allow(fn, {
    actions: ['iam:PassRole'],
    resources: [roleArn('*')],
    conditions: { StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] } },
    reason:
      'The role is the one of the launch template that a user names; it can be passed only to Amazon EC2: ' +
      'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html',
  });
  allow(fn, {
    actions: ['iam:CreateServiceLinkedRole'],
    resources: spotAndFleet.map((role) => roleArn(`aws-service-role/${role}`)),
    conditions: { StringEquals: { 'iam:AWSServiceName': ['spot.amazonaws.com', 'ec2fleet.amazonaws.com'] } },
    reason:
      'Two roles by their full names: ' +
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/service-linked-roles-spot-instance-requests.html',
  });
};

/** Ending instances that carry this deployment's group tag, and no others. */
export const allowEndingInstances = (fn: LambdaFunction, deployment: string): void =>
  allow(fn, {
    actions: ['ec2:TerminateInstances'],
    resources: ec2Arns(fn, ['instance']),
    conditions: { StringLike: { [`ec2:ResourceTag/${tags.group}`]: ourTag(deployment) } },
    reason: `Instance ids are known only at run time; only instances with this deployment's tag can be ended: ${page}`,
  });

/** Reading whether the owner of an instance protects it from termination. */
export const allowSeeingProtection = (fn: LambdaFunction, deployment: string): void =>
  allow(fn, {
    actions: ['ec2:DescribeInstanceAttribute'],
    resources: ec2Arns(fn, ['instance']),
    conditions: { StringLike: { [`aws:ResourceTag/${tags.group}`]: ourTag(deployment) } },
    reason: `Instance ids are known only at run time; only instances with this deployment's tag can be read: ${page}`,
  });

/**
 * LaunchInstances of Auto Scaling cannot set tags. Its instances may be tagged afterwards: only instances that an Auto
 * Scaling group holds, only with this deployment's tag, and never over another deployment's.
 */
export const allowTaggingAsgInstances = (fn: LambdaFunction, deployment: string): void =>
  allow(fn, {
    actions: ['ec2:CreateTags'],
    resources: ec2Arns(fn, ['instance']),
    conditions: {
      StringLike: { [`aws:RequestTag/${tags.group}`]: ourTag(deployment) },
      StringLikeIfExists: { [`aws:ResourceTag/${tags.group}`]: ourTag(deployment) },
      Null: { 'aws:ResourceTag/aws:autoscaling:groupName': 'false' },
    },
    reason: `Instance ids are known only at run time; only members of Auto Scaling groups can be tagged: ${page}`,
  });

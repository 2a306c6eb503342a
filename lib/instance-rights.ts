import { Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { tags } from '../functions/contract.ts';
import { allow } from './right.ts';

const page = 'https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html';

/**
 * The resources that a launch template may use. A launch changes none of these, and none is known before a user names
 * it.
 */
const ingredients = [
  'key-pair',
  'launch-template',
  'placement-group',
  'capacity-reservation',
  'network-interface',
  'volume',
  'spot-instances-request',
];

/** What EC2 can tag while it launches. */
const taggedAtLaunch = ['instance', 'volume', 'fleet', 'network-interface', 'spot-instances-request'];

const ec2Arns = (fn: LambdaFunction, kinds: readonly string[]): readonly string[] =>
  kinds.map((resource) => Stack.of(fn).formatArn({ service: 'ec2', resource, resourceName: '*' }));

/** Subnets and security groups of a shared network belong to another account; images and snapshots to any. */
const sharedArns = (fn: LambdaFunction): readonly string[] =>
  ['subnet', 'security-group', 'image', 'snapshot'].map((resource) =>
    Stack.of(fn).formatArn({ service: 'ec2', account: '*', resource, resourceName: '*' }),
  );

/** Tag values of this deployment's groups: `<deployment>/<group>`. */
const ourTag = (deployment: string): string => `${deployment}/*`;

/** Launching instances that carry this deployment's group tag, and no others. */
export const allowLaunchingInstances = (fn: LambdaFunction, deployment: string): void => {
  allow(fn, {
    actions: ['ec2:CreateFleet', 'ec2:RunInstances'],
    resources: ec2Arns(fn, ['instance']),
    conditions: { StringLike: { [`aws:RequestTag/${tags.group}`]: ourTag(deployment) } },
    reason: `An instance has no id before it is launched; the request must carry this deployment's tag: ${page}`,
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
    resources: ec2Arns(fn, taggedAtLaunch),
    conditions: {
      StringLike: { [`aws:RequestTag/${tags.group}`]: ourTag(deployment) },
      StringEquals: { 'ec2:CreateAction': ['CreateFleet', 'RunInstances'] },
    },
    reason: `Tagging is allowed only as part of a launch that carries this deployment's tag: ${page}`,
  });
  allowHandingOverRoles(fn);
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

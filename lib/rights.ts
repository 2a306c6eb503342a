import { Stack } from 'aws-cdk-lib';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { env, eventSource } from '../core/contract.ts';
import { allowCompletingHooks, allowEmptyingAsgs, allowFillingAsgs, allowProlongingHooks } from './asg-rights.ts';
import type { Functions } from './functions.ts';
import {
  allowEndingInstances,
  allowImageParameters,
  allowLaunchingInstances,
  allowSeeingProtection,
  allowTaggingAsgInstances,
} from './instance-rights.ts';
import { type Reach, reachConditions } from './reach.ts';
import { allow } from './right.ts';
import type { Signals } from './signals.ts';
import type { Tables } from './tables.ts';

const page = 'https://docs.aws.amazon.com/service-authorization/latest/reference/list_elasticloadbalancing.html';

const allowRegisteringTargets = (fn: LambdaFunction, reach: Reach): void => allowChanging(fn, reach, 'RegisterTargets');
const allowDeregisteringTargets = (fn: LambdaFunction, reach: Reach): void =>
  allowChanging(fn, reach, 'DeregisterTargets');

const allowChanging = (fn: LambdaFunction, reach: Reach, operation: string): void =>
  allow(fn, {
    actions: [`elasticloadbalancing:${operation}`],
    resources: [
      Stack.of(fn).formatArn({ service: 'elasticloadbalancing', resource: 'targetgroup', resourceName: '*/*' }),
    ],
    ...reachConditions(reach),
    reason:
      'Users name target groups in policies after this stack is deployed; ' +
      `the property onlyTagged narrows this to tagged ones: ${page}`,
  });

/**
 * Describe calls without resources, by the service authorization reference of Amazon EC2, EC2 Auto Scaling and Elastic
 * Load Balancing.
 */
type Seeing = `${'ec2' | 'autoscaling' | 'elasticloadbalancing'}:Describe${string}`;

const allowSeeing = (fn: LambdaFunction, actions: readonly Seeing[]): void =>
  allow(fn, {
    actions,
    resources: ['*'],
    reason:
      'Describe calls of these services have no resources: ' +
      'https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html',
  });

export type RightsProps = {
  readonly tables: Tables;
  readonly signals: Signals;
  readonly eventBus: IEventBus;
  readonly drainWorkflow: IStateMachine;
  readonly reach: Reach;
  readonly imageParameters: readonly string[];
};

/**
 * Which function may do what. Each line names a right of a function; the file of the resource says which actions it
 * takes.
 */
export const grantRights = ({ byName }: Functions, props: RightsProps): void => {
  grantReact(byName.react, props);
  grantTick(byName.tick, props);
  grantAcceptPolicy(byName['accept-policy'], props);
  grantBeginDrain(byName['begin-drain'], props);
  grantCheckDrain(byName['check-drain'], props);
  grantEndDrain(byName['end-drain'], props);
};

const grantReact = (react: LambdaFunction, props: RightsProps): void => {
  const { tables, signals, eventBus, drainWorkflow, reach } = props;
  tables.allowReadingGroups(react);
  tables.allowNotingChecks(react);
  tables.allowWritingState(react);
  signals.allowSending(react);
  allowAnnouncing(react, eventBus);
  allowStartingDrains(react, drainWorkflow);
  allowSeeing(react, [...holdings, ...health, ...statusChecks, ...hooks, 'ec2:DescribeSpotPriceHistory']);
  // LaunchInstances reads the Auto Scaling group's template with the rights of its caller.
  allowSeeing(react, ['ec2:DescribeLaunchTemplateVersions']);
  allowLaunchingInstances(react, reach.deployment);
  allowImageParameters(react, props.imageParameters);
  allowTaggingAsgInstances(react, reach.deployment);
  allowFillingAsgs(react, reach);
  allowRegisteringTargets(react, reach);
  allowReleasing(react, reach);
  // Hooks of groups that were deleted: no other function completes these.
  allowCompletingHooks(react, reach);
};

const grantTick = (tick: LambdaFunction, { tables, signals }: RightsProps): void => {
  tables.allowListingGroups(tick);
  signals.allowSending(tick);
};

const grantAcceptPolicy = (acceptPolicy: LambdaFunction, { tables, signals, eventBus }: RightsProps): void => {
  tables.allowWritingGroups(acceptPolicy);
  tables.allowNotingRefusals(acceptPolicy);
  tables.allowReadingStateItems(acceptPolicy);
  signals.allowSending(acceptPolicy);
  allowAnnouncing(acceptPolicy, eventBus);
  allowSeeing(acceptPolicy, [
    'ec2:DescribeSubnets',
    'ec2:DescribeLaunchTemplates',
    'ec2:DescribeLaunchTemplateVersions',
    'ec2:DescribeInstanceTypeOfferings',
    'ec2:DescribeInstanceTypes',
    'ec2:DescribeImages',
    'autoscaling:DescribeAutoScalingGroups',
    // If others set the desired capacity of an Auto Scaling group, its policy gets a warning when it is written.
    'autoscaling:DescribePolicies',
    'autoscaling:DescribeScheduledActions',
    ...hooks,
    ...delays,
  ]);
};

const grantBeginDrain = (beginDrain: LambdaFunction, props: RightsProps): void => {
  grantDrainStep(beginDrain, props, [...health, ...statusChecks, ...delays, ...hooks]);
  allowSeeingProtection(beginDrain, props.reach.deployment);
  allowReleasing(beginDrain, props.reach);
  // What its Auto Scaling group does not end now is ended by a look at the group.
  props.signals.allowSending(beginDrain);
  allowProlongingHooks(beginDrain, props.reach);
};

const grantCheckDrain = (checkDrain: LambdaFunction, props: RightsProps): void => {
  grantDrainStep(checkDrain, props, [...health, ...delays, ...hooks]);
  allowProlongingHooks(checkDrain, props.reach);
};

const grantEndDrain = (endDrain: LambdaFunction, props: RightsProps): void => {
  // A last attempt to take members out of service asks again whether enough others serve.
  grantDrainStep(endDrain, props, [...health, ...statusChecks, ...delays]);
  props.signals.allowSending(endDrain);
  allowAnnouncing(endDrain, props.eventBus);
  allowEnding(endDrain, props.reach);
  allowCompletingHooks(endDrain, props.reach);
};

const grantDrainStep = (
  step: LambdaFunction,
  { tables }: RightsProps,
  seen: Parameters<typeof allowSeeing>[1] = [],
): void => {
  tables.allowReadingGroups(step);
  tables.allowUpdatingState(step);
  allowSeeing(step, [...holdings, ...seen]);
};

/** The event of a lifecycle hook does not contain its time-out. */
const hooks = ['autoscaling:DescribeLifecycleHooks'] as const;

/** Taking members out of service. An Auto Scaling group terminates what is taken out of it. */
const allowReleasing = (fn: LambdaFunction, reach: Reach): void => {
  allowDeregisteringTargets(fn, reach);
  allowEmptyingAsgs(fn, reach);
};

/** Terminating members: first taking them out of service, where they are still in it. */
const allowEnding = (fn: LambdaFunction, reach: Reach): void => {
  allowReleasing(fn, reach);
  allowEndingInstances(fn, reach.deployment);
};

/** Instances of a group, and the Auto Scaling groups that hold them. */
const holdings = ['ec2:DescribeInstances', 'autoscaling:DescribeAutoScalingGroups'] as const;

/** The health of members in their target groups. */
const health = ['elasticloadbalancing:DescribeTargetHealth'] as const;

/** EC2's status checks of new members, where a policy says that these must pass. */
const statusChecks = ['ec2:DescribeInstanceStatus'] as const;

/** How long target groups let connections of leaving members go on. */
const delays = ['elasticloadbalancing:DescribeTargetGroupAttributes'] as const;

const allowAnnouncing = (fn: LambdaFunction, eventBus: IEventBus): void => {
  fn.addEnvironment(env.eventBusName, eventBus.eventBusName);
  allow(fn, {
    actions: ['events:PutEvents'],
    resources: [eventBus.eventBusArn],
    // A call carries the sources of all its entries. `Null`: a condition about all values is also true for a call
    // without any.
    conditions: { 'ForAllValues:StringEquals': { 'events:source': eventSource }, Null: { 'events:source': 'false' } },
    reason: 'No wildcard',
  });
};

const allowStartingDrains = (fn: LambdaFunction, drainWorkflow: IStateMachine): void => {
  fn.addEnvironment(env.drainStateMachineArn, drainWorkflow.stateMachineArn);
  drainWorkflow.grantStartExecution(fn);
};

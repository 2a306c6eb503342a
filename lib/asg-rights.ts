import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type Reach, reachConditions } from './reach.ts';
import { allow } from './right.ts';

const page = 'https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html';

/**
 * Bringing capacity into Auto Scaling groups: attaching, launching inside them, changing the sizes that limit them, and
 * suspending what they would do meanwhile.
 */
export const allowFillingAsgs = (fn: LambdaFunction, reach: Reach): void =>
  allowChanging(fn, reach, [
    'AttachInstances',
    'LaunchInstances',
    'UpdateAutoScalingGroup',
    'SuspendProcesses',
    'ResumeProcesses',
  ]);

/** Taking instances out of Auto Scaling groups. */
export const allowEmptyingAsgs = (fn: LambdaFunction, reach: Reach): void =>
  allowChanging(fn, reach, ['TerminateInstanceInAutoScalingGroup']);

/** Extending the lifecycle actions that wait for a drain. */
export const allowProlongingHooks = (fn: LambdaFunction, reach: Reach): void =>
  allowChanging(fn, reach, ['RecordLifecycleActionHeartbeat']);

/** Completing the lifecycle actions that waited for a drain. */
export const allowCompletingHooks = (fn: LambdaFunction, reach: Reach): void =>
  allowChanging(fn, reach, ['CompleteLifecycleAction']);

const allowChanging = (fn: LambdaFunction, reach: Reach, operations: readonly string[]): void =>
  allow(fn, {
    actions: operations.map((operation) => `autoscaling:${operation}`),
    resources: [
      Stack.of(fn).formatArn({
        service: 'autoscaling',
        resource: 'autoScalingGroup',
        resourceName: '*:autoScalingGroupName/*',
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    ],
    ...reachConditions(reach),
    reason:
      'Users name Auto Scaling groups in policies after this stack is deployed; ' +
      `the property onlyTagged narrows this to tagged ones: ${page}`,
  });

import { Stack } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type Reach, reachConditions } from './reach.ts';
import { allow } from './right.ts';

const page = 'https://docs.aws.amazon.com/service-authorization/latest/reference/list_elasticloadbalancing.html';

export const allowRegisteringTargets = (fn: LambdaFunction, reach: Reach): void =>
  allowChanging(fn, reach, 'RegisterTargets');
export const allowDeregisteringTargets = (fn: LambdaFunction, reach: Reach): void =>
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

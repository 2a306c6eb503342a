import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { allow } from './right.ts';

/**
 * Describe calls without resources, by the service authorization reference of Amazon EC2, EC2 Auto Scaling and Elastic
 * Load Balancing.
 */
type Seeing = `${'ec2' | 'autoscaling' | 'elasticloadbalancing'}:Describe${string}`;

export const allowSeeing = (fn: LambdaFunction, actions: readonly Seeing[]): void =>
  allow(fn, {
    actions,
    resources: ['*'],
    reason:
      'Describe calls of these services have no resources: ' +
      'https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html',
  });

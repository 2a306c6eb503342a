import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Holdfast, type HoldfastProps } from './holdfast.ts';

/** Holdfast in a stack of its own, with the name of the deployment. */
export class HoldfastStack extends Stack {
  readonly holdfast: Holdfast;

  constructor(scope: Construct, name: string, props: StackProps & Omit<HoldfastProps, 'name'> = {}) {
    super(scope, name, { description: 'Holdfast: keeps EC2 capacity in place when spot takes it away', ...props });
    this.holdfast = new Holdfast(this, 'Holdfast', { ...props, name });
    new CfnOutput(this, 'GroupsTable', {
      value: this.holdfast.groupsTable.tableName,
      description: 'Policies are items of this table',
    });
    new CfnOutput(this, 'SignalsQueueArn', {
      value: this.holdfast.signalsQueue.queueArn,
      description: 'Lifecycle hooks may notify this queue',
    });
  }
}

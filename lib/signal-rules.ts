import { Duration } from 'aws-cdk-lib';
import { type EventPattern, type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Signals } from './signals.ts';

export type SignalRulesProps = {
  readonly name: string;
  readonly signals: Signals;
  readonly drainWorkflow: IStateMachine;
  readonly eventBus?: IEventBus;
};

/**
 * The events that AWS sends, one rule each: detail-types of the EventBridge events reference for Amazon EC2, EC2 Auto
 * Scaling, CloudWatch and Step Functions. `pending` is left out of the state changes: it adds nothing to the response
 * of the launch, and comes in storms. Alarms are heard in every state: the end of `ALARM` tells how long it lasted.
 */
const patternsOf = (drainWorkflow: IStateMachine): Readonly<Record<string, EventPattern>> => ({
  interruption: { source: ['aws.ec2'], detailType: ['EC2 Spot Instance Interruption Warning'] },
  rebalance: { source: ['aws.ec2'], detailType: ['EC2 Instance Rebalance Recommendation'] },
  'state-change': {
    source: ['aws.ec2'],
    detailType: ['EC2 Instance State-change Notification'],
    detail: { state: ['running', 'stopping', 'stopped', 'shutting-down', 'terminated'] },
  },
  'terminate-hook': { source: ['aws.autoscaling'], detailType: ['EC2 Instance-terminate Lifecycle Action'] },
  'launch-unsuccessful': { source: ['aws.autoscaling'], detailType: ['EC2 Instance Launch Unsuccessful'] },
  alarm: { source: ['aws.cloudwatch'], detailType: ['CloudWatch Alarm State Change'] },
  'drain-stopped': {
    source: ['aws.states'],
    detailType: ['Step Functions Execution Status Change'],
    detail: { status: ['ABORTED'], stateMachineArn: [drainWorkflow.stateMachineArn] },
  },
});

/**
 * Sends each kind of AWS event to the signals queue. An event that the queue does not take goes to the dead-letter
 * queue.
 */
export class SignalRules extends Construct {
  readonly rules: readonly Rule[];

  constructor(scope: Construct, id: string, { name, signals, drainWorkflow, eventBus }: SignalRulesProps) {
    super(scope, id);
    this.rules = Object.entries(patternsOf(drainWorkflow)).map(
      ([kind, eventPattern]) =>
        new Rule(this, kind, {
          ruleName: `${name}-${kind}`,
          description: `Holdfast ${name}: signals of kind ${kind}`,
          eventPattern,
          ...(eventBus ? { eventBus } : {}),
          targets: [
            new SqsQueue(signals.queue, { deadLetterQueue: signals.deadLetters, maxEventAge: Duration.hours(1) }),
          ],
        }),
    );
  }
}

import { Duration } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { env } from '../core/contract.ts';
import { signalsFailForMs, signalsRetentionMs, signalsVisibilityMs } from '../core/times/times.ts';

export type SignalsProps = {
  readonly name: string;
  /** Topics that lifecycle hooks notify, and that the queue is subscribed to. */
  readonly hookTopicArns: readonly string[];
};

/** The queue that all signals arrive in, and its dead-letter queue. */
export class Signals extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { name, hookTopicArns }: SignalsProps) {
    super(scope, id);
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true };
    this.deadLetters = new Queue(this, 'DeadLetters', {
      ...common,
      queueName: `${name}-signals-dlq`,
      retentionPeriod: Duration.days(14),
    });
    this.queue = new Queue(this, 'Queue', {
      ...common,
      queueName: `${name}-signals`,
      retentionPeriod: Duration.millis(signalsRetentionMs),
      visibilityTimeout: Duration.millis(signalsVisibilityMs),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: Math.ceil(signalsFailForMs / signalsVisibilityMs) },
    });
    if (hookTopicArns.length > 0) this.admitTopics(hookTopicArns);
  }

  /** The queue's policy belongs to this stack, so only this stack can add a topic to it. */
  private admitTopics(topicArns: readonly string[]): void {
    this.queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('sns.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.queue.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': [...topicArns] } },
      }),
    );
  }

  /**
   * Delivers signals to this function in large batches: a storm costs as many calls as a trickle. A batch of more than
   * ten needs a window of at least one second (AWS Lambda developer guide, "Using Lambda with Amazon SQS"). Few
   * batches at once: each holds signals of every group that a storm hits, and reads those groups, so that twice as many
   * batches read twice as much and lose more races (docs/adr/0006-read-groups-together.md).
   */
  feed(fn: LambdaFunction): void {
    fn.addEventSource(
      new SqsEventSource(this.queue, {
        batchSize: 1_000,
        maxBatchingWindow: Duration.seconds(1),
        maxConcurrency: 4,
        reportBatchItemFailures: true,
      }),
    );
  }

  allowSending(fn: LambdaFunction): void {
    fn.addEnvironment(env.signalsQueueUrl, this.queue.queueUrl);
    this.queue.grant(fn, 'sqs:SendMessage');
  }
}

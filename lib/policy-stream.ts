import { Duration, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, FilterRule, type Function as LambdaFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { items, keys } from '../functions/contract.ts';

export type PolicyStreamProps = {
  readonly name: string;
  readonly groups: ITable;
  readonly acceptPolicy: LambdaFunction;
};

/** Sends what users write to `accept-policy`: their policy items alone, not what `accept-policy` writes beside them. */
export class PolicyStream extends Construct {
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { name, groups, acceptPolicy }: PolicyStreamProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: `${name}-policies-dlq`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this.deadLetters).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'It is the dead-letter queue of the stream mapping below.',
    });
    acceptPolicy.addEventSource(
      new DynamoEventSource(groups, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 10,
        filters: [
          FilterCriteria.filter({ dynamodb: { Keys: { [keys.item]: { S: FilterRule.isEqual(items.policy) } } } }),
        ],
        // One policy that cannot be processed must not hold up the others for the day that a stream keeps its records.
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        retryAttempts: 10,
        maxRecordAge: Duration.hours(1),
        onFailure: new SqsDlq(this.deadLetters),
      }),
    );
  }
}

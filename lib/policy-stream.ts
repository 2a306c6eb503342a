import { Duration, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, FilterRule, type Function as LambdaFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { items, keys, registryPartition } from '../core/contract.ts';

export type PolicyStreamProps = {
  readonly name: string;
  readonly groups: ITable;
  readonly acceptPolicy: LambdaFunction;
};

/**
 * Items under a sort key of the user's own, such as a misspelt one: `status` says that they are not read. What
 * `accept-policy` writes is left out: versions are known by their attribute `version`.
 */
const itemsOfUsers = {
  dynamodb: {
    Keys: {
      [keys.group]: { S: [{ 'anything-but': [registryPartition] }] },
      [keys.item]: { S: [{ 'anything-but': [items.policy, items.status, items.accepted] }] },
    },
    NewImage: { version: { N: FilterRule.notExists() } },
  },
};

/** Hands what users write to `accept-policy`: not what `accept-policy` writes beside it. */
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
          FilterCriteria.filter(itemsOfUsers),
        ],
        // One policy that cannot be processed must not hold up the others for the day that a stream keeps its records.
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        // An API that is down for ten minutes costs no write: attempts are up to a minute apart, for an hour at most.
        retryAttempts: 100,
        maxRecordAge: Duration.hours(1),
        onFailure: new SqsDlq(this.deadLetters),
      }),
    );
  }
}

import type { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { env, instanceIndex, keys, ttlAttribute } from '../core/contract.ts';
import { allow } from './right.ts';

export type TablesProps = { readonly name: string; readonly removalPolicy: RemovalPolicy };

const keySchema = {
  partitionKey: { name: keys.group, type: AttributeType.STRING },
  sortKey: { name: keys.item, type: AttributeType.STRING },
} as const;

/** The groups table, which users write, and the state table, which Holdfast writes. */
export class Tables extends Construct {
  readonly groups: Table;
  readonly state: Table;

  constructor(scope: Construct, id: string, { name, removalPolicy }: TablesProps) {
    super(scope, id);
    const common = {
      ...keySchema,
      removalPolicy,
      billingMode: BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    };
    this.groups = new Table(this, 'Groups', {
      ...common,
      tableName: `${name}-groups`,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
    this.state = new Table(this, 'State', { ...common, tableName: `${name}-state`, timeToLiveAttribute: ttlAttribute });
    this.state.addGlobalSecondaryIndex({
      indexName: instanceIndex.name,
      partitionKey: { name: instanceIndex.key, type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }

  /**
   * Each function gets the table's name together with the right to use it, so that neither can exist without the other.
   */
  allowReadingGroups(fn: LambdaFunction): void {
    fn.addEnvironment(env.groupsTable, this.groups.tableName);
    grantReading(this.groups, fn);
  }

  /** The function may write what checks of launches found into the status item of a group, and no other attribute. */
  allowNotingChecks(fn: LambdaFunction): void {
    this.allowNoting(fn, ['version', 'checks', 'checkedAt']);
  }

  /** The same for what would be refused of the version in force. */
  allowNotingRefusals(fn: LambdaFunction): void {
    this.allowNoting(fn, ['version', 'refusedNow', 'lookedUpAt']);
  }

  private allowNoting(fn: LambdaFunction, attributes: readonly string[]): void {
    allow(fn, {
      actions: ['dynamodb:UpdateItem'],
      resources: [this.groups.tableArn],
      conditions: {
        'ForAllValues:StringEquals': { 'dynamodb:Attributes': [keys.group, keys.item, ...attributes] },
        Null: { 'dynamodb:Attributes': 'false' },
      },
      reason: noWildcard,
    });
  }

  /** The registry is a partition of this table: read as a whole, never by its items. */
  allowListingGroups(fn: LambdaFunction): void {
    fn.addEnvironment(env.groupsTable, this.groups.tableName);
    grant(this.groups, fn, ['dynamodb:Query']);
  }

  allowWritingGroups(fn: LambdaFunction): void {
    this.allowReadingGroups(fn);
    grant(this.groups, fn, ['dynamodb:PutItem', 'dynamodb:DeleteItem']);
  }

  /** A group's state item by its key, and no other item. */
  allowReadingStateItems(fn: LambdaFunction): void {
    fn.addEnvironment(env.stateTable, this.state.tableName);
    grant(this.state, fn, ['dynamodb:GetItem']);
  }

  private allowReadingState(fn: LambdaFunction): void {
    fn.addEnvironment(env.stateTable, this.state.tableName);
    grantReading(this.state, fn, [instanceIndex.name]);
  }

  allowWritingState(fn: LambdaFunction): void {
    this.allowReadingState(fn);
    grant(this.state, fn, ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem']);
  }

  /** Changing single fields of items, and claiming wakes: nothing is replaced, nothing removed. */
  allowUpdatingState(fn: LambdaFunction): void {
    this.allowReadingState(fn);
    grant(this.state, fn, ['dynamodb:UpdateItem']);
  }
}

const reading = ['dynamodb:GetItem', 'dynamodb:Query'];
const noWildcard = 'The table by its name, and its index by its name';

/** No Scan: nothing that runs in AWS may cost more with every item that exists. */
const grantReading = (table: ITable, fn: LambdaFunction, indexes: readonly string[] = []): void =>
  allow(fn, {
    actions: reading,
    resources: [table.tableArn, ...indexes.map((index) => `${table.tableArn}/index/${index}`)],
    reason: noWildcard,
  });

const grant = (table: ITable, fn: LambdaFunction, actions: readonly string[]): void =>
  allow(fn, { actions, resources: [table.tableArn], reason: noWildcard });

import { beforeAll, describe, expect, test } from 'vitest';
import { functionNames } from '../../core/contract.ts';
import { signalsVisibilityMs } from '../../core/times/times.ts';
import { type EventPattern, matchesPattern } from '../../sandbox/platform/events/event-pattern.ts';
import { assembledResources, ofType, type Properties, printed, type Resource } from './assembled.ts';

let resources: Readonly<Record<string, Resource>>;
beforeAll(async () => {
  resources = await assembledResources();
});

const at = (properties: Properties, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], properties);

describe('functions', () => {
  test('each function of the contract is there, on arm64 and Node 24, from its own bundle', () => {
    const functions = ofType(resources, 'AWS::Lambda::Function').map(([, properties]) => properties);
    expect(functions.map((properties) => properties.FunctionName).sort()).toEqual(functionNames.map((name) => `holdfast-${name}`).sort());
    for (const properties of functions)
      expect(properties).toMatchObject({ Architectures: ['arm64'], Runtime: 'nodejs24.x', Handler: 'index.handler' });
  });

  test('Lambda does not stop the chain of messages that react sends to its own queue', () => {
    const loops = ofType(resources, 'AWS::Lambda::Function').map(([, { FunctionName, RecursiveLoop }]) => [FunctionName, RecursiveLoop]);
    expect(loops.filter(([, loop]) => loop !== undefined)).toEqual([['holdfast-react', 'Allow']]);
  });

  test('each function has a role of its own', () => {
    const roles = ofType(resources, 'AWS::Lambda::Function').map(([, properties]) => printed(properties.Role));
    expect(new Set(roles).size).toBe(functionNames.length);
  });

  test('every log group has a retention time', () => {
    const groups = ofType(resources, 'AWS::Logs::LogGroup');
    expect(groups.length).toBe(functionNames.length + 1);
    for (const [, { RetentionInDays }] of groups) expect(RetentionInDays).toBe(30);
  });

  test('the signals queue hides a batch longer than react may take', () => {
    const react = ofType(resources, 'AWS::Lambda::Function').find(([, { FunctionName }]) => FunctionName === 'holdfast-react')?.[1];
    const queue = ofType(resources, 'AWS::SQS::Queue').find(([, { QueueName }]) => QueueName === 'holdfast-signals')?.[1];
    expect(queue?.VisibilityTimeout).toBe(signalsVisibilityMs / 1_000);
    expect(queue?.VisibilityTimeout).toBeGreaterThan(react?.Timeout as number);
  });
});

describe('what fails goes to a dead-letter queue', () => {
  const isDeadLetter = (queueName: unknown): boolean => String(queueName).endsWith('-dlq');

  test('from each queue', () => {
    for (const [, properties] of ofType(resources, 'AWS::SQS::Queue')) {
      if (!isDeadLetter(properties.QueueName)) expect(at(properties, 'RedrivePolicy.deadLetterTargetArn')).toBeDefined();
    }
  });

  test('a signal only after more than an hour of attempts, so that no outage of an hour costs one', () => {
    const queue = ofType(resources, 'AWS::SQS::Queue').find(([, { QueueName }]) => QueueName === 'holdfast-signals')?.[1] ?? {};
    expect(Number(at(queue, 'RedrivePolicy.maxReceiveCount')) * signalsVisibilityMs).toBeGreaterThan(3_600_000);
    expect(at(queue, 'RedrivePolicy.maxReceiveCount')).toBeLessThanOrEqual(1_000);
  });

  test('from each rule', () => {
    const targets = ofType(resources, 'AWS::Events::Rule').flatMap(([, { Targets }]) => Targets as readonly Properties[]);
    expect(targets.length).toBe(11);
    for (const target of targets) expect(at(target, 'DeadLetterConfig.Arn')).toBeDefined();
  });

  test('from the stream of the groups table, with bounded attempts', () => {
    const [, stream] = ofType(resources, 'AWS::Lambda::EventSourceMapping').find(([, { StartingPosition }]) => StartingPosition) ?? [];
    expect(stream).toMatchObject({
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: 100,
      MaximumRecordAgeInSeconds: 3_600,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    expect(at(stream ?? {}, 'DestinationConfig.OnFailure.Destination')).toBeDefined();
  });
});

describe('tables', () => {
  test('both can be restored to any second of the last weeks, cost nothing at rest, and are kept when the stack is deleted', () => {
    const tables = Object.values(resources).filter(({ Type }) => Type === 'AWS::DynamoDB::Table');
    expect(tables.length).toBe(2);
    for (const { Properties: properties, DeletionPolicy } of tables) {
      expect(at(properties, 'PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled')).toBe(true);
      expect(properties.BillingMode).toBe('PAY_PER_REQUEST');
      // A first deployment that fails takes its tables with it; later ones never do.
      expect(DeletionPolicy).toBe('RetainExceptOnCreate');
    }
  });

  test('accept-policy receives changes of policy items and of unknown items, and not its own writes', () => {
    const [, stream] = ofType(resources, 'AWS::Lambda::EventSourceMapping').find(([, { StartingPosition }]) => StartingPosition) ?? [];
    const filters = at(stream ?? {}, 'FilterCriteria.Filters') as readonly { readonly Pattern: string }[];
    const hears = (group: string, item: string, NewImage: Properties | undefined) => {
      const event = { dynamodb: { Keys: { group: { S: group }, item: { S: item } }, ...(NewImage && { NewImage }) } };
      return filters.some(({ Pattern }) => matchesPattern(JSON.parse(Pattern) as EventPattern, event));
    };
    expect(hears('web', 'policy', { policy: { S: '' }, version: { N: '1' } })).toBe(true);
    expect(hears('web', 'policy', undefined)).toBe(true);
    expect(hears('web', 'Policy', { policy: { S: '' } })).toBe(true);
    expect(hears('web', 'status', { version: { N: '1' } })).toBe(false);
    expect(hears('web', 'accepted', { version: { N: '1' } })).toBe(false);
    expect(hears('web', 'version#000001', { version: { N: '1' } })).toBe(false);
    expect(hears('@registry', 'entry#web', {})).toBe(false);
  });
});

describe('signals', () => {
  test('each kind of AWS event has a rule; state changes say nothing about pending', () => {
    const patterns = ofType(resources, 'AWS::Events::Rule').flatMap(([, { EventPattern }]) => (EventPattern ? [EventPattern as Properties] : []));
    expect(patterns.map((pattern) => (pattern['detail-type'] as readonly string[])[0]).sort()).toEqual([
      'AWS Health Event',
      'CloudWatch Alarm State Change',
      'EC2 Capacity Reservation Instance Interruption Warning',
      'EC2 Instance Launch Unsuccessful',
      'EC2 Instance Rebalance Recommendation',
      'EC2 Instance State-change Notification',
      'EC2 Instance-terminate Lifecycle Action',
      'EC2 Spot Instance Interruption Warning',
      'Step Functions Execution Status Change',
    ]);
    expect(patterns.flatMap((pattern) => (at(pattern, 'detail.state') as readonly string[] | undefined) ?? [])).toEqual([
      'running',
      'stopping',
      'stopped',
      'shutting-down',
      'terminated',
    ]);
  });

  test('a storm arrives in large batches', () => {
    const [, mapping] = ofType(resources, 'AWS::Lambda::EventSourceMapping').find(([, { StartingPosition }]) => !StartingPosition) ?? [];
    expect(mapping).toMatchObject({ BatchSize: 1000, MaximumBatchingWindowInSeconds: 1, FunctionResponseTypes: ['ReportBatchItemFailures'] });
    expect(at(mapping ?? {}, 'ScalingConfig.MaximumConcurrency')).toBe(4);
  });

  test('the tick comes every minute', () => {
    const schedules = ofType(resources, 'AWS::Events::Rule').flatMap(([, { ScheduleExpression }]) =>
      ScheduleExpression ? [ScheduleExpression] : [],
    );
    expect(schedules).toEqual(['rate(1 minute)', 'cron(0/15 * * * ? *)']);
  });
});

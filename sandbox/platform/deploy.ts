import { join } from 'node:path';
import type { WorldClock } from '../clock.ts';
import type { EventBus, Target } from './events/bus.ts';
import type { EventPattern } from './events/event-pattern.ts';
import type { Functions } from './functions/functions.ts';
import type { InvocationResult } from './functions/invocation.ts';
import type { Queue } from './queues/queue.ts';
import { type MessageFate, type Pollers, startQueuePoller } from './queues/queue-poller.ts';
import type { Roles } from './roles.ts';
import type { MachineDefinition } from './states/definition.ts';
import type { StateMachines } from './states/state-machines.ts';
import type { TableSpec, Tables } from './tables/dynamodb.ts';
import type { StreamRecord } from './tables/stream.ts';
import { startStreamPoller } from './tables/stream-poller.ts';
import type { Stack, StackResource } from './template/stack.ts';

/** The services that resources are put into. */
export type DeployTarget = {
  readonly clock: WorldClock;
  readonly region: string;
  readonly bus: EventBus;
  readonly functions: Functions;
  readonly tables: Tables;
  readonly machines: StateMachines;
  readonly roles: Roles;
  readonly addQueue: (options: Parameters<typeof queueOptions>[0]) => void;
  readonly queueByArn: (arn: string) => Queue | undefined;
  readonly addStreamReader: (isBehind: () => boolean) => void;
  readonly messageFate?: MessageFate;
  readonly pollers?: Pollers;
  readonly assetDirectory: (key: string) => string;
};

type Properties = Readonly<Record<string, unknown>>;
type Deploy = (resource: StackResource, target: DeployTarget) => void;

const number = (value: unknown, otherwise: number): number => (value === undefined ? otherwise : Number(value));
const records = (value: unknown): readonly Properties[] => (Array.isArray(value) ? (value as Properties[]) : []);

const arnOf = ({ attributes }: StackResource): string => String(attributes.Arn);
/** `arn:aws:iam::123456789012:role/path/name` → `name`. */
const roleName = (arn: unknown): string => String(arn).split('/').at(-1) as string;

const table: Deploy = (resource, { tables }) => {
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, StreamSpecification, TimeToLiveSpecification } = resource.properties;
  const viewType = (StreamSpecification as Properties | undefined)?.StreamViewType;
  const ttl = TimeToLiveSpecification as Properties | undefined;
  tables.add({
    name: resource.name,
    arn: arnOf(resource),
    keySchema: KeySchema as TableSpec['keySchema'],
    attributes: AttributeDefinitions as TableSpec['attributes'],
    indexes: (GlobalSecondaryIndexes ?? []) as TableSpec['indexes'],
    ...(viewType !== undefined && { stream: { arn: String(resource.attributes.StreamArn), viewType: String(viewType) } }),
    ...(ttl?.Enabled === true && { ttlAttribute: String(ttl.AttributeName) }),
  });
};

/** A queue's options from its template properties; the defaults are those of SQS. */
export const queueOptions = ({ name, attributes, properties }: StackResource) => {
  const redrive = properties.RedrivePolicy as { deadLetterTargetArn: string; maxReceiveCount: number } | undefined;
  return {
    name,
    arn: String(attributes.Arn),
    url: String(attributes.QueueUrl),
    visibilitySeconds: number(properties.VisibilityTimeout, 30),
    delaySeconds: number(properties.DelaySeconds, 0),
    retentionSeconds: number(properties.MessageRetentionPeriod, 345_600),
    ...(redrive && { redrive: { maxReceiveCount: Number(redrive.maxReceiveCount), deadLetterArn: redrive.deadLetterTargetArn } }),
  };
};

const lambdaFunction: Deploy = (resource, { functions, assetDirectory }) => {
  const { Code, Handler, Role, Timeout, MemorySize, Environment, ReservedConcurrentExecutions, RecursiveLoop, Runtime } = resource.properties;
  if (!String(Runtime).startsWith('nodejs'))
    throw new Error(`The sandbox runs functions on Node.js only, not on ${Runtime} (${resource.logicalId}).`);
  const [module = 'index'] = String(Handler).split('.');
  functions.add({
    name: resource.name,
    arn: arnOf(resource),
    role: roleName(Role),
    file: join(assetDirectory(String((Code as Properties).S3Key)), `${module}.mjs`),
    timeoutSeconds: number(Timeout, 3),
    memoryMb: number(MemorySize, 128),
    variables: ((Environment as Properties | undefined)?.Variables ?? {}) as Record<string, string>,
    ...(ReservedConcurrentExecutions !== undefined && { reservedConcurrency: Number(ReservedConcurrentExecutions) }),
    ...((RecursiveLoop === 'Allow' || RecursiveLoop === 'Terminate') && { recursiveLoop: RecursiveLoop }),
  });
};

const stateMachine: Deploy = (resource, { machines }) => {
  const { DefinitionString, Definition, RoleArn, StateMachineType } = resource.properties;
  if (StateMachineType === 'EXPRESS') throw new Error(`The sandbox runs Standard workflows only (${resource.logicalId}).`);
  const definition = (DefinitionString === undefined ? Definition : JSON.parse(String(DefinitionString))) as MachineDefinition;
  machines.add({ name: resource.name, arn: resource.ref, role: roleName(RoleArn), roleArn: String(RoleArn), definition });
};

const rule: Deploy = (resource, { bus }) => {
  const { EventPattern: pattern, ScheduleExpression, State, Targets, EventBusName } = resource.properties;
  bus.addRule({
    name: resource.name,
    arn: arnOf(resource),
    bus: String(EventBusName ?? 'default')
      .split('/')
      .at(-1) as string,
    enabled: State !== 'DISABLED',
    targets: records(Targets) as unknown as readonly Target[],
    ...(pattern !== undefined && { pattern: pattern as EventPattern }),
    ...(ScheduleExpression !== undefined && { schedule: String(ScheduleExpression) }),
  });
};

const filtersOf = ({ FilterCriteria }: Properties): readonly EventPattern[] =>
  records((FilterCriteria as Properties | undefined)?.Filters).map(({ Pattern }) => JSON.parse(String(Pattern)) as EventPattern);

const onFailureArn = ({ DestinationConfig }: Properties): string | undefined =>
  ((DestinationConfig as Properties | undefined)?.OnFailure as Properties | undefined)?.Destination as string | undefined;

/** What Lambda sends to an on-failure destination about stream records: their position, not the records themselves. */
const streamFailure = (arn: string, failed: readonly StreamRecord[], result: InvocationResult, atMs: number) => ({
  requestContext: { condition: 'RetryAttemptsExhausted', functionArn: arn, approximateInvokeCount: failed.length },
  responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: result.kind === 'error' ? result.errorType : undefined },
  version: '1.0',
  timestamp: new Date(atMs).toISOString(),
  DDBStreamBatchInfo: {
    streamArn: failed[0]?.eventSourceARN,
    startSequenceNumber: failed[0]?.dynamodb.SequenceNumber,
    endSequenceNumber: failed.at(-1)?.dynamodb.SequenceNumber,
    batchSize: failed.length,
  },
});

const eventSourceMapping: Deploy = ({ logicalId, properties }, target) => {
  if (properties.Enabled === false) return;
  const { clock, region, functions } = target;
  const source = String(properties.EventSourceArn);
  const functionName = String(properties.FunctionName);
  const common = {
    clock,
    windowSeconds: number(properties.MaximumBatchingWindowInSeconds, 0),
    reportsItemFailures: (properties.FunctionResponseTypes as readonly string[] | undefined)?.includes('ReportBatchItemFailures') ?? false,
    filters: filtersOf(properties),
    invoke: (event: unknown) => functions.invoke(functionName, event),
  };
  const queue = target.queueByArn(source);
  const stream = target.tables.stream(source);
  if (queue !== undefined) {
    const maximumConcurrency = number((properties.ScalingConfig as Properties | undefined)?.MaximumConcurrency, 1000);
    const { messageFate, pollers = 'one' } = target;
    const batchSize = number(properties.BatchSize, 10);
    startQueuePoller({ ...common, queue, region, maximumConcurrency, batchSize, pollers, ...(messageFate && { fate: messageFate }) });
  } else if (stream !== undefined) {
    const deadLetters = onFailureArn(properties);
    const isBehind = startStreamPoller({
      ...common,
      stream,
      batchSize: number(properties.BatchSize, 100),
      bisects: properties.BisectBatchOnFunctionError === true,
      maximumRetryAttempts: number(properties.MaximumRetryAttempts, -1),
      maximumRecordAgeSeconds: number(properties.MaximumRecordAgeInSeconds, -1),
      onFailure: (failed, result) => {
        if (deadLetters !== undefined) target.queueByArn(deadLetters)?.send(JSON.stringify(streamFailure(functionName, failed, result, clock.now())));
      },
    });
    target.addStreamReader(isBehind);
  } else throw new Error(`The sandbox cannot map ${source} to a function (${logicalId}).`);
};

const eventInvokeConfig: Deploy = ({ properties }, { functions, queueByArn }) => {
  const deadLetters = onFailureArn(properties);
  functions.configureAsync(String(properties.FunctionName), {
    ...(properties.MaximumRetryAttempts !== undefined && { maximumRetryAttempts: Number(properties.MaximumRetryAttempts) }),
    ...(properties.MaximumEventAgeInSeconds !== undefined && { maximumAgeSeconds: Number(properties.MaximumEventAgeInSeconds) }),
    onFailure: (requestPayload, result) => {
      if (deadLetters !== undefined) queueByArn(deadLetters)?.send(JSON.stringify({ version: '1.0', requestPayload, responsePayload: result }));
    },
  });
};

const role: Deploy = (resource, { roles }) => {
  roles.add(resource.name);
  for (const { PolicyName, PolicyDocument } of records(resource.properties.Policies)) roles.grant(resource.name, String(PolicyName), PolicyDocument);
  for (const arn of (resource.properties.ManagedPolicyArns ?? []) as readonly string[]) roles.attach(resource.name, arn);
};

const policy: Deploy = ({ name, ref, properties }, { roles }) => {
  for (const granted of (properties.Roles ?? []) as readonly string[]) roles.grant(granted, name, properties.PolicyDocument);
  roles.define(ref, properties.PolicyDocument);
};

/** Creates each resource. Known types that are not listed need nothing, because nothing at run time depends on them. */
const deploys: Readonly<Record<string, Deploy>> = {
  'AWS::DynamoDB::Table': table,
  'AWS::DynamoDB::GlobalTable': (resource, target) => {
    const [replica] = records(resource.properties.Replicas);
    table({ ...resource, properties: { ...replica, ...resource.properties } }, target);
  },
  'AWS::SQS::Queue': (resource, { addQueue }) => addQueue(resource),
  'AWS::Lambda::Function': lambdaFunction,
  'AWS::Lambda::EventSourceMapping': eventSourceMapping,
  'AWS::Lambda::EventInvokeConfig': eventInvokeConfig,
  'AWS::StepFunctions::StateMachine': stateMachine,
  'AWS::Events::Rule': rule,
  'AWS::IAM::Role': role,
  'AWS::IAM::Policy': policy,
  'AWS::IAM::ManagedPolicy': policy,
};

/** Puts every resource of a stack into its service, those first that others depend on. */
export const deploy = (stack: Stack, target: DeployTarget): void => {
  for (const resource of stack.resources) deploys[resource.type]?.(resource, target);
};

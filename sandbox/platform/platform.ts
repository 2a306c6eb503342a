import type { Acting } from '../acting.ts';
import { ApiError, type ApiService, type BusEvent, type Place } from '../api.ts';
import type { WorldClock } from '../clock.ts';
import { forkRandom } from '../random.ts';
import type { LambdaSpec } from '../world/spec.ts';
import { deploy, queueOptions } from './deploy.ts';
import { createEventBus, type EventBus, type EventFate } from './events/bus.ts';
import type { StartEnvironment } from './functions/environment.ts';
import { createFunctions, type Functions } from './functions/functions.ts';
import type { InvocationResult } from './functions/invocation.ts';
import { traceHeader } from './functions/lineage.ts';
import { closedTargets } from './permissions.ts';
import { createQueue, type Queue } from './queues/queue.ts';
import type { MessageFate } from './queues/queue-poller.ts';
import { createSqs } from './queues/sqs.ts';
import { createRoles, type Roles } from './roles.ts';
import type { Execution } from './states/execution.ts';
import { createStateMachines, type StateMachines } from './states/state-machines.ts';
import type { TaskDeps } from './states/task.ts';
import { createSts } from './sts.ts';
import { createTables, type Tables } from './tables/dynamodb.ts';
import type { Stack } from './template/stack.ts';

export type PlatformDeps = {
  readonly clock: WorldClock;
  readonly seed: number;
  readonly place: Place;
  readonly stack: Stack;
  readonly assetDirectory: (key: string) => string;
  readonly start: StartEnvironment;
  /** World milliseconds that Lambda and Step Functions take for their own part. */
  readonly pace: Pace;
  readonly fate?: EventFate;
  readonly messageFate?: MessageFate;
  /** Makes the calls of state machines, each with its role; absent: their functions are invoked directly, and they can do nothing else. */
  readonly call?: NonNullable<TaskDeps['call']>;
  /** How Lambda treats the account. */
  readonly lambda?: LambdaSpec;
  /** The present actor. A message of a function continues the chain of calls of that function. */
  readonly acting?: Pick<Acting, 'current'>;
};

export type Pace = { readonly coldStartMs: number; readonly invokeMs: number; readonly transitionMs: number };

/** Lambda with a small bundle, and a step of a workflow: medians of published measurements, for code that takes no time itself. */
export const measuredPace: Pace = { coldStartMs: 250, invokeMs: 20, transitionMs: 30 };
/** For code that really takes time. */
export const ownPace: Pace = { coldStartMs: 0, invokeMs: 0, transitionMs: 30 };

/** The stack, running. */
export type Platform = {
  readonly services: readonly ApiService[];
  readonly bus: EventBus;
  readonly functions: Functions;
  readonly tables: Tables;
  readonly machines: StateMachines;
  readonly queues: readonly Queue[];
  /** Whether writes to tables wait for the functions that read their streams. */
  readonly areStreamsBehind: () => boolean;
  readonly roles: Roles;
  readonly outputs: Readonly<Record<string, unknown>>;
};

/** A state machine's invocation, made like any other call: its role must allow it, it is logged, and faults may hit it. */
const invokeByCall =
  (call: NonNullable<TaskDeps['call']>): TaskDeps['invoke'] =>
  async (functionArn, payload, role) => {
    try {
      return (await call('lambda', 'Invoke', { FunctionName: functionArn, Payload: payload }, role)) as InvocationResult;
    } catch (error) {
      const errorType = error instanceof ApiError ? `Lambda.${error.code}` : 'Lambda.SdkClientException';
      return { kind: 'error', errorType, errorMessage: error instanceof Error ? error.message : String(error) };
    }
  };

/**
 * Step Functions puts every change of an execution on the bus. The sandbox sends only the event that an execution was stopped, because only rules for that
 * event exist in the stack.
 */
const tellOfStop = (
  bus: EventBus,
  { arn, machineArn, name, input, status }: Pick<Execution, 'arn' | 'machineArn' | 'name' | 'input' | 'status'>,
): void => {
  if (status !== 'ABORTED') return;
  bus.emit({
    'detail-type': 'Step Functions Execution Status Change',
    source: 'aws.states',
    resources: [arn],
    detail: {
      executionArn: arn,
      stateMachineArn: machineArn,
      name,
      status,
      input,
      inputDetails: { included: true },
      output: null,
      outputDetails: null,
    },
  });
};

/** The Lambda operations that state machines call. Other clients cannot call them, because the sandbox does not implement Lambda's protocol. */
const lambdaService = (functions: Functions): ApiService => ({
  service: 'lambda',
  operations: { Invoke: ({ FunctionName, Payload }) => functions.invoke(String(FunctionName), Payload) },
});

/** Brings what a rule gives to the queue, function or state machine that it names. */
const createDelivery =
  (queues: readonly Queue[], parts: () => Pick<Platform, 'functions' | 'machines'>) => (arn: string, text: string, _event: BusEvent) => {
    const service = arn.split(':')[2];
    if (service === 'sqs') queues.find((queue) => queue.arn === arn)?.send(text);
    else if (service === 'lambda') parts().functions.invokeLater(arn, JSON.parse(text));
    else if (service === 'states') parts().machines.start(arn, text);
    else throw new Error(`The sandbox cannot deliver events to ${arn}.`);
  };

/** @throws naming what the sandbox cannot run, or what AWS would not let through. */
export const createPlatform = (deps: PlatformDeps): Platform => {
  const { clock, seed, place, stack, pace } = deps;
  const closed = closedTargets(stack);
  if (closed.length > 0) throw new Error(closed.join(' '));
  const queues: Queue[] = [];
  const streamReaders: (() => boolean)[] = [];
  const queueByArn = (arn: string): Queue | undefined => queues.find((queue) => queue.arn === arn);
  const queueRandom = forkRandom(seed, 'queues');
  const tables = createTables(clock);
  const roles = createRoles();
  const functions = createFunctions({
    clock,
    random: forkRandom(seed, 'functions'),
    start: deps.start,
    coldStartMs: pace.coldStartMs,
    overheadMs: pace.invokeMs,
    ...(deps.lambda?.concurrency !== undefined && { concurrency: deps.lambda.concurrency }),
  });
  const invoke = deps.call === undefined ? functions.invoke : invokeByCall(deps.call);
  const machines = createStateMachines({
    clock,
    random: forkRandom(seed, 'states'),
    place,
    transitionMs: pace.transitionMs,
    tasks: { invoke, ...(deps.call && { call: deps.call }) },
  });
  const bus = createEventBus({
    clock,
    place,
    random: forkRandom(seed, 'events'),
    deliver: createDelivery(queues, () => ({ functions, machines })),
    ...(deps.fate && { fate: deps.fate }),
  });
  machines.observe((execution) => tellOfStop(bus, execution));
  deploy(stack, {
    clock,
    region: place.region,
    bus,
    functions,
    tables,
    machines,
    roles,
    queueByArn,
    addStreamReader: (isBehind) => void streamReaders.push(isBehind),
    assetDirectory: deps.assetDirectory,
    ...(deps.messageFate && { messageFate: deps.messageFate }),
    ...(deps.lambda?.pollers && { pollers: deps.lambda.pollers }),
    addQueue: (resource) => {
      const options = queueOptions(resource);
      const deadLetterArn = options.redrive?.deadLetterArn;
      queues.push(
        createQueue(options, { clock, random: queueRandom, deadLetterQueue: () => (deadLetterArn ? queueByArn(deadLetterArn) : undefined) }),
      );
    },
  });
  const traced = (): string | undefined => {
    const by = deps.acting?.current().by;
    return by?.kind === 'function' ? traceHeader(functions.lineageOf(by.invocation)) : undefined;
  };
  return {
    services: [bus.service, createSqs(queues, clock, traced), tables.service, machines.service, lambdaService(functions), createSts(place)],
    bus,
    functions,
    tables,
    machines,
    queues,
    areStreamsBehind: () => streamReaders.some((isBehind) => isBehind()),
    roles,
    outputs: stack.outputs,
  };
};

import { ApiError, type ApiService, type Place } from '../../api.ts';
import type { WorldClock } from '../../clock.ts';
import type { Random } from '../../random.ts';
import { uuid } from '../uuid.ts';
import { checkDefinition, type MachineDefinition } from './definition.ts';
import { type Execution, startExecution } from './execution.ts';
import { createInterpreter } from './interpreter.ts';
import { createEvaluate } from './query.ts';
import { createRunTask, type TaskDeps } from './task.ts';

export type MachineSpec = {
  readonly name: string;
  readonly arn: string;
  readonly role: string;
  readonly roleArn: string;
  readonly definition: MachineDefinition;
};

export type StateMachinesDeps = {
  readonly clock: WorldClock;
  readonly random: Random;
  readonly place: Place;
  readonly tasks: TaskDeps;
  /** World milliseconds that entering a state takes. */
  readonly transitionMs: number;
};

export type StateMachines = {
  readonly service: ApiService;
  /** @throws when the definition is one that Step Functions would refuse. */
  add(spec: MachineSpec): void;
  start(machineArn: string, input: string, name?: string): Execution;
  executions(): readonly Execution[];
  /** Called when an execution begins and when it ends. */
  observe(listener: (execution: Pick<Execution, 'arn' | 'machineArn' | 'name' | 'input' | 'status'>) => void): void;
};

type Input = Record<string, unknown>;

/** A name may be used again after this long. */
const nameReservedMs = 90 * 86_400_000;
const largestInputBytes = 262_144;

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const checkStart = (name: string, input: string): void => {
  if (!/^[\w-]{1,80}$/.test(name)) throw new ApiError('InvalidName', `Invalid Name: '${name}'`);
  if (!isJson(input)) throw new ApiError('InvalidExecutionInput', `Invalid State Machine Execution Input: '${input}' is not JSON.`);
  if (Buffer.byteLength(input) > largestInputBytes) throw new ApiError('InvalidExecutionInput', `The input exceeds ${largestInputBytes} bytes.`);
};

const described = (execution: Execution) => ({
  executionArn: execution.arn,
  stateMachineArn: execution.machineArn,
  name: execution.name,
  status: execution.status,
  startDate: new Date(execution.startedAtMs),
  ...(execution.stoppedAtMs !== undefined && { stopDate: new Date(execution.stoppedAtMs) }),
});

const page = <T>(all: readonly T[], { maxResults, nextToken }: Input, most: number): { readonly some: readonly T[]; readonly nextToken?: string } => {
  const from = Number(nextToken ?? 0);
  const to = from + (Number(maxResults) || most);
  return { some: all.slice(from, to), ...(to < all.length && { nextToken: String(to) }) };
};

/** Step Functions, Standard workflows in JSONata. */
export const createStateMachines = (deps: StateMachinesDeps): StateMachines => {
  const { clock, random, place } = deps;
  const machines = new Map<string, MachineSpec>();
  const creationDate = new Date(clock.now());
  const listeners: Parameters<StateMachines['observe']>[0][] = [];
  const executions = new Map<string, ReturnType<typeof startExecution>>();
  const evaluate = createEvaluate(clock, random);

  const machineOf = (arn: unknown): MachineSpec => {
    const machine = machines.get(String(arn));
    if (machine === undefined) throw new ApiError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${arn}'`);
    return machine;
  };
  const executionOf = ({ executionArn }: Input) => {
    const execution = executions.get(String(executionArn));
    if (execution === undefined) throw new ApiError('ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`);
    return execution;
  };
  const begin = (machine: MachineSpec, arn: string, name: string, input: string): Execution => {
    const { transitionMs, tasks } = deps;
    const { runStates } = createInterpreter({ clock, random, evaluate, transitionMs, runTask: createRunTask(tasks, machine.role) });
    const tell = (status: Execution['status']): void => {
      for (const listener of listeners) listener({ arn, machineArn: machine.arn, name, input, status });
    };
    tell('RUNNING');
    const execution = startExecution({ arn, name, machine, input, clock, runStates, onEnd: tell });
    executions.set(arn, execution);
    return execution.snapshot();
  };
  /**
   * A second start under the name of a running execution with the same input returns that execution. A start with another input, or after the end, is refused.
   */
  const start = (machineArn: string, input: string, name = uuid(random)): Execution => {
    const machine = machineOf(machineArn);
    checkStart(name, input);
    const arn = `arn:aws:states:${place.region}:${place.accountId}:execution:${machine.name}:${name}`;
    const earlier = executions.get(arn)?.snapshot();
    if (earlier === undefined || clock.now() - (earlier.stoppedAtMs ?? clock.now()) > nameReservedMs) return begin(machine, arn, name, input);
    if (earlier.status === 'RUNNING' && earlier.input === input) return earlier;
    throw new ApiError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`);
  };
  const list = (input: Input) => {
    const machine = machineOf(input.stateMachineArn);
    const all = [...executions.values()].map((execution) => execution.snapshot()).filter(({ machineArn }) => machineArn === machine.arn);
    const wanted = all.filter(({ status }) => input.statusFilter === undefined || status === input.statusFilter).reverse();
    const { some, nextToken } = page(wanted, input, 100);
    return { executions: some.map(described), ...(nextToken && { nextToken }) };
  };
  const describeExecution = (input: Input) => {
    const execution = executionOf(input).snapshot();
    const { error, cause, output } = execution;
    return { ...described(execution), input: execution.input, ...(output && { output }), ...(error && { error }), ...(cause && { cause }) };
  };
  const history = (input: Input) => {
    const { events } = executionOf(input).snapshot();
    const { some, nextToken } = page(input.reverseOrder === true ? [...events].reverse() : events, input, 1000);
    return { events: some, ...(nextToken && { nextToken }) };
  };
  const describeMachine = (input: Input) => {
    const machine = machineOf(input.stateMachineArn);
    return {
      stateMachineArn: machine.arn,
      name: machine.name,
      status: 'ACTIVE',
      definition: JSON.stringify(machine.definition),
      roleArn: machine.roleArn,
      type: 'STANDARD',
      creationDate,
    };
  };
  return {
    service: {
      service: 'states',
      operations: {
        StartExecution: ({ stateMachineArn, input = '{}', name }) => {
          const { arn, startedAtMs } = start(String(stateMachineArn), String(input), name as string | undefined);
          return { executionArn: arn, startDate: new Date(startedAtMs) };
        },
        StopExecution: (input) => {
          executionOf(input).stop(input.error as string | undefined, input.cause as string | undefined);
          return { stopDate: new Date(clock.now()) };
        },
        DescribeExecution: describeExecution,
        ListExecutions: list,
        GetExecutionHistory: history,
        DescribeStateMachine: describeMachine,
        ListStateMachines: () => ({
          stateMachines: [...machines.values()].map(({ arn, name }) => ({ stateMachineArn: arn, name, type: 'STANDARD', creationDate })),
        }),
      },
    },
    add: (spec) => {
      checkDefinition(spec.definition);
      machines.set(spec.arn, spec);
    },
    start,
    executions: () => [...executions.values()].map((execution) => execution.snapshot()),
    observe: (listener) => {
      listeners.push(listener);
    },
  };
};

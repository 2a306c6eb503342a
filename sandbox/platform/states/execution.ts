import type { WorldClock } from '../../clock.ts';
import { type MachineDefinition, StateError } from './definition.ts';
import { createHistory, type HistoryEvent } from './history.ts';
import type { Frame } from './running.ts';

export type ExecutionStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

export type Execution = {
  readonly arn: string;
  readonly name: string;
  readonly machineArn: string;
  readonly input: string;
  readonly startedAtMs: number;
  readonly status: ExecutionStatus;
  readonly stoppedAtMs?: number;
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
  readonly events: readonly HistoryEvent[];
};

export type ExecutionPlan = {
  readonly arn: string;
  readonly name: string;
  readonly machine: { readonly arn: string; readonly name: string; readonly roleArn: string; readonly definition: MachineDefinition };
  readonly input: string;
  readonly clock: WorldClock;
  /** Called when it has ended. */
  readonly onEnd?: (status: ExecutionStatus) => void;
  readonly runStates: (definition: MachineDefinition, input: unknown, frame: Frame) => Promise<unknown>;
};

type End = {
  readonly status: ExecutionStatus;
  readonly event: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly output?: string;
};

const failure = (error: StateError): End => ({
  status: 'FAILED',
  event: 'ExecutionFailed',
  details: { error: error.error, cause: error.message },
});

/** Begins an execution at once; it ends by itself, by its time-out, or when it is stopped. */
export const startExecution = ({ arn, name, machine, input, clock, runStates, onEnd }: ExecutionPlan) => {
  const history = createHistory(clock.now);
  const startedAtMs = clock.now();
  const { definition } = machine;
  let ended: (End & { readonly atMs: number }) | undefined;
  const end = (how: End): void => {
    if (ended !== undefined) return;
    history.add(how.event, how.details);
    history.close();
    ended = { ...how, atMs: clock.now() };
    onEnd?.(how.status);
  };
  const parsed: unknown = JSON.parse(input);
  const context = {
    Execution: { Id: arn, Input: parsed, Name: name, RoleArn: machine.roleArn, StartTime: new Date(startedAtMs).toISOString(), RedriveCount: 0 },
    StateMachine: { Id: machine.arn, Name: machine.name },
  };
  const run = async (): Promise<void> => {
    try {
      const output = JSON.stringify(await runStates(definition, parsed, { variables: {}, context, history, isOver: () => ended !== undefined }));
      end({ status: 'SUCCEEDED', event: 'ExecutionSucceeded', details: { output }, output });
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      end(failure(error));
    } finally {
      timer?.cancel();
    }
  };
  history.add('ExecutionStarted', { input, roleArn: machine.roleArn });
  const timer =
    definition.TimeoutSeconds === undefined
      ? undefined
      : clock.after(definition.TimeoutSeconds * 1000, () =>
          end({ status: 'TIMED_OUT', event: 'ExecutionTimedOut', details: { error: 'States.Timeout' } }),
        );
  clock.after(0, run);
  return {
    snapshot: (): Execution => ({
      arn,
      name,
      machineArn: machine.arn,
      input,
      startedAtMs,
      status: ended?.status ?? 'RUNNING',
      events: history.events,
      ...(ended !== undefined && { stoppedAtMs: ended.atMs }),
      ...(ended?.output !== undefined && { output: ended.output }),
      ...(ended?.details.error !== undefined && { error: String(ended.details.error) }),
      ...(ended?.details.cause !== undefined && { cause: String(ended.details.cause) }),
    }),
    stop: (error?: string, cause?: string): void => {
      end({ status: 'ABORTED', event: 'ExecutionAborted', details: { ...(error && { error }), ...(cause && { cause }) } });
    },
  };
};

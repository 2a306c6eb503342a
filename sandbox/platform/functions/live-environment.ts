import { Worker } from 'node:worker_threads';
import type { LiveClock } from '../live-clock.ts';
import { type Activity, createActivity } from './activity.ts';
import {
  contextOf,
  type ExecutionEnvironment,
  type FunctionSpec,
  failureOf,
  type RuntimeCall,
  runtimeVariables,
  type StartEnvironment,
} from './environment.ts';
import type { InvocationResult } from './invocation.ts';
import type { WorkerCall, WorkerMessage, WorkerOrder, WorkerStart } from './worker-protocol.ts';

export type LiveDeps = {
  readonly clock: LiveClock;
  readonly region: string;
  /** Where every SDK client of a function finds its services. */
  readonly endpoint: string;
  /** Where the activity of each environment is found, by the session token of its calls, as long as the environment lives. */
  readonly activities: Map<string, Activity>;
  /** A line that a function wrote. */
  readonly onLog?: (functionName: string, text: string) => void;
};

const credentials = (spec: FunctionSpec, environmentId: string): Readonly<Record<string, string>> => ({
  AWS_ACCESS_KEY_ID: spec.role,
  AWS_SECRET_ACCESS_KEY: 'sandbox',
  // The session token tells the cloud which environment calls, so that a crash after a call ends only that one.
  AWS_SESSION_TOKEN: environmentId,
  AWS_EC2_METADATA_DISABLED: 'true',
});

const callOf = (spec: FunctionSpec, call: RuntimeCall, wrongByMs: number): WorkerCall => ({
  event: call.event,
  deadlineMs: call.deadlineMs,
  wrongByMs,
  context: contextOf(spec, call),
});

const startWorker = (deps: LiveDeps, spec: FunctionSpec, id: string): Worker => {
  const { time } = deps.clock;
  const workerData: WorkerStart = { file: spec.file, ...(time && { time }) };
  const env = { ...runtimeVariables(spec, deps.region), AWS_ENDPOINT_URL: deps.endpoint, ...credentials(spec, id), ...spec.variables };
  return new Worker(new URL('./live-worker.ts', import.meta.url), { workerData, env, stdout: true, stderr: true });
};

const exited = (error: unknown): InvocationResult => ({
  kind: 'error',
  errorType: 'Runtime.ExitError',
  errorMessage: `Runtime exited: ${error instanceof Error ? error.message : error}`,
});

/**
 * Runs bundles in worker threads with an environment of their own, against the sandbox's endpoint. They can be killed at any point. A thread that starts holds
 * the world's time back, and so does code that is at work: code that waits neither for a call nor for a pause.
 */
export const liveEnvironments =
  (deps: LiveDeps): StartEnvironment =>
  async (spec, id, clockFate = (ms) => ms): Promise<ExecutionEnvironment> => {
    let wrongByMs = 0;
    const worker = startWorker(deps, spec, id);
    const activity = createActivity(deps.clock);
    deps.activities.set(id, activity);
    const send = (order: WorkerOrder): void => worker.postMessage(order);
    const pause = async (ms: number, number: number): Promise<void> => {
      await activity.inWorld(deps.clock.sleep(ms));
      if (!killed) send({ kind: 'awake', pause: number });
    };
    let answer: ((result: InvocationResult) => void) | undefined;
    let failed: InvocationResult | undefined;
    let killed = false;
    const end = (result: InvocationResult): void => {
      if (killed) return;
      failed ??= result;
      answer?.(failed);
    };
    const log = (chunk: Buffer): void => deps.onLog?.(spec.name, chunk.toString());
    worker.stdout.on('data', log);
    worker.stderr.on('data', log);
    const ready = new Promise<void>((resolve) => {
      worker.on('message', (message: WorkerMessage) => {
        if (message.kind === 'ready') resolve();
        else if (message.kind === 'pause') void pause(message.ms, message.pause);
        else if (!killed) answer?.(message.result);
      });
      worker.on('error', (error) => {
        end({ ...failureOf(error), errorType: 'Runtime.ExitError' } as InvocationResult);
        resolve();
      });
      worker.on('exit', (code) => {
        end(exited(`code ${code}`));
        resolve();
      });
    });
    await deps.clock.busy(ready);
    return {
      run: (call) =>
        new Promise((resolve) => {
          activity.begin();
          answer = (result) => {
            activity.end();
            resolve(result);
          };
          // The clock of a thread cannot be set during a call, so it jumps between calls.
          wrongByMs = clockFate(wrongByMs);
          if (failed === undefined) send({ kind: 'call', call: callOf(spec, call, wrongByMs) });
          else answer(failed);
        }),
      kill: () => {
        killed = true;
        activity.end();
        deps.activities.delete(id);
        // There is no need to wait for the thread to end, because nothing that it still sends is read.
        void worker.terminate();
      },
    };
  };

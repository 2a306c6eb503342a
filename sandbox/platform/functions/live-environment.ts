import { Worker } from 'node:worker_threads';
import type { LiveClock } from '../live-clock.ts';
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
import type { WorkerCall, WorkerMessage, WorkerStart } from './worker-protocol.ts';

export type LiveDeps = {
  readonly clock: LiveClock;
  readonly region: string;
  /** Where every SDK client of a function finds its services. */
  readonly endpoint: string;
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
  const { originMs, wallOriginMs, factor } = deps.clock;
  const onWallTime = factor === 1 && originMs === wallOriginMs;
  const workerData: WorkerStart = { file: spec.file, ...(!onWallTime && { time: { originMs, wallOriginMs, factor } }) };
  const env = { ...runtimeVariables(spec, deps.region), AWS_ENDPOINT_URL: deps.endpoint, ...credentials(spec, id), ...spec.variables };
  return new Worker(new URL('./live-worker.ts', import.meta.url), { workerData, env, stdout: true, stderr: true });
};

const exited = (error: unknown): InvocationResult => ({
  kind: 'error',
  errorType: 'Runtime.ExitError',
  errorMessage: `Runtime exited: ${error instanceof Error ? error.message : error}`,
});

/** Runs bundles in worker threads with an environment of their own, against the sandbox's endpoint. They can be killed at any point. */
export const liveEnvironments =
  (deps: LiveDeps): StartEnvironment =>
  async (spec, id, clockFate = (ms) => ms): Promise<ExecutionEnvironment> => {
    let wrongByMs = 0;
    const worker = startWorker(deps, spec, id);
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
    await ready;
    return {
      run: (call) =>
        new Promise((resolve) => {
          answer = resolve;
          // The clock of a thread cannot be set during a call, so it jumps between calls.
          wrongByMs = clockFate(wrongByMs);
          if (failed === undefined) worker.postMessage(callOf(spec, call, wrongByMs));
          else resolve(failed);
        }),
      kill: () => {
        killed = true;
        // There is no need to wait for the thread to end, because nothing that it still sends is read.
        void worker.terminate();
      },
    };
  };

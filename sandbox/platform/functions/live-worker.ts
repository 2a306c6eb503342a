import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { FunctionBundle } from '../../../core/contract.ts';
import { readTimeMs } from '../shared-time.ts';
import { asJson, failureOf } from './environment.ts';
import type { InvocationResult } from './invocation.ts';
import type { WorkerCall, WorkerMessage, WorkerOrder, WorkerStart } from './worker-protocol.ts';

const { file, time } = workerData as WorkerStart;
const wallNow = Date.now;
let wrongByMs = 0;
Date.now = () => wallNow() + wrongByMs;
const rightNow = (): number => (time === undefined ? wallNow() : readTimeMs(time));
const now = (): number => rightNow() + wrongByMs;

const tell = (message: WorkerMessage): void => parentPort?.postMessage(message);

/** Pauses end on the world's clock, which the main thread keeps. */
const pauses = new Map<number, () => void>();
let paused = 0;
const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    paused += 1;
    pauses.set(paused, resolve);
    tell({ kind: 'pause', pause: paused, ms });
  });
const wake = (pause: number): void => {
  pauses.get(pause)?.();
  pauses.delete(pause);
};

const bundle = (await import(pathToFileURL(file).href)) as FunctionBundle;
/** In a world on the wall clock, the function is called through its exported handler, as Lambda calls it. */
const handler =
  time === undefined
    ? bundle.handler
    : bundle.create({
        id: randomUUID(),
        env: process.env,
        now,
        elapsedMs: rightNow,
        sleep,
        random: Math.random,
        clientConfig: {},
        isEndedByWorld: true,
      });

const run = async ({ event, context, deadlineMs, wrongByMs: wrong }: WorkerCall): Promise<InvocationResult> => {
  wrongByMs = wrong;
  try {
    return { kind: 'ok', value: asJson(await handler(event, { ...context, getRemainingTimeInMillis: () => deadlineMs - now() + wrongByMs })) };
  } catch (error) {
    return failureOf(error);
  }
};

parentPort?.on('message', async (order: WorkerOrder) => {
  if (order.kind === 'awake') wake(order.pause);
  else tell({ kind: 'result', result: await run(order.call) });
});
tell({ kind: 'ready' });

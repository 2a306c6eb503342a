import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { FunctionBundle } from '../../../core/contract.ts';
import { asJson, failureOf } from './environment.ts';
import type { InvocationResult } from './invocation.ts';
import type { WorkerCall, WorkerMessage, WorkerStart } from './worker-protocol.ts';

const { file, time } = workerData as WorkerStart;
const wallNow = Date.now;
let wrongByMs = 0;
Date.now = () => wallNow() + wrongByMs;
const rightNow = (): number => (time === undefined ? wallNow() : time.originMs + Math.floor((wallNow() - time.wallOriginMs) * time.factor));
const now = (): number => rightNow() + wrongByMs;

const tell = (message: WorkerMessage): void => parentPort?.postMessage(message);

const bundle = (await import(pathToFileURL(file).href)) as FunctionBundle;
/** In a world on the wall clock, the function is called through its exported handler, as Lambda calls it. */
const handler =
  time === undefined
    ? bundle.handler
    : bundle.create({ env: process.env, now, elapsedMs: rightNow, sleep: (ms) => sleep(ms / time.factor), random: Math.random, clientConfig: {} });

const run = async ({ event, context, deadlineMs, wrongByMs: wrong }: WorkerCall): Promise<InvocationResult> => {
  wrongByMs = wrong;
  try {
    return { kind: 'ok', value: asJson(await handler(event, { ...context, getRemainingTimeInMillis: () => deadlineMs - now() + wrongByMs })) };
  } catch (error) {
    return failureOf(error);
  }
};

parentPort?.on('message', async (call: WorkerCall) => tell({ kind: 'result', result: await run(call) }));
tell({ kind: 'ready' });

import type { SharedTime } from '../shared-time.ts';
import type { InvocationResult } from './invocation.ts';

/** What a worker is started with. */
export type WorkerStart = {
  readonly file: string;
  /** The world's time; absent when it is the wall clock's. */
  readonly time?: SharedTime;
};

export type WorkerCall = {
  readonly event: unknown;
  readonly deadlineMs: number;
  /** How wrong the thread's clock is during this call. */
  readonly wrongByMs: number;
  readonly context: Readonly<Record<string, unknown>> & { readonly awsRequestId: string; readonly functionName: string };
};

/** A message to a worker: a call, or that a pause is over. */
export type WorkerOrder = { readonly kind: 'call'; readonly call: WorkerCall } | { readonly kind: 'awake'; readonly pause: number };

/** A message from a worker: it is ready, the result of its call, or that its code pauses for so many world milliseconds. */
export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly result: InvocationResult }
  | { readonly kind: 'pause'; readonly pause: number; readonly ms: number };

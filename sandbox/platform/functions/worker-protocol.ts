import type { InvocationResult } from './invocation.ts';

/** What a worker is started with. */
export type WorkerStart = {
  readonly file: string;
  /** World time from wall time; absent when the world runs on the wall's own. */
  readonly time?: { readonly originMs: number; readonly wallOriginMs: number; readonly factor: number };
};

export type WorkerCall = {
  readonly event: unknown;
  readonly deadlineMs: number;
  /** How wrong the thread's clock is during this call. */
  readonly wrongByMs: number;
  readonly context: Readonly<Record<string, unknown>> & { readonly awsRequestId: string; readonly functionName: string };
};

/** A message from a worker: it is ready, or the result of its call. */
export type WorkerMessage = { readonly kind: 'ready' } | { readonly kind: 'result'; readonly result: InvocationResult };

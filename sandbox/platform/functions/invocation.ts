/** What came of calling a function once. */
export type InvocationResult =
  | { readonly kind: 'ok'; readonly value: unknown }
  /** The function threw, ran out of time or its process ended. `errorType` is named as Lambda names it. */
  | { readonly kind: 'error'; readonly errorType: string; readonly errorMessage: string; readonly trace?: readonly string[] };

/** One call of a function, for the report and for those who look for a reason. */
export type InvocationRecord = {
  readonly id: string;
  readonly functionName: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly coldStart: boolean;
  readonly event: unknown;
  readonly result: InvocationResult;
};

/** What the code added to each metric. Metrics are written when the code ends, so nothing is counted if it is killed. */
export type Counted = Readonly<Record<string, number>>;

/** The result of calling a function once. `counted`: simulated only. */
export type InvocationResult =
  | { readonly kind: 'ok'; readonly value: unknown; readonly counted?: Counted }
  /** The function threw, ran out of time or its process ended. `errorType` is named as Lambda names it. */
  | {
      readonly kind: 'error';
      readonly errorType: string;
      readonly errorMessage: string;
      readonly trace?: readonly string[];
      readonly counted?: Counted;
    };

/** One call of a function, for the report and for those who look for a reason. */
export type InvocationRecord = {
  readonly id: string;
  readonly functionName: string;
  /** When it was requested, before any cold start. */
  readonly startedAtMs: number;
  /** When its code began. */
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  readonly coldStart: boolean;
  readonly event: unknown;
  readonly result: InvocationResult;
  readonly timeoutMs: number;
  /** A fault was injected into it: a call of it was refused, lost, delayed or killed, or its clock was moved. */
  readonly injected: boolean;
};

/** A call of a function as its code begins. */
export type InvocationStart = Pick<InvocationRecord, 'id' | 'functionName' | 'beganAtMs' | 'event'>;

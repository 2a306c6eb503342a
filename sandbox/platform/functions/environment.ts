import type { InvocationResult } from './invocation.ts';

/** A function as the template describes it. */
export type FunctionSpec = {
  readonly name: string;
  readonly arn: string;
  /** The role whose rights its calls are checked against. */
  readonly role: string;
  /** The bundle's file. */
  readonly file: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly variables: Readonly<Record<string, string>>;
  readonly reservedConcurrency?: number;
  /** Whether Lambda stops a chain that calls it again and again, or the function allows it (default: it stops). */
  readonly recursiveLoop?: 'Allow' | 'Terminate';
};

/** One call, as the runtime sees it. */
export type RuntimeCall = { readonly id: string; readonly event: unknown; readonly deadlineMs: number };

/** Where a function's code runs, one call at a time: warm until it is killed. */
export type ExecutionEnvironment = {
  /** Never rejects. Never settles after a kill. */
  run(call: RuntimeCall): Promise<InvocationResult>;
  /** Ends the code at any point. Nothing that it still does reaches the world. */
  kill(): void;
};

/** The error of an environment's clock from now on, in milliseconds. `wrongByMs`: its error until now. Called at each read of the clock. */
export type ClockFate = (wrongByMs: number) => number;

/** Initializes an environment. `id` marks its calls. Without a fate, its clock never jumps. */
export type StartEnvironment = (spec: FunctionSpec, id: string, clockFate?: ClockFate) => Promise<ExecutionEnvironment>;

/** Lambda puts the error's class and message into its answer. */
export const failureOf = (error: unknown): InvocationResult => {
  if (!(error instanceof Error)) return { kind: 'error', errorType: 'Error', errorMessage: String(error) };
  return { kind: 'error', errorType: error.name, errorMessage: error.message, trace: (error.stack ?? '').split('\n') };
};

/** What passes between Lambda and a function is JSON. */
export const asJson = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));

/** The context that Lambda passes to the handler of a call, as far as it is plain data. */
export const contextOf = (spec: FunctionSpec, call: RuntimeCall) => ({
  awsRequestId: call.id,
  functionName: spec.name,
  functionVersion: '$LATEST',
  invokedFunctionArn: spec.arn,
  memoryLimitInMB: String(spec.memoryMb),
  logGroupName: `/aws/lambda/${spec.name}`,
  logStreamName: call.id,
});

/** Variables that every function finds, besides those of the template. */
export const runtimeVariables = (spec: FunctionSpec, region: string): Readonly<Record<string, string>> => ({
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_LAMBDA_FUNCTION_NAME: spec.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${spec.name}`,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  _HANDLER: 'index.handler',
  TZ: ':UTC',
});

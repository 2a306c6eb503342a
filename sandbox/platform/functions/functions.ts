import type { WorldClock } from '../../clock.ts';
import type { Random } from '../../random.ts';
import { uuid } from '../uuid.ts';
import { asJson, type ExecutionEnvironment, type FunctionSpec, type StartEnvironment } from './environment.ts';
import type { InvocationRecord, InvocationResult, InvocationStart } from './invocation.ts';
import { isTooLong, type Lineage, lineageOf, oneLonger } from './lineage.ts';

export type AsyncConfig = {
  readonly maximumRetryAttempts?: number;
  /** An event that waited longer than this is not tried again. */
  readonly maximumAgeSeconds?: number;
  readonly onFailure?: (event: unknown, result: InvocationResult) => void;
};

export type FunctionsDeps = {
  readonly clock: WorldClock;
  readonly random: Random;
  readonly start: StartEnvironment;
  /** World milliseconds that a cold start and every call take besides what the code does. */
  readonly coldStartMs: number;
  readonly overheadMs: number;
  /** Most calls of all functions that run at once in the account (default 1,000). Concurrency that one function reserves is not available to others. */
  readonly concurrency?: number;
};

export type Functions = {
  add(spec: FunctionSpec): void;
  /** Calls and waits for the response. Never rejects because of the function. */
  invoke(nameOrArn: string, event: unknown): Promise<InvocationResult>;
  /** Passes an event to a function. If the function fails, it repeats the event after one minute and after two more. */
  invokeLater(nameOrArn: string, event: unknown): void;
  configureAsync(name: string, config: AsyncConfig): void;
  /** Ends the process of the environment with this id at any point. Returns false if nothing ran in it: then the next call starts cold. */
  crash(environmentId: string): boolean;
  /** A deployment of new code. Idle environments end now, busy ones after their call. The next call starts cold. */
  renew(): void;
  /** Ends every environment: for the end of a sandbox. */
  close(): void;
  readonly specs: readonly FunctionSpec[];
  /** Called when a call begins, and when it has ended. */
  observe(onEnd: (record: InvocationRecord) => void, onBegin?: (start: InvocationStart) => void): void;
  /** What runs now in the environment with this id. */
  invocationOf(environmentId: string): { readonly id: string; readonly functionName: string } | undefined;
  /** The chain of calls that an invocation, which runs now, is in. */
  lineageOf(invocationId: string): Lineage | undefined;
  /** Notes that a fault was injected into the call that runs in the environment with this id. */
  noteFault(environmentId: string): void;
};

type Environment = {
  readonly id: string;
  readonly spec: FunctionSpec;
  readonly runtime: ExecutionEnvironment;
  readonly generation: number;
  crash?: () => void;
  /** What runs in it now. */
  running?: { readonly id: string; readonly functionName: string; injected: boolean };
};

const asyncRetryDelaysMs = [60_000, 120_000];
/** An asynchronous call that was throttled waits this long, then twice as long each time, and costs no attempt ("Error handling for asynchronous invocations"). */
const throttleDelaysMs = { first: 1_000, longest: 300_000 };
/** What an account has by default; new ones have less (Lambda Developer Guide, "Lambda quotas"). */
const usualConcurrency = 1_000;

const exited: InvocationResult = { kind: 'error', errorType: 'Runtime.ExitError', errorMessage: 'RequestId: Error: Runtime exited with error' };
const stopped: InvocationResult = {
  kind: 'error',
  errorType: 'Lambda.RecursiveInvocationException',
  errorMessage: 'Lambda stopped a recursive loop: the function was called about 16 times in a chain.',
};
const throttled: InvocationResult = { kind: 'error', errorType: 'Lambda.TooManyRequestsException', errorMessage: 'Rate Exceeded.' };

/** Whether a call was refused because the concurrency limit was reached. */
export const isThrottled = (result: InvocationResult): boolean => result.kind === 'error' && result.errorType === 'Lambda.TooManyRequestsException';

const timedOut = (id: string, seconds: number): InvocationResult => ({
  kind: 'error',
  errorType: 'Sandbox.Timedout',
  errorMessage: `RequestId: ${id} Error: Task timed out after ${seconds.toFixed(2)} seconds`,
});

/** The execution environments of one function: the idle ones, and the number of all. */
type Fleet = { readonly idle: Environment[]; running: number };

/** Functions without reserved concurrency share the rest. */
const isAtLimit = (spec: FunctionSpec, specs: readonly FunctionSpec[], fleets: ReadonlyMap<string, Fleet>, concurrency: number): boolean => {
  const runningOf = ({ name }: FunctionSpec): number => fleets.get(name)?.running ?? 0;
  if (spec.reservedConcurrency !== undefined) return runningOf(spec) >= spec.reservedConcurrency;
  const reserved = specs.reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0);
  const shared = specs.filter(({ reservedConcurrency }) => reservedConcurrency === undefined);
  return shared.reduce((sum, one) => sum + runningOf(one), 0) >= concurrency - reserved;
};

/** An asynchronous call: again when it fails, again later when it is throttled, until it may not be repeated or is too old. */
const callWithRetries = async (
  clock: WorldClock,
  once: () => Promise<InvocationResult>,
  event: unknown,
  { maximumRetryAttempts = asyncRetryDelaysMs.length, maximumAgeSeconds = 21_600, onFailure }: AsyncConfig = {},
): Promise<void> => {
  const untilMs = clock.now() + maximumAgeSeconds * 1000;
  let throttleMs = throttleDelaysMs.first;
  for (let attempt = 0; ; ) {
    const result = await once();
    if (result.kind === 'ok') return;
    const refused = isThrottled(result);
    const delayMs = refused ? throttleMs : (asyncRetryDelaysMs[attempt] ?? 120_000);
    if ((!refused && attempt >= maximumRetryAttempts) || clock.now() + delayMs > untilMs) return onFailure?.(event, result);
    await clock.sleep(delayMs);
    if (refused) throttleMs = Math.min(throttleDelaysMs.longest, 2 * throttleMs);
    else attempt += 1;
  }
};

/** Environments whose process ended while nothing ran in them: a call that an earlier invocation left behind did that. */
const lostEnvironments = () => {
  const ids = new Set<string>();
  return {
    add: (id: string): void => void ids.add(id),
    /** The environment, if its process still runs. */
    unless: (environment: Environment | undefined): Environment | undefined => {
      if (environment === undefined || !ids.delete(environment.id)) return environment;
      environment.runtime.kill();
      return undefined;
    },
  };
};

/** Lambda: warm environments are used again, a crash or a time-out ends them, asynchronous calls are repeated. */
export const createFunctions = (deps: FunctionsDeps): Functions => {
  const { clock, random, concurrency = usualConcurrency } = deps;
  const specs: FunctionSpec[] = [];
  const fleets = new Map<string, Fleet>();
  const active = new Map<string, Environment>();
  const lost = lostEnvironments();
  const asyncConfigs = new Map<string, AsyncConfig>();
  const lineages = new Map<string, Lineage>();
  const onEnds: ((record: InvocationRecord) => void)[] = [];
  const onBegins: ((start: InvocationStart) => void)[] = [];
  let started = 0;
  let generation = 0;

  const specOf = (nameOrArn: string): FunctionSpec => {
    const spec = specs.find(({ name, arn }) => name === nameOrArn || nameOrArn === arn || nameOrArn.startsWith(`${arn}:`));
    if (spec === undefined) throw new Error(`The stack has no function ${nameOrArn}.`);
    return spec;
  };
  const coldStart = async (spec: FunctionSpec): Promise<Environment> => {
    started += 1;
    const id = `${spec.role}#${started}`;
    const born = generation;
    const runtime = await deps.start(spec, id);
    if (deps.coldStartMs > 0) await clock.sleep(deps.coldStartMs);
    return { id, spec, runtime, generation: born };
  };
  const timeoutMsOf = ({ timeoutSeconds }: FunctionSpec): number => timeoutSeconds * 1000;
  /** Runs one call until its response, its crash or its time-out, whichever is first. A crash or a time-out ends the environment. */
  const race = (environment: Environment, call: { readonly id: string; readonly event: unknown }): Promise<InvocationResult> =>
    new Promise((resolve, reject) => {
      const { spec, runtime } = environment;
      const timeoutMs = timeoutMsOf(spec);
      const end = (result: InvocationResult, keep: boolean): void => {
        timer.cancel();
        active.delete(environment.id);
        if (keep && environment.generation === generation) fleets.get(spec.name)?.idle.push(environment);
        else runtime.kill();
        resolve(result);
      };
      const timer = clock.after(timeoutMs, () => end(timedOut(call.id, spec.timeoutSeconds), false));
      environment.crash = () => end(exited, false);
      active.set(environment.id, environment);
      const isOver = (): boolean => active.get(environment.id) !== environment;
      runtime.run({ ...call, deadlineMs: clock.now() + timeoutMs }).then((result) => {
        if (!isOver()) end(result, !(result.kind === 'error' && result.errorType === 'Runtime.ExitError'));
      }, reject);
    });
  const runIn = async (fleet: Fleet, spec: FunctionSpec, event: unknown): Promise<InvocationResult> => {
    const startedAtMs = clock.now();
    const idle = fleet.idle.pop();
    const first = lost.unless(idle) ?? (await coldStart(spec));
    if (deps.overheadMs > 0) await clock.sleep(deps.overheadMs);
    const environment = lost.unless(first) ?? (await coldStart(spec));
    const start = { id: uuid(random), functionName: spec.name, beganAtMs: clock.now(), event };
    for (const onBegin of onBegins) onBegin(start);
    const running = { id: start.id, functionName: spec.name, injected: false };
    environment.running = running;
    lineages.set(start.id, oneLonger(lineageOf(event), spec.name));
    const result = await race(environment, start);
    lineages.delete(start.id);
    const { injected } = running;
    const record = { ...start, startedAtMs, endedAtMs: clock.now(), coldStart: environment !== idle, result, timeoutMs: timeoutMsOf(spec), injected };
    for (const onEnd of onEnds) onEnd(record);
    return result;
  };
  const invoke = async (nameOrArn: string, event: unknown): Promise<InvocationResult> => {
    const spec = specOf(nameOrArn);
    const fleet = fleets.get(spec.name) as Fleet;
    if (isAtLimit(spec, specs, fleets, concurrency)) return throttled;
    if (spec.recursiveLoop !== 'Allow' && isTooLong(lineageOf(event), spec.name)) return stopped;
    fleet.running += 1;
    try {
      return await runIn(fleet, spec, asJson(event));
    } finally {
      fleet.running -= 1;
    }
  };
  const endIdle = (): void => {
    for (const { idle } of fleets.values()) for (const { runtime } of idle.splice(0)) runtime.kill();
  };
  return {
    specs,
    add: (spec) => {
      specs.push(spec);
      fleets.set(spec.name, { idle: [], running: 0 });
    },
    invoke,
    invokeLater: (nameOrArn, event) => {
      const spec = specOf(nameOrArn);
      const once = (): Promise<InvocationResult> => invoke(spec.name, event);
      clock.after(0, () => callWithRetries(clock, once, event, asyncConfigs.get(spec.name)));
    },
    configureAsync: (name, config) => {
      asyncConfigs.set(name, config);
    },
    crash: (environmentId) => {
      const environment = active.get(environmentId);
      if (environment === undefined) lost.add(environmentId);
      environment?.crash?.();
      return environment !== undefined;
    },
    renew: () => {
      generation += 1;
      endIdle();
    },
    close: () => {
      for (const { runtime } of active.values()) runtime.kill();
      active.clear();
      endIdle();
    },
    observe: (onEnd, onBegin) => {
      onEnds.push(onEnd);
      if (onBegin !== undefined) onBegins.push(onBegin);
    },
    lineageOf: (invocationId) => lineages.get(invocationId),
    invocationOf: (environmentId) => active.get(environmentId)?.running,
    noteFault: (environmentId) => {
      const running = active.get(environmentId)?.running;
      if (running !== undefined) running.injected = true;
    },
  };
};

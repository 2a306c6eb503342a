import { type Act, type Acting, createActing } from './acting.ts';
import { type ApiCall, ApiError, type ApiService, type Caller, isDryRun } from './api.ts';
import type { CallEnd, CallLog, Invocation } from './call-log.ts';
import type { WorldClock } from './clock.ts';
import type { CallTrouble, Faults } from './faults.ts';
import type { Actor } from './judge/history.ts';
import type { Random } from './random.ts';
import type { Throttle } from './throttle/published-buckets.ts';
import type { Range } from './world/spec.ts';

/** Checks a call against the role of its caller. Returns the error of AWS, or undefined if the call is allowed. */
type Authorise = (call: ApiCall) => ApiError | undefined;

export type PipelineOptions = {
  /** An operation that does real work (a database call) calls `clock.busy`. One that waits calls `clock.sleep`. */
  readonly services: readonly ApiService[];
  readonly clock: WorldClock;
  readonly random: Random;
  /** Absent: every caller may do everything. */
  readonly authorise?: Authorise;
  readonly faults?: Pick<Faults, 'onCall'>;
  /** Absent: nothing is throttled. */
  readonly throttle?: Throttle;
  /** Latency by `service:operation`, `service:*` or `*`; the most exact name wins. */
  readonly latencyMs?: Readonly<Record<string, Range>>;
  /** What each instance in a response adds, by `service:operation`. */
  readonly latencyPerInstanceMs?: Readonly<Record<string, number>>;
  /** Kills an execution environment because of a fault. The session token of its credentials identifies it. */
  readonly crashCaller?: (environment: string | undefined, call: ApiCall) => void;
  /** What runs now in the execution environment with this session token. */
  readonly invocationOf?: (environment: string) => Invocation | undefined;
  /** Called when a fault was injected into a call of this environment. */
  readonly onFault?: (environment: string) => void;
  /** Sets the caller that the services work for. */
  readonly acting?: Acting;
};

export type Outcome =
  | { readonly kind: 'ok'; readonly output: unknown }
  | { readonly kind: 'error'; readonly error: ApiError }
  | { readonly kind: 'lost'; readonly as: 'reset' | 'timeout' }
  | { readonly kind: 'crashed' };

export type Pipeline = {
  isSimulated(call: Pick<ApiCall, 'service' | 'operation'>): boolean;
  /** Never rejects because of a service. `environment` is the session token of the caller's credentials. */
  perform(call: ApiCall, environment?: string): Promise<Outcome>;
};

const noTrouble: CallTrouble = { delayMs: 0 };

const isTrouble = ({ refuse, loseAnswer, crashCaller, delayMs }: CallTrouble): boolean =>
  refuse !== undefined || loseAnswer !== undefined || crashCaller !== undefined || delayMs > 0;

const actorOf = (caller: Caller, invocation: Invocation | undefined): Actor =>
  caller.kind === 'operator'
    ? { kind: 'user', ...(caller.as !== undefined && { as: caller.as }) }
    : { kind: 'function', function: invocation?.functionName ?? caller.name, invocation: invocation?.id ?? '' };

const outcomeName = (outcome: Outcome): string => (outcome.kind === 'error' ? outcome.error.code : outcome.kind);

/** A fault of the simulator, in the words of AWS's own internal error. */
export const internalError = (call: Pick<ApiCall, 'service' | 'operation'>, error: unknown): ApiError => {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const code = call.service === 'ec2' || call.service === 'states' ? 'InternalError' : 'InternalFailure';
  return new ApiError(code, `The sandbox failed in ${call.service}:${call.operation}. ${reason}`, 500);
};

/** Only a modelled error is a response. Any other error is a fault of the simulator. */
const outcomeOf = async (call: ApiCall, work: () => unknown): Promise<Outcome> => {
  try {
    return { kind: 'ok', output: await work() };
  } catch (error) {
    return { kind: 'error', error: error instanceof ApiError ? error : internalError(call, error) };
  }
};

/** EC2 checks the permissions of a dry run, and then returns whether the call would have succeeded. */
const dryRun = (call: ApiCall): ApiError | undefined =>
  isDryRun(call) ? new ApiError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412) : undefined;

const createLatency =
  (ranges: Readonly<Record<string, Range>>, random: Random) =>
  (call: ApiCall): number => {
    const range = ranges[`${call.service}:${call.operation}`] ?? ranges[`${call.service}:*`] ?? ranges['*'];
    return range === undefined ? 0 : Math.round(range[0] + random() * (range[1] - range[0]));
  };

type Listing = {
  readonly Reservations?: readonly { readonly Instances?: readonly unknown[] }[];
  readonly Instances?: readonly { readonly InstanceIds?: readonly string[] }[];
  readonly TargetHealthDescriptions?: readonly unknown[];
};

/** How many instances an answer of DescribeInstances, CreateFleet, LaunchInstances or DescribeTargetHealth lists. */
const instancesIn = ({ Reservations = [], Instances = [], TargetHealthDescriptions = [] }: Listing): number =>
  Reservations.reduce((sum, { Instances: listed = [] }) => sum + listed.length, 0) +
  Instances.reduce((sum, { InstanceIds = [] }) => sum + InstanceIds.length, 0) +
  TargetHealthDescriptions.length;

/** The time that a long response takes to arrive and to be read. */
const readingMs = ({ latencyPerInstanceMs = {} }: PipelineOptions, { service, operation }: ApiCall, outcome: Outcome): number => {
  const eachMs = latencyPerInstanceMs[`${service}:${operation}`];
  return eachMs === undefined || outcome.kind !== 'ok' ? 0 : Math.round(eachMs * instancesIn((outcome.output ?? {}) as object));
};

const byName = (services: readonly ApiService[]) => {
  const known = new Map(services.map((service) => [service.service, service]));
  return (call: Pick<ApiCall, 'service' | 'operation'>): ApiService | undefined => {
    const service = known.get(call.service);
    return service !== undefined && Object.hasOwn(service.operations, call.operation) ? service : undefined;
  };
};

/** A call under way. */
type Sent = { readonly call: ApiCall; readonly trouble: CallTrouble; readonly service: ApiService; readonly act: Act };

type Arrived = { readonly outcome: Outcome; readonly end: CallEnd };

/** What happens to a call at the instant when it reaches its service. */
const createArrival = (options: PipelineOptions) => {
  const { acting = createActing() } = options;
  /** Permission, faults and bucket are checked in the same synchronous step that starts the operation, so that nothing comes in between. */
  const admit = ({ call, trouble }: Sent): { readonly refused?: ApiError | undefined; readonly trouble?: CallEnd['trouble'] } => {
    const denied = options.authorise?.(call);
    if (denied !== undefined) return { refused: denied };
    if (trouble.refuse !== undefined) return { refused: trouble.refuse, trouble: 'fault' };
    const throttled = options.throttle?.admit(call);
    return throttled === undefined ? { refused: dryRun(call) } : { refused: throttled, trouble: 'bucket' };
  };
  const work = ({ call, service, act }: Sent): unknown => acting.as(act, () => service.operations[call.operation]?.({ ...call.input }, call.caller));
  const serve = async (sent: Sent): Promise<Arrived> => {
    const { refused, trouble } = admit(sent);
    if (refused !== undefined) return arrived({ kind: 'error', error: refused }, { trouble, applied: false });
    const outcome = await outcomeOf(sent.call, () => work(sent));
    return arrived(outcome, { applied: outcome.kind === 'ok' });
  };
  return async (sent: Sent): Promise<Arrived> => {
    const { crashCaller, loseAnswer } = sent.trouble;
    if (crashCaller === 'before') return arrived({ kind: 'crashed' }, { trouble: 'fault', applied: false });
    if (loseAnswer?.when === 'before') return arrived({ kind: 'lost', as: loseAnswer.as }, { trouble: 'fault', applied: false });
    const served = await serve(sent);
    const { applied } = served.end;
    if (crashCaller === 'after') return arrived({ kind: 'crashed' }, { trouble: 'fault', applied });
    return loseAnswer === undefined ? served : arrived({ kind: 'lost', as: loseAnswer.as }, { trouble: 'fault', applied });
  };
};

const arrived = (outcome: Outcome, end: Omit<CallEnd, 'outcome' | 'output'>): Arrived => ({
  outcome,
  end: { outcome: outcomeName(outcome), ...end, ...(outcome.kind === 'ok' && { output: outcome.output }) },
});

/** The steps of every call: log, half the latency, permission, faults, bucket, the operation at one instant, faults, the other half of the latency. */
export const createPipeline = (options: PipelineOptions, log: CallLog): Pipeline => {
  const { clock, faults } = options;
  const find = byName(options.services);
  const latency = createLatency(options.latencyMs ?? {}, options.random);
  const arrive = createArrival(options);
  const pause = async (delayMs: number): Promise<void> => {
    if (delayMs > 0) await clock.sleep(delayMs);
  };
  const invocationOf = (environment: string | undefined): Invocation | undefined =>
    environment === undefined ? undefined : options.invocationOf?.(environment);
  const troubleOf = (call: ApiCall, environment: string | undefined): CallTrouble => {
    const trouble = faults?.onCall(call) ?? noTrouble;
    if (environment !== undefined && isTrouble(trouble)) options.onFault?.(environment);
    return trouble;
  };
  const perform: Pipeline['perform'] = async (call, environment) => {
    const service = find(call);
    if (service === undefined) throw new Error(`Only a simulated operation can be performed, not ${call.service}:${call.operation}`);
    const invocation = invocationOf(environment);
    const noteEnd = log.begin(call, invocation);
    const act: Act = { by: actorOf(call.caller, invocation), askedAtMs: clock.now() };
    const trouble = troubleOf(call, environment);
    // The operation runs in the middle of the latency. So two callers can each read what the other is about to change.
    const latencyMs = latency(call);
    const thereMs = Math.round(latencyMs / 2);
    await pause(thereMs);
    const { outcome, end } = await arrive({ call, trouble, service, act });
    const lostMs = outcome.kind === 'lost' ? (trouble.loseAnswer?.afterMs ?? 0) : 0;
    if (outcome.kind === 'crashed') options.crashCaller?.(environment, call);
    else await pause(latencyMs - thereMs + trouble.delayMs + lostMs + readingMs(options, call, outcome));
    noteEnd(end);
    if (trouble.crashCaller !== 'answered') return outcome;
    options.crashCaller?.(environment, call);
    return { kind: 'crashed' };
  };
  return { isSimulated: (call) => find(call) !== undefined, perform };
};

import { createRequire } from 'node:module';
import type { FunctionBundle, LambdaContext } from '../../../core/contract.ts';
import type { WorldClock } from '../../clock.ts';
import { forkRandom } from '../../random.ts';
import { inMemoryProtocol } from '../../wire/in-memory.ts';
import { type Activity, createActivity } from './activity.ts';
import {
  asJson,
  contextOf,
  type ExecutionEnvironment,
  type FunctionSpec,
  failureOf,
  type RuntimeCall,
  runtimeVariables,
  type StartEnvironment,
} from './environment.ts';

export type SimulatedDeps = {
  readonly clock: WorldClock;
  /** Wall milliseconds after which code that does nothing no longer stops the world's time. */
  readonly patienceMs?: number;
  readonly seed: number;
  /** The clock of an environment is ahead or behind by up to this much, as long as the environment exists (default: it is right). */
  readonly clockErrorMs?: number | undefined;
  readonly region: string;
  readonly onMetric?: ((metric: string, value: number) => void) | undefined;
  /** Whether requests and responses are serialized in each service's protocol. Otherwise they are passed on as values. */
  readonly writes?: boolean | undefined;
  /**
   * Handles requests of the SDK clients of one environment. After `isAlive` has returned false, the environment is killed: none of its calls may be carried out
   * or may settle.
   */
  readonly requestHandler: (spec: FunctionSpec, environment: string, isAlive: () => boolean) => RequestHandler;
};

/** What an SDK client sends its requests through. */
export type RequestHandler = { handle(request: never, options?: never): Promise<unknown> };

type SdkRequest = { readonly headers: Record<string, string> };

/** Names the caller and the service, as a signed request does. Signatures are not verified here, and making them takes longer than the calls. */
const unsigned = (accessKeyId: string, sessionToken: string) => ({
  sign: async (request: SdkRequest, { signingRegion = '', signingService = '' }: { signingRegion?: string; signingService?: string }) => {
    const scope = `${accessKeyId}/20260101/${signingRegion}/${signingService}/aws4_request`;
    request.headers.authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
    request.headers['x-amz-security-token'] = sessionToken;
    return request;
  },
});

/** Everything that an SDK client would otherwise look for in files and in the process's environment. */
const settled = (spec: FunctionSpec, environmentId: string, region: string): Readonly<Record<string, unknown>> => ({
  region,
  endpoint: 'http://sandbox.internal',
  credentials: { accessKeyId: spec.role, secretAccessKey: 'sandbox', sessionToken: environmentId },
  signer: unsigned(spec.role, environmentId),
  retryMode: 'standard',
  defaultsMode: 'standard',
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  userAgentAppId: 'sandbox',
  // A logger without methods: the one that the SDK makes up writes nothing either, but has every call's input and output prepared for it.
  logger: {},
});

/** Node itself loads the bundle as it deploys, past any tool that transforms imports. Assets lie in folders named by their content, so none is stale. */
const load = createRequire(import.meta.url) as (file: string) => FunctionBundle;

/** Lambda names the deadline of an invocation by its own clock, and what is left of it is counted by the clock of the environment. */
const simulatedContextOf = (spec: FunctionSpec, call: RuntimeCall, ownNow: () => number): LambdaContext & Record<string, unknown> => ({
  ...contextOf(spec, call),
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => call.deadlineMs - ownNow(),
});

/** While this waits for the handler's result, it waits in the world. */
const outside = (handler: RequestHandler, { inWorld }: Activity): RequestHandler => ({
  ...handler,
  handle: (request, options) => inWorld(handler.handle(request, options)),
});

/** A shared promise would keep everything in memory that ever waited for it. */
const never = (): Promise<never> => new Promise(() => undefined);

/** Runs bundles in this process on the world's clock and seed: `create` is called once per cold start, as Lambda initialises once per environment. */
export const simulatedEnvironments = (deps: SimulatedDeps): StartEnvironment => {
  const { clock, clockErrorMs = 0 } = deps;
  return async (spec, id, clockFate = (ms) => ms): Promise<ExecutionEnvironment> => {
    let alive = true;
    let steppedByMs = 0;
    const activity = createActivity(clock, deps.patienceMs);
    const random = forkRandom(deps.seed, id);
    const errorMs = Math.round((2 * forkRandom(deps.seed, `${id} clock`)() - 1) * clockErrorMs);
    const ownNow = (): number => clock.now() + errorMs + steppedByMs;
    let counted: Record<string, number> = {};
    const { create } = load(spec.file);
    const handler = create({
      id,
      env: { ...runtimeVariables(spec, deps.region), ...spec.variables },
      now: () => {
        steppedByMs = clockFate(steppedByMs);
        return ownNow();
      },
      elapsedMs: clock.now,
      sleep: (ms) => activity.inWorld(clock.sleep(ms)),
      random,
      clientConfig: {
        ...settled(spec, id, deps.region),
        ...(!deps.writes && { protocol: inMemoryProtocol }),
        requestHandler: outside(
          deps.requestHandler(spec, id, () => alive),
          activity,
        ),
      },
      quiet: true,
      // A timer of the wall clock would make results depend on the load of the machine.
      isEndedByWorld: true,
      onMetric: (metric, value) => {
        counted[metric] = (counted[metric] ?? 0) + value;
        deps.onMetric?.(metric, value);
      },
    });
    const run = async (call: RuntimeCall) => {
      activity.begin();
      counted = {};
      try {
        const value = await handler(call.event, simulatedContextOf(spec, call, ownNow));
        return alive ? ({ kind: 'ok', value: asJson(value), counted } as const) : never();
      } catch (error) {
        return alive ? { ...failureOf(error), counted } : never();
      } finally {
        activity.end();
      }
    };
    return {
      run,
      kill: () => {
        alive = false;
        activity.end();
      },
    };
  };
};

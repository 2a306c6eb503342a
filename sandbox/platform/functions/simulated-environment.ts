import { createRequire } from 'node:module';
import type { FunctionBundle, LambdaContext } from '../../../core/contract.ts';
import type { WorldClock } from '../../clock.ts';
import { forkRandom } from '../../random.ts';
import { inMemoryProtocol } from '../../wire/in-memory.ts';
import { type Activity, createActivity } from './activity.ts';
import {
  asJson,
  type ExecutionEnvironment,
  type FunctionSpec,
  failureOf,
  type RuntimeCall,
  runtimeVariables,
  type StartEnvironment,
} from './environment.ts';

export type SimulatedDeps = {
  readonly clock: WorldClock;
  /** Wall milliseconds after which code that does nothing no longer holds the world's time. */
  readonly patienceMs?: number;
  readonly seed: number;
  /** The clock of an environment is wrong by up to so much, one way or the other, for as long as it lives (default: it is right). */
  readonly clockErrorMs?: number | undefined;
  readonly region: string;
  /** Requests and answers are written down and read in the form of each service's protocol, and not passed on as values. */
  readonly writes?: boolean | undefined;
  /**
   * Answers requests of the SDK clients of one environment. Once `isAlive` answers false the environment was killed, and no call of it may be
   * carried out or answered any more.
   */
  readonly requestHandler: (spec: FunctionSpec, environment: string, isAlive: () => boolean) => RequestHandler;
};

/** What an SDK client sends its requests through. */
export type RequestHandler = { handle(request: never, options?: never): Promise<unknown> };

type SdkRequest = { readonly headers: Record<string, string> };

/** Says who calls which service as a signed request does. Nobody verifies signatures here, and making them takes longer than the calls. */
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

/**
 * Without the time that remains: Middy would end the invocation early by a timer of the wall clock, so that what happens would depend on how busy the
 * machine is. The world's clock ends it.
 */
const contextOf = (spec: FunctionSpec, call: RuntimeCall): LambdaContext & Record<string, unknown> => ({
  awsRequestId: call.id,
  functionName: spec.name,
  functionVersion: '$LATEST',
  invokedFunctionArn: spec.arn,
  memoryLimitInMB: String(spec.memoryMb),
  logGroupName: `/aws/lambda/${spec.name}`,
  logStreamName: call.id,
  callbackWaitsForEmptyEventLoop: true,
});

/** Waiting for the handler's answer is waiting in the world. */
const outside = (handler: RequestHandler, { inWorld }: Activity): RequestHandler => ({
  ...handler,
  handle: (request, options) => inWorld(handler.handle(request, options)),
});

/** One promise for all would hold everything that ever waited for it. */
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
    const { create } = load(spec.file);
    const handler = create({
      env: { ...runtimeVariables(spec, deps.region), ...spec.variables },
      now: () => {
        steppedByMs = clockFate(steppedByMs);
        return clock.now() + errorMs + steppedByMs;
      },
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
    });
    const run = async (call: RuntimeCall) => {
      activity.begin();
      try {
        const value = await handler(call.event, contextOf(spec, call));
        return alive ? ({ kind: 'ok', value: asJson(value) } as const) : never();
      } catch (error) {
        return alive ? failureOf(error) : never();
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

import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { FunctionBundle, LambdaContext } from '../../../functions/contract.ts';
import type { WorldClock } from '../../clock.ts';
import { forkRandom } from '../../random.ts';
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
  readonly seed: number;
  readonly region: string;
  /**
   * Configuration of the SDK clients of one environment: requestHandler, credentials and the like. Once `isAlive` answers false the environment
   * was killed, and no call of it may be carried out or answered any more.
   */
  readonly clientConfig: (spec: FunctionSpec, environmentId: string, isAlive: () => boolean) => Readonly<Record<string, unknown>>;
};

/** A bundle that was built again is another module. */
const load = (file: string): Promise<FunctionBundle> =>
  import(/* @vite-ignore */ `${pathToFileURL(file).href}?built=${statSync(file).mtimeMs}`) as Promise<FunctionBundle>;

const contextOf = (spec: FunctionSpec, call: RuntimeCall, clock: WorldClock): LambdaContext & Record<string, unknown> => ({
  awsRequestId: call.id,
  functionName: spec.name,
  functionVersion: '$LATEST',
  invokedFunctionArn: spec.arn,
  memoryLimitInMB: String(spec.memoryMb),
  logGroupName: `/aws/lambda/${spec.name}`,
  logStreamName: call.id,
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => call.deadlineMs - clock.now(),
});

const never = new Promise<never>(() => undefined);

/** Runs bundles in this process on the world's clock and seed: `create` is called once per cold start, as Lambda initialises once per environment. */
export const simulatedEnvironments = (deps: SimulatedDeps): StartEnvironment => {
  const { clock } = deps;
  return async (spec, id): Promise<ExecutionEnvironment> => {
    let alive = true;
    const { create } = await clock.busy(load(spec.file));
    const handler = create({
      env: { ...runtimeVariables(spec, deps.region), ...spec.variables },
      now: clock.now,
      random: forkRandom(deps.seed, id),
      clientConfig: deps.clientConfig(spec, id, () => alive),
      quiet: true,
    });
    const run = async (call: RuntimeCall) => {
      try {
        const value = await handler(call.event, contextOf(spec, call, clock));
        return alive ? ({ kind: 'ok', value: asJson(value) } as const) : never;
      } catch (error) {
        return alive ? failureOf(error) : never;
      }
    };
    return {
      run,
      kill: () => {
        alive = false;
      },
    };
  };
};

import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import {
  type FunctionBundle,
  type FunctionName,
  type LambdaContext,
  metrics,
  type Surroundings,
  watchedByLambda,
} from '../../core/contract.ts';
import { timeoutEarlyMs } from '../../core/times/times.ts';
import { lambdaSurroundings } from './surroundings.ts';
import { createTelemetry, type Telemetry } from './telemetry.ts';

/** The work of a function for one event. Made once per cold start from its surroundings. */
export type Work = (event: unknown, context: LambdaContext) => Promise<unknown>;

/**
 * Metrics are written at the end, also after a failed invocation. The library's own middleware would warn about every
 * invocation that counted nothing.
 */
const publishMetrics = ({ metrics }: Telemetry) => {
  const publish = (): void => {
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
  return { after: publish, onError: publish };
};

const wrap = (name: FunctionName, { isEndedByWorld }: Surroundings, telemetry: Telemetry, work: Work): Work => {
  const logFailure = {
    // Returns nothing: a value returned here would stop the remaining error handlers before metrics are flushed.
    onError: ({ error }: { error: unknown }): void => {
      telemetry.logger.error('The invocation failed. Its messages are delivered again.', error as Error);
      if (!watchedByLambda.includes(name)) telemetry.count(metrics.functionErrors);
    },
  };
  const wrapped = middy({ timeoutEarlyInMillis: isEndedByWorld ? 0 : timeoutEarlyMs })
    .use(injectLambdaContext(telemetry.logger, { resetKeys: true }))
    .use(publishMetrics(telemetry))
    .use(logFailure)
    .handler((event: unknown, context: unknown) => work(event, context as LambdaContext));
  return wrapped as unknown as Work;
};

/**
 * The two exports of a function's bundle: `create` for given surroundings, `handler` for Lambda, wired at the first
 * event.
 */
export const withRuntime = (
  name: FunctionName,
  wire: (surroundings: Surroundings, telemetry: Telemetry) => Work,
): FunctionBundle => {
  const create = (surroundings: Surroundings): Work => {
    const telemetry = createTelemetry(name, surroundings);
    const { sleep, random, clientConfig } = surroundings;
    const pauses = { sleep, random };
    return wrap(
      name,
      surroundings,
      telemetry,
      wire({ ...surroundings, clientConfig: { pauses, ...clientConfig } }, telemetry),
    );
  };
  let inLambda: Work | undefined;
  const handler: Work = (event, context) => {
    inLambda ??= create(lambdaSurroundings());
    return inLambda(event, context);
  };
  return { handler, create };
};

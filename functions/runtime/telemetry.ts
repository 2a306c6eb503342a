import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import {
  env,
  type FunctionName,
  metricsNamespace,
  metrics as names,
  problemMetrics,
  type Surroundings,
} from '../../core/contract.ts';

/** Structured logs and EMF metrics of one function. */
export type Telemetry = {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Adds to a counter. Zero is not written, so that idle minutes cost nothing. */
  count(metric: string, by?: number): void;
  /** Records a duration in milliseconds. */
  duration(metric: string, ms: number): void;
};

export const createTelemetry = (functionName: FunctionName, surroundings: Surroundings): Telemetry => {
  const deployment = surroundings.env[env.name] ?? 'holdfast';
  const logger = new Logger({
    serviceName: deployment,
    persistentKeys: { function: functionName },
    ...(surroundings.quiet ? { logLevel: 'SILENT' } : {}),
  });
  const metrics = new Metrics({ namespace: metricsNamespace, serviceName: deployment });
  const add = (metric: string, unit: (typeof MetricUnit)[keyof typeof MetricUnit], value: number): void => {
    if (!surroundings.quiet) metrics.addMetric(metric, unit, value);
    surroundings.onMetric?.(metric, value);
  };
  return {
    logger,
    metrics,
    count: (metric, by = 1) => {
      if (by === 0) return;
      add(metric, MetricUnit.Count, by);
      if (problemMetrics.has(metric)) add(names.problems, MetricUnit.Count, by);
    },
    duration: (metric, ms) => add(metric, MetricUnit.Milliseconds, ms),
  };
};

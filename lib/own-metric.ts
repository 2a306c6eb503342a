import { Duration } from 'aws-cdk-lib';
import { Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { metricsNamespace } from '../core/contract.ts';

/** A metric that the functions write, of one deployment: summed per minute unless options say otherwise. */
export const ownMetric = (deployment: string, metricName: string, options: MetricOptions = {}): Metric =>
  new Metric({
    namespace: metricsNamespace,
    metricName,
    dimensionsMap: { service: deployment },
    statistic: 'Sum',
    period: Duration.minutes(1),
    ...options,
  });

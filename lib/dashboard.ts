import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { functionNames, metrics, problemMetrics } from '../core/contract.ts';
import { ownMetric } from './own-metric.ts';
import type { Watched } from './watched.ts';

const minute = Duration.minutes(1);

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []): IWidget =>
  new GraphWidget({ title, left: [...left], right: [...right], width: 12, height: 6 });

/** One page: signals, decisions, EC2's responses, drains, and the health of the functions and queues. */
export class HoldfastDashboard extends Construct {
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, watched: Watched & { readonly alarms: readonly Alarm[] }) {
    super(scope, id);
    const { name } = watched;
    this.dashboard = new Dashboard(this, 'Page', {
      dashboardName: name,
      defaultInterval: Duration.hours(3),
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...watched.alarms], width: 24, height: 4 })],
        capacity(name),
        drains(watched),
        health(watched),
      ],
    });
  }
}

const own = (name: string, names: readonly string[]): readonly IMetric[] =>
  names.map((metric) => ownMetric(name, metric));

const capacity = (name: string): IWidget[] => [
  graph('Leaving and launched', own(name, [metrics.interruptions, metrics.launched, metrics.breakersOpened])),
  graph('Refused, throttled and missing', own(name, [metrics.refused, metrics.throttled, metrics.unplaced])),
];

const drains = ({ name, drainWorkflow }: Watched): IWidget[] => [
  graph('Drains', [
    ...own(name, [metrics.drainsStarted, metrics.drainsLate]),
    drainWorkflow.metricFailed({ period: minute }),
  ]),
  graph('Warning to replacement requested, ms', [
    ownMetric(name, metrics.replacementRequestedMs, { statistic: 'p50', label: 'p50' }),
    ownMetric(name, metrics.replacementRequestedMs, { statistic: 'p99', label: 'p99' }),
  ]),
];

const health = ({ name, signals, functions }: Watched): IWidget[] => [
  graph(
    'Signals: read and waiting',
    own(name, [metrics.signals, metrics.signalsLate, metrics.strangers, metrics.conflicts]),
    [signals.queue.metricApproximateNumberOfMessagesVisible({ period: minute })],
  ),
  graph(
    'Functions: errors and longest run',
    functionNames.map((fn) => functions.byName[fn].metricErrors({ period: minute, label: `${fn} errors` })),
    functionNames.map((fn) =>
      functions.byName[fn].metricDuration({ period: minute, statistic: 'Maximum', label: `${fn} ms` }),
    ),
  ),
  graph('Problems', own(name, [...problemMetrics]), [
    functions.byName.react.metricThrottles({ period: minute, label: 'react throttled' }),
  ]),
];

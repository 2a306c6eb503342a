import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { metrics, watchedByLambda } from '../core/contract.ts';
import { ownMetric } from './own-metric.ts';
import type { Watched } from './watched.ts';

/** Which problems have an alarm: all, or those alone by which instances may be missing or requests be dropped. */
export type AlarmChoice = 'all' | 'capacity';

export type AlarmsProps = Watched & {
  readonly alarmTopic?: ITopic;
  readonly runbook: string;
  readonly choice: AlarmChoice;
};

type AlarmSpec = {
  /** Alarm name after the deployment's, and the heading of its section in the runbook. */
  readonly section: string;
  readonly says: string;
  readonly metric: IMetric;
  readonly threshold?: number;
  readonly periods?: number;
  /** No data is a problem, too: it says that the function did not run. */
  readonly runsAlways?: boolean;
};

/** Alarms of problems by which instances may be missing, or requests be dropped. */
const aboutCapacity: ReadonlySet<string> = new Set([
  'signals-dead-letters',
  'signals-late',
  'react-failing',
  'groups-failing',
  'tick-failing',
  'drain-workflow-failed',
  'drains-late',
  'capacity-exhausted',
  'boots-failing',
]);

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
const sum = { statistic: 'Sum', period: minute };

/**
 * One alarm for each problem that needs a person. Its description names the section of the runbook that says what to
 * do.
 */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.all = [...queueAlarms(props), ...functionAlarms(props), ...drainAlarms(props), ...outcomeAlarms(props)]
      .filter(({ section }) => props.choice === 'all' || aboutCapacity.has(section))
      .map((spec) => this.create(spec, props));
  }

  private create(
    { section, says, metric, threshold = 1, periods = 1, runsAlways = false }: AlarmSpec,
    { name, runbook, alarmTopic }: AlarmsProps,
  ): Alarm {
    const alarm = new Alarm(this, section, {
      alarmName: `${name}-${section}`,
      alarmDescription: `${says} Runbook: ${runbook}#${section}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: runsAlways ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (alarmTopic) alarm.addAlarmAction(new SnsAction(alarmTopic));
    return alarm;
  }
}

const queueAlarms = (watched: Watched): readonly AlarmSpec[] => [
  {
    section: 'signals-dead-letters',
    says: 'Signals failed for more than an hour and moved to the dead-letter queue.',
    metric: watched.signals.deadLetters.metricApproximateNumberOfMessagesVisible({
      statistic: 'Maximum',
      period: minute,
    }),
  },
  {
    section: 'policy-dead-letters',
    says: 'Changes of the groups table could not be processed and moved to the dead-letter queue.',
    metric: watched.policyDeadLetters.metricApproximateNumberOfMessagesVisible({
      statistic: 'Maximum',
      period: minute,
    }),
  },
  {
    section: 'signals-late',
    says: 'For three minutes signals were read more than a minute after they came.',
    metric: ownMetric(watched.name, metrics.signalsLate, { period: minute }),
    periods: 3,
  },
];

/** Lambda writes `Errors` for each invocation, 0 for a success. So the same metric says that a function did not run. */
const functionAlarms = ({ functions }: Watched): readonly AlarmSpec[] =>
  watchedByLambda.map((name) => ({
    section: `${name}-failing`,
    says: `The function ${name} ended with an unexpected error, or has not run for five minutes.`,
    metric: functions.byName[name].metricErrors({ ...sum, period: fiveMinutes }),
    runsAlways: true,
  }));

const drainAlarms = ({ name, drainWorkflow }: Watched): readonly AlarmSpec[] => [
  {
    section: 'drain-workflow-failed',
    says: 'A drain ended without a record of its result.',
    metric: new MathExpression({
      // A drain that a person stops is taken over at once, because react gets the event.
      expression: 'failed + timedOut',
      label: 'Drains failed or timed out',
      period: fiveMinutes,
      usingMetrics: {
        failed: drainWorkflow.metricFailed({ ...sum, period: fiveMinutes }),
        timedOut: drainWorkflow.metricTimedOut({ ...sum, period: fiveMinutes }),
      },
    }),
  },
  {
    section: 'drains-late',
    says: 'Instances ended before they had drained.',
    metric: ownMetric(name, metrics.drainsLate, { period: fiveMinutes }),
  },
];

const outcomeAlarms = ({ name }: Watched): readonly AlarmSpec[] => [
  {
    section: 'groups-failing',
    says: 'For three minutes, Holdfast could not bring groups to the state in their policies.',
    metric: ownMetric(name, metrics.groupsFailed, { period: minute }),
    periods: 3,
  },
  {
    section: 'capacity-exhausted',
    says: 'For five minutes, groups have lacked instances, and no eligible pool of their policies had capacity.',
    metric: ownMetric(name, metrics.unplaced, { statistic: 'Maximum', period: minute }),
    periods: 5,
  },
  {
    section: 'boots-failing',
    says: 'Instances that were launched ended, or were given up, before they served.',
    metric: ownMetric(name, metrics.bootsFailed, { period: Duration.minutes(15) }),
    threshold: 3,
  },
  {
    section: 'problems',
    says: 'A policy was rejected, an action cannot succeed, an item or message is unreadable, or a function failed.',
    metric: ownMetric(name, metrics.problems, { period: fiveMinutes }),
  },
];

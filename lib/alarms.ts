import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { functionNames, metrics } from '../core/contract.ts';
import { ownMetric } from './own-metric.ts';
import type { Watched } from './watched.ts';

export type AlarmsProps = Watched & { readonly alarmTopic?: ITopic; readonly runbook: string };

type AlarmSpec = {
  /** Alarm name after the deployment's, and the heading of its section in the runbook. */
  readonly section: string;
  readonly says: string;
  readonly metric: IMetric;
  readonly threshold?: number;
  readonly periods?: number;
  readonly below?: boolean;
};

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
    this.all = [...queueAlarms(props), ...functionAlarms(props), ...drainAlarms(props), ...outcomeAlarms(props)].map(
      (spec) => this.create(spec, props),
    );
  }

  private create(
    { section, says, metric, threshold = 1, periods = 1, below = false }: AlarmSpec,
    { name, runbook, alarmTopic }: AlarmsProps,
  ): Alarm {
    const alarm = new Alarm(this, section, {
      alarmName: `${name}-${section}`,
      alarmDescription: `${says} Runbook: ${runbook}#${section}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: below ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (alarmTopic) alarm.addAlarmAction(new SnsAction(alarmTopic));
    return alarm;
  }
}

/** The age counts only messages that can be received: a wake that waits for its time is no backlog. */
const backlogAge = ({ signals }: Watched): IMetric =>
  new MathExpression({
    expression: 'IF(visible > 0, age, 0)',
    label: 'Age of the oldest waiting signal, seconds',
    period: minute,
    usingMetrics: {
      visible: signals.queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: minute }),
      age: signals.queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: minute }),
    },
  });

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
    section: 'signals-queue-age',
    says: 'Signals wait longer than a minute.',
    metric: backlogAge(watched),
    threshold: 60,
    periods: 3,
  },
];

const functionAlarms = ({ functions }: Watched): readonly AlarmSpec[] => [
  ...functionNames.map((name) => ({
    section: `${name}-errors`,
    says: `The function ${name} ended with an unexpected error.`,
    metric: functions.byName[name].metricErrors({ ...sum, period: fiveMinutes }),
  })),
  {
    section: 'functions-throttled',
    says: 'Lambda refused to run functions of this deployment.',
    metric: new MathExpression({
      expression: functionNames.map((_, index) => `m${index}`).join(' + '),
      label: 'Throttled invocations',
      period: minute,
      usingMetrics: Object.fromEntries(
        functionNames.map((name, index) => [`m${index}`, functions.byName[name].metricThrottles(sum)]),
      ),
    }),
    periods: 3,
  },
  {
    section: 'tick-missing',
    says: 'The minute tick has not run for five minutes: lost events have no effect until it runs.',
    metric: functions.byName.tick.metricInvocations({ ...sum, period: fiveMinutes }),
    below: true,
  },
];

const drainAlarms = ({ name, drainWorkflow }: Watched): readonly AlarmSpec[] => [
  {
    section: 'drain-workflow-failed',
    says: 'A drain ended without a record of its result.',
    metric: new MathExpression({
      expression: 'failed + timedOut + aborted',
      label: 'Drains failed, timed out or aborted',
      period: fiveMinutes,
      usingMetrics: {
        failed: drainWorkflow.metricFailed({ ...sum, period: fiveMinutes }),
        timedOut: drainWorkflow.metricTimedOut({ ...sum, period: fiveMinutes }),
        aborted: drainWorkflow.metricAborted({ ...sum, period: fiveMinutes }),
      },
    }),
  },
  {
    section: 'drains-late',
    says: 'Instances ended before their work was taken off them.',
    metric: ownMetric(name, metrics.drainsLate, { period: fiveMinutes }),
  },
];

const outcomeAlarms = ({ name }: Watched): readonly AlarmSpec[] => [
  {
    section: 'groups-failing',
    says: 'For three minutes groups could not be brought to what their policies say.',
    metric: ownMetric(name, metrics.groupsFailed, { period: minute }),
    periods: 3,
  },
  {
    section: 'capacity-exhausted',
    says: 'For five minutes, instances have been missing that no eligible pool of their policy could give.',
    metric: ownMetric(name, metrics.unplaced, { statistic: 'Maximum', period: minute }),
    periods: 5,
  },
  {
    section: 'boots-failing',
    says: 'Instances that were launched died, or were given up, before they served.',
    metric: ownMetric(name, metrics.bootsFailed, { period: Duration.minutes(15) }),
    threshold: 3,
  },
  {
    section: 'policies-rejected',
    says: 'A policy was rejected; the last accepted version stays in force.',
    metric: ownMetric(name, metrics.policiesRejected),
  },
  {
    section: 'actions-failed',
    says: 'Actions failed, and repeating them cannot succeed.',
    metric: ownMetric(name, metrics.actionsFailed),
  },
  {
    section: 'poison-messages',
    says: 'Messages arrived that could not be read.',
    metric: ownMetric(name, metrics.poisonMessages, { period: fiveMinutes }),
  },
  {
    section: 'unreadable-items',
    says: 'Items of the state table could not be read in full.',
    metric: ownMetric(name, metrics.unreadableItems, { period: fiveMinutes }),
  },
];

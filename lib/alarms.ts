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
  readonly below?: boolean;
};

/** Alarms of problems by which instances may be missing, or requests be dropped. */
const aboutCapacity: ReadonlySet<string> = new Set([
  'signals-dead-letters',
  'signals-queue-age',
  'react-errors',
  'groups-failing',
  'tick-missing',
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

const functionAlarms = ({ name: deployment, functions }: Watched): readonly AlarmSpec[] => [
  ...watchedByLambda.map((name) => ({
    section: `${name}-errors`,
    says: `The function ${name} ended with an unexpected error.`,
    metric: functions.byName[name].metricErrors({ ...sum, period: fiveMinutes }),
  })),
  {
    section: 'function-errors',
    says: 'A function that accepts policies or drains instances ended with an error.',
    metric: ownMetric(deployment, metrics.functionErrors, { period: fiveMinutes }),
  },
  {
    // All functions share the concurrency of the account. This one runs each minute, and in each batch of signals.
    section: 'functions-throttled',
    says: 'Lambda refused to run the function react.',
    metric: functions.byName.react.metricThrottles(sum),
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

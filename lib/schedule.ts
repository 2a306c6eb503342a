import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { tickEveryMs } from '../core/times/times.ts';

export type TickScheduleProps = { readonly name: string; readonly tick: LambdaFunction; readonly deadLetters: IQueue };

export type LookUpScheduleProps = {
  readonly name: string;
  readonly acceptPolicy: LambdaFunction;
  readonly deadLetters: IQueue;
};

/**
 * Each policy in force is looked up again once a day. One of the times of a day that is missed is made up tomorrow. At
 * each time, policies that wait for an Auto Scaling group of another group are judged again if it is free.
 */
export class LookUpSchedule extends Construct {
  constructor(scope: Construct, id: string, { name, acceptPolicy, deadLetters }: LookUpScheduleProps) {
    super(scope, id);
    const every = Duration.minutes(15);
    acceptPolicy.configureAsyncInvoke({ maxEventAge: every, retryAttempts: 1 });
    new Rule(this, 'EveryQuarter', {
      ruleName: `${name}-look-up`,
      description: `Holdfast ${name}: what policies in force name is looked up again, once a day each`,
      // By the clock, so that no time of a day is left out.
      schedule: Schedule.cron({ minute: '0/15' }),
      targets: [new LambdaTarget(acceptPolicy, { deadLetterQueue: deadLetters, maxEventAge: every, retryAttempts: 1 })],
    });
  }
}

/** Every minute, one tick. A tick that comes too late is dropped: the next one does its work. */
export class TickSchedule extends Construct {
  readonly rule: Rule;

  constructor(scope: Construct, id: string, { name, tick, deadLetters }: TickScheduleProps) {
    super(scope, id);
    const every = Duration.millis(tickEveryMs);
    tick.configureAsyncInvoke({ maxEventAge: every, retryAttempts: 1 });
    this.rule = new Rule(this, 'EveryMinute', {
      ruleName: `${name}-tick`,
      description: `Holdfast ${name}: every group is converged once a minute, whatever events were lost`,
      schedule: Schedule.rate(every),
      targets: [new LambdaTarget(tick, { deadLetterQueue: deadLetters, maxEventAge: every, retryAttempts: 1 })],
    });
  }
}

import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  Choice,
  Condition,
  DefinitionBody,
  Fail,
  JitterType,
  LogLevel,
  QueryLanguage,
  type RetryProps,
  StateMachine,
  Succeed,
  TaskInput,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { longestDrainMs } from '../core/times/times.ts';

export interface DrainWorkflowProps {
  /** The deployment's name: the state machine is called `<name>-drain`. */
  readonly name: string;
  readonly logRetention: RetentionDays;
  /** Takes a batch out of service, or returns when to try. */
  readonly beginDrain: IFunction;
  /** Looks at the connections of a batch. */
  readonly checkDrain: IFunction;
  /** Ends the drain of a batch. */
  readonly endDrain: IFunction;
}

/** Functions get the time at which their state was entered beside the input, because their own clocks may be wrong. */
const withEntry = '{% $merge([$states.input, {"state": $states.context.State}]) %}';

/** The input without what is known of the attempts of one step, because the next step is another one. */
const ofNextStep = '$sift($states.input, function($value, $key) { $not($key in ["isRepeat", "crowded"]) })';

/** The input goes from state to state unchanged. The result of the last function is beside it as `step`. */
const withStep = `{% $merge([${ofNextStep}, {"step": $states.result.Payload}]) %}`;

/** End drain gets the error beside the order. */
const withError = `{% $merge([${ofNextStep}, {"error": $states.errorOutput}]) %}`;

/** Lambda has no room for the call, so no code of the function ran. */
const noRoom = 'Lambda.TooManyRequestsException';

/** `crowded`: how many calls in a row had no room. */
const oneMore = '{"crowded": ($exists($states.input.crowded) ? $states.input.crowded : 0) + 1}';

/**
 * The input again, after a call for which Lambda had no room. Such a call is no attempt. It does not count as a retry,
 * and what is known of attempts before it is kept.
 */
const repeated = '$states.context.State.RetryCount > 0 ? {"isRepeat": true} : {}';
const withAttempts = `{% $merge([$states.input, ${oneMore}, ${repeated}]) %}`;
const asItWas = `{% $merge([$states.input, ${oneMore}]) %}`;

/** Two seconds longer each time, ten at most, so that drains leave room to `react`. Full jitter keeps them apart. */
const someSeconds = '{% $floor($random() * $min([10, 2 * $states.input.crowded])) + 1 %}';

/** Lambda's own errors after which a call may have run: a service error, a broken connection. */
const lambdaTrouble = ['Lambda.ServiceException', 'Lambda.AWSLambdaException', 'Lambda.SdkClientException'];

const patience = { backoffRate: 2, maxDelay: Duration.seconds(10), jitterStrategy: JitterType.FULL };

/** Other errors are retried within the time of a spot notice. */
const failedRetry: RetryProps = {
  errors: ['States.TaskFailed'],
  interval: Duration.seconds(2),
  maxAttempts: 6,
  ...patience,
};
/**
 * No step follows the end. So a table that does not respond for minutes must not leave a drain without an end: with
 * full jitter twice a minute in the end, this is tried for more than an hour.
 */
const endFailedRetry: RetryProps = {
  errors: ['States.TaskFailed'],
  interval: Duration.seconds(2),
  maxAttempts: 132,
  ...patience,
  maxDelay: Duration.minutes(1),
};

const nextIs = (step: string): Condition => Condition.jsonata(`{% $states.input.step.next = "${step}" %}`);

/**
 * The drain of one batch of instances, as a Standard state machine in JSONata: begin, wait for connections, check, end.
 * A drain of a thousand instances takes as few transitions as a drain of one, because every function works on the whole
 * batch and returns when it is worth looking again.
 */
export class DrainWorkflow extends Construct {
  readonly stateMachine: StateMachine;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: DrainWorkflowProps) {
    super(scope, id);
    const stateMachineName = `${props.name}-drain`;
    this.logGroup = new LogGroup(this, 'Logs', {
      // Step Functions adds no resource policy for log groups under this prefix, so the account's policy size limit is
      // never reached.
      logGroupName: `/aws/vendedlogs/states/${stateMachineName}`,
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      stateMachineName,
      definitionBody: DefinitionBody.fromChainable(this.begin(props)),
      queryLanguage: QueryLanguage.JSONATA,
      timeout: Duration.millis(longestDrainMs),
      comment: 'Takes work off a batch of leaving instances before their deadline.',
      logs: { destination: this.logGroup, level: LogLevel.ERROR, includeExecutionData: false },
      tracingEnabled: false,
    });
    this.acknowledge(props);
  }

  private begin({ beginDrain, checkDrain, endDrain }: DrainWorkflowProps): LambdaInvoke {
    const begin = this.step(
      'Begin drain',
      beginDrain,
      'Waits for replacements to serve, then takes the batch out of service.',
    );
    const check = this.step('Check drain', checkDrain, 'Looks at the connections and keeps lifecycle hooks alive.');
    const end = this.step(
      'End drain',
      endDrain,
      'Completes hooks, terminates the instances that Holdfast has to terminate, and records shortfalls.',
      endFailedRetry,
    );
    const beginLater = this.waitFor('Wait for replacements');
    beginLater.next(begin);
    const next = Choice.jsonata(this, 'What next?')
      .when(nextIs('begin'), beginLater)
      .when(nextIs('check'), this.waitFor('Wait for connections').next(check))
      .otherwise(end);
    end.next(
      Choice.jsonata(this, 'Is it over?')
        .when(nextIs('begin'), beginLater)
        .when(nextIs('end'), this.waitFor('Wait to end again').next(end))
        .when(
          nextIs('fail'),
          Fail.jsonata(this, 'Not ended', {
            error: '{% $states.input.step.error %}',
            cause: '{% $states.input.step.cause %}',
          }),
        )
        .otherwise(Succeed.jsonata(this, 'Ended')),
    );
    this.waitForRoom('Wait to begin', begin, withAttempts);
    this.waitForRoom('Wait to check', check, asItWas);
    this.waitForRoom('Wait to end', end, withAttempts);
    for (const step of [begin, check]) step.addCatch(end, { errors: ['States.ALL'], outputs: withError }).next(next);
    return begin;
  }

  private step(
    name: string,
    lambdaFunction: IFunction,
    comment: string,
    ofFunction: RetryProps = failedRetry,
  ): LambdaInvoke {
    const step = LambdaInvoke.jsonata(this, name, {
      lambdaFunction,
      comment,
      payload: TaskInput.fromText(withEntry),
      outputs: withStep,
      // The retries below replace the CDK's own: they fit into a spot notice.
      retryOnServiceExceptions: false,
    });
    // The first retry that names the error counts.
    step.addRetry({ errors: [noRoom], maxAttempts: 0 });
    step.addRetry({ errors: lambdaTrouble, interval: Duration.seconds(1), maxAttempts: 8, ...patience });
    step.addRetry(ofFunction);
    return step;
  }

  /** Calls the function of a step again, for as long as Lambda has no room for it. Nothing else could be done then. */
  private waitForRoom(name: string, step: LambdaInvoke, outputs: string): void {
    const wait = Wait.jsonata(this, name, { time: WaitTime.seconds(someSeconds) });
    step.addCatch(wait, { errors: [noRoom], outputs });
    wait.next(step);
  }

  private waitFor(name: string): Wait {
    return Wait.jsonata(this, name, { time: WaitTime.timestamp('{% $states.input.step.untilIso %}') });
  }

  /** What cdk-nag finds here, and why it stays. */
  private acknowledge({ beginDrain, checkDrain, endDrain }: DrainWorkflowProps): void {
    const versions = [beginDrain, checkDrain, endDrain].map((fn) => {
      const { 'Fn::GetAtt': att }: { readonly 'Fn::GetAtt': readonly string[] } = Stack.of(this).resolve(
        fn.functionArn,
      );
      return {
        id: `AwsSolutions-IAM5[Resource::<${att.join('.')}>:*]`,
        reason: 'Versions and aliases of the three drain functions, and of no other.',
      };
    });
    Validations.of(this).acknowledge(
      ...versions,
      {
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'Log delivery actions have no resources (Step Functions, logging with CloudWatch Logs).',
      },
      {
        id: 'AwsSolutions-SF1',
        reason:
          'A Standard execution keeps its whole history for 90 days; logging every event would pay for it twice. ' +
          'Errors are logged.',
      },
      {
        id: 'AwsSolutions-SF2',
        reason:
          'A trace would show three Lambda calls minutes apart, as the history does. ' +
          'The functions have no tracer, which keeps their bundles small.',
      },
    );
  }
}

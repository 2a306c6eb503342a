import { Duration } from 'aws-cdk-lib';
import { type EventPattern, type IEventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { signalKinds } from '../core/signals/signal.ts';
import type { Signals } from './signals.ts';

export type SignalRulesProps = {
  readonly name: string;
  readonly signals: Signals;
  readonly drainWorkflow: IStateMachine;
  readonly eventBus?: IEventBus;
};

/** What the rule of a kind compares. A kind that Holdfast sends to the queue itself has no rule. */
const patternOf = (
  { source, detailType, comes }: (typeof signalKinds)[number],
  drainWorkflow: IStateMachine,
): EventPattern | undefined => {
  if (comes.by === 'queue') return undefined;
  const detail = { ...comes.where, ...(comes.ofOwnDrains && { stateMachineArn: [drainWorkflow.stateMachineArn] }) };
  return { source: [source], detailType: [detailType], ...(Object.keys(detail).length > 0 && { detail }) };
};

/**
 * Sends each kind of AWS event to the signals queue. An event that the queue does not take goes to the dead-letter
 * queue.
 */
export class SignalRules extends Construct {
  readonly rules: readonly Rule[];

  constructor(scope: Construct, id: string, { name, signals, drainWorkflow, eventBus }: SignalRulesProps) {
    super(scope, id);
    this.rules = signalKinds.flatMap((kind) => {
      const eventPattern = patternOf(kind, drainWorkflow);
      if (eventPattern === undefined) return [];
      return new Rule(this, kind.kind, {
        ruleName: `${name}-${kind.kind}`,
        description: `Holdfast ${name}: signals of kind ${kind.kind}`,
        eventPattern,
        ...(eventBus ? { eventBus } : {}),
        targets: [
          new SqsQueue(signals.queue, { deadLetterQueue: signals.deadLetters, maxEventAge: Duration.hours(1) }),
        ],
      });
    });
  }
}

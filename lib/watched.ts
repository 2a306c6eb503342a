import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Functions } from './functions.ts';
import type { Signals } from './signals.ts';

/** What alarms and dashboard show. */
export type Watched = {
  readonly name: string;
  readonly signals: Signals;
  readonly policyDeadLetters: IQueue;
  readonly functions: Functions;
  readonly drainWorkflow: IStateMachine;
};

import '../core/times/time-relations.ts';
import { RemovalPolicy } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { deploymentName } from '../core/contract.ts';
import { type AlarmChoice, Alarms } from './alarms.ts';
import { HoldfastDashboard } from './dashboard.ts';
import { DrainWorkflow } from './drain-workflow.ts';
import { Functions } from './functions.ts';
import { PolicyStream } from './policy-stream.ts';
import { grantRights } from './rights.ts';
import { LookUpSchedule, TickSchedule } from './schedule.ts';
import { SignalRules } from './signal-rules.ts';
import { Signals } from './signals.ts';
import { Tables } from './tables.ts';

export type HoldfastProps = {
  /**
   * The deployment's name: first part of every resource's name and of the tag on every instance. Lower case letters,
   * digits and dashes, 31 characters at most. Several deployments in one account need different names.
   * @default 'holdfast'
   */
  readonly name?: string;
  /**
   * The bus that AWS events arrive on, and that Holdfast sends its own events to. Events of AWS services arrive on
   * other buses only when a rule forwards them.
   * @default - the account's default bus
   */
  readonly eventBus?: IEventBus;
  /**
   * Notified when an alarm goes off.
   * @default - alarms change their state and notify no topic
   */
  readonly alarmTopic?: ITopic;
  /**
   * Which problems have an alarm. `capacity`: those alone by which instances may be missing, or requests be dropped.
   * Each metric that an alarm looks at costs $0.10 a month.
   * @default 'all'
   */
  readonly alarms?: AlarmChoice;
  /**
   * Where the runbook is published. Alarm descriptions name it and the section.
   * @default 'docs/runbook.md'
   */
  readonly runbook?: string;
  /**
   * What happens to both tables when the stack is deleted. The default keeps them, but not those of a first deployment
   * that failed: they would get in the way of the next.
   * @default RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * How long logs are kept.
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * Limits changes of Auto Scaling groups and target groups to those with the tag `holdfast:managed` = the deployment's
   * name.
   * @default false - any group that a policy names
   */
  readonly onlyTagged?: boolean;
  /**
   * Parameters of Systems Manager that launch templates take their images from (`resolve:ssm:NAME`), by name or by a
   * pattern such as `/images/*`. AWS's public parameters need no entry.
   * @default - public parameters alone
   */
  readonly imageParameters?: readonly string[];
  /**
   * ARNs of SNS topics that may send to the signals queue, for lifecycle hooks that notify a topic. Subscribe the queue
   * to the topic yourself.
   * @default - none
   */
  readonly hookTopicArns?: readonly string[];
};

const checkedName = (name: string): string => {
  if (deploymentName.test(name)) return name;
  const rule = 'use lower case letters, digits and dashes, a letter first, 31 characters at most';
  throw new Error(`Holdfast cannot be named '${name}': ${rule}.`);
};

/** Apps in JavaScript, and contexts of the command line, pass any text. */
const checkedChoice = (choice: string): AlarmChoice => {
  if (choice === 'all' || choice === 'capacity') return choice;
  throw new Error(`Expected alarms all or capacity, found '${choice}'.`);
};

/**
 * Keeps groups of EC2 instances at their size while spot capacity comes and goes: the whole control plane, for any CDK
 * app.
 */
export class Holdfast extends Construct {
  readonly name: string;
  /** Users write policies here: key `group`, sort key `item` = `policy`. */
  readonly groupsTable: ITable;
  readonly stateTable: ITable;
  /** Lifecycle hooks may notify this queue directly, or through an SNS topic. */
  readonly signalsQueue: IQueue;
  readonly drainStateMachine: IStateMachine;

  constructor(scope: Construct, id: string, props: HoldfastProps = {}) {
    super(scope, id);
    const {
      name = 'holdfast',
      logRetention = RetentionDays.ONE_MONTH,
      removalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    } = props;
    this.name = checkedName(name);
    const eventBus = props.eventBus ?? EventBus.fromEventBusName(this, 'DefaultBus', 'default');

    const tables = new Tables(this, 'Tables', { name, removalPolicy });
    const signals = new Signals(this, 'Signals', { name, hookTopicArns: props.hookTopicArns ?? [] });
    const functions = new Functions(this, 'Functions', { name, logRetention });
    const { react, tick, 'accept-policy': acceptPolicy } = functions.byName;
    const { stateMachine: drainWorkflow } = new DrainWorkflow(this, 'DrainWorkflow', {
      name,
      logRetention,
      beginDrain: functions.byName['begin-drain'],
      checkDrain: functions.byName['check-drain'],
      endDrain: functions.byName['end-drain'],
    });
    const policies = new PolicyStream(this, 'PolicyStream', { name, groups: tables.groups, acceptPolicy });

    grantRights(functions, {
      tables,
      signals,
      eventBus,
      drainWorkflow,
      reach: { deployment: name, onlyTagged: props.onlyTagged ?? false },
      imageParameters: props.imageParameters ?? [],
    });
    signals.feed(react);
    new SignalRules(this, 'Rules', { name, signals, drainWorkflow, eventBus });
    new TickSchedule(this, 'Tick', { name, tick, deadLetters: signals.deadLetters });
    new LookUpSchedule(this, 'LookUp', { name, acceptPolicy, deadLetters: signals.deadLetters });

    const watched = { name, signals, functions, drainWorkflow, policyDeadLetters: policies.deadLetters };
    const { all: alarms } = new Alarms(this, 'Alarms', {
      ...watched,
      runbook: props.runbook ?? 'docs/runbook.md',
      choice: checkedChoice(props.alarms ?? 'all'),
      ...(props.alarmTopic ? { alarmTopic: props.alarmTopic } : {}),
    });
    new HoldfastDashboard(this, 'Dashboard', { ...watched, alarms });

    this.groupsTable = tables.groups;
    this.stateTable = tables.state;
    this.signalsQueue = signals.queue;
    this.drainStateMachine = drainWorkflow;
  }
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { assemble } from '../assembly/assemble.ts';
import type { AlarmChoice } from '../lib/alarms.ts';
import { HoldfastStack } from '../lib/stack.ts';
import { startsWith } from '../sandbox/platform/queues/poller-count.ts';
import type { IdleRun } from './idle.ts';

type Properties = Readonly<Record<string, unknown>>;

/** What a template says about what costs while nothing happens. */
export type Priced = {
  readonly alarms: number;
  /** An alarm is paid for by each metric that it looks at. */
  readonly alarmMetrics: number;
  /** Memory of each function, GB, by its name without the deployment's. */
  readonly memoryGb: Readonly<Record<string, number>>;
  /** Queues that Lambda reads. */
  readonly polledQueues: number;
};

export type Dollars = Readonly<Record<'alarms' | 'metrics' | 'queue' | 'functions' | 'logs' | 'tables' | 'together', number>>;

/** US dollars at list prices of us-east-1, without a free tier (AWS's price pages, November 2026). */
const usd = {
  alarmMetric: 0.1,
  ownMetric: 0.3,
  queueRequest: 0.4 / 1e6,
  invocation: 0.2 / 1e6,
  gbSecondArm: 0.0000133334,
  logGb: 0.5 + 0.03,
  readUnit: 0.125 / 1e6,
  writeUnit: 0.625 / 1e6,
} as const;

const monthMinutes = 30 * 24 * 60;
/** A poller of Lambda waits at SQS for so long where no message comes. */
const pollsAMinute = 60_000 / 20_000;
/** Lambda's own lines about an invocation (START, END, REPORT), with what CloudWatch adds to each. */
const logKbAnInvocation = 0.5;
/** Time of code in each invocation, assumed: in the world code takes none. */
const codeMs = 80;

const round = (dollars: number): number => Math.round(dollars * 100) / 100;

type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties: Properties }>>;

const propertiesOf = (resources: Resources, type: string): readonly Properties[] =>
  Object.values(resources).flatMap(({ Type, Properties: properties }) => (Type === type ? [properties] : []));

/** By default the stack as it is assembled for deployment. With a choice, it is synthesized anew. */
const resourcesOf = async (choice: AlarmChoice | undefined): Promise<Resources> => {
  const folder = await assemble();
  const template =
    choice === undefined
      ? JSON.parse(await readFile(join(folder, 'holdfast.template.json'), 'utf8'))
      : Template.fromStack(new HoldfastStack(new App(), 'holdfast', { alarms: choice })).toJSON();
  return (template as { readonly Resources: Resources }).Resources;
};

const metricsOfAlarm = ({ Metrics }: Properties): number =>
  Array.isArray(Metrics) ? Metrics.filter((metric: object) => 'MetricStat' in metric).length : 1;

/** The stack as `npx cdk deploy` deploys it. `choice` absent: by default. */
export const pricedStack = async (choice?: AlarmChoice): Promise<Priced> => {
  const template = await resourcesOf(choice);
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm');
  const functions = propertiesOf(template, 'AWS::Lambda::Function').filter(({ FunctionName }) => typeof FunctionName === 'string');
  const mappings = propertiesOf(template, 'AWS::Lambda::EventSourceMapping');
  return {
    alarms: alarms.length,
    alarmMetrics: alarms.reduce((sum, alarm) => sum + metricsOfAlarm(alarm), 0),
    memoryGb: Object.fromEntries(
      functions.map(({ FunctionName, MemorySize }) => [String(FunctionName).replace(/^holdfast-/, ''), Number(MemorySize) / 1_024]),
    ),
    polledQueues: mappings.filter((mapping) => 'ScalingConfig' in mapping).length,
  };
};

/** What a month costs in which nothing happens, as in the run. */
export const dollarsOf = (stack: Priced, run: IdleRun): Dollars => {
  const months = monthMinutes / run.minutes;
  const invocations = run.invocations.reduce((sum, { count }) => sum + count, 0) * months;
  const gbSeconds = run.invocations.map(({ function: name, count, billedMs }) => ((billedMs + count * codeMs) / 1_000) * (stack.memoryGb[name] ?? 0));
  const sent = run.calls.filter(({ call }) => call.startsWith('sqs:')).reduce((sum, { count }) => sum + count, 0) * months;
  // Each message that is sent is received and deleted, each in a call of its own.
  const requests = stack.polledQueues * startsWith * pollsAMinute * monthMinutes + 3 * sent;
  const exact = {
    alarms: stack.alarmMetrics * usd.alarmMetric,
    metrics: run.metrics.length * usd.ownMetric,
    queue: requests * usd.queueRequest,
    functions: invocations * usd.invocation + gbSeconds.reduce((sum, one) => sum + one, 0) * months * usd.gbSecondArm,
    logs: ((invocations * logKbAnInvocation) / 1_048_576) * usd.logGb,
    tables: (run.readUnits * usd.readUnit + run.writeUnits * usd.writeUnit) * months,
  };
  const together = Object.values(exact).reduce((sum, one) => sum + one, 0);
  const [alarms, metrics, queue, functions, logs, tables] = [exact.alarms, exact.metrics, exact.queue, exact.functions, exact.logs, exact.tables].map(
    round,
  );
  return {
    alarms: alarms ?? 0,
    metrics: metrics ?? 0,
    queue: queue ?? 0,
    functions: functions ?? 0,
    logs: logs ?? 0,
    tables: tables ?? 0,
    together: round(together),
  };
};

/** What the first version cost by the same reckoning. Half of it is the goal. */
export const firstVersionUsd = 3.59;

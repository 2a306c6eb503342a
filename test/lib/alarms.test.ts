import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { metrics, problemMetrics, watchedByLambda } from '../../core/contract.ts';
import { HoldfastStack } from '../../lib/stack.ts';
import { assembledResources, ofType, type Properties } from './assembled.ts';

const runbookFile = join(import.meta.dirname, '..', '..', 'docs', 'runbook.md');

let alarms: readonly Properties[];
let runbook: string;
beforeAll(async () => {
  alarms = ofType(await assembledResources(), 'AWS::CloudWatch::Alarm').map(([, properties]) => properties);
  runbook = await readFile(runbookFile, 'utf8');
});

/** An alarm over an expression is paid for by each metric in it (CloudWatch pricing). */
const metricsOf = (all: readonly Properties[]): number =>
  all
    .map(({ Metrics }) => (Array.isArray(Metrics) ? Metrics.filter((metric) => 'MetricStat' in metric).length : 1))
    .reduce((sum, count) => sum + count, 0);

const sections = (): readonly string[] => [...runbook.matchAll(/^## (\S+)$/gm)].map(([, heading]) => heading ?? '');
const anchorOf = ({ AlarmDescription }: Properties): string => /Runbook: docs\/runbook\.md#(\S+)$/.exec(String(AlarmDescription))?.[1] ?? '';

describe('alarms', () => {
  test('each names an existing section of the runbook, and each section belongs to an alarm', () => {
    expect(alarms.map(anchorOf).sort()).toEqual([...sections()].sort());
  });

  test('each section says what the alarm means, how to investigate and how to resolve it', () => {
    const bodies = runbook.split(/^## /m).slice(1);
    for (const body of bodies) {
      for (const part of ['**Description.**', '**Means.**', '**Investigate.**', '**Resolve.**']) expect(body, body.split('\n')[0]).toContain(part);
    }
  });

  test('links inside the runbook lead somewhere', () => {
    const known = new Set(sections());
    const parts = [...runbook.matchAll(/^### (\S+)$/gm)].map(([, heading]) => heading ?? '');
    for (const [, target] of runbook.matchAll(/\]\(#([^)]+)\)/g)) expect([...known, ...parts]).toContain(target);
  });

  test('errors of react and tick are watched where Lambda counts them: the same metric says that they do not run', () => {
    for (const name of watchedByLambda) {
      const alarm = alarms.find(({ AlarmName }) => AlarmName === `holdfast-${name}-failing`);
      expect(alarm).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Errors', TreatMissingData: 'breaching', Threshold: 1, Period: 300 });
    }
  });

  test('the problems that share an alarm are those that no alarm looks at by themselves', () => {
    const watched = new Set(alarms.map(({ MetricName }) => MetricName));
    expect(watched).toContain(metrics.problems);
    for (const metric of problemMetrics) expect(watched).not.toContain(metric);
    expect(alarms.find(({ MetricName }) => MetricName === metrics.problems)).toMatchObject({ Statistic: 'Sum', Threshold: 1, EvaluationPeriods: 1 });
  });

  test('the runbook has a part for each problem that shares an alarm', () => {
    const problems = runbook.split(/^## /m).find((body) => body.startsWith('problems\n')) ?? '';
    for (const metric of problemMetrics) expect(problems).toContain(`\`${metric}\``);
  });

  test('they look at twelve metrics: each costs ten cents a month', () => {
    expect(metricsOf(alarms)).toBe(12);
  });

  test('those about capacity alone look at ten', () => {
    const app = new App();
    const stack = new HoldfastStack(app, 'few', { alarms: 'capacity' });
    const few = ofType(Template.fromStack(stack).toJSON().Resources, 'AWS::CloudWatch::Alarm').map(([, properties]) => properties);
    expect(few.map(({ AlarmName }) => AlarmName)).toEqual(
      expect.arrayContaining(['few-capacity-exhausted', 'few-tick-failing', 'few-react-failing']),
    );
    expect(metricsOf(few)).toBe(10);
    expect(() => new HoldfastStack(new App(), 'none', { alarms: 'none' as 'all' })).toThrow('Expected alarms all or capacity');
  });

  test('silence of what runs each minute is an alarm, silence of anything else is not', () => {
    const runAlways = watchedByLambda.map((name) => `holdfast-${name}-failing`);
    for (const { AlarmName, TreatMissingData } of alarms) {
      expect(TreatMissingData, String(AlarmName)).toBe(runAlways.includes(String(AlarmName)) ? 'breaching' : 'notBreaching');
    }
  });

  test('alarms on our own metrics look at this deployment and at metrics that the functions write', () => {
    const own = alarms.filter(({ Namespace }) => Namespace === 'Holdfast');
    expect(own.length).toBeGreaterThan(0);
    for (const { MetricName, Dimensions } of own) {
      expect(Object.values<string>(metrics)).toContain(MetricName);
      expect(Dimensions).toEqual([{ Name: 'service', Value: 'holdfast' }]);
    }
  });
});

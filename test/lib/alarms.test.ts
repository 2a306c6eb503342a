import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { functionNames, metrics } from '../../core/contract.ts';
import { assembledResources, ofType, type Properties } from './assembled.ts';

const runbookFile = join(import.meta.dirname, '..', '..', 'docs', 'runbook.md');

let alarms: readonly Properties[];
let runbook: string;
beforeAll(async () => {
  alarms = ofType(await assembledResources(), 'AWS::CloudWatch::Alarm').map(([, properties]) => properties);
  runbook = await readFile(runbookFile, 'utf8');
});

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
    for (const [, target] of runbook.matchAll(/\]\(#([^)]+)\)/g)) expect(known).toContain(target);
  });

  test('every function’s errors are watched', () => {
    const names = alarms.map(({ AlarmName }) => AlarmName);
    for (const name of functionNames) expect(names).toContain(`holdfast-${name}-errors`);
  });

  test('silence of the tick is an alarm, silence of anything else is not', () => {
    for (const { AlarmName, TreatMissingData } of alarms) {
      expect(TreatMissingData, String(AlarmName)).toBe(AlarmName === 'holdfast-tick-missing' ? 'breaching' : 'notBreaching');
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

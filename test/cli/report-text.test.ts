import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { reportText } from '../../cli/report-text.ts';
import type { Report } from '../../sandbox/door.ts';

const report: Report = {
  scenario: 'a-zone',
  mode: 'live',
  seed: 1,
  startedAtMs: 0,
  readyAtMs: 0,
  endedAtMs: 60_000,
  notes: [],
  ok: true,
  invariants: [{ name: 'all serve', ok: true, detail: '' }],
  groups: [{ group: 'web', desired: 2, serving: 2, lowestServing: 2, byPool: { a: 1, b: 1 }, availabilityPercent: 100, servingOverTime: [] }],
  interruptions: [
    {
      instance: 'i-09264e35e1446d73a',
      group: 'web',
      zone: 'us-east-1a',
      replacement: 'i-00628b3c4034dbd3e',
      warnedAtMs: 1_000,
      replacementRequestedAtMs: 3_000,
      drainStartedAtMs: 99_000,
    },
  ],
  observed: [],
  advice: [],
  requests: { served: 1, dropped: 0 },
  calls: { 'ec2:CreateFleet': 2 },
  mutatingCalls: 2,
  costUsd: 1,
  onDemandCostUsd: 2,
};

const linesAt = (columns?: number): readonly string[] => stripVTControlCharacters(reportText(report, columns)).split('\n');

test('a report in a file, or in a terminal that is wide enough, has tables', () => {
  for (const columns of [undefined, 200]) {
    expect(linesAt(columns).join('\n')).toMatch(/│ i-09264e35e1446d73a │ us-east-1a │ 00:00:01 │ i-00628b3c4034dbd3e │ \+2\.0/);
    expect(linesAt(columns).join('\n')).toMatch(/│ web {3}│ 2 {7}│/);
  }
});

test('a table that is wider than the terminal becomes a line of words for each row', () => {
  const lines = linesAt(80);
  expect(lines).toContain(
    'instance i-09264e35e1446d73a, zone us-east-1a, warned 00:00:01, replacement i-00628b3c4034dbd3e, requested +2.0, serving never, drain begun +98.0, drained never, gone never',
  );
  expect(lines.join('\n')).toContain('│ ec2:CreateFleet │     2 │');
  for (const line of lines.filter((one) => /[┌│├└]/.test(one))) expect(line.length).toBeLessThanOrEqual(80);
});

import { describe, expect, it } from 'vitest';
import { allowances } from '../../sandbox/judge/allowances.ts';
import type { Allowance } from '../../sandbox/judge/finding.ts';
import { judge } from '../../sandbox/judge/judge.ts';
import { rules } from '../../sandbox/judge/rules.ts';
import { cases, storedSwap } from './allowance-cases.ts';
import { historyOf, react, type Script, twoServe, user } from './histories.ts';

const stored = { states: {}, swaps: [storedSwap], decisions: [], deadLetters: 0, staleMessages: 0 };

/** What is left of the findings of the rule that a row excuses, with this row and with none. */
const judged = (row: Allowance, history: Parameters<typeof judge>[0]) => {
  const law = { rules: rules.filter(({ name }) => name === row.excuses) };
  return { without: judge(history, { ...law, allowances: [] }).broken.length, left: judge(history, { ...law, allowances: [row] }).broken.length };
};

describe('every allowance', () => {
  it('excuses a rule that there is, and has its two tests', () => {
    for (const row of allowances) {
      expect(rules.map(({ name }) => name)).toContain(row.excuses);
      expect(Object.keys(cases)).toContain(row.name);
    }
    expect(Object.keys(cases)).toHaveLength(allowances.length);
  });
});

describe.each(allowances.map((row) => [row.name, row] as const))('%s', (name, row) => {
  it('is needed: without it, what was right breaks the rule', () => {
    const { without, left } = judged(row, historyOf(cases[name]?.needed ?? (() => undefined), { stored }));
    expect(without).toBeGreaterThan(0);
    expect(left).toBe(0);
  });
  it.each(Object.entries(cases[name]?.also ?? {}))('is needed too: %s', (_, write) => {
    const { without, left } = judged(row, historyOf(write, { stored }));
    expect([without > 0, left]).toEqual([true, 0]);
  });
  it.each(Object.entries(cases[name]?.beyond ?? {}))('reaches no further: %s', (_, write) => {
    const { without, left } = judged(row, historyOf(write, { stored }));
    expect(without).toBeGreaterThan(0);
    expect(left).toBeGreaterThan(0);
  });
});

it('a state table that was emptied after a launch excuses that no decision names it, as one that was restored does', () => {
  const row = allowances.find(({ name }) => name === 'the state table was restored');
  const history = historyOf(
    (script) => {
      twoServe(script);
      script.launch(100, 'i-3', { by: react('i-a') });
      script.at(110, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [] });
      script.at(111, { kind: 'state-deleted', group: 'web', by: user });
    },
    { stored },
  );
  expect(row && judged(row, history)).toMatchObject({ left: 0 });
  expect(row && judged(row, history).without).toBeGreaterThan(0);
});

it('a member that fails its health checks is not in the place of what was requested a moment ago', () => {
  const row = allowances.find(({ name }) => name === 'a member fails its health checks and lives');
  const fails = (script: Script): void => {
    twoServe(script);
    script.at(100, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'script' } });
    script.at(600, { kind: 'in-service', instance: 'i-1', targetGroup: 'web' });
  };
  /** One more is wanted at this time, and is launched later. */
  const raised = (second: number, launchedAt: number) =>
    historyOf(
      (script) => {
        fails(script);
        script.desired(second, 3);
        script.launch(launchedAt, 'i-3');
        script.serves(launchedAt + 30, 'i-3');
      },
      { stored },
    );
  expect(row && judged(row, raised(270, 271))).toMatchObject({ left: 0 });
  expect(row && judged(row, raised(270, 271)).without).toBeGreaterThan(0);
  expect(row && judged(row, raised(101, 590)).left).toBeGreaterThan(0);
});

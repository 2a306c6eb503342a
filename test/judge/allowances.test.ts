import { describe, expect, it } from 'vitest';
import { allowances } from '../../sandbox/judge/allowances.ts';
import type { Allowance } from '../../sandbox/judge/finding.ts';
import { judge } from '../../sandbox/judge/judge.ts';
import { rules } from '../../sandbox/judge/rules.ts';
import { cases, idleAsg, storedSwap, tokensTaken } from './allowance-cases.ts';
import { historyOf, policy, react, type Script, spec, twoServe, user } from './histories.ts';

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
  const played = { stored, spec: cases[name]?.spec ?? spec };
  it('is needed: without it, what was right breaks the rule', () => {
    const { without, left } = judged(row, historyOf(cases[name]?.needed ?? (() => undefined), played));
    expect(without).toBeGreaterThan(0);
    expect(left).toBe(0);
  });
  it.each(Object.entries(cases[name]?.also ?? {}))('is needed too: %s', (_, write) => {
    const { without, left } = judged(row, historyOf(write, played));
    expect([without > 0, left]).toEqual([true, 0]);
  });
  it.each(Object.entries(cases[name]?.beyond ?? {}))('reaches no further: %s', (_, write) => {
    const { without, left } = judged(row, historyOf(write, played));
    expect(without).toBeGreaterThan(0);
    expect(left).toBeGreaterThan(0);
  });
});

it('whole pages take few of the account’s tokens, so that a late launch stays late', () => {
  const row = allowances.find(({ name }) => name === 'short pages take the account’s tokens');
  expect(row && judged(row, historyOf(tokensTaken(), { stored, spec: idleAsg })).left).toBeGreaterThan(0);
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

it('a member that responds for the first time fails until its target group had the time to find it healthy', () => {
  const row = allowances.find(({ name }) => name.startsWith('a member fails its health checks'));
  /** The replacement of i-2 runs from 120 on, answers from a time on, and serves later. */
  const answersFrom = (second: number, servesAt: number) =>
    historyOf(
      (script) => {
        twoServe(script);
        script.end(100, 'i-2');
        script.launch(110, 'i-3');
        script.at(120, { kind: 'running', instance: 'i-3' });
        script.at(121, { kind: 'booted', instance: 'i-3' });
        script.at(122, { kind: 'answering', instance: 'i-3', isOn: false });
        script.at(second, { kind: 'answering', instance: 'i-3', isOn: true });
        script.at(servesAt, { kind: 'in-service', instance: 'i-3', targetGroup: 'web' });
      },
      { stored },
    );
  expect(row && judged(row, answersFrom(400, 410)).without).toBeGreaterThan(0);
  expect(row && judged(row, answersFrom(400, 410))).toMatchObject({ left: 0 });
  expect(row && judged(row, answersFrom(400, 420)).left).toBeGreaterThan(0);
});

it('a member that never served and leaves first is failing until its replacement had the time to come up', () => {
  const row = allowances.find(({ name }) => name.startsWith('a member fails its health checks'));
  // Until then nothing is late, because a fault is in force.
  const fault = { fault: { on: 'event', kind: 'drop', probability: 1 }, fromMs: 80_000, untilMs: 540_000 } as const;
  const long = { calmAtMs: 900_000, restAtMs: 1_700_000, endedAtMs: 1_800_000, faults: [fault], stored };
  /** Two are wanted, and the second never serves. It ends at 710, given up or not, and its replacement is launched later. */
  const leaves = (order: string, launchedAt: number, why: 'given-up' | 'advice' | 'advice-not-followed' | 'scale-in' = 'given-up') =>
    historyOf((script) => {
      twoServe(script);
      script.policy(50, 2, { ...policy, swap: { order, maxSurge: 1 } });
      script.end(90, 'i-2');
      script.launch(100, 'i-3');
      script.at(110, { kind: 'running', instance: 'i-3' });
      script.react(703, 720, 'i-a');
      if (why.startsWith('advice')) script.advise(704, 'i-3');
      const reason = why === 'given-up' ? 'never-served' : why === 'advice' ? 'rebalance' : 'scale-in';
      if (reason !== 'scale-in') script.claim(705, 'i-3', 'i-a', 'leaving', reason);
      script.end(710, 'i-3', react('i-a'));
      script.launch(launchedAt, 'i-4');
      script.serves(launchedAt + 20, 'i-4');
    }, long);
  expect(row && judged(row, leaves('drain-first', 712)).without).toBeGreaterThan(0);
  expect(row && judged(row, leaves('drain-first', 712))).toMatchObject({ left: 0 });
  expect(row && judged(row, leaves('drain-first', 1_500)).left).toBeGreaterThan(0);
  expect(row && judged(row, leaves('drain-first', 712, 'scale-in')).left).toBeGreaterThan(0);
  expect(row && judged(row, leaves('launch-first', 712)).left).toBeGreaterThan(0);
  // What leaves on advice is replaced in the same way.
  expect(row && judged(row, leaves('drain-first', 712, 'advice'))).toMatchObject({ left: 0 });
  expect(row && judged(row, leaves('drain-first', 1_500, 'advice')).left).toBeGreaterThan(0);
  expect(row && judged(row, leaves('drain-first', 712, 'advice-not-followed')).left).toBeGreaterThan(0);
  expect(row && judged(row, leaves('launch-first', 712, 'advice')).left).toBeGreaterThan(0);
});

it('a member that never answers fails by the launching hooks of its own Auto Scaling group, and not of another one', () => {
  const row = allowances.find(({ name }) => name.startsWith('a member fails its health checks'));
  const hook = { name: 'warm', transition: 'launching', heartbeatSeconds: 300, defaultResult: 'CONTINUE' } as const;
  const specWith = (hooked: string) => {
    const [own] = spec.autoScalingGroups;
    const both = own === undefined ? [] : [own, { ...own, name: 'other' }];
    return { ...spec, autoScalingGroups: both.map((one) => (one.name === hooked ? { ...one, hooks: [hook] } : one)) };
  };
  /** One of two members in an Auto Scaling group ends at 100. Its replacement runs and never answers. */
  const fails = (launchedAt: number, hooked: string) =>
    historyOf(
      (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(0, 2);
        for (const one of ['i-1', 'i-2']) script.member(one, { asg: 'web-asg' });
        script.end(100, 'i-2');
        script.launch(launchedAt, 'i-3', { asg: 'web-asg' });
        script.at(launchedAt + 10, { kind: 'running', instance: 'i-3' });
        script.launch(launchedAt + 190, 'i-4', { asg: 'web-asg' });
        script.serves(launchedAt + 220, 'i-4');
      },
      { stored, spec: specWith(hooked) },
    );
  expect(row && judged(row, fails(110, 'other')).without).toBeGreaterThan(0);
  expect(row && judged(row, fails(110, 'other'))).toMatchObject({ left: 0 });
  expect(row && judged(row, fails(110, 'web-asg'))).toMatchObject({ left: 0 });
  expect(row && judged(row, fails(420, 'web-asg')).left).toBeGreaterThan(0);
});

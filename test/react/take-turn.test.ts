import { describe, expect, test } from 'vitest';
import type { Lessons } from '../../core/account-budget.ts';
import type { Launched } from '../../core/group-state/answers.ts';
import type { LaunchResult } from '../../core/ports.ts';
import type { Run } from '../../functions/react/run.ts';
import { shareLessons } from '../../functions/react/take-turn.ts';
import { group } from '../core/views.ts';

const offering = { instanceType: 'm7g.large', zone: 'eu-west-1a', market: 'spot' } as const;
const instance = (id: string) => ({ instance: id, offering });
const refused = (code: string) => ({ offering, code, message: code, scope: 'offering' as const });

/** What a launch of ten instances teaches, with this result. */
const lessonsOf = (result: LaunchResult, before?: object, of = group()): Lessons => {
  const learned: Lessons[] = [];
  const run = { group: of, turns: { learn: (lessons: Lessons) => void learned.push(lessons) } } as unknown as Run;
  const reservation = { placement: { pool: 'spot-a', count: 10 } };
  shareLessons(run, [{ reservation, result, ...(before && { before }) } as unknown as Launched]);
  return learned[0] as Lessons;
};

describe('what launches teach the other groups of the account', () => {
  test('an offering that has no capacity is refused to whoever asks', () => {
    const lessons = lessonsOf({ kind: 'answered', instances: [instance('i-1')], refusals: [refused('InsufficientInstanceCapacity')] });
    expect([...lessons.refused]).toEqual(['m7g.large/eu-west-1a/spot']);
    expect([...lessons.granted]).toEqual(['m7g.large/eu-west-1a/spot']);
    expect([...lessonsOf({ kind: 'answered', instances: [], refusals: [refused('Unsupported')] }).refused]).toEqual([]);
  });

  test('instances that EC2 certainly did not launch are given back to the bucket of launched instances', () => {
    const answered: LaunchResult = { kind: 'answered', instances: [instance('i-1'), instance('i-2')], refusals: [] };
    expect(lessonsOf(answered).unlaunched).toBe(8);
    expect(lessonsOf({ kind: 'throttled', code: 'RequestLimitExceeded' }).unlaunched).toBe(10);
    expect(lessonsOf({ kind: 'invalid', code: 'InvalidParameterValue', message: '' }).unlaunched).toBe(10);
    expect(lessonsOf({ kind: 'ambiguous', code: 'TimeoutError' }).unlaunched).toBe(0);
    expect(lessonsOf(answered, {}).unlaunched).toBe(0);
  });

  test('a throttled fleet says that the bucket of CreateFleet is empty, and calls to Auto Scaling are paced one by one', () => {
    const throttled: LaunchResult = { kind: 'throttled', code: 'Throttling' };
    expect([...lessonsOf(throttled).empty]).toEqual(['createFleet']);
    expect([...lessonsOf(throttled, undefined, group({ holding: { kind: 'launch-instances' } })).empty]).toEqual([]);
  });
});

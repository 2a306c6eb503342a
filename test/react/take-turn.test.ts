import { describe, expect, test } from 'vitest';
import type { Launched } from '../../core/group-state/answers.ts';
import type { Lessons, Turn } from '../../core/limits/account-budget.ts';
import type { LaunchResult } from '../../core/ports/launches.ts';
import type { View } from '../../core/view/view.ts';
import type { Run } from '../../functions/react/run.ts';
import { shareLessons, takeTurn } from '../../functions/react/turns/take-turn.ts';
import { decisionOf } from '../core/decisions.ts';
import { group, nowMs, view } from '../core/views.ts';

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

describe('what other groups of the account learn from launches', () => {
  test('an offering without capacity is refused to every group', () => {
    const lessons = lessonsOf({ kind: 'answered', instances: [instance('i-1')], refusals: [refused('InsufficientInstanceCapacity')] });
    expect([...lessons.refused]).toEqual(['m7g.large/eu-west-1a/spot']);
    expect([...lessons.granted]).toEqual(['m7g.large/eu-west-1a/spot']);
    expect([...lessonsOf({ kind: 'answered', instances: [], refusals: [refused('Unsupported')] }).refused]).toEqual([]);
  });

  test('instances that EC2 certainly did not launch are given back to the bucket of launched instances', () => {
    const answered: LaunchResult = { kind: 'answered', instances: [instance('i-1'), instance('i-2')], refusals: [] };
    expect(lessonsOf(answered).unspent.instances).toBe(8);
    expect(lessonsOf({ kind: 'throttled', code: 'RequestLimitExceeded' }).unspent.instances).toBe(10);
    expect(lessonsOf({ kind: 'invalid', code: 'InvalidParameterValue', message: '' }).unspent.instances).toBe(10);
    expect(lessonsOf({ kind: 'ambiguous', code: 'TimeoutError' }).unspent.instances).toBe(0);
    expect(lessonsOf(answered, {}).unspent.instances).toBe(0);
  });

  test('a throttle inside a response says that the bucket of launched instances is empty, whatever was launched', () => {
    const empty = { empty: 'instances' } as const;
    expect([...lessonsOf({ kind: 'throttled', code: 'RequestLimitExceeded', ...empty }).empty]).toEqual(['instances']);
    const some: LaunchResult = { kind: 'answered', instances: [instance('i-1')], refusals: [], ...empty };
    expect([...lessonsOf(some, undefined, group({ holding: { kind: 'launch-instances' } })).empty]).toEqual(['instances']);
  });

  test('a throttled fleet says that the bucket of CreateFleet is empty, and calls to Auto Scaling are paced one by one', () => {
    const throttled: LaunchResult = { kind: 'throttled', code: 'Throttling' };
    expect([...lessonsOf(throttled).empty]).toEqual(['createFleet']);
    expect([...lessonsOf(throttled, undefined, group({ holding: { kind: 'launch-instances' } })).empty]).toEqual([]);
  });
});

/** A decision that wants to launch three, its turn, and what it becomes. */
const turned = async (turn: Turn, refused: readonly string[]) => {
  const decidedWith: View[] = [];
  const run = { group: group(), id: 'd1', turns: { ask: async () => ({ turn, refused }) } } as unknown as Run;
  const placement = { pool: 'spot-a', count: 3, offerings: [offering], reasons: [] };
  const wanted = decisionOf({ placements: [placement] } as unknown as Parameters<typeof decisionOf>[0]);
  const again = (other: View) => {
    decidedWith.push(other);
    return decisionOf();
  };
  return { allowed: await takeTurn(run, { view: view(), decision: wanted }, again), decidedWith, wanted };
};
const now: Turn = { kind: 'now', instances: 3, sinceMs: nowMs, ahead: 0 };

describe('a decision that waits for its turn', () => {
  test('is carried out as it is when its turn is now and nothing was refused to others', async () => {
    const { allowed, decidedWith, wanted } = await turned(now, []);
    expect(allowed?.decision.placements).toEqual(wanted.placements);
    expect(decidedWith).toEqual([]);
  });

  test('is made anew where another group was refused the same a moment ago: that offering rests for this group too', async () => {
    const { decidedWith } = await turned(now, ['m7g.large/eu-west-1a/spot']);
    expect(decidedWith[0]?.state.memory['m7g.large/eu-west-1a/spot']).toMatchObject({ kind: 'refused' });
    expect(decidedWith[0]?.mayLaunch).toBe(3);
  });

  test('launches nothing before its turn, and is woken for it', async () => {
    const { allowed, decidedWith } = await turned({ kind: 'later', turnAtMs: nowMs + 4_000, sinceMs: nowMs, ahead: 2 }, []);
    expect([decidedWith[0]?.mayLaunch, allowed?.decision.wakeAtMs]).toEqual([0, nowMs + 4_000]);
    expect((await turned({ kind: 'taken' }, [])).allowed).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Group } from '../../../core/group/group.ts';
import { adviceLeft, beyondAdvice, claimsLeft, rememberAdvised, withinAdvice } from '../../../core/limits/advice-budget.ts';
import { adviseAgainst, advisedRestMs } from '../../../core/pool-memory/advice.ts';
import { group, nowMs, state, swapOf, view } from '../views.ts';

const hourMs = 3_600_000;
const bounded: Group = group({ rebalance: { act: true, atMostPerHour: 2 } });
const advised = (instance: string, claimedAtMs = nowMs) => {
  const { deadlineMs: _deadline, drain: _drain, ...swap } = swapOf(instance, { reason: 'rebalance', state: 'waiting', claimedAtMs });
  return swap;
};
const of = (rest: object = {}, atMs = nowMs) => ({ group: bounded, state: state(rest), nowMs: atMs });

describe('the budget for advice', () => {
  it('is what began to leave within the hour, and none where the policy names no number', () => {
    expect(adviceLeft(of())).toBe(2);
    expect(
      adviceLeft(
        of({
          advised: [
            { atMs: nowMs - hourMs, count: 5 },
            { atMs: nowMs - hourMs + 1, count: 1 },
          ],
        }),
      ),
    ).toBe(1);
    expect(adviceLeft({ ...of(), group: group() })).toBe(Number.POSITIVE_INFINITY);
  });

  it('leaves to claims what no waiting swap needs', () => {
    expect(claimsLeft({ ...of(), swaps: [advised('i-1')] })).toBe(1);
    const leaving = { ...advised('i-2'), state: 'leaving' as const };
    const moved = { ...advised('i-3'), reason: 'moved' as const };
    expect(claimsLeft({ ...of(), swaps: [advised('i-1'), leaving, moved] })).toBe(1);
    expect(claimsLeft({ ...of({ advised: [{ atMs: nowMs, count: 1 }] }), swaps: [advised('i-1'), swapOf('i-2')] })).toBe(0);
  });

  it('counts once what another decision has just let begin, while that may write the swap', () => {
    const swaps = [advised('i-1')];
    const begins = (untilMs: number) => of({ advised: [{ atMs: nowMs, count: 1 }], chosen: [{ decision: 'd-1', instances: ['i-1'], untilMs }] });
    const full = (untilMs: number) => ({ ...begins(untilMs), group: group({ rebalance: { act: true, atMostPerHour: 1 } }) });
    expect(claimsLeft({ ...begins(nowMs + 1), swaps })).toBe(1);
    expect(claimsLeft({ ...begins(nowMs), swaps })).toBe(0);
    expect([...beyondAdvice(swaps, full(nowMs + 1))]).toEqual([]);
    expect([...beyondAdvice(swaps, full(nowMs))]).toEqual(swaps);
  });

  it('lets the first in turn begin, and all that leave for another reason', () => {
    const moved = { ...advised('i-0'), reason: 'moved' as const };
    const waiting = [advised('i-1'), moved, advised('i-2'), advised('i-3')];
    expect(withinAdvice(waiting, of()).map(({ instance }) => instance)).toEqual(['i-1', 'i-0', 'i-2']);
  });

  it('counts those that begin, those of one part of the hour together', () => {
    const first = rememberAdvised(of(), [advised('i-1'), swapOf('i-2')]);
    expect(first).toEqual({ advised: [{ atMs: nowMs, count: 1 }] });
    expect(rememberAdvised(of(first, nowMs + 1_000), [advised('i-3')])).toEqual({ advised: [{ atMs: nowMs + 1_000, count: 2 }] });
    expect(rememberAdvised({ ...of(), group: group() }, [advised('i-1')])).toEqual({});
    expect(rememberAdvised(of(first), [swapOf('i-2')])).toEqual({});
    const later = nowMs + 200_000;
    expect(rememberAdvised(of(first, later), [advised('i-3'), advised('i-4')])).toEqual({
      advised: [
        { atMs: nowMs, count: 1 },
        { atMs: later, count: 2 },
      ],
    });
  });
});

describe('a group with a budget for advice', () => {
  const swaps = ['spot-a#1', 'spot-a#2', 'spot-a#3'].map((instance) => advised(instance));
  const launched = (rest: object) => {
    const of = view({ group: { ...bounded, swap: { order: 'launch-first', maxSurge: 3 } }, swaps, state: state(rest) });
    return decide(of).placements.reduce((sum, { count }) => sum + count, 0);
  };
  it('launches ahead for as many as the budget lets go', () => {
    expect(launched({})).toBe(2);
    expect(launched({ advised: [{ atMs: nowMs, count: 1 }] })).toBe(1);
    expect(launched({ advised: [{ atMs: nowMs, count: 2 }] })).toBe(0);
  });

  it('lets no more begin, whichever members serve', () => {
    const drainFirst: Group = { ...bounded, swap: { order: 'drain-first', maxSurge: 3 } };
    const begin = (rest: object) => decide(view({ group: drainFirst, swaps, state: state(rest) })).drains;
    expect(begin({})).toEqual(['spot-a#1', 'spot-a#2']);
    expect(begin({ advised: [{ atMs: nowMs, count: 2 }] })).toEqual([]);
  });

  it('learns of advice that it lets pass: the offering comes last in its tier', () => {
    const memory = adviseAgainst({}, ['m7g.large/a/spot'], nowMs);
    expect(memory['m7g.large/a/spot']).toMatchObject({ kind: 'advised', coolingUntilMs: nowMs + advisedRestMs });
    const refused = { kind: 'refused' as const, code: 'X', atMs: nowMs, coolingUntilMs: nowMs + 1, streak: 1 };
    expect(adviseAgainst({ 'm7g.large/a/spot': refused }, ['m7g.large/a/spot'], nowMs)).toEqual({ 'm7g.large/a/spot': refused });
  });
});

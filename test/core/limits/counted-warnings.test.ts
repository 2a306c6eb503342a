import { describe, expect, it } from 'vitest';
import { countOnce, justWarned, uncounted } from '../../../core/limits/counted-warnings.ts';
import type { Swap, Warned } from '../../../core/swap/swap.ts';
import { describeLagMs } from '../../../core/times/times.ts';
import { nowMs, state, swapOf } from '../views.ts';

const warned = (id: string): Warned => ({ instance: id, offering: 'm7g.large/a/spot' });
const ids = (count: number) => Array.from({ length: count }, (_, index) => `i-${index}`);
const idsOf = (all: readonly Pick<Swap, 'instance'>[]) => all.map(({ instance }) => instance);

describe('a member that EC2 warned about a moment ago', () => {
  const just = (rest: Partial<Swap>) => justWarned([swapOf('i-1', { warnedAtMs: nowMs, ...rest })], nowMs).length === 1;
  it('is one that EC2 takes, by the later of its warning and its claim', () => {
    expect(just({})).toBe(true);
    expect(just({ warnedAtMs: nowMs - describeLagMs })).toBe(true);
    expect(just({ claimedAtMs: nowMs - describeLagMs })).toBe(true);
    expect(just({ warnedAtMs: nowMs - describeLagMs, claimedAtMs: nowMs - describeLagMs })).toBe(false);
    expect(just({ warnedAtMs: nowMs - 2 * describeLagMs, claimedAtMs: nowMs - describeLagMs + 1 })).toBe(true);
  });
  it('may have left for another reason before its warning, which gives it a deadline', () => {
    expect(just({ reason: 'hook' })).toBe(true);
    expect(just({ reason: 'scale-in', state: 'gone' })).toBe(true);
  });
  it('is not one without a warning, or by a warning that was received while its group was observed', () => {
    const { deadlineMs: _deadline, ...advised } = swapOf('i-1', { reason: 'rebalance', warnedAtMs: nowMs });
    expect(justWarned([advised, { ...advised, reason: 'hook' }], nowMs)).toEqual([]);
    const { warnedAtMs: _, ...silent } = swapOf('i-1', { warnedAtMs: nowMs });
    expect(justWarned([silent], nowMs)).toEqual([]);
    expect([nowMs + 1_000, nowMs, nowMs - 1_000].map((heardAtMs) => just({ heardAtMs }))).toEqual([false, false, true]);
  });
});

describe('warnings that are not counted yet', () => {
  const recent = [swapOf('i-1'), swapOf('i-2')];
  it('are those that the state does not have', () => {
    expect(idsOf(uncounted(state(), recent))).toEqual(['i-1', 'i-2']);
    expect(idsOf(uncounted(state({ counted: ['i-1'] }), recent))).toEqual(['i-2']);
    // Their lessons begin when the warning was received, by the claim of another function (13020171).
    const told = uncounted(state(), [swapOf('i-1', { warnedAtMs: nowMs - 71_000, claimedAtMs: nowMs - 70_000 })]);
    expect(told).toMatchObject([{ toldAtMs: nowMs - 70_000, warnedAtMs: nowMs - 71_000 }]);
  });
  it('are none when the state holds as many counted warnings as it can', () => {
    expect(uncounted(state({ counted: ids(199).map((id) => `${id}x`) }), recent)).toHaveLength(2);
    expect(uncounted(state({ counted: ids(200).map((id) => `${id}x`) }), recent)).toEqual([]);
  });
});

describe('a warning', () => {
  it('counts once', () => {
    const first = countOnce(state(), [warned('i-1'), warned('i-2')]);
    expect(idsOf(first.fresh)).toEqual(['i-1', 'i-2']);
    expect(first.state).toEqual(state({ counted: ['i-1', 'i-2'] }));
    const again = countOnce({ ...first.state, warnings: [{ atMs: nowMs, count: 2 }] }, [warned('i-2'), warned('i-3')]);
    expect(idsOf(again.fresh)).toEqual(['i-3']);
    expect(again.state.counted).toEqual(['i-1', 'i-2', 'i-3']);
  });
  it('is remembered while something counts it', () => {
    const known = { counted: ['i-1'] };
    const interruptions = { 'm7g.large/a/spot': [] } as never;
    expect(countOnce(state({ ...known, warnings: [] }), []).state.counted).toEqual(['i-1']);
    expect(countOnce(state({ ...known, interruptions }), []).state.counted).toEqual(['i-1']);
    expect(countOnce(state(known), [], [warned('i-1')]).state.counted).toEqual(['i-1']);
    expect(countOnce(state(known), []).state).toEqual(state());
    expect(countOnce(state({ warnings: [] }), []).state).toEqual(state({ warnings: [] }));
  });
  it('is dropped after two hundred others', () => {
    const { counted = [] } = countOnce(state({ counted: ids(199) }), [warned('new-1'), warned('new-2')]).state;
    expect(counted).toEqual([...ids(199).slice(1), 'new-1', 'new-2']);
  });
});

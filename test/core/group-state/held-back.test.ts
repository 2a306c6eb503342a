import { expect, test } from 'vitest';
import { withHeldBack } from '../../../core/group-state/held-back.ts';
import { nowMs, state, swapOf } from '../views.ts';

const waits = (instance: string, reason: 'rebalance' | 'moved' = 'rebalance') => swapOf(instance, { reason, state: 'waiting' });
const choice = (decision: string, ...instances: readonly string[]) => ({ decision, instances, untilMs: nowMs + 35_000 });
const tally = (atMs: number, count: number) => ({ atMs, count });

test('swaps that do not begin after all are chosen no more, and the budget for advice does not count them', () => {
  const before = state({
    chosen: [choice('d-1', 'i-1', 'i-2', 'i-9'), choice('d-0', 'i-1')],
    advised: [tally(nowMs - 600_000, 1), tally(nowMs, 3)],
  });
  const after = withHeldBack(before, 'd-1', [waits('i-1'), waits('i-2', 'moved')]);
  expect(after).toEqual({
    ...before,
    chosen: [choice('d-1', 'i-9'), choice('d-0', 'i-1')],
    advised: [tally(nowMs - 600_000, 1), tally(nowMs, 2)],
  });
});

test('nothing is left of a choice and a count that were theirs alone', () => {
  const before = state({ chosen: [choice('d-1', 'i-1')], advised: [tally(nowMs, 1)] });
  expect(withHeldBack(before, 'd-1', [waits('i-1')])).toEqual(state());
  expect(withHeldBack(before, 'd-1', [])).toBe(before);
  expect(withHeldBack(state({ chosen: [choice('d-1', 'i-1')] }), 'd-1', [waits('i-1')])).toEqual(state());
});

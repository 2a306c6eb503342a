import { describe, expect, test } from 'vitest';
import type { Remark } from '../../core/decision/remark.ts';
import { type AccountBudget, emptyBudget } from '../../core/limits/account-budget.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import type { Round } from '../../functions/react/run.ts';
import { noteShortage, wakeOf } from '../../functions/react/turns/lasting.ts';
import { swapOf } from '../core/views.ts';

/** On a multiple of ten seconds. */
const nowMs = 1_000_000;

const line = (rest: object = {}): AccountBudget => ({
  ...emptyBudget,
  waiting: [
    {
      group: 'other',
      bucket: 'createFleet',
      calls: 1,
      instances: 9,
      need: { urgency: 'missing', size: 9 },
      sinceMs: nowMs - 60_000,
      turnAtMs: 0,
      ...rest,
    } as const,
  ],
});

const roundOf = (codes: readonly string[] = [], swaps: readonly Swap[] = []): Round =>
  ({ decision: { remarks: codes.map((code) => ({ code }) as Remark) }, view: { swaps } }) as unknown as Round;

/** When a group is woken that is to be looked at so many milliseconds from now, and with whom. The budget was read before. */
const woken = (inMs: number, { budget = line(), round = roundOf(), agoMs = 0, groupsAtOnce = 1 } = {}) => {
  const store = {} as ReactPorts['store'];
  noteShortage(store, line(), nowMs - agoMs);
  noteShortage(store, budget, nowMs - agoMs);
  const ports = { store, clock: { now: () => nowMs } } as unknown as ReactPorts;
  const { atMs, how } = wakeOf({ ports, groupsAtOnce }, [roundOf(), round], nowMs + inMs);
  return [atMs - nowMs, how];
};

describe('the next look at a group', () => {
  test('is shared with all others while a shortage lasts, at multiples of ten seconds', () => {
    expect([woken(5_000), woken(10_000), woken(10_001)]).toEqual([
      [10_000, 'together'],
      [10_000, 'together'],
      [20_000, 'together'],
    ]);
  });

  test('has its own time where something is due', () => {
    expect(woken(4_999)).toEqual([4_999, undefined]);
    for (const code of ['waits-for-turn', 'rest-waits-for-turn']) expect(woken(7_001, { round: roundOf([code]) })).toEqual([7_001, undefined]);
    expect(woken(7_001, { round: roundOf(['waited-for-turn']) })).toEqual([10_000, 'together']);
    const leaves = (inMs: number) => roundOf([], [swapOf('i-1', { state: 'waiting', deadlineMs: nowMs + inMs })]);
    expect([woken(7_001, { round: leaves(1) }), woken(7_001, { round: leaves(0) })]).toEqual([
      [7_001, undefined],
      [10_000, 'together'],
    ]);
  });

  test('has its own time, or that of its batch, where no shortage is known to last', () => {
    for (const budget of [emptyBudget, line({ sinceMs: nowMs - 59_999 }), line({ instances: 0 })]) {
      expect(woken(7_001, { budget })).toEqual([7_001, undefined]);
      expect(woken(7_001, { budget, groupsAtOnce: 2 })).toEqual([8_000, undefined]);
    }
    const later = { budget: line({ sinceMs: nowMs - 90_000 }) };
    expect([woken(7_001, { ...later, agoMs: 29_999 }), woken(7_001, { ...later, agoMs: 30_000 })]).toEqual([
      [10_000, 'together'],
      [7_001, undefined],
    ]);
  });
});

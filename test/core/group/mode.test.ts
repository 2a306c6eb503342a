import { describe, expect, it } from 'vitest';
import { type Mode, mayBegin, mayTakeOver } from '../../../core/group/mode.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { nowMs, swapOf } from '../views.ts';

const modes: readonly Mode[] = ['act', 'pause', 'observe'];
const hard = swapOf('i-1');
const soft = swapOf('i-1', { reason: 'scale-in', deadlineMs: undefined });
const notReleased = { code: 'not-released', cause: 'busy', sinceMs: nowMs } as unknown as Swap['shortfall'];

describe('depending on the mode of a group', () => {
  it('drains begin: all where it acts, those that EC2 or a deadline drives where it is paused, none where it is observed', () => {
    expect(modes.map((mode) => [mayBegin(mode, hard), mayBegin(mode, soft)])).toEqual([
      [true, true],
      [true, false],
      [false, false],
    ]);
    expect(mayBegin('pause', { ...soft, deadlineMs: nowMs })).toBe(true);
  });

  it('a drain under way is taken over', () => {
    for (const mode of modes) expect(mayTakeOver(mode, { ...soft, state: 'draining' })).toBe(true);
  });

  it('a drain that has not begun is taken over where it may begin', () => {
    for (const mode of modes) for (const swap of [hard, soft]) expect(mayTakeOver(mode, swap)).toBe(mayBegin(mode, swap));
  });

  it('a drained instance is ended where the group acts, and elsewhere only one that Holdfast ends and could release', () => {
    const drained = { state: 'drained' } as const;
    const takenOver = (swap: Swap) => modes.map((mode) => mayTakeOver(mode, swap));
    expect(takenOver({ ...soft, ...drained })).toEqual([true, true, true]);
    expect(takenOver({ ...hard, ...drained })).toEqual([true, false, false]);
    expect(takenOver({ ...soft, ...drained, shortfall: notReleased })).toEqual([true, false, false]);
    expect(takenOver({ ...soft, ...drained, shortfall: { code: 'ended-before-drain' } })).toEqual([true, true, true]);
  });
});

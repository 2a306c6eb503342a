import { describe, expect, it } from 'vitest';
import { asOutlived, hasOutlived, outlivedIn, startedAgainIn } from '../../../core/swap/outlived.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { Member } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { nowMs, spotA, swapOf } from '../views.ts';

const warned = (rest: Partial<Swap> = {}): Swap => swapOf('i-1', { state: 'drained', deadlineMs: nowMs - 300_000, ...rest });

describe('an announcement of EC2', () => {
  it('did not come true once its deadline is over for long enough', () => {
    expect(hasOutlived(warned(), nowMs, 300_000)).toBe(true);
    expect(hasOutlived(warned(), nowMs, 300_001)).toBe(false);
  });
  it('is not one of ours, and has a deadline', () => {
    expect(hasOutlived(warned({ reason: 'scale-in' }), nowMs, 0)).toBe(false);
    const { deadlineMs: _, ...timeless } = warned();
    expect(hasOutlived(timeless, nowMs, 0)).toBe(false);
  });
});

describe('a member that outlives its announcement', () => {
  const found = (swap: Swap, rest: Partial<Member> = {}) => outlivedIn([swap], [member('i-1', spotA, rest)], nowMs).length === 1;
  it('runs on five minutes after its deadline', () => {
    expect(found(warned())).toBe(true);
    expect(found(warned({ deadlineMs: nowMs - 299_999 }))).toBe(false);
    expect(found(warned(), { state: 'pending' })).toBe(false);
    expect(outlivedIn([warned()], [member('i-2', spotA)], nowMs)).toEqual([]);
  });
  it('was not started again after it, unless that counts for nothing', () => {
    expect(found(warned(), { launchedAtMs: nowMs - 300_001 })).toBe(true);
    expect(found(warned(), { launchedAtMs: nowMs - 300_000 })).toBe(false);
    const [again, { deadlineMs: _, ...timeless }] = [member('i-1', spotA, { launchedAtMs: nowMs - 300_000 }), warned()];
    expect(outlivedIn([warned()], [again], nowMs, new Set())).toEqual([warned()]);
    expect([...startedAgainIn([warned()], [again])]).toEqual(['i-1']);
    expect([startedAgainIn([timeless], [again]), startedAgainIn([], [again])].map(({ size }) => size)).toEqual([0, 0]);
  });
  it('is not gone, and leaves for no reason of ours', () => {
    expect(found(warned({ state: 'gone' }))).toBe(false);
    expect(found(warned({ reason: 'rebalance' }))).toBe(false);
  });
});

describe('the shortfall of a member that stays', () => {
  const cutAtMs = nowMs - 300_000;
  it('is no cut, because nobody ended it', () => {
    for (const by of ['ec2', 'holdfast'] as const)
      expect(asOutlived(warned({ shortfall: { code: 'still-draining', cutAtMs, by } }))).toEqual(warned());
    expect(asOutlived(warned())).toEqual(warned());
  });
  it('is kept for a failure', () => {
    const shortfall = { code: 'not-seen' } as const;
    expect(asOutlived(warned({ shortfall }))).toEqual(warned({ shortfall }));
  });
});

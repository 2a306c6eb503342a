import { describe, expect, it } from 'vitest';
import { byNeed, type Need, type Waiting, warnedAmong } from '../../../core/limits/need.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { nowMs, reservation, spotA, state, swapOf, view } from '../views.ts';

const among = (rest: Partial<View>) => warnedAmong(view({ members: members(spotA, 4), ...rest }));
const warned = (instance: string, rest: Partial<Swap> = {}) => swapOf(instance, rest);

describe('members that serve', () => {
  it('are those in service, and those whose health could not be read', () => {
    const all = [
      ...members(spotA, 2),
      member('idle', spotA, { serving: false }),
      member('idle too', spotA, { serving: false }),
      member('unread', spotA, { serving: false, mayServe: true }),
    ];
    expect(among({ members: all }).serving).toBe(3);
  });
  it.each([
    ['waiting', 4],
    ['leaving', 4],
    ['draining', 3],
    ['drained', 3],
    ['gone', 3],
  ] as const)('with one that is %s, are %i of four', (now, serving) => {
    expect(among({ swaps: [warned('spot-a#1', { state: now })] }).serving).toBe(serving);
  });
});

describe('the deadline of a group', () => {
  const [early, late] = [nowMs + 50_000, nowMs + 90_000];
  it('is the earliest of members that EC2 takes', () => {
    expect(among({}).deadlineMs).toBeUndefined();
    expect(among({ swaps: [warned('spot-a#1', { deadlineMs: late }), warned('spot-a#2', { deadlineMs: early })] }).deadlineMs).toBe(early);
  });
  it('is not that of a member which is gone, which has a replacement, or which may take its time', () => {
    const { deadlineMs: _, ...timeless } = warned('spot-a#3');
    const swaps = [warned('spot-a#1', { deadlineMs: early, state: 'gone' }), warned('spot-a#2', { deadlineMs: late, state: 'drained' }), timeless];
    expect(among({ swaps }).deadlineMs).toBe(late);
    expect(among({ swaps, state: state({ reservations: [reservation({ replaces: ['spot-a#2'] })] }) }).deadlineMs).toBeUndefined();
  });
});

describe('the order of need', () => {
  const waiting = (group: string, need: Partial<Need>, sinceMs = nowMs): Waiting => ({
    group,
    bucket: 'createFleet',
    calls: 1,
    instances: 1,
    need: { urgency: 'missing', size: 5, ...need },
    sinceMs,
    turnAtMs: nowMs,
  });
  const order = (...all: readonly Waiting[]) => [...all].sort(byNeed).map(({ group }) => group);

  it('is by urgency first', () => {
    const all = (['look', 'spare', 'missing', 'warned', 'empty'] as const).map((urgency, index) => waiting(urgency, { urgency, size: index }));
    expect(order(...all)).toEqual(['empty', 'warned', 'missing', 'spare', 'look']);
  });
  it('is then by the size, however little time a large group has left', () => {
    const of = (group: string, inMs: number, size: number) => waiting(group, { urgency: 'warned', deadlineMs: nowMs + inMs, size });
    expect(order(of('large', 5_000, 9), of('small', 120_000, 1))).toEqual(['small', 'large']);
    expect(order(of('large', 5_000, 9), waiting('timeless', { urgency: 'warned', size: 1 }))).toEqual(['timeless', 'large']);
  });
  it('is by the deadline between groups of one size', () => {
    const of = (group: string, inMs: number) => waiting(group, { urgency: 'warned', deadlineMs: nowMs + inMs });
    const timeless = waiting('a timeless', { urgency: 'warned' }, nowMs - 1);
    expect(order(timeless, of('b', 90_000), of('c', 20_000))).toEqual(['c', 'b', 'a timeless']);
  });
  it('is without deadlines by the size, by who waits for longer, and by the name', () => {
    expect(order(waiting('a', { size: 6 }), waiting('b', { size: 5 }))).toEqual(['b', 'a']);
    expect(order(waiting('a', {}, nowMs), waiting('b', {}, nowMs - 1))).toEqual(['b', 'a']);
    expect(order(waiting('b', {}), waiting('a', {}))).toEqual(['a', 'b']);
    expect(order(waiting('a', {}), waiting('b', {}))).toEqual(['a', 'b']);
  });
});

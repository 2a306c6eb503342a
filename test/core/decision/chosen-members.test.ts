import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import { choicesOf, stillChosen, withChosen } from '../../../core/decision/chosen-members.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { member, members } from '../members.ts';
import { nowMs, spotA, spotB, state, swapOf, view } from '../views.ts';

const twelve = [...members(spotA, 6), ...members(spotB, 6)];
const chosen = [{ decision: 'd', instances: ['spot-a#6', 'spot-b#6'], untilMs: nowMs + 35_000 }];

describe('what a decision chose to leave', () => {
  it('is noted with the state, removals and swaps that begin alike', () => {
    const { removals } = decide(view({ members: twelve }));
    expect(removals).toHaveLength(2);
    expect(choicesOf({ removals, drains: ['spot-a#1'] } as never, 'd', 9)).toEqual([
      { decision: 'd', instances: [...removals.map(({ instance }) => instance), 'spot-a#1'], untilMs: 9 },
    ]);
    expect(choicesOf(decide(view()), 'd', 9)).toEqual([]);
  });
  it('is leaving for every look before its swap is written, so that no other member is chosen', () => {
    const swaps = withChosen({ chosen }, [], twelve, 'web');
    expect(swaps).toMatchObject([
      { instance: 'spot-a#6', state: 'leaving' },
      { instance: 'spot-b#6', state: 'leaving' },
    ]);
    const { removals, placements } = decide(view({ members: twelve, swaps, state: state({ chosen }) }));
    expect([removals, placements]).toEqual([[], []]);
  });
  it('is leaving from an unknown pool where its pool is not known', () => {
    const stranger = member('spot-a#6', spotA, { pool: undefined });
    expect(withChosen({ chosen }, [], [stranger], 'web')).toMatchObject([{ instance: 'spot-a#6', pool: 'unknown' }]);
  });
  it('takes a swap that waits as begun', () => {
    const waiting = swapOf('spot-a#6', { reason: 'rebalance', state: 'waiting' });
    expect(withChosen({ chosen }, [waiting], twelve, 'web')[0]).toEqual({ ...waiting, state: 'leaving' });
  });
  it('launches nothing in their place, and looks again soon, until their swaps say that they leave', () => {
    const warned = swapOf('spot-a#1');
    const look = (swaps: readonly Swap[]) => decide(view({ members: twelve.slice(0, 11), swaps, state: state({ chosen }) }));
    const [gone] = chosen.map(({ instances: [instance = ''] }) => instance);
    const unknown = look([warned, ...withChosen({ chosen }, [], twelve.slice(0, 11), 'web')]);
    expect(unknown.placements).toEqual([]);
    expect(unknown.wakeAtMs).toBe(nowMs + 5_000);
    const known = look([warned, swapOf(gone ?? '', { reason: 'scale-in', state: 'leaving' })]);
    expect(known.placements).toMatchObject([{ count: 1 }]);
  });
  it('keeps its place until its swap is written, so that no more are launched than the surge allows', () => {
    const atRisk = ['spot-a#5', 'spot-a#6', 'spot-b#5', 'spot-b#6'].map((instance) =>
      swapOf(instance, { reason: 'rebalance', state: 'waiting', deadlineMs: undefined, drain: undefined }),
    );
    const launched = (swaps: typeof atRisk) =>
      decide(view({ members: twelve, swaps, state: state({ chosen }) })).placements.reduce((sum, { count }) => sum + count, 0);
    expect(launched(withChosen({ chosen }, atRisk, twelve, 'web') as typeof atRisk)).toBe(0);
    const written = atRisk.map((swap) => (swap.instance.endsWith('6') ? { ...swap, state: 'leaving' as const, drain: 'd' } : swap));
    expect(launched(written as typeof atRisk)).toBe(2);
  });
  it('leaves a swap that is written as it is, and adds nothing for an instance that is no member any more', () => {
    const drained = swapOf('spot-a#6', { state: 'drained' });
    expect(withChosen({ chosen }, [drained], members(spotA, 6), 'web')).toEqual([drained]);
  });
  it('is dropped as soon as its swap shows it, and when the function that decided it cannot run any more', () => {
    const left = (swaps: Parameters<typeof stillChosen>[1], atMs = nowMs) =>
      stillChosen({ chosen }, swaps, atMs).flatMap(({ instances }) => instances);
    expect(left([])).toEqual(['spot-a#6', 'spot-b#6']);
    expect(left([swapOf('spot-a#6', { state: 'waiting' })])).toEqual(['spot-a#6', 'spot-b#6']);
    expect(left([swapOf('spot-a#6'), swapOf('spot-b#6', { state: 'gone' })])).toEqual([]);
    expect(left([], nowMs + 35_000)).toEqual([]);
  });
});

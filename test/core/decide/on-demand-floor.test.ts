import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import { noReturns } from '../../../core/returning/memory.ts';
import { askAtMostEveryMs } from '../../../core/returning/rule.ts';
import type { View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, swapOf, view } from '../views.ts';

const floored = group({ onDemand: { floor: 2, percent: 0 } });
/** Ten members on spot, of which two are owed on demand. */
const owing = (rest: Partial<View> = {}) => decide(view({ group: floored, ...rest }));
const movesOf = (decision: ReturnType<typeof decide>) => decision.placements.flatMap(({ moves = [] }) => moves);

describe('a group at its size that owes members on demand', () => {
  it('moves as many as it owes', () => {
    expect(movesOf(owing())).toHaveLength(2);
    expect(movesOf(owing({ members: [...members(spotA, 5), ...members(spotB, 4), ...members(onDemandB, 1)] }))).toHaveLength(1);
    expect(movesOf(owing({ members: [...members(spotA, 4), ...members(spotB, 4), ...members(onDemandB, 2)] }))).toEqual([]);
  });

  it('moves those first that its order of removal takes first', () => {
    const usdPerHour = { 'm7g.large/a/spot': 0.03, 'm7g.large/b/spot': 0.05 } as const;
    expect(movesOf(owing({ state: state({ prices: { atMs: nowMs, usdPerHour } }) })).every((instance) => instance.startsWith('spot-b'))).toBe(true);
    const other = { 'm7g.large/a/spot': 0.05, 'm7g.large/b/spot': 0.03 } as const;
    expect(movesOf(owing({ state: state({ prices: { atMs: nowMs, usdPerHour: other } }) })).every((instance) => instance.startsWith('spot-a'))).toBe(
      true,
    );
  });

  it('reports no lack of on-demand capacity where a protected member has to stay on spot', () => {
    const there = [...members(spotA, 1, { protected: true }), ...members(spotB, 1), ...members(onDemandB, 1)];
    const found = owing({ group: group({ onDemand: { floor: 3, percent: 0 } }), members: there, state: state({ desired: 3 }) });
    expect([movesOf(found), found.onDemandShort, found.remarks]).toEqual([['spot-b#1'], undefined, []]);
  });

  it('requests again only after a while', () => {
    const asked = (agoMs: number) => owing({ state: state({ returns: { ...noReturns, askedAtMs: nowMs - agoMs } }) });
    expect(movesOf(asked(askAtMostEveryMs - 1))).toEqual([]);
    expect(movesOf(asked(askAtMostEveryMs))).toHaveLength(2);
  });

  it('moves a member while another one at risk waits for its replacement to serve', () => {
    const waits = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' });
    const eleven = [...members(spotA, 5), ...members(spotB, 5), member('new', spotB, { serving: false })];
    expect(movesOf(owing({ members: eleven, swaps: [waits] }))).toHaveLength(1);
  });

  it('moves no member while members are replaced, removed or missing', () => {
    const waits = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' });
    expect(movesOf(owing({ swaps: [waits] }))).toEqual([]);
    expect(movesOf(owing({ state: state({ desired: 9 }) }))).toEqual([]);
    expect(movesOf(owing({ members: [...members(spotA, 5), ...members(spotB, 4)] }))).toEqual([]);
  });

  it('remarks once how many no pool gives, and keeps that number while a move is unsettled', () => {
    const capped = group({ onDemand: { floor: 2, percent: 0 }, pools: { 'spot-a': spotA, 'spot-b': spotB, 'od-b': { ...onDemandB, cap: 1 } } });
    const first = owing({ group: capped });
    expect([movesOf(first).length, first.onDemandShort, first.remarks]).toEqual([1, 1, [{ code: 'on-demand-short', owed: 2, held: 0 }]]);
    const again = owing({ group: capped, state: state({ onDemandShort: 1 }) });
    expect([again.onDemandShort, again.remarks]).toEqual([1, []]);
    const unsettled = owing({ state: state({ onDemandShort: 2, returns: { ...noReturns, askedAtMs: nowMs } }) });
    expect([unsettled.onDemandShort, movesOf(unsettled)]).toEqual([2, []]);
    expect(owing().onDemandShort).toBeUndefined();
  });
});

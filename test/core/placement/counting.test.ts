import { describe, expect, it } from 'vitest';
import { cellOf, cellOfLaunch } from '../../../core/placement/held-cells.ts';
import { onDemandForGood, onDemandNow, onDemandToSpare } from '../../../core/placement/on-demand.ts';
import { type MaxShare, sharingOf } from '../../../core/placement/shares.ts';
import { keptAmong, sparesWanted } from '../../../core/placement/spare.ts';
import { noReturns } from '../../../core/returning/memory.ts';
import type { Headcount } from '../../../core/view/headcount.ts';
import type { Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { asgView, group, nowMs, onDemandB, spotA, spotB, state, swapOf, view } from '../views.ts';

const [spot, onDemand] = (['spot', 'on-demand'] as const).map((market) => ({ instanceType: 'm7g.large', zone: 'b', market })) as [
  { instanceType: string; zone: string; market: 'spot' },
  { instanceType: string; zone: string; market: 'on-demand' },
];

describe('a launch that is not shown yet', () => {
  it('counts where its first offering is, as its member will', () => {
    const launch = { pool: 'spot-b', count: 2, offerings: [spot, { ...spot, zone: 'c', instanceType: 'm6g.large' }] };
    expect(cellOfLaunch(launch)).toEqual({ pool: 'spot-b', zone: 'b', instanceType: 'm7g.large' });
    expect(cellOfLaunch(launch)).toEqual(cellOf({ pool: 'spot-b', offering: spot }));
    expect(sharingOf(launch)).toEqual([{ offering: spot, count: 2 }]);
  });

  it('counts nowhere in its pool without an offering', () => {
    expect(cellOfLaunch({ pool: 'spot-b', offerings: [] })).toEqual({ pool: 'spot-b', zone: '', instanceType: '' });
    expect(sharingOf({ offerings: [], count: 2 })).toEqual([]);
  });
});

describe('members on demand', () => {
  const held = (rest: Partial<Headcount> = {}): Headcount => ({
    staying: [...members(spotA, 2), ...members(onDemandB, 3)],
    waiting: [],
    holdingPlace: [],
    undecided: [],
    inFlight: [],
    inFlightCount: 0,
    unseen: [],
    strays: [],
    ...rest,
  });
  const waits = swapOf('od-b#1', { reason: 'rebalance', state: 'waiting', pool: 'od-b', offering: 'm7g.large/b/on-demand' });

  it('are those present and those coming, and none on spot', () => {
    expect([onDemandForGood(held()), onDemandNow(held())]).toEqual([3, 3]);
    const inFlight = [
      { reservation: 'r-1', pool: 'spot-a', count: 5, offerings: [spot], atMs: nowMs },
      { reservation: 'r-2', pool: 'od-b', count: 2, offerings: [onDemand], atMs: nowMs },
      { reservation: 'r-3', pool: 'od-b', count: 7, offerings: [], atMs: nowMs },
    ];
    expect([onDemandForGood(held({ inFlight })), onDemandNow(held({ inFlight }))]).toEqual([5, 5]);
  });

  it('that wait to be replaced count for now, and not for good', () => {
    expect([onDemandForGood(held({ waiting: [waits] })), onDemandNow(held({ waiting: [waits] }))]).toEqual([2, 3]);
    const holdingPlace = [waits, swapOf('spot-a#1')];
    expect([onDemandForGood(held({ holdingPlace })), onDemandNow(held({ holdingPlace }))]).toEqual([3, 4]);
  });

  it('may be spared beyond what the group owes, and all where it owes none', () => {
    const owing = (floor: number) => view({ group: group({ onDemand: { floor, percent: 0 } }) });
    expect([owing(0), owing(1), owing(5)].map((look) => onDemandToSpare(look, held()))).toEqual([3, 2, 0]);
    expect(onDemandToSpare(view(), held())).toBe(Number.POSITIVE_INFINITY);
    // One that waits to be replaced leaves anyway.
    expect(onDemandToSpare(owing(1), held({ waiting: [waits] }))).toBe(1);
  });
});

describe('spares', () => {
  const spared = (rest: Partial<View> = {}): View => view({ group: group({ spare: 2 }), state: state({ desired: 4 }), ...rest });

  it('are as many as the policy says, within what the owner of the Auto Scaling group allows', () => {
    expect([sparesWanted(spared()), sparesWanted(view())]).toEqual([2, 0]);
    const inAsg = (...asgs: View['asgs']) => sparesWanted(spared({ group: group({ spare: 2, holding: { kind: 'attach', asg: 'web-asg' } }), asgs }));
    expect([inAsg(asgView({ max: 6 })), inAsg(asgView({ max: 5 })), inAsg(asgView({ max: 3 }))]).toEqual([2, 1, 0]);
    expect([inAsg(), inAsg(asgView({ name: 'other', max: 4 }), asgView({ max: 5 }))]).toEqual([0, 1]);
  });

  it('are members on spot alone, and none that a move brings while its member stays', () => {
    const list = [...members(spotA, 1), member('came', spotA, { reservation: 'r-1' }), ...members(onDemandB, 4)];
    const moved = (leaving: readonly string[]) =>
      keptAmong(
        spared({ state: state({ desired: 4, returns: { ...noReturns, moves: [{ reservation: 'r-1', atMs: nowMs, leaving, count: 1 }] } }) }),
        list,
      );
    expect([keptAmong(spared(), list), moved(['od-b#1']), moved([])]).toEqual([6, 5, 6]);
    // The member that moved has left, or leaves by this very decision.
    expect(moved(['gone'])).toBe(6);
  });

  it('are no members on spot that hold more than a share', () => {
    const kept = (list: readonly Member[], maxShare: MaxShare, desired = 4) =>
      keptAmong(spared({ group: group({ spare: 2, maxShare }), state: state({ desired }) }), list);
    const four = [...members(spotA, 2), ...members(onDemandB, 2)];
    expect(kept([...four, ...members(spotB, 2)], { instanceType: 100 })).toBe(4);
    expect(kept([...four, ...members(spotB, 1)], { instanceType: 100 })).toBe(4);
    expect(kept([...members(spotA, 4), ...members(spotB, 2)], { zone: 75 })).toBe(5);
    expect(kept([...members(spotA, 3), ...members(spotB, 3)], { zone: 75 })).toBe(6);
    expect(kept(members(spotA, 4), { zone: 25 })).toBe(4);
    expect(kept([...members(spotA, 2), ...members(onDemandB, 4)], { zone: 50 })).toBe(6);
  });

  it('are members that are there: one that is missing is not kept', () => {
    const list = [...members(spotA, 3), ...members(onDemandB, 1)];
    const came = member('came', spotA, { reservation: 'r-1' });
    const moves = [{ reservation: 'r-1', atMs: nowMs, leaving: ['od-b#1'], count: 1 }];
    const moving = spared({ state: state({ desired: 4, returns: { ...noReturns, moves } }) });
    expect([keptAmong(spared(), list), keptAmong(moving, [...list, came])]).toEqual([4, 4]);
    expect(keptAmong(moving, [...list, came, member('spare', spotB)])).toBe(5);
  });

  it('may hold more than a share while members leave for them', () => {
    const list = [...members(spotA, 4), member('came', spotA, { reservation: 'r-1' }), ...members(onDemandB, 1)];
    const moves = [{ reservation: 'r-1', atMs: nowMs, leaving: ['spot-a#1'], count: 1 }];
    const moving = spared({ group: group({ spare: 2, maxShare: { zone: 100 } }), state: state({ desired: 4, returns: { ...noReturns, moves } }) });
    expect([keptAmong(moving, list), keptAmong({ ...moving, state: state({ desired: 4 }) }, list)]).toEqual([5, 5]);
  });
});

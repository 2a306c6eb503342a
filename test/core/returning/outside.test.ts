import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import { processesFor } from '../../../core/decide/held-processes.ts';
import type { Group } from '../../../core/group/group.ts';
import { noReturns } from '../../../core/returning/memory.ts';
import { takeHeadcount } from '../../../core/view/headcount.ts';
import type { AsgView, Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, swapOf, view } from '../views.ts';

const minute = 60_000;
const web: Partial<Member> = { asg: 'web-asg' };
const own: Partial<Member> = { ...web, reservation: 'r-1' };
const held = [{ asg: 'web-asg', processes: ['Launch', 'Terminate'] }];

const outside: Group = group({
  size: { min: 0, max: 20, desired: 0, from: 'asg' },
  holding: { kind: 'attach', asg: 'web-asg' },
  returning: { afterMs: 10 * minute, everyMs: 5 * minute, atMost: { kind: 'share', percent: 50 }, timezone: 'UTC' },
  swap: { order: 'launch-first', maxSurge: 3 },
});

/** Eight that the group launched on spot; and these. */
const withSpot = (more: readonly Member[]): readonly Member[] => [...members(spotA, 4, web), ...members(spotB, 4, web), ...more];
const idsOf = (list: readonly Member[]): readonly string[] => list.filter(({ asg }) => asg !== undefined).map(({ instance }) => instance);
const asgOf = (desired: number, list: readonly Member[], suspended: readonly string[] = []): AsgView => ({
  name: 'web-asg',
  min: 0,
  max: 20,
  desired,
  held: idsOf(list).length,
  holds: idsOf(list),
  suspended,
});

const look = (there: readonly Member[], rest: Partial<View> = {}, asg = asgOf(10, there)): View =>
  view({ group: outside, state: state({ desired: 10 }), members: there, asgs: [asg], ...rest });

describe('where others set the size, a member on demand', () => {
  it('that Holdfast launched moves to spot, and the group goes on by itself until a launch is granted', () => {
    const { placements, removals, suspend, resume } = decide(look(withSpot(members(onDemandB, 2, own))));
    expect(placements.map(({ pool, moves }) => [pool, moves])).toEqual([
      ['spot-a', ['od-b#1']],
      ['spot-b', ['od-b#2']],
    ]);
    expect([removals, suspend, resume]).toEqual([[], undefined, []]);
  });
  it('that the group launched stays', () => {
    expect(decide(look(withSpot(members(onDemandB, 2, web)))).placements).toEqual([]);
  });
  it('that its scaler protects stays', () => {
    expect(decide(look(withSpot(members(onDemandB, 2, { ...own, protected: true })))).placements).toEqual([]);
  });
  it('stays while the size changed a while ago', () => {
    const changed = state({ desired: 10, returns: { ...noReturns, changedAtMs: nowMs - 9 * minute } });
    const { placements, notMoved } = decide(look(withSpot(members(onDemandB, 2, own)), { state: changed }));
    expect([placements, notMoved]).toEqual([[], { code: 'unsettled', untilMs: nowMs + minute }]);
  });
  it('stays while the group is to launch or to end some by itself', () => {
    const there = withSpot(members(onDemandB, 2, own));
    expect(decide(look(there, {}, asgOf(11, there))).moves).toBeUndefined();
    expect(decide(look(there, {}, asgOf(9, there))).moves).toBeUndefined();
  });
});

describe('where others set the size, members on spot', () => {
  it('stay where they are: the group balances its zones itself', () => {
    const { returning: rule } = outside;
    const uneven = (of: Partial<Member>) => [...members(spotA, 8, of), ...members(spotB, 2, of)];
    const inside = view({ group: group({ ...(rule && { returning: rule }) }), state: state({ desired: 10 }), members: uneven({}) });
    expect(decide(inside).moves).toBeDefined();
    expect(decide(look(uneven(own))).moves).toBeUndefined();
  });
});

describe('a move under way where others set the size', () => {
  const moves = [{ reservation: 'r-9', atMs: nowMs - minute, leaving: ['od-b#1'], count: 1 }];
  const moving = (arrival: Partial<Member>, desired = 10, of: Partial<Member> = own): View => {
    const there = [
      ...withSpot([member('more', spotB, web), ...members(onDemandB, 1, of)]),
      member('new', spotA, { ...own, reservation: 'r-9', ...arrival }),
    ];
    const changed = desired === 10 ? {} : { changedAtMs: nowMs };
    const noted = state({ desired, returns: { ...noReturns, moves, ...changed }, suspended: held });
    return look(there, { state: noted }, asgOf(desired, there, ['Launch', 'Terminate']));
  };

  it('holds the group before the replacement joins', () => {
    const coming = moving({ asg: undefined, admitted: false, serving: false, state: 'pending' });
    expect(decide({ ...coming, state: { ...coming.state, suspended: [] }, asgs: [asgOf(10, coming.members)] }).suspend).toEqual(
      held.map((one) => ({ ...one, atMs: nowMs })),
    );
  });
  it('holds the group, which has one more than its size, until the member can leave', () => {
    expect(decide(moving({ serving: false }))).toMatchObject({ removals: [], suspend: [], resume: [] });
    expect(decide(moving({}))).toMatchObject({ removals: [{ instance: 'od-b#1', reason: 'return' }], suspend: [], resume: [] });
  });
  it('holds the group until the member has left', () => {
    const view3 = moving({});
    const leaving = swapOf('od-b#1', { reason: 'return', state: 'draining' });
    expect(decide({ ...view3, swaps: [leaving] }).resume).toEqual([]);
    const left = view3.members.filter(({ instance }) => instance !== 'od-b#1');
    expect(decide({ ...view3, members: left, asgs: [asgOf(10, left)] }).resume).toEqual(held);
  });
  it('does not hold a group that is paused: the group ends one of its members', () => {
    const paused = (view3: View) => {
      const look3: View = { ...view3, group: { ...outside, mode: 'pause' } };
      return processesFor({ view: look3, headcount: takeHeadcount(look3) }, { placements: [], admissions: [] });
    };
    expect(paused(moving({}))).toEqual({ resume: held });
    const risky = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' });
    expect(paused({ ...moving({}), swaps: [risky] })).toEqual({ resume: held });
    expect(paused({ ...moving({}), swaps: [{ ...risky, state: 'draining' }] })).toMatchObject({ resume: [] });
    expect(decide({ ...moving({}), swaps: [risky] }).resume).toEqual([]);
  });
  it('is called off when others raise the size: no member leaves, and the group goes on', () => {
    expect(decide(moving({}, 11))).toMatchObject({ removals: [], placements: [], resume: held });
  });
  it('lets its own member leave and no other when others lower the size', () => {
    expect(decide(moving({}, 8)).removals.map(({ instance }) => instance)).toEqual(['od-b#1']);
  });
  it('ends none that the group launched, whatever the policy said when it began', () => {
    expect(decide(moving({}, 10, web))).toMatchObject({ removals: [], resume: held });
  });
});

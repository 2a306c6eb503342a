import { describe, expect, it } from 'vitest';
import { aboveMinimum } from '../../../core/decide/above-minimum.ts';
import { strays } from '../../../core/decide/strays.ts';
import { takeOver } from '../../../core/decide/take-over.ts';
import { unnoticed } from '../../../core/decide/unnoticed.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { AsgView } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { asgView, group, nowMs, reservation, spotA, state, swapOf } from '../views.ts';
import { proposed } from './situations.ts';

const attached = group({ holding: { kind: 'launch-instances' } });
const asg = (rest: Partial<AsgView> = {}): AsgView => asgView({ desired: 4, held: 4, ...rest });

describe('members that may leave above the minimum sizes of their Auto Scaling groups', () => {
  const four = members(spotA, 4);
  const [one, two, three] = four.map(({ instance }) => instance);
  const ids = [one ?? '', two ?? '', three ?? ''];
  it('are all but as many as each minimum keeps', () => {
    expect(aboveMinimum([], four).total).toBe(4);
    expect(aboveMinimum([asg({ min: 2, holds: ids })], four).total).toBe(2);
    expect(aboveMinimum([asg({ min: 5, holds: ids })], four).total).toBe(1);
    expect(aboveMinimum([asg({ min: 1, holds: ids.slice(0, 1) }), asg({ min: 1, holds: ids.slice(1) })], four).total).toBe(2);
  });
  it('are counted without what does not stay', () => {
    expect(aboveMinimum([asg({ min: 2, holds: [...ids, 'i-leaves'] })], four).total).toBe(2);
  });
  it('are granted one by one, each from its own group', () => {
    const account = aboveMinimum([asg({ min: 2, holds: ids })], four);
    expect(account.allows(ids[0] ?? '')).toBe(true);
    account.take(ids[0] ?? '');
    expect(account.allows(ids[1] ?? '')).toBe(false);
    expect(account.allows('spot-a#4')).toBe(true);
    account.take('spot-a#4');
    expect(account.allows('spot-a#4')).toBe(true);
  });
});

describe('strays', () => {
  const { reservation: _none, ...stray } = member('i-1', spotA, { pool: undefined });
  const left = (firstSeenAtMs: number, sightings: number) =>
    proposed(strays, { members: [stray], state: state({ strays: { 'i-1': { firstSeenAtMs, sightings } } }) }).removals;
  it('leave once they were seen twice, and five minutes ago for the first time', () => {
    expect(left(nowMs - 300_000, 2)).toMatchObject([{ instance: 'i-1', reason: 'unwanted', why: { code: 'stray' } }]);
    expect(left(nowMs - 299_999, 2)).toEqual([]);
    expect(left(nowMs - 300_000, 1)).toEqual([]);
    expect(proposed(strays, { members: [stray] }).removals).toEqual([]);
  });
  it('stay while EC2 has refused to end them', () => {
    const known = state({ strays: { 'i-1': { firstSeenAtMs: nowMs - 300_000, sightings: 2 } } });
    expect(proposed(strays, { members: [{ ...stray, protected: true }], state: known }).removals).toEqual([]);
  });
});

describe('an Auto Scaling group that does not refill itself', () => {
  const short = (name: string, lacks: number) => asg({ name, desired: 4, held: 4 - lacks, suspended: ['Launch'] });
  const taken = (asgs: readonly AsgView[], soFar = {}, rest = {}) =>
    proposed(takeOver, { group: attached, members: [], asgs, ...rest }, soFar).takeOver;
  it('gets the desired capacity of what it holds', () => {
    expect(taken([short('a', 1), asg({ name: 'full' }), short('b', 2)])).toEqual([
      { asg: 'a', desired: 3 },
      { asg: 'b', desired: 2 },
    ]);
  });
  it('keeps what nothing covers, the first group first', () => {
    expect(taken([short('a', 2), short('b', 2)], { uncovered: 1 })).toEqual([
      { asg: 'a', desired: 3 },
      { asg: 'b', desired: 2 },
    ]);
    expect(taken([short('a', 2), short('b', 2)], { uncovered: 3 })).toEqual([{ asg: 'b', desired: 3 }]);
    expect(taken([short('a', 2), short('b', 2)], { uncovered: 4 })).toEqual([]);
  });
  it('keeps in its desired capacity what a request without a response may not launch', () => {
    const requested = (rest: Parameters<typeof reservation>[0]) =>
      taken([short('a', 3)], {}, { state: state({ reservations: [reservation(rest)] }) });
    expect(requested({})).toEqual([{ asg: 'a', desired: 3 }]);
    expect(requested({ instances: ['i-1', 'i-2'] })).toEqual([{ asg: 'a', desired: 1 }]);
  });
});

describe('leaving members that their Auto Scaling group still counts', () => {
  const leaving = ['i-1', 'i-2', 'i-3'].map((id) => swapOf(id, { state: 'drained' }));
  const rest = { group: attached, members: [], asgs: [asg({ holds: ['i-1', 'i-2', 'i-3'] })], swaps: leaving };
  it('are taken out of it', () => {
    expect(proposed(unnoticed, rest)).toEqual({ unnoticed: ['i-1', 'i-2', 'i-3'] });
  });
  it('stay as many as nothing replaces, and the dead of those are left to their group', () => {
    expect(proposed(unnoticed, rest, { uncovered: 1 })).toEqual({ unnoticed: ['i-1', 'i-2'] });
    expect(proposed(unnoticed, { ...rest, ended: ['i-1', 'i-3'] }, { uncovered: 2 })).toEqual({ unnoticed: ['i-1'], leftToGroups: ['i-3'] });
    expect(proposed(unnoticed, { ...rest, ended: ['i-1'] }, { uncovered: 9 })).toEqual({ unnoticed: [], leftToGroups: ['i-1'] });
  });
  it('serve on where its minimum size held them back, until enough others serve', () => {
    const { deadlineMs: _d, ...advised } = swapOf('i-1', { state: 'drained', reason: 'rebalance' });
    const { deadlineMs: _e, ...removed } = swapOf('i-1', { state: 'drained', reason: 'return' });
    const heldBack = { shortfall: { code: 'not-released', awsCode: 'BelowMinSize' } } as const;
    const gone = (order: 'launch-first' | 'drain-first', serving: number, swap: Swap = { ...advised, ...heldBack }) =>
      proposed(unnoticed, {
        ...rest,
        group: { ...attached, swap: { order, maxSurge: 2 } },
        state: state({ desired: 10 }),
        members: members(spotA, serving),
        swaps: [swap],
      }).unnoticed;
    expect([gone('launch-first', 9), gone('launch-first', 10)]).toEqual([[], ['i-1']]);
    expect([gone('drain-first', 7), gone('drain-first', 8)]).toEqual([[], ['i-1']]);
    expect(gone('drain-first', 9, { ...removed, ...heldBack })).toEqual([]);
    // It was taken out of service, or EC2 takes it: there is nothing to wait for.
    expect(gone('launch-first', 0, advised)).toEqual(['i-1']);
    expect(gone('launch-first', 0, swapOf('i-1', { state: 'drained', ...heldBack }))).toEqual(['i-1']);
  });
  it('that died while they waited are as many as the group has above what it lacks', () => {
    const { drain: _drain, ...waited } = swapOf('i-1', { reason: 'rebalance', state: 'gone' });
    const dead = { ...rest, swaps: [waited], ended: ['i-1'] };
    expect(proposed(unnoticed, dead, { lack: 0 }).unnoticed).toEqual([]);
    expect(proposed(unnoticed, dead, { lack: -1 }).unnoticed).toEqual(['i-1']);
  });
});

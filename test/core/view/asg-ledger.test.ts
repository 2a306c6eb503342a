import { describe, expect, it } from 'vitest';
import type { Swap } from '../../../core/swap/swap.ts';
import { gapsNow, groupsToTakeOver, isEndingSome, notShownYet, ownRefill, ownShrink, unnoticed } from '../../../core/view/asg-ledger.ts';
import type { AsgView, Member, View } from '../../../core/view/view.ts';
import { members } from '../members.ts';
import { asgView, group, nowMs, reservation, spotA, state, swapOf, view } from '../views.ts';

const asg = (rest: Partial<AsgView> = {}): AsgView => asgView({ max: 10, desired: 2, held: 2, holds: ['i-1', 'i-2'], ...rest });
const look = (asgs: readonly AsgView[], rest: Partial<View> = {}): View =>
  view({ group: group({ holding: { kind: 'attach', asg: 'web-asg' } }), members: [], asgs, ...rest });
const gap = (sinceMs: number, refused = false) => ({ state: state({ asgGaps: { 'web-asg': { sinceMs, refused } } }) });

const held = ['Launch', 'Terminate'];
const resumed = (agoMs: number) => state({ suspended: [{ asg: 'web-asg', processes: held, atMs: nowMs - 300_000, resumedAtMs: nowMs - agoMs }] });

const onHook = { hooks: [{ asg: 'web-asg', hook: 'drain', expiresAtMs: nowMs + 60_000 }] };
const outside = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });

describe('what Auto Scaling groups launch by themselves', () => {
  it('is what they lack, summed over the groups', () => {
    expect(ownRefill(look([asg({ desired: 4 }), asg({ name: 'other', desired: 3 })]))).toBe(3);
    expect(ownRefill(look([asg(), asg({ name: 'other', desired: 1 })]))).toBe(0);
  });
  it.each([
    ['has ended', { ended: ['i-1'] }],
    ['is on a terminating hook', { swaps: [swapOf('i-1', { reason: 'hook' })] }],
    ['is on a terminating hook, and EC2 takes it too', { swaps: [swapOf('i-1', onHook)] }],
  ] as const)('includes a member that %s and that the group still shows', (_what, rest) => {
    expect(ownRefill(look([asg()], rest))).toBe(1);
  });
  it.each(['HealthCheck', 'ReplaceUnhealthy', 'Terminate'])('does not include members that have ended while %s is suspended', (process) => {
    expect(ownRefill(look([asg({ suspended: [process] })], { ended: ['i-1'] }))).toBe(0);
  });
  it('does not include a member on a hook of a termination that Holdfast requested, or of another group', () => {
    expect(ownRefill(look([asg()], { swaps: [swapOf('i-1', { ...onHook, releaseAskedAtMs: nowMs })] }))).toBe(0);
    expect(ownRefill(look([asg({ name: 'other' })], { swaps: [swapOf('i-1', onHook)] }))).toBe(0);
  });
  it('does not include a leaving member that is terminated through the group', () => {
    expect(ownRefill(look([asg()], { ended: ['i-1'], swaps: [swapOf('i-1', { state: 'gone' })] }))).toBe(0);
  });
  it('includes one that has ended and that the minimum size of the group keeps', () => {
    const ended = { ended: ['i-1', 'i-2'], swaps: [swapOf('i-1', { state: 'gone' }), swapOf('i-2', { state: 'drained' })] };
    expect([0, 1, 2].map((min) => ownRefill(look([asg({ min })], ended)))).toEqual([0, 1, 2]);
    expect(ownRefill(look([asg({ min: 2 })], { ...ended, group: outside }))).toBe(0);
  });
  it('is nothing while launches are suspended, and nothing 90 seconds after the gap began', () => {
    expect(ownRefill(look([asg({ desired: 3, suspended: ['Launch'] })]))).toBe(0);
    expect(ownRefill(look([asg({ desired: 3 })], gap(nowMs - 90_000)))).toBe(1);
    expect(ownRefill(look([asg({ desired: 3 })], gap(nowMs - 90_001)))).toBe(0);
  });
  it('is what replaces the dead again once the gap was closed by a lower desired capacity, and goes on where that is raised again', () => {
    const closed = { state: state({ asgGaps: { 'web-asg': { sinceMs: nowMs - 200_000, refused: true, closed: true } } }) };
    expect(ownRefill(look([asg()], { ...gap(nowMs - 200_000), ended: ['i-1'] }))).toBe(0);
    expect(ownRefill(look([asg()], { ...closed, ended: ['i-1'] }))).toBe(1);
    expect(gapsNow(look([asg()], { ...closed, ended: ['i-1'] }))).toEqual({ 'web-asg': { sinceMs: nowMs, refused: false } });
    expect(ownRefill(look([asg({ desired: 3 })], closed))).toBe(0);
    expect(gapsNow(look([asg({ desired: 3 })], closed))).toEqual(closed.state.asgGaps);
  });
  it('counts although a describe shows launches as suspended that Holdfast resumed less than 20 seconds ago', () => {
    const refillAfter = (agoMs: number) => ownRefill(look([asg({ desired: 3, suspended: held })], { state: resumed(agoMs) }));
    expect([0, 19_999, 20_000].map(refillAfter)).toEqual([1, 1, 0]);
  });
  it('is without what the group has launched and its describe does not show yet', () => {
    const refill = (rest: Partial<Member>, more: Partial<View> = {}) =>
      ownRefill(look([asg({ desired: 4 })], { members: members(spotA, 1, { unshown: true, ...rest }), ...more }));
    expect([refill({}), refill({ unshown: false }), refill({ reservation: 'r-1' })]).toEqual([1, 2, 2]);
    expect(refill({}, { ended: ['spot-a#1'] })).toBe(2);
    expect(ownRefill(look([asg({ desired: 2 })], { members: members(spotA, 1, { unshown: true }) }))).toBe(0);
    expect(ownRefill(look([asg({ name: 'other', desired: 4 })], { members: members(spotA, 1, { unshown: true }) }))).toBe(2);
  });
  it('is not less by a member that the group terminates, and that only EC2 still shows', () => {
    const refill = (rest: Partial<Swap>) =>
      ownRefill(
        look([asg({ desired: 3 })], { members: members(spotA, 1, { unshown: true }), swaps: [swapOf('spot-a#1', { reason: 'scale-in', ...rest })] }),
      );
    expect([refill({ releaseAskedAtMs: nowMs }), refill(onHook)]).toEqual([1, 1]);
    // One that leaves for another reason may have just been launched, and the describe is older.
    expect(refill({})).toBe(0);
  });
  it('is only what replaces the dead after a failed launch', () => {
    expect(ownRefill(look([asg({ desired: 4 })], { ...gap(nowMs, true), ended: ['i-1'] }))).toBe(1);
    const above = asg({ desired: 2, held: 3, holds: ['i-1', 'i-2', 'i-3'] });
    expect(ownRefill(look([above], { ...gap(nowMs, true), ended: ['i-1', 'i-2'] }))).toBe(1);
  });
});

describe('what Auto Scaling groups terminate by themselves', () => {
  it('is what they hold beyond their desired capacity, unless termination is suspended', () => {
    expect(ownShrink(look([asg({ desired: 0 })]))).toBe(2);
    expect(ownShrink(look([asg({ desired: 0, suspended: ['Terminate'] })]))).toBe(0);
  });
  it('counts although a describe shows terminations as suspended that Holdfast resumed less than 20 seconds ago', () => {
    const shrinkAfter = (agoMs: number) => ownShrink(look([asg({ desired: 1, suspended: held })], { state: resumed(agoMs) }));
    expect([0, 19_999, 20_000].map(shrinkAfter)).toEqual([1, 1, 0]);
  });
  it('is not made up for by a gap of another group', () => {
    expect(ownShrink(look([asg({ desired: 1 }), asg({ name: 'other', desired: 5 })]))).toBe(1);
  });
  it('is under way while a group holds a member on a hook', () => {
    expect(isEndingSome(look([asg()], { swaps: [swapOf('i-2', { reason: 'hook' })] }))).toBe(true);
    expect(isEndingSome(look([asg()], { swaps: [swapOf('i-3', { reason: 'hook' }), swapOf('i-2')] }))).toBe(false);
  });
});

describe('members that Auto Scaling groups do not show yet', () => {
  const [one, two] = [members(spotA, 1, { reservation: 'r-1' }), members(spotA, 1)];
  it('are those that the group launched itself, and those that have joined', () => {
    expect(notShownYet(look([asg()]), [...one, ...two])).toHaveLength(1);
    expect(notShownYet(look([asg()]), members(spotA, 1, { reservation: 'r-1', unshown: true }))).toHaveLength(1);
    expect(notShownYet(look([asg({ holds: ['spot-a#1'] })]), two)).toHaveLength(0);
  });
  it('do not exist where members are held by tag', () => {
    expect(notShownYet(view(), two)).toHaveLength(0);
  });
});

describe('leaving members that an Auto Scaling group still counts', () => {
  const leaving = (rest: Parameters<typeof swapOf>[1]) => ({ swaps: [swapOf('i-1', rest)] });
  it('are those that have ended, as far as the minimum lets them go, or replacements were launched for them', () => {
    const both = { swaps: [swapOf('i-1', { state: 'gone' }), swapOf('i-2', { state: 'drained' })], ended: ['i-1', 'i-2'] };
    const found = (min: number, spare: number, rest: Partial<View> = {}) => unnoticed(look([asg({ min })], { ...both, ...rest }), spare);
    expect([found(0, 0), found(1, 0), found(2, 0)]).toEqual([['i-1', 'i-2'], ['i-1'], []]);
    expect([found(1, 1), found(2, 1), found(2, 2)]).toEqual([['i-1', 'i-2'], ['i-1'], ['i-1', 'i-2']]);
    expect(found(2, 0, { group: outside })).toEqual(['i-1', 'i-2']);
  });
  it('are those that are out of service, above the minimum', () => {
    expect(unnoticed(look([asg({ min: 1 })], leaving({ state: 'drained' })), 0)).toEqual(['i-1']);
    expect(unnoticed(look([asg({ min: 2 })], leaving({ state: 'drained' })), 0)).toEqual([]);
    expect(unnoticed(look([asg()], leaving({ state: 'leaving' })), 0)).toEqual([]);
    expect(unnoticed(look([asg({ min: 2 })], { ...leaving({ state: 'drained' }), group: outside }), 0)).toEqual(['i-1']);
  });
  it('are none that the group terminates itself', () => {
    expect(unnoticed(look([asg()], { ...leaving({ reason: 'hook', state: 'drained' }), ended: ['i-1'] }), 5)).toEqual([]);
    expect(unnoticed(look([asg()], { ...leaving({ ...onHook, state: 'drained' }), ended: ['i-1'] }), 5)).toEqual([]);
  });
  it('that died while they waited are as many as can be spared', () => {
    const { drain: _drain, ...waited } = swapOf('i-1', { reason: 'rebalance', state: 'gone' });
    const dead = look([asg()], { swaps: [waited], ended: ['i-1'] });
    expect([-1, 0, 1].map((spare) => unnoticed(dead, spare).length)).toEqual([0, 0, 1]);
    expect(unnoticed(look([asg()], { swaps: [{ ...waited, state: 'waiting' }] }), 1)).toEqual([]);
    expect(unnoticed(look([asg()], { swaps: [swapOf('i-1', { state: 'leaving', leftToGroup: true })], ended: ['i-1'] }), 1)).toEqual([]);
  });
});

describe('a gap of an Auto Scaling group', () => {
  it('is remembered from when it was first seen, and dropped when it is closed', () => {
    expect(gapsNow(look([asg({ desired: 3 })]))).toEqual({ 'web-asg': { sinceMs: nowMs, refused: false } });
    expect(gapsNow(look([asg({ desired: 3 })], gap(nowMs - 5_000, true)))).toEqual({ 'web-asg': { sinceMs: nowMs - 5_000, refused: true } });
    expect(gapsNow(look([asg()], gap(nowMs - 5_000, true)))).toEqual({});
  });
  it('begins anew with each launch of the group itself, because looks need not see it closed', () => {
    const gaps = state({ asgGaps: { 'web-asg': { sinceMs: nowMs - 90_001, refused: false } } });
    const holding = asg({ desired: 3, untagged: { 'i-1': nowMs - 80_000, 'i-2': nowMs - 4_000 } });
    const both = look([holding], { state: gaps, ended: ['i-1', 'i-2'] });
    expect(ownRefill(both)).toBe(3);
    expect(groupsToTakeOver(both)).toEqual([]);
    expect(gapsNow(both)['web-asg']?.sinceMs).toBe(nowMs - 4_000);
    // What a response names was launched by Holdfast, although its tag is not shown yet.
    const ours = { ...gaps, reservations: [reservation({ instances: ['i-2'] })] };
    expect(gapsNow(look([holding], { state: ours }))['web-asg']?.sinceMs).toBe(nowMs - 80_000);
    const all = { ...gaps, reservations: [reservation({ instances: ['i-1', 'i-2'] })] };
    expect(ownRefill(look([holding], { state: all }))).toBe(0);
    const known = { ...gaps, newcomers: { 'i-2': { pool: 'spot-a', atMs: nowMs - 4_000 } } };
    expect(gapsNow(look([holding], { state: known }))['web-asg']?.sinceMs).toBe(nowMs - 80_000);
  });
  it('keeps its beginning and its refusal where the group launched before', () => {
    const before = asg({ desired: 3, untagged: { 'i-1': nowMs - 50_000 } });
    expect(gapsNow(look([before], gap(nowMs - 5_000, true)))).toEqual({ 'web-asg': { sinceMs: nowMs - 5_000, refused: true } });
  });
  it('is not refilled by a group whose own launches end early for longer than 90 seconds, also while it holds the last of them', () => {
    const failing = (agoMs: number) => ({ state: state({ failing: { 'web-asg': { sinceMs: nowMs - agoMs, atMs: nowMs } } }) });
    const dead = asg({ untagged: { 'i-1': nowMs - 4_000 } });
    expect(ownRefill(look([dead], { ...failing(90_000), ended: ['i-1'] }))).toBe(1);
    expect(ownRefill(look([dead], { ...failing(90_001), ended: ['i-1'] }))).toBe(0);
    expect(groupsToTakeOver(look([asg({ desired: 3 })], failing(90_001)))).toHaveLength(1);
  });
  it.each([
    ['launches are suspended', asg({ desired: 3, suspended: ['Launch'] }), {}],
    ['a launch failed', asg({ desired: 3 }), gap(nowMs, true)],
    ['it lasts for longer than 90 seconds', asg({ desired: 3 }), gap(nowMs - 90_001)],
  ] as const)('is taken over when %s', (_why, one, rest) => {
    expect(groupsToTakeOver(look([one], rest))).toEqual([{ asg: 'web-asg', desired: 2, lowers: 1 }]);
  });
  it('is not taken over while the group may close it, nor below its minimum', () => {
    expect(groupsToTakeOver(look([asg({ desired: 3 })]))).toEqual([]);
    expect(groupsToTakeOver(look([asg({ suspended: ['Launch'] })]))).toEqual([]);
    expect(groupsToTakeOver(look([asg({ desired: 3, min: 2, suspended: ['Launch'] })]))).toHaveLength(1);
    expect(groupsToTakeOver(look([asg({ desired: 3 })], { ...gap(nowMs, true), group: outside }))).toEqual([]);
    expect(groupsToTakeOver(look([asg({ desired: 3, min: 3, suspended: ['Launch'] })]))).toEqual([]);
  });
});

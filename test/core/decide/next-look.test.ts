import { describe, expect, it } from 'vitest';
import { nextLook } from '../../../core/decide/next-look.ts';
import type { Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { asgView, group, nowMs, reservation, spotA, spotB, state, swapOf } from '../views.ts';
import { proposed } from './situations.ts';

/** In how many milliseconds the group is looked at again. */
const inMs = (rest: Partial<View>, unplaced = 0): number | undefined => {
  const { wakeAtMs } = proposed(nextLook, rest, { unplaced });
  return wakeAtMs === undefined ? undefined : wakeAtMs - nowMs;
};
const nine = [...members(spotA, 5), ...members(spotB, 4)];
const waits = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' });

describe('the next look', () => {
  it('leaves members that run and wait for a size to be taken down to the look that does so', () => {
    const outside = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
    const added = [{ asg: 'web-asg', from: 9, instances: ['spot-a#1'], atMs: nowMs - 1_000 }];
    const asgs = [asgView({ holds: ['spot-a#1'] })];
    const at = (stands: Member['state'], rest: Partial<View> = {}) =>
      inMs({
        group: outside,
        members: [...nine, member('i-new', spotA, { admitted: false, state: stands, launchedAtMs: nowMs - 5_000 })],
        asgs,
        state: state({ added }),
        ...rest,
      });
    expect(at('running')).toBeUndefined();
    expect(at('pending')).toBe(10_000);
    expect(at('running', { state: state() })).toBe(10_000);
  });

  it('is not requested for a group at rest, and not for a group without members', () => {
    expect(inMs({})).toBeUndefined();
    expect(inMs({ members: [] })).toBeUndefined();
  });

  it.each([
    ['a request is repeated', { leaseUntilMs: nowMs + 1 }, 1],
    ['a request may be repeated now', { leaseUntilMs: nowMs }, undefined],
    ['a request waits for no answer any more', { leaseUntilMs: nowMs - 5, unanswerable: true as const }, 10_000],
    ['a request waits for no answer any more, for long already', { unanswerable: true as const, atMs: nowMs - 100_000 }, 25_000],
    ['a launch was granted, and no describe shows it', { instances: ['i-1', 'i-2'] }, 10_000],
    ['a launch was granted long ago', { instances: ['i-1'], atMs: nowMs - 80_000 }, 20_000],
    ['a launch was granted too long ago for a look of its own', { instances: ['i-1'], atMs: nowMs - 170_000 }, undefined],
    ['all that was granted is shown', { instances: ['spot-a#1'] }, undefined],
  ])('while %s', (_, rest, expected) => {
    expect(inMs({ state: state({ reservations: [reservation(rest)] }) })).toBe(expected);
  });

  it('is not requested for a member that joins now, because a look follows when it has joined', () => {
    const comes = member('spot-b#5', spotB, { admitted: false, serving: false, launchedAtMs: nowMs - 8_000 });
    const next = (admissions: readonly string[]) => proposed(nextLook, { members: [...nine, comes] }, { admissions }).wakeAtMs;
    expect(next([])).toBe(nowMs + 10_000);
    expect(next(['spot-b#5'])).toBeUndefined();
    expect(next(['spot-b#6'])).toBe(nowMs + 10_000);
  });

  it('reads a long list of members that join about once, not once for each member', () => {
    const come = members(spotA, 300, { admitted: false, serving: false, launchedAtMs: nowMs - 8_000 });
    let reads = 0;
    const admissions = new Proxy(
      come.map(({ instance }) => instance),
      {
        get: (list, key) => {
          reads += 1;
          return Reflect.get(list, key);
        },
      },
    );
    expect(proposed(nextLook, { members: come }, { admissions }).wakeAtMs).toBeUndefined();
    expect(reads).toBeLessThan(10 * come.length);
  });

  it('comes when launches are no longer held back, unless the tick is due before', () => {
    const heldFor = (ms: number) => inMs({ state: state({ throttle: { untilMs: nowMs + ms, streak: 9 } }) });
    expect([-1, 10_000, 39_999, 40_000].map(heldFor)).toEqual([undefined, 10_000, 39_999, undefined]);
  });

  it('comes soon while an Auto Scaling group holds an instance that EC2 does not show', () => {
    const asg = { name: 'web-asg', min: 0, max: 20, desired: 10, held: 10, suspended: [] };
    const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });
    expect(inMs({ group: attached, asgs: [{ ...asg, holds: ['i-unseen'] }] })).toBe(10_000);
    expect(inMs({ group: attached, asgs: [{ ...asg, holds: ['spot-a#1'] }] })).toBeUndefined();
    const requested = state({ reservations: [reservation({ leaseUntilMs: nowMs + 30_000 })] });
    expect(inMs({ group: attached, asgs: [{ ...asg, holds: ['i-unseen'] }], state: requested })).toBe(10_000);
    expect(inMs({ group: attached, asgs: [{ ...asg, holds: ['spot-a#1'] }], state: requested })).toBe(30_000);
  });

  it('comes at the time from which a size that equals our own old one counts as the size of others', () => {
    const added = { asg: 'web-asg', from: 8, instances: ['spot-a#1'], atMs: nowMs - 6_000 };
    expect(inMs({ state: state({ added: [{ ...added, takenDownAtMs: nowMs - 5_000 }] }) })).toBe(15_000);
    expect(inMs({ state: state({ added: [added] }) })).toBeUndefined();
    const shownAs = (shown: number) => {
      const asg = { name: 'web-asg', min: 0, max: 20, desired: 8, held: 1, holds: ['spot-a#1'], suspended: [], shown };
      return inMs({ asgs: [asg], state: state({ added: [{ ...added, takenDownAtMs: nowMs - 5_000 }] }) });
    };
    expect([shownAs(9), shownAs(8)]).toEqual([15_000, undefined]);
  });

  it('comes soon while an Auto Scaling group ends a member', () => {
    const asg = { name: 'web-asg', min: 0, max: 20, desired: 10, held: 10, holds: ['spot-a#1'], suspended: [] };
    const of = (reason: 'hook' | 'interruption') => inMs({ asgs: [asg], swaps: [swapOf('spot-a#1', { reason })] });
    expect(of('hook')).toBe(10_000);
    expect(of('interruption')).toBeUndefined();
  });

  it.each([
    ['expires soon', {}, 40_000],
    ['expires before a later deadline', { deadlineMs: nowMs + 600_000 }, 55_000],
    ['expires after a tick', { hooks: [{ asg: 'spot-a', hook: 'drain', token: 't', expiresAtMs: nowMs + 160_000 }] }, undefined],
    ['is over', { hooks: [{ asg: 'spot-a', hook: 'drain', token: 't', expiresAtMs: nowMs + 60_000, overAtMs: nowMs }] }, undefined],
    ['still has a drain', { state: 'draining' as const }, undefined],
    ['was not cut', { shortfall: undefined }, undefined],
  ])('comes when EC2 may have spared a drained member with a hook that %s', (_, rest, expected) => {
    const hooks = [{ asg: 'spot-a', hook: 'drain', token: 't', expiresAtMs: nowMs + 60_000 }];
    const shortfall = { code: 'still-draining', cutAtMs: nowMs + 30_000, by: 'ec2' } as const;
    const drained = { state: 'drained', drainedAtMs: nowMs, deadlineMs: nowMs + 30_000, hooks, shortfall } as const;
    const next = (view: Partial<View>) => proposed(nextLook, { swaps: [swapOf('spot-a#1', { ...drained, ...rest })], ...view }).wakeAtMs;
    expect(next({})).toBe(expected === undefined ? undefined : nowMs + expected);
    expect(next({ ended: ['spot-a#1'] })).toBeUndefined();
  });

  it.each([
    [0, 10_000],
    [40_000, 10_000],
    [40_004, 10_001],
    [156_000, 39_000],
  ])('for a member that joins for %i ms already comes after %i ms', (ageMs, expected) => {
    expect(inMs({ members: [...nine, member('i-new', spotB, { admitted: false, launchedAtMs: nowMs - ageMs })] })).toBe(expected);
  });

  it('is left to the tick for a member that joins for long already', () => {
    expect(inMs({ members: [...nine, member('i-new', spotB, { admitted: false, launchedAtMs: nowMs - 160_000 })] })).toBeUndefined();
  });

  it('is the earliest of all', () => {
    const ages = [400_000, 200_000, 80_000].map((ageMs) => member(`i-${ageMs}`, spotB, { admitted: false, launchedAtMs: nowMs - ageMs }));
    expect(inMs({ members: [...nine, ...ages] })).toBe(20_000);
  });

  describe('while a swap waits for members to serve', () => {
    const among = (rest: Partial<Member>, swaps = [waits]) =>
      inMs({ group: group({ ready: { afterMs: 90_000 } }), members: [...nine, member('i-new', spotB, { serving: false, ...rest })], swaps });
    it.each([
      ['boots', { launchedAtMs: nowMs - 4_000 }, 10_000],
      ['boots for long', { launchedAtMs: nowMs - 200_000 }, 50_000],
      ['almost counts as failed', { launchedAtMs: nowMs - 299_999 }, 74_999],
      ['is not coming up any more', { launchedAtMs: nowMs - 300_000 }, undefined],
      ['serves', { serving: true, launchedAtMs: nowMs - 4_000 }, undefined],
      ['warms up', { launchedAtMs: nowMs - 20_000, unready: 'warm-up' as const }, 70_000],
      ['has no result of its status checks', { launchedAtMs: nowMs - 20_000, unready: 'status-checks' as const }, 30_000],
    ])('and a member %s', (_, rest, expected) => {
      expect(among(rest)).toBe(expected);
    });

    it('does not come while no swap waits', () => {
      expect(among({ launchedAtMs: nowMs - 4_000 }, [])).toBeUndefined();
    });
  });

  it('does not come for a member that joins now, also if others wait for it', () => {
    const move = { atMs: nowMs - 10_000, reservation: 'r-9', leaving: ['spot-a#1'], count: 1 };
    const comes = member('i-new', spotB, { admitted: false, serving: false, launchedAtMs: nowMs - 8_000, reservation: 'r-9' });
    const all = [...members(spotA, 5), ...members(spotB, 5), comes];
    const next = (rest: Partial<View>) => proposed(nextLook, { members: all, ...rest }, { admissions: ['i-new'] }).wakeAtMs;
    expect(next({ state: state({ returns: { moves: [move] } as never }) })).toBeUndefined();
    expect(next({ swaps: [waits] })).toBeUndefined();
  });

  it('comes for the replacements of a move, and for no other member', () => {
    const move = { atMs: nowMs - 10_000, reservation: 'r-9', leaving: ['spot-a#1'], count: 1 };
    const returns = { moves: [move] } as never;
    const young = (id: string) => member('i-new', spotB, { serving: false, launchedAtMs: nowMs - 4_000, reservation: id });
    const all = [...members(spotA, 5), ...members(spotB, 5)];
    expect(inMs({ members: [...all, young('r-9')], state: state({ returns }) })).toBe(10_000);
    expect(inMs({ members: [...all, young('r-8')], state: state({ returns }) })).toBeUndefined();
  });

  describe('while members are missing that nothing gives', () => {
    const cooling = (untilMs: number) => ({
      kind: 'refused' as const,
      code: 'InsufficientInstanceCapacity',
      atMs: nowMs - 1,
      coolingUntilMs: untilMs,
      streak: 1,
    });
    const rest = { template: 'web', code: 'Client.InternalError', message: '', atMs: nowMs - 9, streak: 1 };
    const denial = { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs - 9 };
    it.each([
      ['an offering rests', { memory: { 'm7g.large/a/spot': cooling(nowMs + 7_000) } }, 7_000],
      ['EC2 may be asked again, a minute after it refused', { memory: { 'm7g.large/a/spot': cooling(nowMs + 600_000) } }, 59_999],
      ['a pool rests after its boots failed', { failedBoots: { 'spot-a': { ...rest, restsUntilMs: nowMs + 8_000 } } }, 8_000],
      ['a pool is denied', { denials: { 'spot-a': { ...denial, untilMs: nowMs + 9_000 } } }, 9_000],
      [
        'all of that is over',
        { failedBoots: { 'spot-a': { ...rest, restsUntilMs: nowMs } }, denials: { 'spot-a': { ...denial, untilMs: nowMs } } },
        undefined,
      ],
    ])('comes when %s', (_, more, expected) => {
      expect(inMs({ state: state(more) }, 1)).toBe(expected);
      expect(inMs({ state: state(more) }, 0)).toBeUndefined();
    });
  });

  it('comes when a describe counts that shows what was resumed as suspended, if the group would launch by itself', () => {
    const resumed = { asg: 'web-asg', processes: ['Launch', 'Terminate'], atMs: nowMs - 90_000, isAnswered: true as const };
    const next = ({ agoMs = 17_000, suspended = ['Terminate'], ended = ['spot-a#1'] } = {}) =>
      inMs({
        group: group({ holding: { kind: 'attach', asg: 'web-asg' } }),
        members: nine.filter(({ instance }) => !ended.includes(instance)),
        ended,
        asgs: [asgView({ name: 'web-asg', desired: 9, held: 9, holds: nine.map(({ instance }) => instance), suspended })],
        state: state({ suspended: [{ ...resumed, resumedAtMs: nowMs - agoMs }] }),
      });
    expect(next()).toBe(3_000);
    expect(next({ agoMs: 20_000 })).toBeUndefined();
    expect(next({ suspended: ['AZRebalance'] })).toBeUndefined();
    expect(next({ ended: [] })).toBeUndefined();
  });

  it('comes when processes are resumed for the last time, which a function that died may have suspended again', () => {
    const openSince = (agoMs: number, more: object = { resumedAtMs: nowMs - 1_000 }) =>
      inMs({ state: state({ suspended: [{ asg: 'web-asg', processes: ['Launch', 'Terminate'], atMs: nowMs - agoMs, ...more }] }) });
    expect(openSince(40_000)).toBe(15_000);
    expect(openSince(55_000)).toBeUndefined();
    expect(openSince(40_000, {})).toBeUndefined();
    expect(openSince(40_000, { resumedAtMs: nowMs - 1_000, isAnswered: true })).toBeUndefined();
    expect(openSince(20_000, { resumedAtMs: nowMs - 1_000, isAnswered: true, beforeMs: nowMs - 45_000 })).toBe(10_000);
  });

  it('comes when EC2 takes launches again', () => {
    const throttled = (untilMs: number) => inMs({ state: state({ throttle: { untilMs, streak: 1 } }) });
    expect(throttled(nowMs + 3_000)).toBe(3_000);
    expect(throttled(nowMs)).toBeUndefined();
  });
});

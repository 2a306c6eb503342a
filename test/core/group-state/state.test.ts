import { describe, expect, test } from 'vitest';
import type { Group } from '../../../core/group/group.ts';
import { alarmChanges, followAlarms } from '../../../core/group-state/follow-alarms.ts';
import { catchUp, followPolicy, initialState, learnFromLosses } from '../../../core/group-state/state.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { GroupState, Member } from '../../../core/view/view.ts';

const group = {
  name: 'web',
  policyVersion: 2,
  size: { min: 2, max: 12, desired: 4 },
  holding: { kind: 'tag' },
  drain: { loadBalancers: 'auto' },
  scaling: [{ alarm: 'busy', adjust: { kind: 'instances', by: 3 }, cooldownMs: 120_000 }],
} as unknown as Group;
const fresh = initialState(group);
const nowMs = 10_000_000;

test('another policy version may name other target groups, so nobody counts as registered then', () => {
  const state: GroupState = { ...fresh, registered: { 'i-1': nowMs } };
  expect(followPolicy(state, group).registered).toEqual({ 'i-1': nowMs });
  expect(followPolicy(state, { ...group, policyVersion: group.policyVersion + 1 })).not.toHaveProperty('registered');
});

describe('the desired size', () => {
  test('is set anew by a policy whose size changed, also one of the same number, and kept by any other', () => {
    const state: GroupState = { ...fresh, desired: 7 };
    expect(followPolicy(state, group).desired).toBe(7);
    expect(followPolicy(state, { ...group, policyVersion: 3 }).desired).toBe(7);
    expect(followPolicy(state, { ...group, size: { min: 2, max: 12, desired: 5 } }).desired).toBe(5);
    expect(followPolicy({ ...state, policySize: '' }, group).desired).toBe(4);
  });

  /** Alarms that were over at once. */
  const alarmed = (state: GroupState, atMs: readonly number[], now = nowMs): GroupState => {
    const alarms = atMs.flatMap((at) => [true, false].map((isOn) => ({ alarm: 'busy', atMs: at, isOn })));
    return followAlarms(state, group, { alarms }, now);
  };

  test('follows of many alarms that come together each once', () => {
    expect(alarmed(fresh, [nowMs - 600_000, nowMs - 300_000, nowMs]).desired).toBe(7);
  });

  test('does not follow an alarm from before the last that acted, however late it comes', () => {
    const acted = alarmed(fresh, [nowMs - 300_000]);
    expect(alarmed(acted, [nowMs - 100_000]).desired).toBe(7);
    expect(alarmed(acted, [nowMs - 300_000], nowMs + 3_000_000).desired).toBe(7);
    expect(alarmed(acted, [nowMs + 120_000], nowMs + 121_000).desired).toBe(10);
  });

  test('does not follow an alarm that went off more than an hour ago', () => {
    expect(alarmed(fresh, [nowMs - 3_600_001])).toEqual(fresh);
  });
});

describe('what alarms do', () => {
  const changes = (state: GroupState, ...atMs: readonly number[]) =>
    alarmChanges(state, group, { alarms: atMs.map((at) => ({ alarm: 'busy', atMs: at, isOn: true })) }, nowMs);

  test('is kept with the sizes before and after', () => {
    const adjust = { kind: 'instances', by: 3 };
    expect(changes(fresh, nowMs)).toEqual([{ code: 'alarm', alarm: 'busy', atMs: nowMs, adjust, from: 4, to: 7 }]);
    expect(changes({ ...fresh, desired: 12 }, nowMs)).toEqual([{ code: 'alarm', alarm: 'busy', atMs: nowMs, adjust, from: 12, to: 12 }]);
  });

  test('is kept when it is nothing', () => {
    expect(changes({ ...fresh, alarms: { busy: nowMs - 1_000 } }, nowMs)).toEqual([
      { code: 'alarm-cooling', alarm: 'busy', untilMs: nowMs + 119_000 },
    ]);
    expect(changes(fresh, nowMs - 3_600_001)).toEqual([{ code: 'alarm-late', alarm: 'busy', atMs: nowMs - 3_600_001 }]);
    expect(alarmChanges(fresh, group, { alarms: [{ alarm: 'unknown', atMs: nowMs, isOn: true }] }, nowMs)).toEqual([]);
  });
});

describe('a state item that was lost or restored', () => {
  const members = (count: number, reservation: string): readonly Member[] =>
    Array.from({ length: count }, (_, index) => ({ instance: `i-${reservation}-${index}`, reservation }) as Member);
  const known: GroupState = { ...fresh, version: 5, lastReservation: 'b' };
  const look = (there: readonly Member[], swaps: readonly Swap[] = [], comesBack = false) => ({ members: there, swaps, comesBack });

  test('is noticed by members under a later reservation, and then the present number of members stays, within the bounds', () => {
    expect(catchUp(known, group, look(members(7, 'c')))).toEqual({ ...known, desired: 7, lastReservation: 'c' });
    expect(catchUp(known, group, look(members(20, 'c')))).toMatchObject({ desired: 12 });
    expect(catchUp(known, group, look(members(3, 'c')))).toMatchObject({ desired: 4 });
    expect(catchUp(fresh, group, look(members(7, 'a')))).toMatchObject({ desired: 7, lastReservation: 'a' });
  });

  test('is not suspected of members that were launched for another group', () => {
    const inherited = members(7, 'c').map((member) => ({ ...member, launchedFor: 'before' }));
    expect(catchUp(fresh, group, look(inherited))).toBe(fresh);
    expect(catchUp(fresh, group, look([...inherited, ...members(1, 'a')]))).toMatchObject({ desired: 8, lastReservation: 'a' });
  });

  test('of a group that comes back after it was let go leaves the size to its policy, and is noticed once', () => {
    expect(catchUp(known, group, look(members(7, 'c'), [], true))).toEqual({ ...known, lastReservation: 'c' });
  });

  test('does not count members that leave', () => {
    const leaving = { instance: 'i-c-0', state: 'leaving' } as Swap;
    expect(catchUp(known, group, look(members(7, 'c'), [leaving])).desired).toBe(6);
  });

  test('is not suspected when every reservation is known, or for members without a reservation', () => {
    expect(catchUp(known, group, look(members(7, 'b')))).toBe(known);
    const unreserved = members(7, 'c').map(({ reservation: _, ...member }) => member);
    expect(catchUp(fresh, group, look(unreserved))).toBe(fresh);
  });
});

describe('what is learned of losses', () => {
  const advised: Swap = {
    group: 'web',
    instance: 'i-advised',
    reason: 'rebalance',
    state: 'waiting',
    pool: 'spot-a',
    offering: 'm7g.large/a/spot',
    claimedAtMs: nowMs,
    decision: 'd',
  };
  const kindOf = (warned: readonly Swap[], swaps: readonly Swap[]) =>
    learnFromLosses(fresh, { warned, launched: [], swaps }, nowMs).memory['m7g.large/a/spot']?.kind;
  test('is that an offering is at risk while a member has yet to leave it for advice, and no longer', () => {
    expect(kindOf([], [advised])).toBe('advised');
    expect(kindOf([], [{ ...advised, state: 'drained' }])).toBe('advised');
    expect(kindOf([], [{ ...advised, state: 'gone' }])).toBeUndefined();
    expect(kindOf([], [{ ...advised, reason: 'scale-in' }])).toBeUndefined();
  });
  test('is that it was interrupted, also when the warning found a claim', () => {
    const warned: Swap = { ...advised, reason: 'interruption', state: 'leaving' };
    expect(kindOf([warned], [warned])).toBe('interrupted');
    expect(kindOf([warned], [warned, advised])).toBe('interrupted');
  });
});

import { describe, expect, it } from 'vitest';
import { asRestored, isFirstItem } from '../../../core/group-state/restored.ts';
import { members } from '../members.ts';
import { group, nowMs, spotA, state, swapOf } from '../views.ts';

describe('a restored state item', () => {
  it('forgets alarms, times of the schedule, new members and the last reservation: all of them may be over', () => {
    const older = state({
      alarmStates: { busy: { atMs: nowMs - 60_000, isOn: true } },
      scheduled: { atMs: nowMs - 60_000 } as never,
      newcomers: { 'i-1': { pool: 'spot-a', atMs: nowMs - 60_000 } },
      lastReservation: 'r-1',
      version: 5,
    });
    const found = asRestored(older, older.version + 3, nowMs);
    for (const field of ['alarmStates', 'scheduled', 'newcomers', 'lastReservation']) expect(found).not.toHaveProperty(field);
    expect(found).toMatchObject({ policyVersion: 0, renewedAtMs: nowMs, desired: older.desired });
  });
});

describe('a group without a state item', () => {
  const isFirst = (more: object, swaps: Parameters<typeof isFirstItem>[1]['swaps'] = [], policyVersion = 1) =>
    isFirstItem(group({ policyVersion }), { members: members(spotA, 2, more), swaps });

  it('is new while its policy is its first, and none of its members was launched for it', () => {
    expect(isFirst({})).toBe(true);
    expect([isFirst({ reservation: 'r-1' }), isFirst({}, [swapOf('spot-a#1')]), isFirst({}, [], 2)]).toEqual([false, false, false]);
  });

  it('is new where its members came with the Auto Scaling group of another group', () => {
    expect(isFirst({ reservation: 'r-1', launchedFor: 'before' })).toBe(true);
    expect([isFirst({ reservation: 'r-1', launchedFor: 'before' }, [], 2)]).toEqual([false]);
  });
});

import { describe, expect, it } from 'vitest';
import { asRestored } from '../../../core/group-state/restored.ts';
import { nowMs, state } from '../views.ts';

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

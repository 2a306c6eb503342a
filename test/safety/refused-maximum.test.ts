import { expect, test } from 'vitest';
import { withFleet } from './fleet.ts';

test('a maximum that Holdfast may not raise holds up neither replacements nor drains, and is requested no more than once a minute', () =>
  withFleet({ holding: 'attach' }, async (fleet) => {
    fleet.addFaults([{ on: 'call', kind: 'error', code: 'AccessDenied', status: 403, match: { operation: 'UpdateAutoScalingGroup' } }]);
    await fleet.put({ size: 8 });
    await fleet.minutes(4);
    expect([fleet.ids().length, fleet.serving()]).toEqual([8, 6]);
    fleet.warn(1);
    await fleet.minutes(5);
    expect([fleet.ids().length, fleet.serving(), fleet.launched()]).toEqual([8, 6, 9]);
    expect(await fleet.swaps()).toMatchObject([{ reason: 'interruption', state: 'gone', drainStartedAtMs: expect.any(Number) }]);
    const sinceMs = fleet.sandbox.clock.now();
    await fleet.minutes(10);
    const asked = fleet.sandbox.callLog.calls({ sinceMs }).filter(({ operation }) => operation === 'UpdateAutoScalingGroup');
    expect(asked.length).toBeLessThanOrEqual(10);
    fleet.sandbox.faults.clear();
    await fleet.settles(8);
    expect(fleet.launched()).toBe(9);
  }));

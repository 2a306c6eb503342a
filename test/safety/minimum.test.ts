import { expect, test } from 'vitest';
import { withFleet } from './fleet.ts';

test('a drain whose instance the minimum keeps ends well: its group lets the instance go when the replacement has joined', () =>
  withFleet({ holding: 'attach', min: 6, policy: { swap: { order: 'drain-first', maxSurge: 1 }, rebalance: { act: true } } }, async (fleet) => {
    const [first] = fleet.members('web', { market: 'spot' });
    fleet.recommend(1);
    await fleet.settles(6);
    expect(fleet.ids()).not.toContain(first?.id);
    expect(fleet.launched()).toBe(7);
    expect(fleet.sandbox.executions().map(({ status }) => status)).toEqual(['SUCCEEDED']);
  }));

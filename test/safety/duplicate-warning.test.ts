import { describe, expect, test } from 'vitest';
import { holdings } from '../sim/worlds.ts';
import { withFleet } from './fleet.ts';

/** The warning of EC2 about an instance, as the bus had it before. */
const warning = (instance: string, atMs: number) => ({
  source: 'aws.ec2',
  'detail-type': 'EC2 Spot Instance Interruption Warning',
  time: new Date(atMs).toISOString(),
  detail: { 'instance-id': instance, 'instance-action': 'terminate' },
});

describe.each(holdings)('a fleet held by %s', (holding) => {
  test('a warning that comes twice drains once', () =>
    withFleet({ holding, spot: 8 }, async (fleet) => {
      const [launched, atMs] = [fleet.launched(), fleet.sandbox.clock.now()];
      const executions = fleet.sandbox.executions().length;
      fleet.addFaults([{ on: 'event', kind: 'duplicate', copies: 2, withinMs: 5_000 }]);
      const instance = fleet.members('web', { market: 'spot' })[0]?.id ?? '';
      fleet.warn(1);
      await fleet.minutes(0.5);
      // Once more while its drain runs, and once after it has ended.
      fleet.sandbox.putEvent(warning(instance, atMs));
      await fleet.settles(6);
      fleet.sandbox.putEvent(warning(instance, atMs));
      await fleet.settles(6);
      expect(await fleet.swaps()).toMatchObject([{ instance, state: 'gone' }]);
      expect(fleet.sandbox.executions().slice(executions)).toMatchObject([{ status: 'SUCCEEDED' }]);
      expect(fleet.launched() - launched).toBe(1);
    }));
});

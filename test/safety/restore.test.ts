import { describe, expect, test } from 'vitest';
import { holdings } from '../sim/worlds.ts';
import { type Fleet, withFleet } from './fleet.ts';

/** An hour in which the fleet moves on: members are taken and replaced. */
const anHour = async (fleet: Fleet): Promise<void> => {
  await fleet.minutes(20);
  fleet.warn(2);
  await fleet.minutes(20);
  fleet.recommend(1);
  await fleet.minutes(20);
};

const unchanged = async (fleet: Fleet, size = 6): Promise<void> => {
  const before = { ids: fleet.ids(), launched: fleet.launched() };
  await fleet.settles(size);
  await fleet.minutes(12);
  expect({ ids: fleet.ids(), launched: fleet.launched() }).toEqual(before);
};

describe.each(holdings)('a fleet held by %s', (holding) => {
  test('does not change when its state table is restored to an hour ago or to the middle of a storm, or is lost', () =>
    withFleet({ holding, spot: 8, policy: { rebalance: { act: true } } }, async (fleet) => {
      const anHourAgo = await fleet.sandbox.items('state');
      fleet.warn(3);
      await fleet.until('a launch is under way', async () => (await fleet.state())?.reservations?.length);
      const inTheStorm = await fleet.sandbox.items('state');
      await anHour(fleet);
      await fleet.settles(6);
      for (const items of [anHourAgo, inTheStorm, []]) {
        await fleet.overwrite('state', items);
        await unchanged(fleet);
      }
      fleet.sandbox.world.kill(fleet.ids()[0] ?? '');
      await fleet.settles(6);
      expect(await fleet.state()).toMatchObject({ desired: 6 });
    }));

  test('keeps the size that alarms gave it when the state table is lost or an hour old', () =>
    withFleet(
      { holding, spot: 8, size: { min: 2, max: 12, desired: 4 }, max: 12, policy: { scaling: [{ alarm: 'busy', adjust: '+3', cooldown: '2m' }] } },
      async (fleet) => {
        const old = await fleet.sandbox.items('state');
        await fleet.minutes(30);
        fleet.alarm('busy');
        await fleet.settles(7);
        await fleet.overwrite('state', old);
        await unchanged(fleet, 7);
        await fleet.overwrite('state', []);
        await unchanged(fleet, 7);
      },
    ));

  test('comes to size when the state table is lost in the middle of a storm', () =>
    withFleet({ holding, spot: 8 }, async (fleet) => {
      fleet.warn(3);
      await fleet.minutes(0.5);
      await fleet.overwrite('state', []);
      await fleet.settles(6);
      expect(fleet.mostAtOnce()).toBeLessThanOrEqual(6 + 3 + 3);
    }));

  test('follows the older policy when the groups table is restored, and the next one that is written', () =>
    withFleet({ holding, spot: 8, size: 4, max: 12 }, async (fleet) => {
      const old = await fleet.sandbox.items('groups');
      await fleet.put({ size: 7 });
      await fleet.settles(7);
      await fleet.overwrite('groups', old);
      await fleet.settles(4);
      await fleet.put({ size: 6 });
      await fleet.settles(6);
    }));
});

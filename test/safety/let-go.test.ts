import { describe, expect, test } from 'vitest';
import { holdings } from '../sim/worlds.ts';
import { type Fleet, withFleet } from './fleet.ts';

const status = async (fleet: Fleet): Promise<unknown> =>
  (await fleet.sandbox.items('groups')).find(({ group, item }) => group === 'web' && item === 'status')?.status;

const letGo = async (fleet: Fleet): Promise<void> => {
  await fleet.deletePolicy();
  await fleet.until('the group is let go', async () => (await status(fleet)) === 'let-go');
};

const callsSince = (fleet: Fleet, sinceMs: number, operations: readonly string[]): readonly string[] =>
  fleet.sandbox.callLog
    .calls({ sinceMs })
    .filter(({ caller, operation }) => fleet.functionRoles.includes(caller) && operations.includes(operation))
    .map(({ operation }) => operation);

const launching = ['CreateFleet', 'LaunchInstances'];
const ending = ['TerminateInstances', 'TerminateInstanceInAutoScalingGroup'];

describe.each(holdings)('a group held by %s that is deleted in a storm', (holding) => {
  test('launches and ends nothing more, and its drains come to an end', () =>
    withFleet({ holding, spot: 8 }, async (fleet) => {
      fleet.warn(2);
      await fleet.until('a drain runs', () => fleet.sandbox.executions().some(({ status: now }) => now === 'RUNNING'));
      await letGo(fleet);
      await fleet.minutes(0.1);
      const [letGoAtMs, drains] = [fleet.sandbox.clock.now(), fleet.sandbox.executions().length];
      fleet.warn(1);
      await fleet.minutes(15);
      expect(callsSince(fleet, letGoAtMs, [...launching, ...ending])).toEqual([]);
      expect(fleet.sandbox.executions().map(({ status: now }) => now)).toEqual(Array.from({ length: drains }, () => 'SUCCEEDED'));
      expect((await fleet.swaps()).filter(({ state }) => state === 'leaving' || state === 'draining')).toEqual([]);
    }));

  test('adopts its instances when it is made again, and comes to its size', () =>
    withFleet({ holding, spot: 8 }, async (fleet) => {
      fleet.warn(2);
      await fleet.minutes(0.5);
      await letGo(fleet);
      await fleet.minutes(5);
      const [kept, launched] = [fleet.ids(), fleet.launched()];
      await fleet.put();
      await fleet.settles(6);
      expect(fleet.launched() - launched).toBe(Math.max(0, 6 - kept.length));
      expect(kept.filter((id) => fleet.ids().includes(id))).toHaveLength(Math.min(6, kept.length));
    }));
});

test('a group made again with another size follows that size', () =>
  withFleet({ holding: 'tag', spot: 8 }, async (fleet) => {
    await letGo(fleet);
    await fleet.put({ size: 4 });
    await fleet.settles(4);
  }));

test('a group made again with the same size begins at that size, whatever alarms had made of it', () =>
  withFleet(
    { holding: 'tag', spot: 8, size: { min: 2, max: 12, desired: 4 }, policy: { scaling: [{ alarm: 'busy', adjust: '+3', cooldown: '2m' }] } },
    async (fleet) => {
      fleet.alarm('busy');
      await fleet.settles(7);
      await letGo(fleet);
      await fleet.minutes(2);
      await fleet.put();
      await fleet.settles(4);
    },
  ));

describe('a maximum size that was raised for a group that is let go', () => {
  const asg = (fleet: Fleet) => fleet.sandbox.world.snapshot().autoScalingGroups.find(({ name }) => name === 'web-asg');
  const raised = async (fleet: Fleet): Promise<unknown> => [asg(fleet)?.max, (await fleet.state())?.raised];
  const raisedFleet = (script: (fleet: Fleet) => Promise<void>) =>
    withFleet({ holding: 'attach', spot: 8, size: 6 }, async (fleet) => {
      fleet.warn(2);
      await fleet.until('replacements have joined', () => asg(fleet)?.desired === 8);
      await script(fleet);
    });

  test('is put back once those that leave have left', () =>
    raisedFleet(async (fleet) => {
      await fleet.until('they have left', () => asg(fleet)?.desired === 6);
      await letGo(fleet);
      await fleet.minutes(1);
      expect(await raised(fleet)).toEqual([6, []]);
    }));

  test('stays while its Auto Scaling group holds more, and is put back when the group is made again', () =>
    raisedFleet(async (fleet) => {
      await letGo(fleet);
      await fleet.minutes(15);
      expect(await raised(fleet)).toMatchObject([8, [{ asg: 'web-asg', fromMax: 6, toMax: 8 }]]);
      await fleet.put();
      await fleet.settles(6);
      expect(await raised(fleet)).toEqual([6, []]);
    }));
});

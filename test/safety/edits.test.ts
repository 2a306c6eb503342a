import { describe, expect, test } from 'vitest';
import { withArns } from '../../sandbox/scenario/perform.ts';
import { type Fleet, type Item, withFleet } from './fleet.ts';

const asg = (fleet: Fleet, named: string) => fleet.sandbox.world.snapshot().autoScalingGroups.find(({ name }) => name === named);
const without = (map: unknown, name: string): Item => Object.fromEntries(Object.entries(map as Item).filter(([key]) => key !== name));

/** A second Auto Scaling group beside the first, empty. */
const makeAsg = (fleet: Fleet, name: string): Promise<unknown> =>
  fleet.operate(
    'autoscaling',
    'CreateAutoScalingGroup',
    withArns(fleet.sandbox as never, {
      AutoScalingGroupName: name,
      MinSize: 0,
      MaxSize: 6,
      DesiredCapacity: 0,
      VPCZoneIdentifier: 'subnet-a,subnet-b,subnet-c',
      LaunchTemplate: { LaunchTemplateName: 'web' },
      TargetGroupARNs: [`\${targetGroup:web}`],
    }) as Item,
  );

const twoMoreSpotPools = { tiered: [{ spread: ['spot-b', 'spot-c'] }, { spread: ['od-b', 'od-c'] }] };

describe('a pool that the policy drops', () => {
  test('keeps its members: they count, and are drained and replaced when EC2 takes them', () =>
    withFleet({ holding: 'launch-instances', spot: 8 }, async (fleet) => {
      const inA = fleet.members('web', { zone: 'eu-west-1a' }).map(({ id }) => id);
      expect(inA).toHaveLength(2);
      await fleet.put({ capacity: twoMoreSpotPools, pools: without(fleet.setting.policy.pools, 'spot-a') });
      await fleet.minutes(3);
      expect([fleet.ids().length, fleet.launched()]).toEqual([6, 6]);
      fleet.sandbox.world.interrupt(inA, { noticeMs: 120_000 });
      await fleet.settles(6);
      expect(fleet.launched()).toBe(8);
      for (const instance of inA)
        expect((await fleet.swaps()).find((swap) => swap.instance === instance)).toMatchObject({ drainStartedAtMs: expect.any(Number) });
      expect(asg(fleet, 'spot-a')).toMatchObject({ desired: 0, max: 20, instances: [] });
      expect((await fleet.state())?.holders).not.toContain('spot-a');
    }));

  test('loses its members first when the group shrinks', () =>
    withFleet({ holding: 'launch-instances', spot: 8, size: { min: 2, max: 12, desired: 6 } }, async (fleet) => {
      const edit = { capacity: twoMoreSpotPools, pools: without(fleet.setting.policy.pools, 'spot-a') };
      await fleet.put(edit);
      await fleet.minutes(1);
      await fleet.put({ ...edit, size: { min: 2, max: 12, desired: 4 } });
      await fleet.settles(4);
      expect(fleet.members('web', { zone: 'eu-west-1a' })).toEqual([]);
      expect(fleet.launched()).toBe(6);
    }));
});

describe('an Auto Scaling group that the policy moves away from', () => {
  test('has its members replaced launch-first, a few at a time, down to its minimum', () =>
    withFleet({ holding: 'attach', spot: 12 }, async (fleet) => {
      await makeAsg(fleet, 'next-asg');
      await fleet.put({ asg: 'next-asg' });
      const least: number[] = [];
      const watch = (): void => {
        least.push(fleet.serving());
        fleet.sandbox.clock.after(1_000, watch);
      };
      watch();
      await fleet.until('its minimum alone is left', () => asg(fleet, 'web-asg')?.desired === 2, 30);
      await fleet.settles(6, 30);
      expect(Math.min(...least)).toBe(6);
      expect(fleet.mostAtOnce()).toBeLessThanOrEqual(9);
      expect([fleet.launched(), asg(fleet, 'web-asg')?.max, asg(fleet, 'next-asg')?.desired]).toEqual([10, 6, 4]);
      expect((await fleet.swaps()).map(({ reason, state }) => [reason, state])).toEqual(Array.from({ length: 4 }, () => ['moved', 'gone']));
    }));

  test('keeps those that wait when the policy comes back to it', () =>
    withFleet({ holding: 'attach', spot: 12, min: 0 }, async (fleet) => {
      await makeAsg(fleet, 'next-asg');
      await fleet.put({ asg: 'next-asg' });
      await fleet.until('some are to be moved', async () => (await fleet.swaps()).some(({ reason }) => reason === 'moved'));
      await fleet.put();
      await fleet.settles(6, 30);
      expect(fleet.launched()).toBeLessThanOrEqual(9);
      expect(asg(fleet, 'web-asg')?.desired).toBeGreaterThanOrEqual(3);
    }));

  test('is left by members that Holdfast is to keep by itself, without any Auto Scaling group', () =>
    withFleet({ holding: 'attach', spot: 12, min: 0 }, async (fleet) => {
      const { asg: _asg, ...policy } = fleet.setting.policy;
      await fleet.putPolicy({ ...policy, drain: { timeout: '30s', loadBalancers: [`\${targetGroup:web}`] } });
      await fleet.until('it is empty', () => asg(fleet, 'web-asg')?.desired === 0, 30);
      await fleet.settles(6, 30);
      expect([fleet.launched(), asg(fleet, 'web-asg')?.max]).toEqual([12, 6]);
      expect((await fleet.state())?.holders ?? []).toEqual([]);
    }));

  test('has its maximum put back', () =>
    withFleet({ holding: 'attach', spot: 12 }, async (fleet) => {
      await makeAsg(fleet, 'next-asg');
      fleet.warn(2);
      await fleet.until('its maximum is raised', () => asg(fleet, 'web-asg')?.max === 8);
      await fleet.put({ asg: 'next-asg' });
      await fleet.settles(6, 30);
      expect([asg(fleet, 'web-asg')?.max, asg(fleet, 'next-asg')?.max, (await fleet.state())?.raised]).toEqual([6, 6, []]);
    }));
});

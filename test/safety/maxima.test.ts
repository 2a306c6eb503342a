import { expect, test } from 'vitest';
import { type Fleet, withFleet } from './fleet.ts';

const asg = (fleet: Fleet, named = 'web-asg') => fleet.sandbox.world.snapshot().autoScalingGroups.find(({ name }) => name === named);

test('a maximum is put back although the last raise that was noted never came about', () =>
  withFleet({ holding: 'attach', spot: 12 }, async (fleet) => {
    fleet.warn(2);
    await fleet.until('replacements have joined', () => asg(fleet)?.max === 8);
    fleet.addFaults([{ on: 'call', kind: 'throttle', match: { operation: 'UpdateAutoScalingGroup' } }]);
    fleet.warn(1);
    await fleet.until('a higher maximum is noted', async () => (await fleet.state())?.raised.some(({ toMax }) => toMax > 8));
    expect(asg(fleet)?.max).toBe(8);
    await fleet.minutes(3);
    fleet.sandbox.faults.clear();
    await fleet.settles(6);
    expect([asg(fleet)?.max, (await fleet.state())?.raised]).toEqual([6, []]);
  }));

test("an owner's own change of a maximum that was raised is the owner's, and stays", () =>
  withFleet({ holding: 'attach', spot: 12 }, async (fleet) => {
    fleet.warn(2);
    await fleet.until('replacements have joined', () => asg(fleet)?.max === 8);
    await fleet.operate('autoscaling', 'UpdateAutoScalingGroup', { AutoScalingGroupName: 'web-asg', MaxSize: 15 });
    await fleet.settles(6);
    expect([asg(fleet)?.max, (await fleet.state())?.raised]).toEqual([15, []]);
  }));

test('a maximum that the size has outgrown is lowered when the size becomes smaller', () =>
  withFleet({ holding: 'attach', spot: 12 }, async (fleet) => {
    await fleet.put({ size: { min: 2, max: 12, desired: 10 } });
    await fleet.settles(10);
    await fleet.minutes(4);
    expect(asg(fleet)?.max).toBe(10);
    await fleet.put({ size: { min: 2, max: 12, desired: 8 } });
    await fleet.settles(8);
    await fleet.minutes(4);
    expect([asg(fleet)?.max, asg(fleet)?.desired, (await fleet.state())?.raised]).toMatchObject([8, 8, [{ fromMax: 6, toMax: 8 }]]);
    await fleet.put({ size: { min: 2, max: 12, desired: 5 } });
    await fleet.settles(5);
    expect([asg(fleet)?.max, (await fleet.state())?.raised]).toEqual([6, []]);
  }));

const pools = ['spot-a', 'spot-b', 'spot-c', 'od-b', 'od-c'];
const setMaxima = async (fleet: Fleet, MaxSize: number): Promise<void> => {
  for (const AutoScalingGroupName of pools) await fleet.operate('autoscaling', 'UpdateAutoScalingGroup', { AutoScalingGroupName, MaxSize });
};
const loseZone = (fleet: Fleet): void => {
  fleet.sandbox.world.setOffering({ instanceType: 'm7g.large', zone: 'eu-west-1a', market: 'spot' }, { capacity: 0, reclaim: { noticeMs: 120_000 } });
};

test('pools that are Auto Scaling groups stay within the maxima of their owners while others have room', () =>
  withFleet({ holding: 'launch-instances', spot: 12 }, async (fleet) => {
    await setMaxima(fleet, 2);
    loseZone(fleet);
    await fleet.settles(6);
    expect(pools.map((name) => [asg(fleet, name)?.max, asg(fleet, name)?.desired])).toEqual([
      [2, 0],
      [2, 2],
      [2, 2],
      [2, 1],
      [2, 1],
    ]);
    expect((await fleet.state())?.raised).toEqual([]);
  }));

test('where no pool has room the size is held beyond their maxima, and these are put back once members have left', () =>
  withFleet(
    {
      holding: 'launch-instances',
      spot: 12,
      size: { min: 2, max: 12, desired: 6 },
      policy: { capacity: { spread: ['spot-a', 'spot-b', 'spot-c'] } },
    },
    async (fleet) => {
      await setMaxima(fleet, 2);
      loseZone(fleet);
      await fleet.settles(6);
      expect(pools.slice(0, 3).map((name) => asg(fleet, name)?.max)).toEqual([2, 3, 3]);
      await fleet.put({ size: { min: 2, max: 12, desired: 4 } });
      await fleet.settles(4);
      expect(pools.slice(0, 3).map((name) => asg(fleet, name)?.max)).toEqual([2, 2, 2]);
    },
  ));

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

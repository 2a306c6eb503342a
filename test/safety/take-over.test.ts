import { expect, test } from 'vitest';
import { withFleet } from './fleet.ts';

test('an Auto Scaling group that was refused is taken over before anything is launched in its place', () =>
  withFleet({ holding: 'launch-instances' }, async (fleet) => {
    const [dead] = fleet.members('web', { market: 'spot' });
    const sinceMs = fleet.sandbox.clock.now();
    fleet.sandbox.world.setOffering({ instanceType: 'm7g.large', zone: dead?.zone as string, market: 'spot' }, { capacity: 0 });
    fleet.sandbox.world.kill(dead?.id as string);
    await fleet.settles(6);
    const calls = fleet.sandbox.callLog.calls({ sinceMs }).filter(({ caller }) => fleet.functionRoles.includes(caller));
    const changes = calls.map(({ operation }) => operation).filter((one) => one === 'UpdateAutoScalingGroup' || one === 'LaunchInstances');
    expect(changes.slice(0, 2)).toEqual(['UpdateAutoScalingGroup', 'LaunchInstances']);
    expect(changes.slice(2)).not.toContain('UpdateAutoScalingGroup');
    expect(fleet.launched()).toBe(7);
  }));

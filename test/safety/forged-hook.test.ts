import { expect, test } from 'vitest';
import { type Fleet, withFleet } from './fleet.ts';

const asg = 'web-asg';
const namedTargets = (fleet: Fleet) => fleet.sandbox.world.snapshot().instances.map(({ id, targets }) => [id, targets] as const);

const forgeHook = ({ sandbox }: Fleet, instance: string): void =>
  void sandbox.emitEvent({
    source: 'aws.autoscaling',
    'detail-type': 'EC2 Instance-terminate Lifecycle Action',
    detail: {
      LifecycleActionToken: '87654321-4321-4321-4321-210987654321',
      AutoScalingGroupName: asg,
      LifecycleHookName: 'drain',
      EC2InstanceId: instance,
      LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
    },
  });

test('a terminating hook of a member that its Auto Scaling group keeps is dropped, and the member serves on', () =>
  withFleet({ holding: 'attach' }, async (fleet) => {
    const [ids, launched, targets] = [fleet.ids(), fleet.launched(), namedTargets(fleet)];
    forgeHook(fleet, ids[0] as string);
    await fleet.minutes(0.1);
    expect(await fleet.swaps()).toMatchObject([{ instance: ids[0], reason: 'hook' }]);
    await fleet.minutes(10);
    await fleet.settles(6);
    expect(fleet.ids()).toEqual(ids);
    expect(fleet.launched()).toBe(launched);
    expect(namedTargets(fleet)).toEqual(targets);
    expect(fleet.sandbox.executions()).toHaveLength(1);
  }));

test('what is dropped does not get in the way of a later warning', () =>
  withFleet({ holding: 'attach' }, async (fleet) => {
    const [first] = fleet.members('web', { market: 'spot' });
    forgeHook(fleet, first?.id as string);
    await fleet.minutes(3);
    fleet.warn(1);
    await fleet.minutes(3);
    await fleet.settles(6);
    expect(await fleet.swaps()).toContainEqual(expect.objectContaining({ instance: first?.id, reason: 'interruption', state: 'gone' }));
  }));

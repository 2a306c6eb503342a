import { describe, expect, it } from 'vitest';
import { randomSituation } from './random-situation.ts';
import type { Situation } from './situation.ts';

const worlds = Array.from({ length: 200 }, (_, index) => randomSituation(index + 1, { profile: 'small' }));

/** The Auto Scaling groups to which members are attached. */
const attachedIn = ({ spec, policies }: Situation) => {
  const named = new Set(policies.map(({ asg }) => asg));
  return spec.autoScalingGroups.filter(({ name }) => named.has(name));
};
const holding = worlds.filter((world) => attachedIn(world).length > 0);
const share = (which: (world: Situation) => boolean): number => holding.filter(which).length / holding.length;

describe('of the worlds whose members are attached to an Auto Scaling group', () => {
  it('some have no room above its size, and most have', () => {
    const tight = share((world) => attachedIn(world).some(({ max, desired }) => max === desired));
    expect(tight).toBeGreaterThan(0.15);
    expect(tight).toBeLessThan(0.6);
  });

  it('some have a terminating hook, and some have two', () => {
    const hooks = (world: Situation): number => Math.max(...attachedIn(world).map((asg) => asg.hooks?.length ?? 0));
    expect(share((world) => hooks(world) === 1)).toBeGreaterThan(0.05);
    expect(share((world) => hooks(world) === 2)).toBeGreaterThan(0.05);
    expect(share((world) => hooks(world) === 0)).toBeGreaterThan(0.3);
  });

  it('none has a maximum below its size', () => {
    for (const world of worlds)
      for (const { max, desired, min } of world.spec.autoScalingGroups) expect(max).toBeGreaterThanOrEqual(Math.max(desired, min));
  });
});

describe('calls that fail after EC2 took somebody', () => {
  it('are of each part of the work in some of 200 worlds', () => {
    const failing = new Set(
      worlds.flatMap(({ faults = [] }) => faults.flatMap((fault) => (fault.on === 'call' ? (fault.match?.operation ?? []) : []))),
    );
    for (const operation of [
      'DeregisterTargets',
      'TerminateInstanceInAutoScalingGroup',
      'TerminateInstances',
      'RegisterTargets',
      'UpdateAutoScalingGroup',
    ])
      expect(failing).toContain(operation);
  });
});

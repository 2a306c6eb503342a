import type { AutoScalingGroupSpec } from '../../sandbox/world/spec.ts';
import type { DrawnWorld } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import { holdingOf } from './random-terms.ts';

/** A share of the worlds whose members are attached to an Auto Scaling group. */
const share = 0.5;
/** A hook holds an instance for some minutes, and a maximum is put back once the members have left that are replaced. */
const overWithinMs = 1_500_000;

/** One or two terminating hooks, with time-outs of their own. */
const hooksOf = (draw: Draw): NonNullable<AutoScalingGroupSpec['hooks']> =>
  ['drain', 'logs'].slice(0, draw.between(1, 2)).map((name) => ({
    name,
    transition: 'terminating',
    heartbeatSeconds: draw.one([60, 120, 300]),
    defaultResult: draw.one(['CONTINUE', 'ABANDON'] as const),
  }));

const isPlain = ({ hooks = [], warmPool }: AutoScalingGroupSpec): boolean => hooks.length === 0 && warmPool === undefined;

/**
 * The world in which the owner of an Auto Scaling group left no room above its size, or put hooks on it. Each replacement raises the maximum then, and
 * each member that leaves waits on its hooks.
 */
export const withTightGroups = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const named = new Set(world.policies.flatMap((policy) => (holdingOf(policy) === 'attach' ? [String(policy.asg)] : [])));
  if (named.size === 0 || !draw.chance(share)) return world;
  const [isTight, hasHooks] = draw.one([
    [true, false],
    [false, true],
    [true, true],
  ]);
  const hooks = hooksOf(draw);
  const changed = (asg: AutoScalingGroupSpec): AutoScalingGroupSpec => ({
    ...asg,
    ...(isTight && asg.desired >= asg.min && { max: Math.max(1, asg.desired) }),
    ...(hasHooks && isPlain(asg) && { hooks }),
  });
  return {
    ...world,
    spec: { ...world.spec, autoScalingGroups: world.spec.autoScalingGroups.map((asg) => (named.has(asg.name) ? changed(asg) : asg)) },
    restWithinMs: Math.max(world.restWithinMs, overWithinMs),
  };
};

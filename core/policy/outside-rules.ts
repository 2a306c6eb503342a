import { type Problem, problemOf, showFound } from './problem.ts';
import type { LookedUp, Steering } from './resolution.ts';
import type { Policy } from './schema.ts';

/** What the Auto Scaling group says that sets the size of the group. Undefined where the policy sets it. */
const steeringOf = ({ asg }: Policy, { asgs }: LookedUp): Steering | undefined =>
  asg !== undefined && Object.hasOwn(asgs, asg) ? asgs[asg]?.steering : undefined;

const minOf = ({ size }: Policy): number => (typeof size === 'number' ? size : size.min);

/** What cannot be held together with an Auto Scaling group whose size others set. */
export const steeringProblems = (policy: Policy, resolution: LookedUp): readonly Problem[] => {
  const steering = steeringOf(policy, resolution);
  if (steering === undefined) return [];
  const min = minOf(policy);
  return [
    ...(steering.rebalancesCapacity
      ? [
          problemOf({
            path: ['asg'],
            found: `${showFound(policy.asg)} with Capacity Rebalancing`,
            allowed:
              'an Auto Scaling group without it: Holdfast replaces members at risk (rebalance.act), and both would',
          }),
        ]
      : []),
    ...(steering.hasWarmPool
      ? [
          problemOf({
            path: ['asg'],
            found: `${showFound(policy.asg)} with a warm pool`,
            allowed: 'an Auto Scaling group without one: nothing is drawn from it while Holdfast replaces members',
          }),
        ]
      : []),
    ...(min > steering.min
      ? [
          problemOf({
            path: ['size', 'min'],
            found: showFound(min),
            allowed: `at most ${steering.min}, the minimum of Auto Scaling group ${policy.asg}: others set the size`,
          }),
        ]
      : []),
  ];
};

/** Members that end with a smaller size are drained by Holdfast only where a hook waits for it. */
export const steeringWarnings = (policy: Policy, resolution: LookedUp): readonly Problem[] =>
  steeringOf(policy, resolution)?.hasDrainHook === false
    ? [
        problemOf({
          path: ['asg'],
          found: `${showFound(policy.asg)} without one: members that leave with a smaller size are not drained`,
          allowed:
            'a terminating lifecycle hook: aws autoscaling put-lifecycle-hook ' +
            `--auto-scaling-group-name ${policy.asg} --lifecycle-hook-name drain ` +
            '--lifecycle-transition autoscaling:EC2_INSTANCE_TERMINATING',
        }),
      ]
    : [];

import { type Problem, problemOf, showFound } from './problem.ts';
import { asList, type Fields, fieldOf } from './reading.ts';
import type { LookedUp, Steering } from './resolution.ts';
import type { Policy } from './schema.ts';
import { sizeOf } from './size-of.ts';

/** Facts of the Auto Scaling group whose desired capacity is the size. Undefined where the policy sets the size. */
const steeringOf = ({ asg }: Policy, { asgs }: LookedUp): Steering | undefined =>
  Object.entries(asgs).find(([name]) => name === asg)?.[1].steering;

/** Problems of an Auto Scaling group whose size others set. */
export const steeringProblems = (policy: Policy, resolution: LookedUp): readonly Problem[] => {
  const steering = steeringOf(policy, resolution);
  if (steering === undefined) return [];
  const { min } = sizeOf(policy);
  return [
    ...(steering.rebalancesCapacity
      ? [
          problemOf({
            path: ['asg'],
            found: `${showFound(policy.asg)} with Capacity Rebalancing`,
            allowed:
              'an Auto Scaling group without it, because Holdfast itself replaces members at risk (rebalance.act)',
          }),
        ]
      : []),
    ...(steering.hasWarmPool
      ? [
          problemOf({
            path: ['asg'],
            found: `${showFound(policy.asg)} with a warm pool`,
            allowed: 'an Auto Scaling group without one, because Holdfast takes no replacement from it',
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

/** When the size shrinks, Holdfast can drain the members that leave only while a hook waits for it. */
const hookWarnings = ({ asg }: Policy, { hasDrainHook }: Steering): readonly Problem[] =>
  hasDrainHook
    ? []
    : [
        problemOf({
          path: ['asg'],
          found:
            `${showFound(asg)} without one: members that leave when the size shrinks are not drained. ` +
            `To add one: aws autoscaling put-lifecycle-hook --auto-scaling-group-name ${asg} ` +
            '--lifecycle-hook-name drain --lifecycle-transition autoscaling:EC2_INSTANCE_TERMINATING',
          allowed: 'an Auto Scaling group with a terminating lifecycle hook',
        }),
      ];

/** Others may set a size up to the maximum of the Auto Scaling group. */
const maximumWarnings = (policy: Policy, { max: most = 0 }: Steering): readonly Problem[] => {
  const { max } = sizeOf(policy);
  return max >= most
    ? []
    : [
        problemOf({
          path: ['size', 'max'],
          found: `${showFound(max)}: of a larger size that others set, Holdfast launches no more than ${max}`,
          allowed: `at least ${most}, the maximum of Auto Scaling group ${policy.asg}`,
        }),
      ];
};

/** A policy that is accepted although Holdfast cannot do all that its owner may expect. */
export const steeringWarnings = (policy: Policy, resolution: LookedUp): readonly Problem[] => {
  const steering = steeringOf(policy, resolution);
  return steering === undefined ? [] : [...hookWarnings(policy, steering), ...maximumWarnings(policy, steering)];
};

/** Fields that contradict a size that others set. */
export const outsideProblems = (document: Fields): readonly Problem[] => {
  const size = fieldOf(document, 'size');
  if (fieldOf(size, 'from') !== 'asg') return [];
  const [asg, desired] = [fieldOf(document, 'asg'), fieldOf(size, 'desired')];
  const [scaling, schedule] = [asList(fieldOf(document, 'scaling')), asList(fieldOf(document, 'schedule'))];
  return [
    ...(asg === undefined
      ? [
          problemOf({
            path: ['asg'],
            found: 'nothing',
            allowed: 'the Auto Scaling group whose desired capacity is the size (size.from: asg)',
          }),
        ]
      : []),
    ...(desired === undefined
      ? []
      : [
          problemOf({
            path: ['size', 'desired'],
            found: showFound(desired),
            allowed: 'no desired size: size.from: asg takes it from the Auto Scaling group',
          }),
        ]),
    ...(scaling.length === 0
      ? []
      : [
          problemOf({
            path: ['scaling'],
            found: `${scaling.length} alarms`,
            allowed: 'no alarms: with size.from: asg others set the size, for example scaling policies of the group',
          }),
        ]),
    ...(schedule.length === 0
      ? []
      : [
          problemOf({
            path: ['schedule'],
            found: `${schedule.length} times`,
            allowed: 'no schedule: with size.from: asg others set the size, for example scheduled actions of the group',
          }),
        ]),
  ];
};

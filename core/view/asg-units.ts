/**
 * What members count towards the sizes of their Auto Scaling group. Each counts as one, unless the owner gave instance
 * types weights (EC2 Auto Scaling User Guide, "Configure an Auto Scaling group to use instance weights").
 */

import type { AsgView, Member } from './view.ts';

/** What these instances count that an Auto Scaling group shows. */
export const unitsOf = ({ units = {} }: Pick<AsgView, 'units'>, instances: readonly string[]): number =>
  instances.reduce((sum, instance) => sum + (units[instance] ?? 1), 0);

/** What each of these members will count in an Auto Scaling group, by id, where that is not one. */
export const unitsEach = (
  { weights = {} }: Pick<AsgView, 'weights'>,
  members: readonly Member[],
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    members.flatMap(({ instance, offering }) => {
      const weight = weights[offering.instanceType];
      return weight === undefined ? [] : [[instance, weight]];
    }),
  );

/** What these members will count together once they are in an Auto Scaling group. */
export const unitsJoining = (asg: Pick<AsgView, 'weights'>, members: readonly Member[]): number =>
  unitsOf(
    { units: unitsEach(asg, members) },
    members.map(({ instance }) => instance),
  );

import type { Adjustment, ScalingRule, Size } from '../group/group.ts';

const stepOf = (current: number, { kind, by }: Adjustment): number => {
  const exact = kind === 'percent' ? (Math.abs(by) * current) / 100 : Math.abs(by);
  return Math.sign(by) * Math.max(1, Math.ceil(exact));
};

/**
 * The desired size after an alarm has acted. A percentage is taken of the present size and rounded away from zero, to
 * at least one instance. The result stays within the group's minimum and maximum.
 */
export const desiredAfterAdjustment = (current: number, adjustment: Adjustment, size: Size): number =>
  Math.min(size.max, Math.max(size.min, current + stepOf(current, adjustment)));

/**
 * The adjustment of an alarm for a distance of its metric from the threshold (value less threshold). If the distance is
 * unknown (a composite alarm, no data), or no step is reached, the first step applies.
 */
export const adjustmentAt = ({ adjust, steps }: ScalingRule, fromThreshold: number | undefined): Adjustment => {
  if (steps === undefined || fromThreshold === undefined) return adjust;
  const beyond = steps.side === 'above' ? fromThreshold : -fromThreshold;
  return steps.of.findLast((step) => step.beyond <= beyond)?.adjust ?? adjust;
};

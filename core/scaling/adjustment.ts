import type { Adjustment, ScalingRule, Size } from '../group/group.ts';

const stepOf = (current: number, { kind, by }: Adjustment): number => {
  if (by === 0) return 0;
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
 * What an alarm does when its metric is so far from its threshold: the value less the threshold. Where that is not
 * known (a composite alarm, no data), or no step is reached, the first step holds.
 */
export const adjustmentAt = ({ adjust, steps }: ScalingRule, fromThreshold: number | undefined): Adjustment => {
  if (steps === undefined || fromThreshold === undefined) return adjust;
  const beyond = steps.side === 'above' ? fromThreshold : -fromThreshold;
  return steps.of.findLast((step) => step.beyond <= beyond)?.adjust ?? adjust;
};

import { describe, expect, it } from 'vitest';
import { adjustmentAt, desiredAfterAdjustment } from '../../../core/scaling/adjustment.ts';

const size = { min: 2, max: 20, desired: 10 };
const percent = (by: number) => ({ kind: 'percent', by }) as const;
const instances = (by: number) => ({ kind: 'instances', by }) as const;

describe('an alarm adjusts the desired size', () => {
  it('by a number of instances', () => {
    expect(desiredAfterAdjustment(10, instances(3), size)).toBe(13);
    expect(desiredAfterAdjustment(10, instances(-3), size)).toBe(7);
  });

  it('by a share of the present size, rounded away from zero', () => {
    expect(desiredAfterAdjustment(10, percent(20), size)).toBe(12);
    expect(desiredAfterAdjustment(11, percent(20), size)).toBe(14);
    expect(desiredAfterAdjustment(11, percent(-20), size)).toBe(8);
  });

  it('by at least one instance, even from zero', () => {
    expect(desiredAfterAdjustment(3, percent(1), size)).toBe(4);
    expect(desiredAfterAdjustment(3, percent(-1), size)).toBe(2);
    expect(desiredAfterAdjustment(0, percent(50), { min: 0, max: 5, desired: 0 })).toBe(1);
  });

  it('never beyond the minimum and the maximum', () => {
    expect(desiredAfterAdjustment(19, percent(50), size)).toBe(20);
    expect(desiredAfterAdjustment(3, instances(-5), size)).toBe(2);
    expect(desiredAfterAdjustment(0, instances(1), size)).toBe(2);
    expect(desiredAfterAdjustment(50, instances(1), size)).toBe(20);
  });

  it('not at all by zero', () => {
    expect(desiredAfterAdjustment(10, percent(0), size)).toBe(10);
  });
});

describe('the step of an alarm', () => {
  const of = [
    { beyond: 0, adjust: instances(1) },
    { beyond: 10, adjust: instances(4) },
    { beyond: 50, adjust: percent(100) },
  ];
  const rule = { alarm: 'busy', adjust: instances(1), cooldownMs: 0 };
  const above = { ...rule, steps: { side: 'above', of } } as const;
  const below = { ...rule, steps: { side: 'below', of } } as const;

  it('is the farthest that its metric reaches', () => {
    const reached = [0, 9.99, 10, 49, 50, 500].map((distance) => adjustmentAt(above, distance));
    expect(reached).toEqual([of[0], of[0], of[1], of[1], of[2], of[2]].map((step) => step?.adjust));
    expect(adjustmentAt(below, -12)).toEqual(instances(4));
  });

  it('is the first one while the metric is on the other side of its threshold, or its distance is unknown', () => {
    expect(adjustmentAt(above, -60)).toEqual(instances(1));
    expect(adjustmentAt(below, 60)).toEqual(instances(1));
    expect(adjustmentAt(above, undefined)).toEqual(instances(1));
  });

  it('is the one adjustment of an alarm without steps, however far', () => {
    expect(adjustmentAt(rule, 500)).toEqual(instances(1));
  });
});

import { describe, expect, it } from 'vitest';
import { desiredAfterAdjustment } from '../../core/adjustment.ts';

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

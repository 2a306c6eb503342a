import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idealLastMs, isBoundByInstances, lowestPossible, neededCalls, requestableBy, type StormNeed, spreadOver } from '../../bench/many-need.ts';

const refusedZone = 'a';
const notice = { noticeMs: 120_000, drainMs: 30_000, readyMs: 50_000 };
const need = (more: Partial<StormNeed>): StormNeed => ({ fleetCalls: 0, asgCalls: 0, instances: 0, fixedMs: 3_000, ...more });

describe('launch calls that a group needs', () => {
  test('a lost zone of an even group: one is refused, two fill the others', () => {
    expect(neededCalls({ staying: { a: 0, b: 5, c: 5 }, missing: 5, refusedZone }, 'create-fleet')).toBe(3);
  });

  test('one missing member: one is refused, one fills', () => {
    expect(neededCalls({ staying: { a: 0, b: 1, c: 1 }, missing: 1, refusedZone }, 'create-fleet')).toBe(2);
  });

  test('a zone that the tree does not request from is not refused', () => {
    expect(neededCalls({ staying: { a: 9, b: 0, c: 2 }, missing: 2, refusedZone }, 'create-fleet')).toBe(1);
  });

  test('nothing missing needs nothing', () => {
    expect(neededCalls({ staying: { a: 3, b: 3, c: 3 }, missing: 0, refusedZone }, 'create-fleet')).toBe(0);
  });

  test('LaunchInstances gives a hundred a call', () => {
    expect(neededCalls({ staying: { a: 0, b: 0, c: 0 }, missing: 300, refusedZone }, 'launch-instances')).toBe(2 + 2 + 1);
  });

  test('an even spread leaves no zone two ahead of one that it filled', () => {
    const counts = fc.record({ a: fc.nat(20), b: fc.nat(20), c: fc.nat(20) });
    fc.assert(
      fc.property(counts, fc.nat(60), (staying, missing) => {
        const placed = spreadOver(['a', 'b', 'c'], { staying, missing, refusedZone });
        expect([...placed.values()].reduce((sum, count) => sum + count, 0)).toBe(missing);
        const after = (['a', 'b', 'c'] as const).map((zone) => ({
          count: staying[zone] + (placed.get(zone) ?? 0),
          grew: (placed.get(zone) ?? 0) > 0,
        }));
        const fewest = Math.min(...after.map(({ count }) => count));
        for (const { count, grew } of after) expect(grew ? count - fewest : 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('the earliest last request', () => {
  test('forty groups of three calls: fourteen seconds after the fixed path', () => {
    expect(idealLastMs(need({ fleetCalls: 120, instances: 195 }))).toBe(3_000 + 14_000);
  });

  test('what fits the buckets waits for none', () => {
    expect(idealLastMs(need({ fleetCalls: 50, asgCalls: 20, instances: 1_000 }))).toBe(3_000);
  });

  test('ten thousand instances take 75 minutes, whatever their calls', () => {
    expect(idealLastMs(need({ fleetCalls: 300, instances: 10_000 }))).toBe(3_000 + 75 * 60_000);
    expect(isBoundByInstances(need({ instances: 10_000 }))).toBe(true);
    expect(isBoundByInstances(need({ instances: 1_000 }))).toBe(false);
  });

  test('the slower of two ways to launch decides', () => {
    expect(idealLastMs(need({ fleetCalls: 60, asgCalls: 70 }))).toBe(3_000 + 10_000);
  });
});

describe('the fewest that can serve', () => {
  test('all of them, where everything is requested in time', () => {
    expect(lowestPossible(600, need({ fleetCalls: 180, instances: 600 }), notice)).toBe(600);
  });

  test('without those whose replacement is requested too late to serve before the drain', () => {
    const late = need({ fleetCalls: 300, instances: 10_000, fixedMs: 0 });
    expect(requestableBy(late, 40_000)).toBe(1_080);
    expect(lowestPossible(10_000, late, notice)).toBe(1_080);
  });

  test('nothing is requested before the fixed path is over', () => {
    expect(requestableBy(need({ fleetCalls: 1, instances: 10 }), 2_999)).toBe(0);
    expect(requestableBy(need({ fleetCalls: 1, instances: 10 }), 3_000)).toBe(10);
  });

  test('a slow bucket of calls gives their share of the instances', () => {
    expect(requestableBy(need({ fleetCalls: 100, instances: 400 }), 3_000)).toBe(200);
  });
});

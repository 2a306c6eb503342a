import { expect, test } from 'vitest';
import { createFaults } from '../../../sandbox/faults.ts';
import { createRandom } from '../../../sandbox/random.ts';

const warning = { source: 'aws.ec2', 'detail-type': 'EC2 Spot Instance Interruption Warning' };
const alarm = { source: 'aws.cloudwatch', 'detail-type': 'CloudWatch Alarm State Change' };
const still = { now: () => 0 };
const create = (clock = still) => createFaults({ random: createRandom(7), clock });

test('without faults an event is delivered once, at once', () => {
  expect(create().onEvent(warning)).toEqual([0]);
});

test('events of the named sources are dropped, others are not', () => {
  const faults = create();
  faults.add({ on: 'event', kind: 'drop', match: { source: ['aws.ec2', 'aws.autoscaling'] }, probability: 1 });
  expect([faults.onEvent(warning), faults.onEvent(alarm)]).toEqual([[], [0]]);
});

test('duplicates, delays and reordering add up', () => {
  const faults = create();
  faults.add({ on: 'event', kind: 'delay', delayMs: 1000 });
  faults.add({ on: 'event', kind: 'duplicate', copies: 2, withinMs: 500 });
  faults.add({ on: 'event', kind: 'reorder', withinMs: 100, match: { detailType: warning['detail-type'] } });
  const delays = faults.onEvent(warning);
  expect(delays).toHaveLength(3);
  expect(delays.every((delayMs) => delayMs >= 1000 && delayMs <= 1600)).toBe(true);
});

test('probability acts on about its share, the same with the same seed', () => {
  const lost = () => {
    const faults = create();
    faults.add({ on: 'event', kind: 'drop', probability: 0.3 });
    return Array.from({ length: 1000 }, () => faults.onEvent(warning).length).filter((copies) => copies === 0).length;
  };
  expect(lost()).toBe(lost());
  expect(lost()).toBeGreaterThan(250);
  expect(lost()).toBeLessThan(350);
});

test('nth and times count the matches since the fault was set', () => {
  const faults = create();
  const id = faults.add({ on: 'event', kind: 'drop', nth: 2 });
  expect([1, 2, 3].map(() => faults.onEvent(warning).length)).toEqual([1, 0, 1]);
  expect(faults.list()).toMatchObject([{ id, matched: 3, applied: 1 }]);
  expect([faults.remove(id), faults.remove(id)]).toEqual([true, false]);
  faults.add({ on: 'event', kind: 'drop', times: 1 });
  expect([1, 2].map(() => faults.onEvent(warning).length)).toEqual([0, 1]);
});

test('a message of a queue comes again, as often and as soon as the fault defines', () => {
  const faults = create();
  faults.add({ on: 'message', kind: 'duplicate', copies: 2, withinMs: 100, match: { queue: 'orders' }, nth: 1 });
  const [first, ...again] = faults.onMessage('orders');
  expect(first).toBe(0);
  expect(again).toHaveLength(2);
  expect(again.every((delayMs) => delayMs >= 0 && delayMs <= 100)).toBe(true);
  expect([faults.onMessage('orders'), faults.onMessage('others')]).toEqual([[0], [0]]);
});

test('a clock that jumped stays wrong until it jumps again, and is right when the fault is taken back', () => {
  const faults = create();
  expect(faults.onClock('react', 0)).toBe(0);
  const id = faults.add({ on: 'clock', kind: 'step', withinMs: 60_000, times: 2, match: { caller: 'react' } });
  const first = faults.onClock('react', 0);
  const second = faults.onClock('react', first);
  expect([first, second].every((ms) => ms !== 0 && Math.abs(ms) <= 60_000)).toBe(true);
  expect(second).not.toBe(first);
  expect([faults.onClock('react', second), faults.onClock('tick', 0)]).toEqual([second, 0]);
  faults.remove(id);
  expect(faults.onClock('react', second)).toBe(0);
});

test('a fault that is not understood is refused by name', () => {
  const faults = create();
  expect(() => faults.add({ on: 'call', kind: 'explode' } as never)).toThrow();
  expect(() => faults.add({ on: 'call', kind: 'throttle', match: { servce: 'ec2' } } as never)).toThrow(/servce/);
});

test('a fault with a time of its own acts then only, counted from when it was set', () => {
  let nowMs = 50_000;
  const faults = create({ now: () => nowMs });
  faults.add({ on: 'call', kind: 'throttle', match: { service: 'ec2' }, fromMs: 1_000, untilMs: 3_000 });
  const isThrottledAt = (atMs: number): boolean => {
    nowMs = atMs;
    return faults.onCall({ service: 'ec2', operation: 'CreateFleet', caller: { kind: 'operator' }, input: {} }).refuse !== undefined;
  };
  expect([50_000, 50_999, 51_000, 52_999, 53_000].map(isThrottledAt)).toEqual([false, false, true, true, false]);
});

test('a fault for launches leaves dry runs out, and does not count them', () => {
  const faults = create();
  faults.add({ on: 'call', kind: 'throttle', nth: 1, match: { operation: 'CreateFleet', dryRun: false } });
  faults.add({ on: 'call', kind: 'delay', delayMs: 5, match: { dryRun: true } });
  const fleet = (input: Readonly<Record<string, unknown>>) =>
    faults.onCall({ service: 'ec2', operation: 'CreateFleet', caller: { kind: 'operator' }, input });
  expect(fleet({ DryRun: true })).toEqual({ delayMs: 5 });
  expect(fleet({}).refuse).toBeDefined();
  expect(fleet({})).toEqual({ delayMs: 0 });
});

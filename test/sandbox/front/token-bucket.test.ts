import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTokenBucket } from '../../../sandbox/throttle/token-bucket.ts';

const bucketAt = (capacity: number, refillPerSecond: number) => {
  let nowMs = 1_000_000;
  const bucket = createTokenBucket({ capacity, refillPerSecond, clock: { now: () => nowMs } });
  return { bucket, pass: (ms: number) => (nowMs += ms) };
};

test('a bucket starts full and refuses when empty', () => {
  const { bucket } = bucketAt(3, 1);
  expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, true, false]);
});

test('a bucket refills with time and never above its capacity', () => {
  const { bucket, pass } = bucketAt(5, 2);
  expect(bucket.takeUpTo(5)).toBe(5);
  pass(499);
  expect(bucket.take()).toBe(false);
  pass(1);
  expect(bucket.take()).toBe(true);
  pass(60_000);
  expect(bucket.available()).toBe(5);
});

test('taking more than there is takes nothing', () => {
  const { bucket } = bucketAt(5, 1);
  expect(bucket.take(6)).toBe(false);
  expect(bucket.available()).toBe(5);
});

test('taking up to a number takes what is there', () => {
  const { bucket } = bucketAt(1000, 2);
  expect(bucket.takeUpTo(1500)).toBe(1000);
  expect(bucket.takeUpTo(10)).toBe(0);
});

test('a bucket that has rested is full', () => {
  const { bucket } = bucketAt(1000, 2);
  bucket.takeUpTo(900);
  bucket.fill();
  expect(bucket.takeUpTo(2000)).toBe(1000);
});

test('no sequence of takes gets more than the capacity plus what was refilled', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 0, max: 700 })),
      (capacity, refill, steps) => {
        const { bucket, pass } = bucketAt(capacity, refill);
        let [taken, elapsedMs] = [0, 0];
        for (const ms of steps) {
          pass(ms);
          elapsedMs += ms;
          taken += bucket.takeUpTo(3);
        }
        expect(taken).toBeLessThanOrEqual(capacity + (elapsedMs / 1000) * refill + 1e-6);
      },
    ),
  );
});

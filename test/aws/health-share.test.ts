import { describe, expect, test } from 'vitest';
import { countHealth, mayReadHealth, sayHealth, takeHealth } from '../../aws/providers/health-share.ts';
import { createFakeAws } from './fake-aws.ts';

const startMs = 1_000_000;

/** One environment, and its time. */
const environment = () => {
  const at = { nowMs: startMs };
  const reader = { elb: createFakeAws({}).elb, now: () => at.nowMs };
  return {
    reader,
    wait: (ms: number): void => {
      at.nowMs += ms;
    },
  };
};

describe('what one environment reads of target health', () => {
  test('is ten at once for looks over many groups, then what comes back with time', () => {
    const { reader, wait } = environment();
    expect([takeHealth(reader, 6), takeHealth(reader, 4), takeHealth(reader, 1)]).toEqual([true, true, false]);
    wait(400);
    expect([takeHealth(reader, 1), takeHealth(reader, 1)]).toEqual([true, false]);
  });

  test('a group with more target groups than that is read when all tokens are there', () => {
    expect(takeHealth(environment().reader, 30)).toBe(true);
  });

  test('pauses after a throttle, for twice as long after each that follows, and no longer than 16 s', () => {
    const { reader, wait } = environment();
    for (const pauseMs of [2_000, 4_000, 8_000, 16_000, 16_000]) {
      countHealth(reader, 1, true);
      wait(pauseMs - 1);
      expect([mayReadHealth(reader), takeHealth(reader, 1)]).toEqual([false, false]);
      wait(1);
      expect(mayReadHealth(reader)).toBe(true);
    }
    countHealth(reader, 1, false);
    countHealth(reader, 1, true);
    wait(2_000);
    expect(mayReadHealth(reader)).toBe(true);
  });

  test('is told to the budget of the account once, less what the bucket has got back', () => {
    const { reader, wait } = environment();
    countHealth(reader, 25, false);
    wait(1_000);
    expect([sayHealth(reader), sayHealth(reader)]).toEqual([15, 0]);
    countHealth(reader, 5, false);
    wait(60_000);
    expect(sayHealth(reader)).toBe(0);
  });

  test('of one environment is not that of another', () => {
    const [one, other] = [environment(), environment()];
    countHealth(one.reader, 1, true);
    expect(mayReadHealth(other.reader)).toBe(true);
  });
});

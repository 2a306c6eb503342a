import { expect, test } from 'vitest';
import { correctedClock } from '../../functions/runtime/clock.ts';

/** A clock that stands at this time. `passes`: time goes by. `isSet`: somebody sets it to a time. */
const clockAt = (atMs: number) => {
  let [ownMs, passedMs] = [atMs, 0];
  const clock = correctedClock({ now: () => ownMs, elapsedMs: () => 77 + passedMs });
  const passes = (ms: number): void => {
    ownMs += ms;
    passedMs += ms;
  };
  const isSet = (ms: number): void => {
    ownMs = ms;
  };
  return { clock, passes, isSet };
};

test('a clock that is behind the messages of an invocation is corrected, and one that is right is not', () => {
  const { clock, passes } = clockAt(1_000);
  expect(clock.now()).toBe(1_000);
  clock.begin({ atLeastMs: 61_000 });
  passes(500);
  expect(clock.now()).toBe(61_500);
  clock.begin({ atLeastMs: 400 });
  expect(clock.now()).toBe(1_500);
});

test('the time of an invocation runs evenly, however long it is not read', () => {
  const { clock, passes } = clockAt(1_000);
  clock.begin({ atLeastMs: 6_000 });
  let atMs = 6_000;
  for (const pauseMs of [1, 4_999, 5_000, 5_001, 20_000]) {
    passes(pauseMs);
    atMs += pauseMs;
    expect(clock.now()).toBe(atMs);
  }
});

test('a clock that is set during an invocation counts from the next one on', () => {
  for (const setTo of [500, 6_000, 90_000]) {
    const { clock, passes, isSet } = clockAt(1_000);
    clock.begin({ atLeastMs: 6_000 });
    isSet(setTo);
    passes(10);
    expect(clock.now()).toBe(6_010);
    clock.begin({ atLeastMs: 6_005 });
    expect(clock.now()).toBe(Math.max(6_005, setTo + 10));
  }
});

test('a clock that is ahead of the latest time at which an invocation can have begun is corrected too', () => {
  const { clock, passes, isSet } = clockAt(61_000);
  clock.begin({ atLeastMs: 1_000, atMostMs: 6_000 });
  passes(500);
  expect(clock.now()).toBe(6_500);
  isSet(3_000);
  clock.begin({ atLeastMs: 1_000, atMostMs: 6_000 });
  expect(clock.now()).toBe(3_000);
  isSet(500);
  clock.begin({ atLeastMs: 1_000, atMostMs: 6_000 });
  expect(clock.now()).toBe(1_000);
});

test('a clock that is ahead of the call of an invocation by more than a call takes is corrected by what is left of its time', () => {
  const { clock, passes, isSet } = clockAt(61_000);
  const begin = (deadlineMs: number, ownMs: number, atLeastMs = 1_000) => {
    isSet(ownMs);
    clock.begin({ atLeastMs, timed: { timeoutMs: 30_000, leftMs: () => deadlineMs - ownMs } });
    return clock.now();
  };
  expect(begin(32_000, 61_000)).toBe(7_000);
  passes(500);
  expect(clock.now()).toBe(7_500);
  expect([begin(32_000, 7_000), begin(32_000, 2_500), begin(32_000, 500)]).toEqual([7_000, 2_500, 1_000]);
  // The message was received later than that: a time-out that somebody made shorter says less than the message.
  expect(begin(12_000, 61_000, 9_000)).toBe(9_000);
});

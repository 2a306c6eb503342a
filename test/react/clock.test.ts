import { expect, test } from 'vitest';
import { correctedClock } from '../../functions/react/clock.ts';

const clockAt = (atMs: number) => {
  let own = atMs;
  const clock = correctedClock(() => own);
  const goesTo = (ms: number): void => {
    own = ms;
  };
  return { clock, goesTo };
};

test('a clock that is behind the messages of an invocation is corrected, until it is put right', () => {
  const { clock, goesTo } = clockAt(1_000);
  expect(clock.now()).toBe(1_000);
  clock.hear(61_000);
  goesTo(1_500);
  expect(clock.now()).toBe(61_500);
  goesTo(61_600);
  expect(clock.now()).toBe(61_600);
  goesTo(61_700);
  expect(clock.now()).toBe(61_700);
  clock.hear(60_000);
  expect(clock.now()).toBe(61_700);
});

test('a clock that stays behind is corrected for the whole invocation, and for the next one by its own messages', () => {
  const { clock, goesTo } = clockAt(1_000);
  clock.hear(6_000);
  for (let ms = 1_000; ms <= 15_000; ms += 500) {
    goesTo(ms);
    expect(clock.now()).toBe(ms + 5_000);
  }
  clock.hear(18_000);
  expect(clock.now()).toBe(18_000);
});

test('the time never runs backwards, however long it is not read', () => {
  for (const pauseMs of [1, 4_999, 5_000, 5_001, 20_000]) {
    const { clock, goesTo } = clockAt(1_000);
    clock.hear(6_000);
    goesTo(2_000);
    const before = clock.now();
    goesTo(2_000 + pauseMs);
    expect(clock.now()).toBeGreaterThanOrEqual(before);
  }
});

import { expect, test } from 'vitest';
import { correctedClock } from '../../functions/react/clock.ts';

test('a clock that is behind the messages of an invocation is corrected, until it is put right', () => {
  let own = 1_000;
  const clock = correctedClock(() => own);
  expect(clock.now()).toBe(1_000);
  clock.hear(61_000);
  own += 500;
  expect(clock.now()).toBe(61_500);
  own = 61_200;
  expect(clock.now()).toBe(61_200);
  clock.hear(60_000);
  expect(clock.now()).toBe(61_200);
});

import { expect, test } from 'vitest';
import { durationText } from '../../cli/time.ts';

test('a duration is shown in seconds, or in minutes and whole seconds', () => {
  const texts = [100, 8_400, 59_900, 59_960, 60_000, 119_700, 130_000].map(durationText);
  expect(texts).toEqual(['0.1 s', '8.4 s', '59.9 s', '1 min 0 s', '1 min 0 s', '2 min 0 s', '2 min 10 s']);
});

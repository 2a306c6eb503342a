import { describe, expect, it } from 'vitest';
import { type HeardLoss, stoppedUntil } from '../../sandbox/judge/losses.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const loss = (minute: number, livedMinutes: number, offering = 'm/a/spot'): HeardLoss => ({
  offering,
  atMs: minute * minuteMs,
  livedMs: livedMinutes * minuteMs,
});

describe('three losses of short lives within an hour stop all moves', () => {
  const until = (...losses: readonly HeardLoss[]) => stoppedUntil(losses, 50 * minuteMs);

  it('until the first of them is an hour old', () => {
    expect(until(loss(1, 1), loss(20, 14), loss(40, 14, 'm/b/spot'))).toBe(minuteMs + hourMs);
    expect(until(loss(1, 1), loss(20, 14))).toBe(0);
    expect(until(loss(1, 1), loss(20, 15), loss(40, 14, 'm/b/spot'))).toBe(0);
  });
  it('where none of them is one loss with a long life in the same offering', () => {
    const two = [loss(1, 1), loss(20, 14)];
    expect(until(...two, loss(40, 5), loss(40, 15))).toBe(0);
    expect(until(...two, loss(40, 15), loss(42, 5))).toBe(0);
    expect(until(...two, loss(40, 15), loss(43, 5))).toBe(minuteMs + hourMs);
    expect(until(...two, loss(40, 5), loss(40, 15, 'm/b/spot'))).toBe(minuteMs + hourMs);
  });
});

import { describe, expect, it } from 'vitest';
import { type HeardLoss, restMs, stoppedUntil } from '../../sandbox/judge/told/losses.ts';

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
  it('where each of them comes three minutes after the one before, in whatever offering', () => {
    const [one, two] = [loss(1, 1), loss(20, 14)];
    expect(until(one, two, loss(23, 14))).toBe(minuteMs + hourMs);
    expect(until(one, two, loss(22, 14, 'm/b/spot'))).toBe(0);
    // A row of them is one, however long it is.
    expect(until(...[20, 22, 24, 26, 28, 30].map((minute) => loss(minute, 1)))).toBe(0);
    // A look may have dated a loss later than its warning was received.
    expect(stoppedUntil([one, two, loss(24, 14)], 50 * minuteMs, minuteMs)).toBe(minuteMs + hourMs);
    expect(stoppedUntil([one, two, loss(23, 14)], 50 * minuteMs, minuteMs)).toBe(0);
  });
  it('where none of them is one loss with a long life in the same offering', () => {
    const two = [loss(1, 1), loss(20, 14)];
    expect(until(...two, loss(40, 5), loss(40, 15))).toBe(0);
    expect(until(...two, loss(40, 15), loss(42, 5))).toBe(0);
    expect(until(...two, loss(40, 15), loss(43, 5))).toBe(minuteMs + hourMs);
    expect(until(...two, loss(40, 5), loss(40, 15, 'm/b/spot'))).toBe(minuteMs + hourMs);
  });
});

describe('losses of one offering', () => {
  it('are two from three minutes on, so that the back-off doubles', () => {
    const rest = (secondMinute: number, slackMs = 0) => restMs([loss(1, 1), loss(secondMinute, 1)], minuteMs, slackMs) - secondMinute * minuteMs;
    expect(rest(3)).toBe(2 * minuteMs);
    expect(rest(4)).toBe(4 * minuteMs);
    expect(rest(4, minuteMs)).toBe(2 * minuteMs);
    expect(rest(5, minuteMs)).toBe(4 * minuteMs);
  });
});

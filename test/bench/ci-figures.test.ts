import { describe, expect, it } from 'vitest';
import { ciFiguresOf } from '../../bench/ci-figures.ts';

const hour = 3_600_000;
const usdPerHour = { spot: 1, 'on-demand': 3 };
const life = (market: 'spot' | 'on-demand', fromHour: number, untilHour?: number, warned = false) => ({
  market,
  zone: 'a',
  launchedAtMs: fromHour * hour,
  ...(untilHour !== undefined && { goneAtMs: untilHour * hour }),
  ...(warned && { warnedAtMs: fromHour * hour }),
});

describe('figures of a CI fleet', () => {
  const fleet = {
    lives: [life('spot', 0, 2, true), life('on-demand', 1)],
    wanted: [
      { atMs: 0, runners: 0 },
      { atMs: hour, runners: 2 },
      { atMs: 3 * hour, runners: 0 },
    ],
    serving: [
      { atMs: hour, serving: 1 },
      { atMs: 2 * hour, serving: 2 },
      { atMs: 3 * hour, serving: 1 },
    ],
    untilMs: 4 * hour,
    usdPerHour,
  };

  it('weigh what was wanted against what served and what ran', () => {
    expect(ciFiguresOf(fleet)).toEqual({
      servedPercent: 75,
      shortMinutes: 60,
      longestShortageMinutes: 60,
      costSharePercent: 91.7,
      usd: 11,
      launches: 2,
      interruptions: 1,
    });
  });

  it('count no runner without a job as served', () => {
    const serving = [{ atMs: 0, serving: 5 }];
    expect(ciFiguresOf({ ...fleet, serving })).toMatchObject({ servedPercent: 100, longestShortageMinutes: 0 });
  });
});

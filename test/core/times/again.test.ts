import { describe, expect, it } from 'vitest';
import { againAtMs, againInMs, drainAgainAtMs, failsSinceMs, isWorthALook, signalAgainAtMs } from '../../../core/times/again.ts';

it('the pause before a repeat grows with the time of failing, from 2 s to 45 s', () => {
  expect([0, 8_000, 20_000, 40_000, 600_000].map(againInMs)).toEqual([2_000, 2_000, 5_000, 10_000, 45_000]);
});

it('calls that failed a moment apart are repeated at the same time', () => {
  const nowMs = 1_000_001_000;
  const times = [60_000, 63_000, 70_000].map((ageMs) => againAtMs(nowMs, nowMs - ageMs));
  expect(new Set(times).size).toBe(1);
  expect(times.map((atMs) => atMs - nowMs)).toEqual([19_000, 19_000, 19_000]);
});

it('a repeat is never immediate, and the pause is at most one and a half times what the age gives', () => {
  for (let ageMs = 0; ageMs < 300_000; ageMs += 700)
    for (const nowMs of [1_000_000_000, 1_000_001_999, 1_000_009_300]) {
      const inMs = againAtMs(nowMs, nowMs - ageMs) - nowMs;
      expect(inMs).toBeGreaterThanOrEqual(2_000);
      expect(inMs).toBeLessThanOrEqual(1.5 * againInMs(ageMs));
    }
});

it('a repeat gets a look of its own only if that is well before the next tick', () => {
  const nowMs = 1_000_000_000;
  expect([-1, 0, 1, 39_999, 40_000].map((inMs) => isWorthALook(nowMs + inMs, nowMs))).toEqual([false, false, true, true, false]);
});

it('fails since its first failure, unless it has not failed for two minutes', () => {
  const nowMs = 1_000_000_000;
  const since = (untilMs: number) => nowMs - failsSinceMs({ sinceMs: nowMs - 300_000, untilMs }, nowMs);
  expect([nowMs + 5_000, nowMs, nowMs - 119_999, nowMs - 120_000].map(since)).toEqual([300_000, 300_000, 300_000, 0]);
  expect(failsSinceMs(undefined, nowMs)).toBe(nowMs);
  expect(failsSinceMs({ untilMs: nowMs }, nowMs)).toBe(nowMs);
});

describe('a signal that could not be acted on', () => {
  const nowMs = 1_000_000_000;
  const inSeconds = (ageS: number, fromMs = nowMs): number | undefined => {
    const atMs = signalAgainAtMs(fromMs, fromMs - 1_000 * ageS);
    return atMs && (atMs - fromMs) / 1_000;
  };
  it('comes again at the time of the queue while it is young, and then after a quarter of its age, two minutes at most', () => {
    expect([0, 60, 159.999, 160, 320, 480, 3_600].map((ageS) => inSeconds(ageS))).toEqual([undefined, undefined, undefined, 40, 80, 120, 120]);
  });
  it('comes again together with the others that wait', () => {
    expect([1, 19, 21, 39].map((s) => inSeconds(160, nowMs + 1_000 * s))).toEqual([39, 21, 59, 41]);
  });
});

describe('what fails in a drain', () => {
  const nowMs = 1_000_000_000;
  const inSeconds = (ageS: number, leftS?: number): number =>
    (drainAgainAtMs(nowMs, { sinceMs: nowMs - 1_000 * ageS, ...(leftS !== undefined && { endsByMs: nowMs + 1_000 * leftS }) }) - nowMs) / 1_000;
  it('is tried again after as long as it was wanted: after five seconds at least and two minutes at most', () => {
    expect([0, 4, 5, 40, 120, 3_600].map((ageS) => inSeconds(ageS))).toEqual([5, 5, 5, 40, 120, 120]);
  });
  it('costs few tries, however long it fails', () => {
    let [tries, ageS] = [0, 0];
    for (; ageS < 600; ageS += inSeconds(ageS)) tries += 1;
    expect(tries).toBe(10);
  });
  it('is tried more often as its time runs out, and never more often than each five seconds', () => {
    expect([400, 200, 80, 40, 10, 0].map((leftS) => inSeconds(100, leftS))).toEqual([50, 25, 10, 5, 5, 5]);
  });
});

it('a repeat is two seconds away at least, and takes the longest mark that its pause allows', () => {
  expect(againAtMs(999, 999)).toBe(2_999);
  expect(againAtMs(43_000, 3_000)).toBe(50_000);
});

import { describe, expect, it } from 'vitest';
import {
  answeredMoves,
  backsOffUntil,
  expectedLifeMs,
  flapsUntil,
  isCalmFrom,
  type Loss,
  movedWithin,
  pays,
  rememberLosses,
} from '../../../core/returning/memory.ts';
import { nowMs, reservation } from '../views.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const here = 'm7g.large/a/spot';
const there = 'm7g.large/b/spot';
const loss = (agoMs: number, livedMs = minuteMs, offering: Loss['offering'] = here): Loss => ({ offering, atMs: nowMs - agoMs, livedMs });

describe('interruptions are remembered', () => {
  it('for a day', () => {
    const [old, young] = [loss(24 * hourMs), loss(24 * hourMs - 1)];
    expect(rememberLosses([old, young], [], nowMs)).toEqual([young]);
  });

  it('once where EC2 took several within three minutes, by the longest life', () => {
    expect(rememberLosses([loss(10 * minuteMs, 5)], [loss(7 * minuteMs + 1, 9), loss(7 * minuteMs, 7, there)], nowMs)).toEqual([
      { ...loss(10 * minuteMs), livedMs: 9, latestMs: nowMs - 7 * minuteMs - 1 },
      loss(7 * minuteMs, 7, there),
    ]);
    expect(rememberLosses([loss(10 * minuteMs)], [loss(7 * minuteMs)], nowMs)).toHaveLength(2);
  });

  it('in the order of their times, where one is counted late', () => {
    const [early, late] = [loss(10 * minuteMs), loss(minuteMs)];
    expect(rememberLosses([late], [early], nowMs)).toEqual([early, late]);
  });

  it('five of each offering, and sixty of all', () => {
    const six = Array.from({ length: 6 }, (_, index) => loss((10 - index) * hourMs));
    expect(rememberLosses(six, [loss(30 * minuteMs, 1, there)], nowMs)).toEqual([...six.slice(1), loss(30 * minuteMs, 1, there)]);
    const many = Array.from({ length: 62 }, (_, index) => loss(hourMs - index, 1, `m${index}.large/a/spot`));
    expect(rememberLosses(many, [], nowMs)).toEqual(many.slice(-60));
  });
});

describe('no member moves to an offering', () => {
  const until = (...losses: readonly Loss[]) => backsOffUntil(losses, here, 10 * minuteMs) - nowMs;

  it('for twice as long with each interruption in a row before a move had paid', () => {
    expect(until(loss(hourMs))).toBe(-hourMs + 20 * minuteMs);
    expect(until(loss(2 * hourMs), loss(hourMs))).toBe(-hourMs + 40 * minuteMs);
    expect(until(loss(3 * hourMs, 15 * minuteMs), loss(hourMs, 15 * minuteMs - 1))).toBe(-hourMs + 20 * minuteMs);
    expect(until(...Array.from({ length: 5 }, () => loss(0)))).toBe(4 * hourMs);
  });

  it('counted from the latest of several interruptions that are one loss', () => {
    const [one] = rememberLosses([], [loss(hourMs), loss(hourMs - 2 * minuteMs), loss(hourMs - minuteMs)], nowMs);
    expect(one && until(one)).toBe(-hourMs + 22 * minuteMs);
    expect(one && isCalmFrom([{ ...one, livedMs: hourMs }], here, 10 * minuteMs)).toBe(nowMs - hourMs + 12 * minuteMs);
    expect(rememberLosses([], [loss(hourMs), loss(hourMs - 2 * minuteMs), loss(hourMs - 3 * minuteMs)], nowMs)).toHaveLength(2);
  });

  it('where the last had paid, or others were interrupted, at once', () => {
    expect(backsOffUntil([loss(2 * hourMs), loss(hourMs, 15 * minuteMs)], here, minuteMs)).toBe(0);
    expect(backsOffUntil([loss(hourMs, minuteMs, there)], here, minuteMs)).toBe(0);
  });

  it('to even out a while after any interruption there, and for a day after two anywhere', () => {
    const calm = (...losses: readonly Loss[]) => isCalmFrom(losses, here, 10 * minuteMs);
    expect(calm()).toBe(0);
    expect(calm(loss(hourMs, 5 * hourMs))).toBe(nowMs - hourMs + 10 * minuteMs);
    expect(calm(loss(hourMs, minuteMs))).toBe(nowMs - hourMs + 20 * minuteMs);
    expect(calm(loss(hourMs, 5 * hourMs, there))).toBe(0);
    expect(calm(loss(hourMs, 5 * hourMs, there), loss(3 * hourMs, 5 * hourMs, there))).toBe(nowMs - 3 * hourMs + 24 * hourMs);
    expect(calm(loss(hourMs, 5 * hourMs, there), loss(hourMs + 3 * minuteMs - 1, 5 * hourMs, there))).toBe(0);
    expect(calm(loss(hourMs, 5 * hourMs, there), loss(hourMs + 3 * minuteMs, 5 * hourMs, there))).toBe(nowMs - hourMs - 3 * minuteMs + 24 * hourMs);
  });

  it('nor to any other where three moves did not pay within an hour', () => {
    const three = [loss(50 * minuteMs), loss(40 * minuteMs, minuteMs, there), loss(30 * minuteMs)];
    expect(flapsUntil(three, nowMs)).toBe(nowMs + 10 * minuteMs);
    expect(flapsUntil([loss(55 * minuteMs), ...three], nowMs)).toBe(nowMs + 10 * minuteMs);
    expect(flapsUntil(three.slice(1), nowMs)).toBe(0);
    expect(flapsUntil([loss(hourMs), ...three.slice(1)], nowMs)).toBe(0);
    expect(flapsUntil([loss(50 * minuteMs, 15 * minuteMs), ...three.slice(1)], nowMs)).toBe(0);
    expect(flapsUntil([loss(41 * minuteMs), ...three.slice(1)], nowMs)).toBe(0);
  });
});

describe('a move', () => {
  it('is expected to last as long as those before it, or four hours', () => {
    expect(expectedLifeMs([loss(1, hourMs), loss(2, 3 * hourMs), loss(3, 9 * hourMs, there)], here)).toBe(2 * hourMs);
    expect(expectedLifeMs([loss(1, hourMs, there)], here)).toBe(4 * hourMs);
  });

  it('pays where it saves more than both cost for ten minutes', () => {
    expect([pays(0.06, 0.03, 30 * minuteMs), pays(0.06, 0.03, 30 * minuteMs + 1), pays(0.03, 0.06, 9 * hourMs)]).toEqual([false, true, false]);
  });

  it('counts for the time of the budget', () => {
    const move = (agoMs: number, count: number) => ({ reservation: 'r', atMs: nowMs - agoMs, leaving: [], count });
    expect(movedWithin([move(hourMs, 5), move(hourMs - 1, 2), move(0, 0), move(1, 1)], hourMs, nowMs)).toBe(3);
  });

  it('is as large as its launch, once that has a response', () => {
    const move = { reservation: 'r-1', atMs: nowMs, leaving: ['i-1', 'i-2'], count: 2 };
    const left = (...known: readonly ReturnType<typeof reservation>[]) => answeredMoves([move], ['r-1'], known);
    expect(left(reservation())).toEqual([move]);
    expect(left(reservation({ instances: ['n-1'] }))).toEqual([{ ...move, count: 1, leaving: ['i-1'] }]);
    expect([left(reservation({ instances: [] })), left()]).toEqual([[], []]);
    expect(answeredMoves([move], ['r-2'], [])).toEqual([move]);
  });
});

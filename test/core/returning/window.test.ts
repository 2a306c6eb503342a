import { describe, expect, it } from 'vitest';
import { isTimeZone, isWindowOpen, parseWindow } from '../../../core/returning/window.ts';

const isOpen = (text: string, at: string, timeZone = 'UTC'): boolean => {
  const window = parseWindow(text);
  if (window === undefined) throw new Error(`${text} is no window`);
  return isWindowOpen([window], timeZone, Date.parse(at));
};

describe('a window', () => {
  it('is open from its first minute to the one before its end', () => {
    const at = ['2024-05-06T09:59:59Z', '2024-05-06T10:00:00Z', '2024-05-06T11:59:59Z', '2024-05-06T12:00:00Z'];
    expect(at.map((time) => isOpen('10:00-12:00', time))).toEqual([false, true, true, false]);
  });

  it('over midnight belongs to the day on which it begins', () => {
    // 3 May 2024 is a Friday.
    const at = ['2024-05-03T21:59:00Z', '2024-05-03T22:00:00Z', '2024-05-04T05:59:00Z', '2024-05-04T06:00:00Z', '2024-05-04T22:30:00Z'];
    expect(at.map((time) => isOpen('mon-fri 22:00-06:00', time))).toEqual([false, true, true, false, false]);
  });

  it('of whole days ends with the last of them', () => {
    const at = ['2024-05-03T23:59:00Z', '2024-05-04T00:00:00Z', '2024-05-05T23:59:00Z', '2024-05-06T00:00:00Z'];
    expect(at.map((time) => isOpen('sat,sun 00:00-24:00', time))).toEqual([false, true, true, false]);
  });

  it('of days over the end of the week has them all', () => {
    expect(parseWindow('fri-mon 01:00-02:00')?.days).toEqual([0, 1, 5, 6]);
  });

  it('goes by its time zone, also when clocks change', () => {
    // Until 30 March 2024 Berlin is one hour ahead of UTC, from 31 March two hours.
    expect(isOpen('22:00-23:00', '2024-03-30T21:30:00Z', 'Europe/Berlin')).toBe(true);
    expect(isOpen('22:00-23:00', '2024-03-31T20:30:00Z', 'Europe/Berlin')).toBe(true);
    expect(isOpen('22:00-23:00', '2024-03-31T21:30:00Z', 'Europe/Berlin')).toBe(false);
  });

  it('is not read from other texts', () => {
    const texts = ['', '10-12', '24:00-06:00', '10:00-24:30', '10:00-10:00', 'monday 10:00-12:00', 'mon 10:00 - 12:00', 'mon,10:00-12:00'];
    expect(texts.map(parseWindow)).toEqual(texts.map(() => undefined));
  });
});

describe('windows', () => {
  it('begin and end at their minute, not at the hour', () => {
    const at = ['2024-05-06T10:29:00Z', '2024-05-06T10:30:00Z', '2024-05-06T12:14:00Z', '2024-05-06T12:15:00Z'];
    expect(at.map((time) => isOpen('10:30-12:15', time))).toEqual([false, true, true, false]);
    expect(parseWindow('10:30-12:15')).toEqual({ days: [0, 1, 2, 3, 4, 5, 6], fromMinute: 630, untilMinute: 735 });
  });

  it('are open while one of them is', () => {
    const windows = ['01:00-02:00', '03:00-04:00'].flatMap((text) => parseWindow(text) ?? []);
    const at = ['2024-05-06T01:30:00Z', '2024-05-06T02:30:00Z', '2024-05-06T03:30:00Z'];
    expect(at.map((time) => isWindowOpen(windows, 'UTC', Date.parse(time)))).toEqual([true, false, true]);
    expect(isWindowOpen([], 'UTC', 0)).toBe(false);
  });
});

describe('without a window', () => {
  it('members may move at any time', () => {
    expect(isWindowOpen(undefined, 'UTC', 0)).toBe(true);
  });
});

describe('a time zone', () => {
  it('is known by its IANA name', () => {
    expect(['UTC', 'Europe/Berlin', 'America/St_Johns', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, true, false, false]);
  });
});

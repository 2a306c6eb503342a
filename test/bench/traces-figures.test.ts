import { describe, expect, test } from 'vitest';
import { figuresOf, type Life } from '../../bench/traces-figures.ts';

const minute = 60_000;
const spot = { zone: 'a', market: 'spot', launchedAtMs: 0, servingAtMs: 2 * minute } as const satisfies Life;
const onDemand = { ...spot, market: 'on-demand' } as const satisfies Life;
const flat = {
  onDemand: { a: 3, b: 3 },
  spot: [
    { atMs: 0, zone: 'a', usdPerHour: 1 },
    { atMs: 0, zone: 'b', usdPerHour: 1 },
  ],
};
const hour = { fromMs: 0, toMs: 60 * minute, members: 1 };

describe('the figures of a trace', () => {
  test('of one spot member for an hour: a third of the price, and not available while it boots', () => {
    const figures = figuresOf([spot], [{ atMs: 2 * minute, serving: 1 }], flat, hour);
    expect(figures).toEqual({ availabilityPercent: 96.6667, costSharePercent: 33.33, launches: 1, interruptions: 0, returns: 0 });
  });

  test('leave the beginning out, of the time and of the cost', () => {
    const figures = figuresOf([spot], [{ atMs: 2 * minute, serving: 1 }], flat, { ...hour, fromMs: 2 * minute });
    expect(figures).toMatchObject({ availabilityPercent: 100, costSharePercent: 33.33 });
  });

  test('count each instance from its launch to its shutdown, and warned instances', () => {
    const taken = { ...spot, warnedAtMs: 28 * minute, goneAtMs: 30 * minute };
    const after = { ...onDemand, launchedAtMs: 29 * minute, servingAtMs: 31 * minute };
    const spans = [0, 1, 0, 1].map((serving, index) => ({ atMs: [0, 2, 30, 31][index]! * minute, serving }));
    // 30 minutes at 1 USD and 31 minutes at 3 USD, of 60 at 3 USD; 3 minutes short.
    expect(figuresOf([taken, after], spans, flat, hour)).toEqual({
      availabilityPercent: 95,
      costSharePercent: 68.33,
      launches: 2,
      interruptions: 1,
      returns: 0,
    });
  });

  test('follow the price of the zone while an instance runs', () => {
    const prices = {
      ...flat,
      spot: [...flat.spot, { atMs: 20 * minute, zone: 'b', usdPerHour: 3 }, { atMs: 30 * minute, zone: 'a', usdPerHour: 2 }],
    };
    const lives = [spot, { ...spot, zone: 'b', launchedAtMs: 10 * minute, goneAtMs: 30 * minute }];
    // Zone a: half an hour at 1 and half at 2. Zone b: ten minutes at 1 and ten at 3.
    expect(figuresOf(lives, [], prices, hour).costSharePercent).toBe(72.22);
  });

  test('compare with on-demand where it is cheapest', () => {
    expect(figuresOf([onDemand], [], { ...flat, onDemand: { a: 3, b: 2 } }, hour).costSharePercent).toBe(150);
  });

  test('count as returns the on-demand members that served and were ended by Holdfast', () => {
    const ended = { ...onDemand, goneAtMs: 40 * minute };
    const { servingAtMs: _, ...neverServed } = ended;
    expect(figuresOf([ended, neverServed, onDemand, { ...spot, goneAtMs: 40 * minute }], [], flat, hour).returns).toBe(1);
  });

  test('leave out what ended before the window or began after it', () => {
    const lives = [
      { ...spot, goneAtMs: 5 * minute },
      { ...spot, launchedAtMs: 70 * minute },
    ];
    expect(figuresOf(lives, [], flat, { ...hour, fromMs: 10 * minute }).costSharePercent).toBe(0);
  });
});

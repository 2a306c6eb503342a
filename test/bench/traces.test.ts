import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { playTrace } from '../../bench/traces.ts';
import { type PlayedRow, traceFiles } from '../../bench/traces-rows.ts';

/** An hour in which two of four members lose their zone after half of it, and no other zone has anything. */
const trace = {
  gapSeconds: 300,
  samples: 12,
  onDemandUsdHour: 3,
  pools: [
    { zone: 'one', rle: [2, 12] },
    { zone: 'two', rle: [2, 6, 0, 6] },
    { zone: 'three', rle: [0, 12] },
  ],
};

let folder: string;
beforeAll(async () => {
  await assemble();
  folder = await mkdtemp(join(tmpdir(), 'traces-'));
  await writeFile(join(folder, traceFiles['aws-1'].file), JSON.stringify(trace));
});
afterAll(() => rm(folder, { recursive: true }));

const row = { trace: 'aws-1', members: 4, tree: 'spread', spare: 0, prices: 'flat', drainS: 0, seed: 1 } as const satisfies PlayedRow;

/**
 * Reckoned by hand, over the 58 minutes that are measured: four at a third for 28 minutes, then two at a third and two at the full price for 30. Those two
 * begin at minute 28, with the warning, or a few seconds later: at the most two minutes of two members are paid beside those that they replace.
 */
const leastCost = (100 * ((28 * 4) / 3 + 30 * (2 / 3 + 2))) / (4 * 58);
const mostCost = leastCost + (100 * 2 * 2) / (4 * 58);

test('an hour of a trace is played through the stack, and costs what can be reckoned by hand', async () => {
  const figures = await playTrace(row, { folder });
  expect(Object.keys(figures)).toEqual([
    'trace',
    'members',
    'policy',
    'seed',
    'drainS',
    'days',
    'availabilityPercent',
    'costSharePercent',
    'launches',
    'interruptions',
    'returns',
    'wallS',
  ]);
  expect(figures).toMatchObject({ trace: 'aws-1', members: 4, policy: 'spread', seed: 1, drainS: 0, days: 0.04 });
  expect(figures).toMatchObject({ launches: 6, interruptions: 2, returns: 0 });
  expect(figures.costSharePercent).toBeGreaterThan(leastCost);
  expect(figures.costSharePercent).toBeLessThan(mostCost);
  // At most fifteen seconds short at the beginning, and as many from the end of the two until their replacements serve.
  expect(figures.availabilityPercent).toBeGreaterThan(100 - (100 * 30) / (58 * 60));
  expect(figures.wallS).toBeGreaterThan(0);
});

test('with a target group, a member that is taken off it serves no more: half a minute is missing', async () => {
  const { availabilityPercent } = await playTrace({ ...row, drainS: 30 }, { folder });
  expect(availabilityPercent).toBeLessThan(100 - (100 * 20) / (58 * 60));
  expect(availabilityPercent).toBeGreaterThan(100 - (100 * 90) / (58 * 60));
});

test('days are cut where that is wanted', async () => {
  const { days, launches, costSharePercent } = await playTrace(row, { folder, days: 0.02 });
  expect({ days, launches }).toEqual({ days: 0.02, launches: 4 });
  expect(costSharePercent).toBeCloseTo(100 / 3, 0);
});

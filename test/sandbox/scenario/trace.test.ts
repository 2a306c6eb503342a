import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTrace } from '../../../sandbox/scenario/trace.ts';

let directory: string;
let file: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trace-'));
  file = join(directory, 'trace.json');
  const pools = [
    { zone: 'one', rle: [4, 2, 0, 3, 4, 1] },
    { zone: 'two', rle: [1, 6] },
  ];
  await writeFile(file, JSON.stringify({ gapSeconds: 300, samples: 6, onDemandUsdHour: 3, spotUsdHourMean: { one: 1 }, pools }));
});
afterAll(() => rm(directory, { recursive: true }));
const read = (zones: Record<string, string>, fromSample: number, lastsMs: number) => readTrace({ file, zones, fromSample, lastsMs });

describe('a recorded trace', () => {
  it('becomes a change wherever the capacity of a zone changes, at its time', async () => {
    const { changes, onDemandUsdHour, spotUsdHour } = await read({ a: 'one', b: 'two' }, 0, 6 * 300_000);
    expect(changes).toEqual([
      { atMs: 0, zone: 'a', capacity: 4 },
      { atMs: 0, zone: 'b', capacity: 1 },
      { atMs: 600_000, zone: 'a', capacity: 0 },
      { atMs: 1_500_000, zone: 'a', capacity: 4 },
    ]);
    expect([onDemandUsdHour, spotUsdHour]).toEqual([3, { one: 1 }]);
  });

  it('begins where it is told, with the capacity of that moment', async () => {
    expect((await read({ a: 'one' }, 3, 6 * 300_000)).changes).toEqual([
      { atMs: 0, zone: 'a', capacity: 0 },
      { atMs: 600_000, zone: 'a', capacity: 4 },
    ]);
  });

  it('ends with the scenario', async () => {
    expect((await read({ a: 'one' }, 0, 600_000)).changes).toEqual([{ atMs: 0, zone: 'a', capacity: 4 }]);
  });

  it('says which zones it has when another is requested', async () => {
    await expect(read({ a: 'three' }, 0, 300_000)).rejects.toThrow(/has no zone three; it has one, two\./);
  });

  it('that ships has 300 seconds between samples and three zones', async () => {
    const zones = { a: 'us-east-1f', b: 'us-east-2a', c: 'us-west-2c' };
    const { changes } = await readTrace({ file: 'aws-v100-4node-3z-2023-08.json', zones, fromSample: 288, lastsMs: 86_400_000 });
    expect(new Set(changes.map(({ zone }) => zone)).size).toBe(3);
    expect(changes.every(({ atMs, capacity }) => atMs % 300_000 === 0 && capacity >= 0 && capacity <= 4)).toBe(true);
  });
});

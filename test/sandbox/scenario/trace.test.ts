import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { changesIn, type Excerpt } from '../../../sandbox/scenario/trace.ts';
import { hasTraceFile, readTraceFile, traceFolderVariable } from '../../../sandbox/scenario/trace-file.ts';

const samplesMs = 300_000;
const plain = {
  gapSeconds: 300,
  samples: 6,
  onDemandUsdHour: 3,
  pools: [
    { zone: 'one', rle: [4, 2, 0, 3, 4, 1] },
    { zone: 'two', rle: [1, 6] },
  ],
};

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trace-'));
});
afterAll(() => rm(directory, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

const written = async (name: string, document: unknown): Promise<string> => {
  const file = join(directory, name);
  await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document));
  return file;
};
const changes = async (document: unknown, excerpt: Partial<Excerpt> & Pick<Excerpt, 'zones'>) =>
  changesIn(await readTraceFile(await written('trace.json', document)), {
    fromSample: 0,
    lastsMs: 6 * samplesMs,
    noticeMs: 0,
    prices: false,
    ...excerpt,
  });

describe('a recorded trace', () => {
  it('becomes a change wherever the capacity of a zone changes, at its time', async () => {
    expect(await changes(plain, { zones: { a: 'one', b: 'two' } })).toEqual([
      { atMs: 0, zone: 'a', capacity: 4 },
      { atMs: 0, zone: 'b', capacity: 1 },
      { atMs: 600_000, zone: 'a', capacity: 0 },
      { atMs: 1_500_000, zone: 'a', capacity: 4 },
    ]);
  });

  it('announces a fall a notice before it comes, and brings a rise when it comes', async () => {
    expect(await changes(plain, { zones: { a: 'one' }, noticeMs: 120_000 })).toEqual([
      { atMs: 0, zone: 'a', capacity: 4 },
      { atMs: 480_000, zone: 'a', capacity: 0 },
      { atMs: 1_500_000, zone: 'a', capacity: 4 },
    ]);
  });

  it('gives no more than what stays for a whole notice, however short its samples are', async () => {
    const quick = { ...plain, gapSeconds: 30, pools: [{ zone: 'one', rle: [4, 1, 2, 1, 5, 1, 0, 1, 6, 2] }] };
    expect(await changes(quick, { zones: { a: 'one' }, noticeMs: 60_000 })).toEqual([
      { atMs: 0, zone: 'a', capacity: 2 },
      { atMs: 30_000, zone: 'a', capacity: 0 },
      { atMs: 120_000, zone: 'a', capacity: 6 },
    ]);
  });

  it('begins at the sample that the scenario names, with the capacity of that moment', async () => {
    expect(await changes(plain, { zones: { a: 'one' }, fromSample: 3 })).toEqual([
      { atMs: 0, zone: 'a', capacity: 0 },
      { atMs: 600_000, zone: 'a', capacity: 4 },
    ]);
  });

  it('ends with the scenario', async () => {
    expect(await changes(plain, { zones: { a: 'one' }, lastsMs: 600_000 })).toEqual([{ atMs: 0, zone: 'a', capacity: 4 }]);
  });

  it('of one probe gives without limit where that is said', async () => {
    expect(await changes(plain, { zones: { a: 'one', b: 'two' }, lastsMs: 900_000, unlimitedWhenUp: true })).toEqual([
      { atMs: 0, zone: 'a', capacity: null },
      { atMs: 0, zone: 'b', capacity: null },
      { atMs: 600_000, zone: 'a', capacity: 0 },
    ]);
  });

  it('brings its prices by sample; an unknown one is the one before, and at the beginning the first that is known', async () => {
    const priceRle = [null, 1, 1.5, 2, null, 2, 2, 1];
    const priced = { ...plain, pools: [{ zone: 'one', rle: [4, 6], priceRle }] };
    expect(await changes(priced, { zones: { a: 'one' }, prices: true })).toEqual([
      { atMs: 0, zone: 'a', capacity: 4, priceUsdPerHour: 1.5 },
      { atMs: 1_500_000, zone: 'a', capacity: 4, priceUsdPerHour: 2 },
    ]);
  });

  it('has one spot price by pool or by region, and on-demand prices by region', async () => {
    const pools = [{ id: 'p1', zone: 'one', region: 'north', rle: [4, 6] }];
    const byRegion = { ...plain, onDemandUsdHour: { north: 7 }, spotUsdHour: { north: 2 }, pools };
    const byPool = { ...plain, spotUsdHourMean: { p1: 1 }, pools };
    expect((await readTraceFile(await written('region.json', byRegion))).pools).toEqual([
      { zone: 'one', capacity: [4, 4, 4, 4, 4, 4], onDemandUsdPerHour: 7, spotUsdPerHour: [2, 2, 2, 2, 2, 2] },
    ]);
    expect((await readTraceFile(await written('pool.json', byPool))).pools[0]?.spotUsdPerHour).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('that is built in has 300 seconds between samples and three zones', async () => {
    const zones = { a: 'us-east-1f', b: 'us-east-2a', c: 'us-west-2c' };
    const trace = await readTraceFile('aws-v100-4node-3z-2023-08.json');
    const all = changesIn(trace, { zones, fromSample: 288, lastsMs: 86_400_000, noticeMs: 0, prices: false });
    expect(new Set(all.map(({ zone }) => zone)).size).toBe(3);
    expect(all.every(({ atMs, capacity }) => atMs % 300_000 === 0 && (capacity ?? -1) >= 0 && (capacity ?? 5) <= 4)).toBe(true);
  });
});

describe('the folder of traces', () => {
  it('is the one that is given or named, and then the built-in one', async () => {
    await written('mine.json', plain);
    expect(hasTraceFile('mine.json')).toBe(false);
    expect(hasTraceFile('mine.json', directory)).toBe(true);
    vi.stubEnv(traceFolderVariable, directory);
    expect((await readTraceFile('mine.json')).samples).toBe(6);
    expect((await readTraceFile('aws-v100-4node-3z-2023-08.json')).samples).toBe(3156);
  });

  it('must exist if it is named', () => {
    expect(() => hasTraceFile('mine.json', join(directory, 'none'))).toThrow(/There is no folder of traces .*none\./);
  });
});

describe('a trace that cannot be played is refused', () => {
  const pool = (fields: object) => ({ ...plain, pools: [{ ...plain.pools[0], ...fields }] });
  it.each([
    ['with runs that do not add up', pool({ rle: [4, 5] }), /pools\[0\]\.rle: expected runs that add up to the 6 samples of the file, found 5/],
    ['with a value without a run', pool({ rle: [4, 5, 1] }), /pools\[0\]\.rle: expected pairs of a value and a run of at least 1, found \[1\] at 2/],
    ['with less than nothing', pool({ rle: [-1, 6] }), /pools\[0\]\.rle: expected pairs .* found \[-1,6\] at 0/],
    ['with a price that is none', pool({ priceRle: [0, 6] }), /pools\[0\]\.priceRle: expected pairs .* found \[0,6\] at 0/],
    ['without pools', { ...plain, pools: [] }, /pools: /],
    [
      'without a region that has a price',
      { ...plain, onDemandUsdHour: { north: 1 } },
      /no on-demand price for the region "" of zone one; .* has north\./,
    ],
    ['that is not JSON', '{', /trace\.json is not JSON: /],
  ])('%s', async (_, document, message) => {
    await expect(changes(document, { zones: { a: 'one' } })).rejects.toThrow(message);
  });

  it('when it does not have the zone, with an error that lists its zones', async () => {
    await expect(changes(plain, { zones: { a: 'three' } })).rejects.toThrow(/has no zone three; it has one, two\./);
  });

  it('when it ends before it should begin', async () => {
    await expect(changes(plain, { zones: { a: 'one' }, fromSample: 6 })).rejects.toThrow(/has 6 samples, so it cannot begin at sample 6\./);
  });

  it('when no folder has it, with an error that lists the traces that exist', async () => {
    await expect(readTraceFile('other.json')).rejects.toThrow(/There is no trace other\.json in .* There are: .*aws-v100-4node-3z-2023-08\.json/);
  });

  it('when it cannot be read', async () => {
    await expect(readTraceFile(directory)).rejects.toThrow(/cannot be read: /);
  });
});

import { describe, expect, test } from 'vitest';
import { callTable } from '../../bench/many-calls.ts';
import { requestedShare, runOf } from '../../bench/many-figures.ts';
import { missedGoals } from '../../bench/many-goals.ts';
import type { LaunchCall } from '../../bench/many-watch.ts';

const storm = { groups: 2, members: 6, case: 'zone', held: 'mixed', concurrency: 10, seed: 1 } as const;
const need = { fleetCalls: 6, asgCalls: 0, instances: 4, fixedMs: 2_000 };
const startedAtMs = 100_000;
const launch = (group: string, atMs: number, count: number, rest: Partial<LaunchCall> = {}): LaunchCall => ({
  ...{ group, api: 'create-fleet', atMs, asked: count, given: count, refused: 0, tookMs: 1_500 },
  ...rest,
});
const launches: readonly LaunchCall[] = [
  launch('group-1', 101_000, 0),
  launch('group-1', 103_000, 2),
  launch('group-2', 101_500, 0),
  launch('bystander', 104_000, 1),
  launch('group-2', 104_500, 2),
];
const both = ['group-1', 'group-2'];
const reads = [
  { operation: 'DescribeInstances', atMs: 100_100, groups: [] },
  { operation: 'DescribeInstances', atMs: 100_200, groups: both },
  { operation: 'DescribeTargetHealth', atMs: 100_300, groups: ['group-1'] },
  { operation: 'DescribeInstances', atMs: 101_400, groups: both },
  { operation: 'DescribeTargetHealth', atMs: 101_400, groups: ['group-1'] },
  { operation: 'DescribeInstances', atMs: 103_000, groups: [] },
];
const seen = { launches: [...launches], reads, mutating: 9, throttled: [], calls: [] };
const played = { storm, need, seen, startedAtMs, twice: 0, lowest: 12, members: 12, bystanderAtMs: 102_500, wholeAtMs: new Map() };

const figuresOf = (of: Parameters<typeof runOf>[0]) => runOf(of).figures;
const told = { throttledBy: { CreateFleet: 2, DescribeInstances: 3 }, readsBy: { DescribeInstances: 5 }, callTable: '' };

describe('the figures of a storm over many groups', () => {
  test('show when instances were requested, by the calls that got them', () => {
    expect(figuresOf(played)).toMatchObject({ firstRequestedMs: 3_000, p50RequestedMs: 3_000, p95RequestedMs: 4_500, lastRequestedMs: 4_500 });
    expect(figuresOf(played)).toMatchObject({ case: 'zone, concurrency 10', warned: 4, launchCalls: 4, neededLaunchCalls: 6 });
  });

  test('show the first call of each group, refused or not, and the reads of each group until then, with its part of shared reads', () => {
    expect(figuresOf(played)).toMatchObject({ firstPerGroupP95Ms: 1_500, readsPerGroup: 1.8 });
  });

  test('count all reads of a group that makes no request', () => {
    const cut = { ...seen, launches: launches.slice(0, 2) };
    expect(figuresOf({ ...played, seen: cut }).readsPerGroup).toBe(2.3);
  });

  test('count in a figure of its own no more reads of a group that its Auto Scaling group has made whole', () => {
    const cut = { ...seen, launches: launches.slice(0, 2) };
    const wholeAfter = (ms: number) => figuresOf({ ...played, seen: cut, wholeAtMs: new Map([['group-2', ms]]) });
    const cuts = [3_000, 2_999, 1_400, 1_399].map(wholeAfter);
    expect(cuts.map((figures) => figures.readsUntilWholePerGroup)).toEqual([2.3, 1.8, 1.8, 1.5]);
    expect(cuts.map((figures) => figures.readsPerGroup)).toEqual([2.3, 2.3, 2.3, 2.3]);
  });

  test('show how long after its place in the buckets the last group made its first call', () => {
    // The first instances are given at 103 s.
    expect(figuresOf(played).latestFirstMs).toBe(-1_500);
    const latestOf = (...calls: readonly LaunchCall[]) => figuresOf({ ...played, seen: { ...seen, launches: [...calls] } }).latestFirstMs;
    // The bucket of 50 gives its 56th call after 1.2 s.
    const ahead = Array.from({ length: 55 }, (_, index) => launch('group-1', 101_000, index === 0 ? 1 : 0));
    const own = launch('group-2', 110_000, 2);
    expect(latestOf(...ahead, own)).toBe(10_000 - 2_000 - 1_200);
    expect(latestOf(...ahead, { ...own, api: 'launch-instances' })).toBe(8_000);
    const before = launch('group-1', 101_000, 1_000);
    expect(latestOf(before, own)).toBe(10_000 - 2_000 - 1_000);
    // One request has a call for each zone, and waits for the instances of all of them.
    expect(latestOf(before, own, { ...own })).toBe(10_000 - 2_000 - 2_000);
    expect(latestOf(before, own, { ...own, atMs: 111_000 })).toBe(10_000 - 2_000 - 1_000);
    // It waits for them also where EC2 refuses them.
    expect(latestOf(before, { ...own, given: 0, refused: 2 })).toBe(10_000 - 2_000 - 1_000);
  });

  test('count no refill of full buckets: it begins with the first launch call that gets something', () => {
    const latestOf = (...calls: readonly LaunchCall[]) => figuresOf({ ...played, seen: { ...seen, launches: [...calls] } }).latestFirstMs;
    const own = launch('group-2', 110_000, 2);
    const refused = launch('group-1', 101_000, 1, { given: 0 });
    expect(latestOf(refused, launch('group-1', 102_000, 1_000), own)).toBe(10_000 - 2_000 - 1_000);
    expect(latestOf(refused, launch('group-1', 102_700, 1_000), own)).toBe(10_000 - 2_700 - 1_000);
  });

  test('count what EC2 refused to others as taken until its response, and no longer', () => {
    const latestOf = (...calls: readonly LaunchCall[]) => figuresOf({ ...played, seen: { ...seen, launches: [...calls] } }).latestFirstMs;
    const [first, own] = [launch('group-1', 101_000, 1_000), launch('group-2', 110_000, 2)];
    // Its place is 103 s after all: ten instances take 5 s, and come back 1.5 s later.
    const refused = launch('bystander-2', 107_000, 10, { given: 0, refused: 10 });
    expect(latestOf(first, refused)).toBe(7_000 - 2_000 - 5_000);
    // It holds them from its place at 107 s on. The place of the group behind is 103 s, where they were not held yet.
    expect(latestOf(first, refused, own)).toBe(10_000 - 2_000 - 1_000);
    const same = launch('group-2', 110_000, 10);
    expect(latestOf(first, refused, same)).toBe(10_000 - 2_000 - 5_000 - 1_500);
    expect(latestOf(first, { ...refused, refused: 0 }, same)).toBe(10_000 - 2_000 - 5_000);
    // By then, the bucket has as many for both.
    expect(latestOf(first, { ...refused, tookMs: 60_000 }, { ...same, atMs: 115_000 })).toBe(15_000 - 2_000 - 10_000);
  });

  test('count reads a group and minute once a shortage has lasted for 200 s', () => {
    expect(figuresOf(played).shortageReadsPerGroup).toBeNull();
    const call = (afterMs: number) => ({ name: 'CreateFleet by react', atMs: startedAtMs + afterMs, isThrottled: false });
    const read = (afterMs: number) => ({ operation: 'DescribeInstances', atMs: startedAtMs + afterMs, groups: both });
    const lasting = { ...seen, reads: [199_999, 200_000, 250_000, 299_000].map(read), calls: [call(300_000), call(1_000)] };
    // Three reads of two groups in 100 s.
    expect(figuresOf({ ...played, seen: lasting }).shortageReadsPerGroup).toBe(0.9);
    expect(figuresOf({ ...played, seen: { ...lasting, calls: [call(259_999)] } }).shortageReadsPerGroup).toBeNull();
  });

  test('leave the bystander out, and show how long it waited', () => {
    expect(figuresOf(played).bystanderMs).toBe(1_500);
  });

  test('give null for what did not come', () => {
    const cut = { ...seen, launches: launches.slice(0, 2) };
    const figures = figuresOf({ ...played, seen: cut });
    expect(figures).toMatchObject({ firstRequestedMs: 3_000, p50RequestedMs: 3_000, p95RequestedMs: null, lastRequestedMs: null, bystanderMs: null });
    expect(figures.firstPerGroupP95Ms).toBeNull();
  });
});

describe('the goals', () => {
  test('are met by what is in time and costs no more than is needed', () => {
    expect(missedGoals(runOf(played))).toEqual([]);
  });

  test.each([
    [{ lastRequestedMs: 7_301 }, 'the last is requested after 7.3 s, expected 7.3 s at most'],
    [{ lastRequestedMs: null }, 'the last is requested after never, expected 7.3 s at most'],
    [{ launchCalls: 8 }, '8 launch calls where 6 are needed, expected 1.2 times as many at most'],
    [{ lowestServing: 11 }, '11 serve at the fewest, expected 12'],
    [{ throttled: 1 }, '1 calls are throttled (DescribeInstances 3, CreateFleet 2), expected none'],
    [{ receivedTwice: 2 }, '2 messages are received twice, expected none'],
    [{ readsPerGroup: 3.1 }, '3.1 reads a group until its first request (DescribeInstances 5), expected 3 at most'],
    [{ shortageReadsPerGroup: 1.1 }, '1.1 reads a group and minute in a shortage that lasts, expected 1 at most'],
    [{ latestFirstMs: 5_100 }, 'a group makes its first request 5.1 s after its place in the buckets, expected 5.0 s at most'],
    [{ bystanderMs: 5_001 }, 'a warning elsewhere waits 5.0 s, expected 5.0 s at most'],
  ])('are missed by %o', (change, sentence) => {
    expect(missedGoals({ ...told, figures: { ...figuresOf(played), ...change } })).toEqual([sentence]);
  });

  test('where the bucket of instances binds, count what it allowed and was not requested', () => {
    const figures = { ...figuresOf(played), lastRequestedMs: null };
    expect(missedGoals({ ...told, figures, requestedShares: [{ afterS: 20, share: 0.96 }] })).toEqual([]);
    expect(
      missedGoals({
        ...told,
        figures,
        requestedShares: [
          { afterS: 20, share: 0.96 },
          { afterS: 30, share: 0.9 },
        ],
      }),
    ).toEqual(['90.0 % of what the buckets allow is requested after 30 s, expected 95 %']);
  });
});

describe('the share of what the buckets allow', () => {
  const wanted = { fleetCalls: 3, asgCalls: 0, instances: 3_400, fixedMs: 3_000 };
  const allowed = Array.from({ length: 1_600 }, (_, index) => (index < 1_000 ? 0 : (index - 1_000) * 500));

  test('is the least at any look', () => {
    expect(requestedShare(allowed, wanted)).toBe(1);
    expect(
      requestedShare(
        allowed.filter((_, index) => index % 2 === 0),
        wanted,
      ),
    ).toBeLessThan(0.51);
  });

  test('is of what the bucket of calls allows, as long as that is less than the bucket of instances has', () => {
    // 600 calls for 3,000 instances: 50 at once and five a second bring 750 by 20 s, 1,000 by 30 s, and then the instances bind.
    const many = { ...wanted, fleetCalls: 600, instances: 3_000 };
    const byCalls = Array.from({ length: 3_000 }, (_, index) => (index < 250 ? 0 : Math.max((index - 249) * 40, (index - 999) * 500)));
    expect(requestedShare(byCalls, wanted)).toBeLessThan(0.73);
    expect(requestedShare(byCalls, many)).toBe(1);
    expect(
      requestedShare(
        byCalls.map((ms) => ms + 5_000),
        many,
      ),
    ).toBeLessThan(0.9);
  });

  test('is of a phase that ends before five minutes only of its own time', () => {
    const ends = allowed.filter((ms) => ms <= 60_000);
    expect(requestedShare(ends, wanted)).toBeLessThan(0.75);
    expect(requestedShare(ends, wanted, 60_000)).toBeCloseTo(1, 2);
  });

  test('is of a phase that lasts longer of all of its time', () => {
    // After five minutes, half of what the bucket allows.
    const slows = [...allowed, ...Array.from({ length: 600 }, (_, index) => 301_000 + index * 1_000)];
    expect(requestedShare(slows, wanted)).toBe(1);
    expect(requestedShare(slows, wanted, 900_000)).toBeCloseTo(2_200 / 2_800, 2);
  });

  test('is of the instances that were warned, once the buckets allow more than these', () => {
    expect(requestedShare(allowed.slice(0, 1_060), { ...wanted, instances: 1_060 })).toBe(1);
  });
});

test('the table of calls lists each operation by time, and how many of its calls were throttled', () => {
  const name = 'CreateFleet by react';
  const calls = [
    { name, atMs: 100_000, isThrottled: false },
    { name, atMs: 104_999, isThrottled: true },
    { name, atMs: 111_000, isThrottled: false },
  ];
  const [row] = callTable({ calls }, startedAtMs)
    .split('\n')
    .filter((line) => line.includes(name));
  expect(row?.split('│').map((cell) => cell.trim())).toEqual(['', name, '3 (1)', '2 (1)', '', '1', ...Array.from({ length: 9 }, () => ''), '']);
});

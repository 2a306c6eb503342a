import { expect, test, vi } from 'vitest';
import { playScenario, startSandbox, toWorldSpec } from '../../sandbox/door.ts';
import { parseScenario } from '../../sandbox/scenario/scenario-schema.ts';

vi.setConfig({ testTimeout: 120_000 });

type Way = { readonly balanced?: true; readonly ready?: object; readonly isRefused?: true };

const zones = ['us-east-1a', 'us-east-1b'];
const seconds = (ms: number): number => Math.round(ms / 1_000);

/** A group of six whose size its owner set, of which EC2 takes two with two minutes' notice. Software is up 50 to 60 s after an instance runs. */
const scenarioOf = ({ balanced, ready, isRefused }: Way, seed: number) => ({
  name: 'warned-gap',
  about: 'Two of six are warned.',
  mode: 'simulated',
  seed,
  world: {
    zones,
    subnets: [
      { id: 'subnet-a', zone: zones[0] },
      { id: 'subnet-b', zone: zones[1] },
    ],
    offerings: [
      { instanceTypes: ['m7g.large'], zones, market: 'spot', capacity: 9, priceUsdPerHour: 0.03 },
      { instanceTypes: ['m7g.large'], zones, market: 'on-demand', capacity: 'unlimited', priceUsdPerHour: 0.08 },
    ],
    launchTemplates: [{ name: 'web' }],
    ...(balanced && { targetGroups: [{ name: 'web', deregistrationDelaySeconds: 20, healthCheckIntervalSeconds: 5, healthyThreshold: 2 }] }),
    autoScalingGroups: [
      {
        name: 'web-asg',
        launchTemplate: 'web',
        subnets: ['subnet-a', 'subnet-b'],
        instanceTypes: ['m7g.large'],
        market: 'spot',
        min: 0,
        max: 20,
        desired: 6,
        hooks: [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 60 }],
        ...(balanced && { targetGroups: ['web'] }),
      },
    ],
    timing: { bootSeconds: [50, 60] },
  },
  policies: [
    {
      group: 'web',
      asg: 'web-asg',
      size: { from: 'asg', min: 0, max: 20 },
      capacity: { tiered: ['spot', 'od'] },
      defaults: { launchTemplate: 'web', instanceTypes: ['m7g.large'], subnets: ['subnet-a', 'subnet-b'] },
      pools: { spot: { market: 'spot' }, od: { market: 'on-demand' } },
      drain: { timeout: '30s' },
      return: false,
      ...(ready && { ready }),
    },
  ],
  timeline: [
    ...(isRefused ? [{ at: '290s', change: { offerings: { zone: zones[1], market: 'spot' }, capacity: 3 } }] : []),
    { at: '5m', change: { offerings: { zone: zones[0], market: 'spot' }, capacity: 1, reclaim: '120s' } },
  ],
  lasts: '14m',
  expect: { size: { web: 6 }, lowestServing: { web: 0 }, replacedBeforeGone: false },
});

/** How long fewer than six served after the warning, and how many fewer at most. */
const gapOf = async (way: Way, seed = 5) => {
  const scenario = parseScenario(scenarioOf(way, seed));
  const sandbox = await startSandbox({ mode: 'simulated', spec: toWorldSpec(scenario.world), seed: scenario.seed });
  const report = await playScenario(sandbox, scenario).finally(() => sandbox.close());
  expect(report.invariants.filter(({ ok }) => !ok)).toEqual([]);
  expect(report.interruptions).toHaveLength(2);
  const warnedAtMs = Math.min(...report.interruptions.map((row) => row.warnedAtMs));
  const spans = report.groups[0]?.servingOverTime ?? [];
  const short = spans
    .map(({ atMs, serving }, index) => ({ ms: (spans[index + 1]?.atMs ?? report.endedAtMs) - atMs, fewer: 6 - serving, atMs }))
    .filter(({ atMs, fewer }) => atMs >= warnedAtMs && fewer > 0);
  return { fewer: Math.max(0, ...short.map(({ fewer }) => fewer)), seconds: seconds(short.reduce((sum, { ms }) => sum + ms, 0)) };
};

/** A new member serves after 80 to 90 s, and the drain of a warned one begins 85 s after its warning at the latest. */
const mostSeconds = 5;

test.each<readonly [string, Way]>([
  ['with target groups', { balanced: true }],
  ['with target groups, replaced on demand', { balanced: true, isRefused: true }],
])('a warned member leaves a gap of five seconds at most where others set the size, %s', async (_way, way) => {
  const gaps = [];
  for (const seed of [5, 6, 7, 8, 9, 10]) gaps.push(await gapOf(way, seed));
  expect(Math.max(...gaps.map(({ fewer }) => fewer))).toBeLessThanOrEqual(1);
  expect(Math.max(...gaps.map((gap) => gap.seconds))).toBeLessThanOrEqual(mostSeconds);
  expect(gaps.filter((gap) => gap.seconds === 0).length).toBeGreaterThanOrEqual(4);
});

test.each<readonly [string, Way]>([
  ['with ready.after', { ready: { after: '80s' } }],
  ['with status checks', { ready: { checks: 'ec2' } }],
])('a warned member leaves no gap where others set the size, %s', async (_way, way) => {
  expect(await gapOf(way)).toEqual({ fewer: 0, seconds: 0 });
});

test('with neither, a member counts as serving before its software is up, and the rest of its start is the gap', async () => {
  const { fewer, seconds: short } = await gapOf({});
  expect(fewer).toBe(2);
  expect(short).toBeGreaterThan(20);
  expect(short).toBeLessThan(60);
});

import { type Sandbox, startSandbox } from '../sandbox/door.ts';
import { surroundingsOf } from '../sandbox/outside/surroundings.ts';
import type { Surroundings } from '../sandbox/outside/writer.ts';
import { startWriter } from '../sandbox/outside/writers.ts';
import { createRandom } from '../sandbox/random.ts';
import { followTrace } from '../sandbox/scenario/follow-trace.ts';
import { observe } from '../sandbox/scenario/observe.ts';
import { changesIn } from '../sandbox/scenario/trace.ts';
import { readTraceFile } from '../sandbox/scenario/trace-file.ts';
import type { WorldSpec } from '../sandbox/world/spec.ts';
import { type CiFigures, type CiLife, ciFiguresOf, type Wanted } from './ci-figures.ts';
import { countChanges, startSteering } from './ci-steering.ts';
import { traceFiles } from './traces-rows.ts';
import { instanceType, noticeMs, type PlayedZone, spotPrice, tracePolicy, traceWorld, zonesOf } from './traces-world.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const asg = 'runners-asg';
const group = 'trace';
const most = 8;

/** Who keeps the fleet: Holdfast beside its group, a model of steering, or the group alone with this share on demand. */
export const ciRows = ['holdfast', 'steered', 'alone, 0 %', 'alone, 50 %', 'alone, 100 %'] as const;
export type CiRow = (typeof ciRows)[number];
const percents: Readonly<Record<CiRow, number>> = { holdfast: 0, steered: 0, 'alone, 0 %': 0, 'alone, 50 %': 50, 'alone, 100 %': 100 };

type Job = { readonly fromMs: number; readonly untilMs: number };

/** Bursts of jobs, three in two hours on average: two to eight jobs of five to thirty minutes each, which come within two minutes. */
const jobsOf = (seed: number): readonly Job[] => {
  const random = createRandom(seed);
  const between = (least: number, largest: number): number => least + random() * (largest - least);
  const jobs: Job[] = [];
  for (let atMs = between(5, 20) * minuteMs; atMs < dayMs - 40 * minuteMs; atMs += between(10, 70) * minuteMs) {
    const count = Math.round(between(2, most));
    for (let index = 0; index < count; index += 1) {
      const fromMs = atMs + between(0, 2) * minuteMs;
      jobs.push({ fromMs, untilMs: fromMs + between(5, 30) * minuteMs });
    }
  }
  return jobs;
};

/** How many runners the jobs need, each for one. */
const wantedBy = (jobs: readonly Job[]): readonly Wanted[] => {
  const moments = [...new Set(jobs.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]))].sort((a, b) => a - b);
  const countAt = (atMs: number): number => Math.min(most, jobs.filter((job) => job.fromMs <= atMs && job.untilMs > atMs).length);
  return [{ atMs: 0, runners: 0 }, ...moments.map((atMs) => ({ atMs, runners: countAt(atMs) }))];
};

const flat = { trace: 'aws-1', members: most, tree: 'spread', spare: 0, prices: 'flat', drainS: 0 } as const;

const worldOf = (zones: readonly PlayedZone[], seed: number): WorldSpec => {
  const world = traceWorld(zones, { ...flat, seed });
  return {
    ...world,
    autoScalingGroups: [
      {
        name: asg,
        launchTemplate: 'trainer',
        subnets: world.subnets.map(({ id }) => id),
        instanceTypes: [instanceType],
        market: 'spot',
        min: 0,
        max: most,
        desired: 0,
      },
    ],
    // The boot of a runner, without the two minutes that a trainer takes.
    timing: { ...world.timing, bootSeconds: [40, 40] },
  };
};

/** What only Holdfast reads: the tree of the other traces, for the group that the scaler sizes. */
const policyOf = (zones: readonly PlayedZone[]): Readonly<Record<string, unknown>> => ({
  ...tracePolicy(zones, flat),
  asg,
  size: { from: 'asg', min: 0, max: most },
  // A job that has begun is worth more than the price of its minutes (docs/guides/buildkite.md).
  return: false,
});

/** Sets the distribution of the group, whole: what is left out may fall to its default. */
const distribute = async ({ call }: Surroundings, { base = 0, percent }: { readonly base?: number; readonly percent: number }): Promise<void> => {
  const LaunchTemplate = {
    LaunchTemplateSpecification: { LaunchTemplateName: 'trainer', Version: '$Default' },
    Overrides: [{ InstanceType: instanceType }],
  };
  const InstancesDistribution = {
    OnDemandBaseCapacity: base,
    OnDemandPercentageAboveBaseCapacity: percent,
    SpotAllocationStrategy: 'price-capacity-optimized',
  };
  await call('UpdateAutoScalingGroup', { AutoScalingGroupName: asg, MixedInstancesPolicy: { LaunchTemplate, InstancesDistribution } });
};

/** `changes`: calls that change something in EC2 and Auto Scaling, by Holdfast or by steering. */
type Played = CiFigures & { readonly changes: number };

type Day = { readonly row: CiRow; readonly day: number; readonly seed: number };

const playDay = async (sandbox: Sandbox, { row, day, seed }: Day, zones: readonly PlayedZone[]): Promise<Played> => {
  const { world, clock } = sandbox;
  const trace = await readTraceFile(traceFiles[flat.trace].file);
  const lives = new Map<string, CiLife>();
  world.follow((event) => {
    if (event.kind === 'launched') lives.set(event.instance, { market: event.market, zone: event.zone, launchedAtMs: event.atMs });
  });
  const observation = observe(world, () => group, clock.now);
  const startMs = clock.now();
  const names = Object.fromEntries(zones.map(({ zone, pool }) => [zone, pool.zone]));
  const fromSample = Math.floor((day * dayMs) / trace.gapMs);
  followTrace(sandbox, changesIn(trace, { zones: names, fromSample, lastsMs: dayMs, noticeMs, prices: false }), { instanceType, noticeMs });
  const steerer = surroundingsOf(sandbox, seed, 'steering');
  await distribute(steerer, { percent: percents[row] });
  const changes = countChanges(sandbox);
  if (row === 'holdfast') await sandbox.putPolicy(policyOf(zones));
  const steered = row === 'steered' ? startSteering(sandbox, steerer, asg, (base) => distribute(steerer, { base, percent: 0 })) : undefined;
  const wanted = wantedBy(jobsOf(seed));
  const wants = wanted.map(({ atMs, runners }) => ({ atSeconds: atMs / 1_000, value: runners }));
  const writer = startWriter(surroundingsOf(sandbox, seed, 'scaler'), { kind: 'absolute', asg, everySeconds: 10, wants });
  await clock.sleep(startMs + dayMs - clock.now());
  writer.stop();
  steered?.stop();
  const usdPerHour = {
    spot: Math.min(...zones.map((zone) => spotPrice(zone, { prices: 'flat' }))),
    'on-demand': Math.min(...zones.map(({ pool }) => pool.onDemandUsdPerHour)),
  };
  const figures = ciFiguresOf({
    lives: [...lives].map(([id, life]) => ({ ...observation.lives.get(id), ...life })),
    serving: observation.serving.get(group) ?? [],
    wanted: wanted.map(({ atMs, runners }) => ({ atMs: startMs + atMs, runners })),
    untilMs: startMs + dayMs,
    usdPerHour,
  });
  return { ...figures, changes: changes() + (steered?.changes() ?? 0) };
};

/** One day of jobs over one day of AWS 1. */
export const playCi = async ({ row, day, seed }: Day): Promise<Day & Played> => {
  const trace = await readTraceFile(traceFiles[flat.trace].file);
  const zones = zonesOf(trace, seed);
  const sandbox = await startSandbox({ mode: 'simulated', spec: worldOf(zones, seed), seed });
  try {
    return { row, day, seed, ...(await sandbox.drive(playDay(sandbox, { row, day, seed }, zones))) };
  } finally {
    await sandbox.close();
  }
};

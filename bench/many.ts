import { type Sandbox, startSandbox } from '../sandbox/door.ts';
import type { InstanceSnapshot } from '../sandbox/world/world.ts';
import { type ManyRun, noticeMs, runOf } from './many-figures.ts';
import { fill } from './many-fill.ts';
import { type GroupNeed, idealLastMs, type LaunchApi, neededCalls, type StormNeed } from './many-need.ts';
import { type LaunchCall, watchCalls } from './many-watch.ts';
import { bystander, bystanderZones, groupsOf, type ManyCase, type ManyStorm, manyWorld, policiesOf } from './many-world.ts';
import { letters, refusedZone, zoneOf } from './storm-world.ts';

const lookEveryMs = 2_000;
const stepGroups = 8;
const stepMs = 8_000;
const warmUpMs = 1_800_000;
/** Until an Auto Scaling group has launched what it is to hold, and all of it runs. */
const bootMs = 60_000;
/** Long enough that no member is young, and that every bucket is full in Holdfast's count too. */
const stillMs = 400_000;
/** When the warned members have ended, and their last health checks too. */
const leastMs = 150_000;
const mostMs = 300_000;

const isHealthy = ({ targets }: InstanceSnapshot): boolean => Object.values(targets).includes('healthy');
const groupTag = ({ tags, asg }: InstanceSnapshot): string => tags.Name ?? asg?.name.replace(/-(?:spot|on-demand)-[a-z]$/, '') ?? '';

const isStormy = (instance: InstanceSnapshot): boolean => groupTag(instance) !== bystander.name;

const servingOf = (instances: readonly InstanceSnapshot[]): number => instances.filter((one) => isStormy(one) && isHealthy(one)).length;
const serving = ({ world }: Sandbox): number => servingOf(world.snapshot().instances);

/** Groups that have their size without the warned members. */
const wholeIn = (instances: readonly InstanceSnapshot[], { members }: ManyStorm, warned: ReadonlySet<string>): readonly string[] => {
  const staying = instances.filter(({ id, state }) => (state === 'pending' || state === 'running') && !warned.has(id));
  return [...Map.groupBy(staying, groupTag)].flatMap(([group, { length }]) => (length >= members ? [group] : []));
};

const allServe = async (sandbox: Sandbox, wanted: number): Promise<void> => {
  const { world, clock } = sandbox;
  const untilMs = clock.now() + warmUpMs;
  while (serving(sandbox) < wanted) {
    if (clock.now() >= untilMs) throw new Error(`The storm cannot be measured: of ${wanted} members ${serving(sandbox)} serve.`);
    world.restLaunches();
    await clock.sleep(lookEveryMs);
  }
};

/** The groups are there before their policies, which come a few at a time, so that nothing is throttled before the storm. Every bucket fills. */
const warmUp = async (sandbox: Sandbox, storm: ManyStorm): Promise<void> => {
  const { world, clock } = sandbox;
  await fill(sandbox, [bystander], bystanderZones);
  await fill(sandbox, groupsOf(storm));
  await clock.sleep(bootMs);
  const arns = new Map(world.snapshot().targetGroups.map(({ name, arn }) => [name, arn]));
  const policies = policiesOf(storm, (group) => arns.get(group) ?? '');
  for (let from = 0; from < policies.length; from += stepGroups) {
    for (const policy of policies.slice(from, from + stepGroups)) await sandbox.putPolicy(policy);
    await clock.sleep(stepMs);
  }
  await allServe(sandbox, storm.groups * storm.members);
  await clock.sleep(stillMs);
  world.restLaunches();
};

type Struck = { readonly warned: readonly InstanceSnapshot[]; readonly members: readonly InstanceSnapshot[] };

/** Spot is gone in the first zone, and its members, or all, are warned at once. */
const strike = ({ world }: Sandbox, { case: which }: ManyStorm): Struck => {
  const { offerings, instances } = world.snapshot();
  for (const offering of offerings.filter(({ zone, market }) => zone === refusedZone && market === 'spot'))
    world.setOffering(offering, { capacity: 0 });
  const members = instances.filter((one) => one.state === 'running' && isStormy(one));
  const warned = which === 'all' ? members : members.filter(({ zone }) => zone === refusedZone);
  world.interrupt(
    warned.map(({ id }) => id),
    { noticeMs },
  );
  return { warned, members };
};

const needOf = (storm: ManyStorm, { warned, members }: Struck, fixedMs: number): StormNeed => {
  const gone = new Set(warned.map(({ id }) => id));
  const byGroup = Map.groupBy(members, groupTag);
  const calls = { 'create-fleet': 0, 'launch-instances': 0 };
  for (const { name, holding } of groupsOf(storm)) {
    const ours = byGroup.get(name) ?? [];
    const staying = letters.map((letter) => [zoneOf(letter), ours.filter(({ id, zone }) => zone === zoneOf(letter) && !gone.has(id)).length]);
    const need: GroupNeed = { staying: Object.fromEntries(staying), missing: ours.filter(({ id }) => gone.has(id)).length, refusedZone };
    const api: LaunchApi = holding === 'launch-instances' ? 'launch-instances' : 'create-fleet';
    calls[api] += neededCalls(need, api);
  }
  return { fleetCalls: calls['create-fleet'], asgCalls: calls['launch-instances'], instances: warned.length, fixedMs };
};

/** The member of the bystander that is warned. */
const warnBystander = ({ world }: Sandbox): void => {
  const [one] = world.snapshot().instances.filter((instance) => !isStormy(instance) && instance.state === 'running');
  if (one !== undefined) world.interrupt([one.id], { noticeMs });
};

const isAllRequested = (launches: readonly LaunchCall[], wanted: number): boolean => {
  const given = launches.reduce((sum, call) => sum + (call.group === bystander.name ? 0 : call.given), 0);
  return given >= wanted;
};

type Passing = { readonly storm: ManyStorm; readonly struck: Struck; readonly middleMs: number };

/** Lets the storm pass, warns the bystander in its middle, and returns the fewest that served, when the bystander was warned, and when groups were whole. */
const pass = async (sandbox: Sandbox, launches: readonly LaunchCall[], { storm, struck: { warned }, middleMs }: Passing) => {
  const { clock, world } = sandbox;
  const startedAtMs = clock.now();
  const [wanted, gone] = [warned.length, new Set(warned.map(({ id }) => id))];
  const wholeAtMs = new Map<string, number>();
  let lowest = Number.POSITIVE_INFINITY;
  let bystanderAtMs: number | undefined;
  const sinceMs = (): number => clock.now() - startedAtMs;
  while (sinceMs() < leastMs || (!isAllRequested(launches, wanted) && sinceMs() < mostMs)) {
    if (bystanderAtMs === undefined && sinceMs() >= middleMs) {
      bystanderAtMs = clock.now();
      warnBystander(sandbox);
    }
    const { instances } = world.snapshot();
    lowest = Math.min(lowest, servingOf(instances));
    for (const group of wholeIn(instances, storm, gone)) if (!wholeAtMs.has(group)) wholeAtMs.set(group, sinceMs());
    await clock.sleep(lookEveryMs);
  }
  return { lowest, bystanderAtMs, wholeAtMs };
};

const play = async (sandbox: Sandbox, storm: ManyStorm, fixedMs: number): Promise<ManyRun> => {
  await warmUp(sandbox, storm);
  const startedAtMs = sandbox.clock.now();
  const { seen, twice } = watchCalls(sandbox);
  const struck = strike(sandbox, storm);
  const need = needOf(storm, struck, fixedMs);
  const middleMs = Math.min(idealLastMs(need) / 2, noticeMs / 2);
  const passed = await pass(sandbox, seen.launches, { storm, struck, middleMs });
  return runOf({ storm, need, seen, startedAtMs, twice: twice(), members: struck.members.length, ...passed });
};

const inSandbox = async (storm: ManyStorm, fixedMs: number, assembly?: string): Promise<ManyRun> => {
  const sandbox = await startSandbox({ mode: 'simulated', spec: manyWorld(storm), seed: storm.seed, ...(assembly !== undefined && { assembly }) });
  try {
    return await sandbox.drive(play(sandbox, storm, fixedMs));
  } finally {
    await sandbox.close();
  }
};

/** The fixed path: the last request of one group that has the account to itself. */
const fixedPathMs = async (storm: ManyStorm, assembly?: string): Promise<number> =>
  (await inSandbox({ ...storm, groups: 1, members: Math.min(storm.members, 30), concurrency: 1_000 }, 0, assembly)).figures.lastRequestedMs ?? 0;

/**
 * Plays one storm over many groups in virtual time, with the published token buckets.
 *
 * @param assembly folder of another cloud assembly than the one that was synthesized last.
 */
export const playMany = async (storm: ManyStorm, assembly?: string): Promise<ManyRun> =>
  inSandbox(storm, await fixedPathMs(storm, assembly), assembly);

const sizes = [
  [10, 100],
  [100, 10],
  [100, 100],
  [300, 30],
] as const;

/** The storms of the published table: each size with each case, and a new account. */
export const publishedStorms = (): readonly ManyStorm[] => {
  const usual = { held: 'mixed', concurrency: 1_000, seed: 1 } as const;
  const all = sizes.flatMap(([groups, members]) =>
    (['zone', 'all'] as const satisfies readonly ManyCase[]).map((which) => ({ ...usual, groups, members, case: which })),
  );
  return [...all, { ...usual, groups: 100, members: 10, case: 'zone', concurrency: 10 }];
};

import type { CallLog, LoggedCall } from '../sandbox/call-log.ts';
import { type Sandbox, startSandbox } from '../sandbox/door.ts';
import type { InstanceSnapshot, WorldFact } from '../sandbox/world/world.ts';
import { type HoldingName, holdings, refusedZone, stormPolicy, stormWorld } from './storm-world.ts';

/** The result of one storm. Times are simulated, and count from the last warning unless stated otherwise. */
export type StormFigures = {
  readonly provider: HoldingName;
  readonly interruptions: number;
  readonly seed: number;
  /** Calls by functions that change something in EC2, Auto Scaling or Elastic Load Balancing, from the first warning until the group is at rest. */
  readonly mutatingCalls: number;
  /** When the first launch call was made: how long it takes from a warning to a request. */
  readonly firstRequestedMs: number;
  /** When the launch call was made that got the last of as many instances as were warned: after what was refused was requested elsewhere. */
  readonly allRequestedMs: number;
  /** When EC2 had answered that call. */
  readonly allGrantedMs: number;
  readonly lastServingMs: number;
  readonly lastDrainBegunMs: number;
  readonly restMs: number;
  readonly lowestServing: number;
  readonly byOperation: Readonly<Record<string, number>>;
  readonly drainsStarted: number;
  readonly decisions: number;
  readonly throttled: number;
  readonly servingByPool: Readonly<Record<string, number>>;
  /** From the first warning until rest: world time played, and what playing it took on this machine. */
  readonly simulatedMs: number;
  readonly wallMs: number;
};

/** One storm. Small ones drain no bucket, so that they need not wait for them (`fillsBuckets: false`). */
export type Storm = { readonly holding: HoldingName; readonly size: number; readonly seed: number; readonly fillsBuckets?: boolean };

const services = ['ec2', 'autoscaling', 'elasticloadbalancing'];
const launches = ['CreateFleet', 'LaunchInstances'];
const lookEveryMs = 2_000;
const warmUpMs = 900_000;
/** The largest bucket, of launched instances, holds 1,000 and fills by 2 a second: after this time the warm-up has left no mark on any. */
const refillMs = 600_000;
const restWithinMs = 900_000;
/** A group is at rest when nothing has changed for this long, which is longer than the minute tick. */
const stillMs = 90_000;
const noticeMs = 120_000;

const isServing = ({ state, takenAtMs, targets }: InstanceSnapshot): boolean =>
  state === 'running' && takenAtMs === undefined && Object.values(targets).includes('healthy');

const serving = ({ world }: Sandbox): number => world.snapshot().instances.filter(isServing).length;

const waitUntil = async ({ clock }: Sandbox, what: string, atMostMs: number, holds: () => boolean): Promise<void> => {
  const untilMs = clock.now() + atMostMs;
  while (!holds()) {
    if (clock.now() >= untilMs) throw new Error(`The storm cannot be measured: after ${atMostMs / 1_000} s ${what} is still not so.`);
    await clock.sleep(lookEveryMs);
  }
};

const changesBy = (log: CallLog, sinceMs: number): readonly LoggedCall[] =>
  log.calls({ sinceMs, mutating: true }).filter(({ service, caller }) => services.includes(service) && caller !== 'operator');

const countBy = <T>(items: readonly T[], keyOf: (item: T) => string): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(items, keyOf)].map(([key, list]) => [key, list.length] as const).sort());

/** Facts of the storm by what they mean, and the lowest number that served at once. */
const watch = (sandbox: Sandbox) => {
  const facts: WorldFact[] = [];
  sandbox.world.observe((fact) => void (fact.kind !== 'served' && facts.push(fact)));
  const times = (kind: WorldFact['kind'], sinceMs: number): readonly number[] =>
    facts.filter((fact) => fact.kind === kind && fact.atMs >= sinceMs).map(({ atMs }) => atMs);
  return { times };
};

/** The launch call during which EC2 gave the last replacement: instances appear while their call is under way. */
const lastLaunch = (calls: readonly LoggedCall[], grantedAtMs: number): { readonly madeAtMs: number; readonly answeredAtMs: number } => {
  const around = calls
    .map(({ operation, atMs, durationMs = 0 }) => ({ operation, madeAtMs: atMs, answeredAtMs: atMs + durationMs }))
    .filter(({ operation, madeAtMs, answeredAtMs }) => launches.includes(operation) && madeAtMs <= grantedAtMs && grantedAtMs <= answeredAtMs);
  const middle = ({ madeAtMs, answeredAtMs }: (typeof around)[number]): number => Math.abs((madeAtMs + answeredAtMs) / 2 - grantedAtMs);
  const found = around.sort((a, b) => middle(a) - middle(b))[0];
  if (found === undefined) throw new Error('The storm cannot be measured: instances appeared that no launch call of a function explains.');
  return found;
};

/** Brings the group up, and lets the token buckets fill again. */
const warmUp = async (sandbox: Sandbox, { holding, size, fillsBuckets = true }: Storm): Promise<void> => {
  const arn = sandbox.world.snapshot().targetGroups[0]?.arn ?? '';
  await sandbox.putPolicy(stormPolicy(holding, size, arn));
  await waitUntil(sandbox, `a fleet of ${size} that serves`, warmUpMs, () => serving(sandbox) >= size);
  await sandbox.clock.sleep(fillsBuckets ? refillMs : stillMs);
};

/** Spot is gone in the first zone, and every member is warned at once. */
const strike = ({ world }: Sandbox): readonly string[] => {
  const { offerings, instances } = world.snapshot();
  for (const offering of offerings.filter(({ zone, market }) => zone === refusedZone && market === 'spot'))
    world.setOffering(offering, { capacity: 0 });
  const members = instances.filter(({ state }) => state === 'running').map(({ id }) => id);
  world.interrupt(members, { noticeMs });
  return members;
};

const isOver = (sandbox: Sandbox, warned: ReadonlySet<string>, size: number): boolean => {
  const { instances } = sandbox.world.snapshot();
  const left = instances.some(({ id, state }) => warned.has(id) && state !== 'terminated');
  return !left && serving(sandbox) === size && sandbox.executions().every(({ status }) => status !== 'RUNNING');
};

const untilRest = async (sandbox: Sandbox, warned: readonly string[], startedAtMs: number): Promise<number> => {
  let lowest = warned.length;
  const ids = new Set(warned);
  const lastChangeMs = (): number => Math.max(startedAtMs, ...changesBy(sandbox.callLog, startedAtMs).map(({ atMs }) => atMs));
  await waitUntil(sandbox, 'the group at rest', restWithinMs, () => {
    const healthy = sandbox.world.snapshot().instances.filter(({ targets }) => Object.values(targets).includes('healthy')).length;
    lowest = Math.min(lowest, healthy);
    return isOver(sandbox, ids, warned.length) && sandbox.clock.now() - lastChangeMs() >= stillMs;
  });
  return lowest;
};

const play = async (sandbox: Sandbox, storm: Storm): Promise<StormFigures> => {
  const { clock, callLog } = sandbox;
  const { times } = watch(sandbox);
  await warmUp(sandbox, storm);
  const executionsBefore = sandbox.executions().length;
  const startedAtMs = clock.now();
  const wallStart = performance.now();
  const warned = strike(sandbox);
  const lowestServing = await untilRest(sandbox, warned, startedAtMs);
  const wallMs = Math.round(performance.now() - wallStart);
  const changes = changesBy(callLog, startedAtMs);
  const last = lastLaunch(changes, times('launched', startedAtMs)[warned.length - 1] ?? Number.NaN);
  const since = (atMs: number): number => atMs - startedAtMs;
  const decisions = (await sandbox.items('state')).filter(({ item, atMs }) => String(item).startsWith('decision#') && Number(atMs) >= startedAtMs);
  return {
    provider: storm.holding,
    interruptions: warned.length,
    seed: storm.seed,
    mutatingCalls: changes.length,
    firstRequestedMs: since(Math.min(...changes.filter(({ operation }) => launches.includes(operation)).map(({ atMs }) => atMs))),
    allRequestedMs: since(last.madeAtMs),
    allGrantedMs: since(last.answeredAtMs),
    lastServingMs: since(Math.max(...times('serving', startedAtMs))),
    lastDrainBegunMs: since(Math.max(...times('draining', startedAtMs))),
    restMs: since(Math.max(...changes.map(({ atMs }) => atMs))),
    lowestServing,
    byOperation: countBy(changes, ({ service, operation }) => `${service}:${operation}`),
    drainsStarted: sandbox.executions().length - executionsBefore,
    decisions: decisions.length,
    throttled: changes.filter(({ outcome = '' }) => /Throttling|RequestLimitExceeded/.test(outcome)).length,
    servingByPool: countBy(sandbox.world.snapshot().instances.filter(isServing), ({ market, zone }) => `${market} ${zone}`),
    simulatedMs: clock.now() - startedAtMs,
    wallMs,
  };
};

/**
 * Plays one storm in virtual time, with the published token buckets: a fleet of this size, and all of it warned at once.
 *
 * @param assembly folder of another cloud assembly than the one that was synthesized last.
 */
export const playStorm = async (storm: Storm, assembly?: string): Promise<StormFigures> => {
  const { holding, size, seed } = storm;
  const sandbox = await startSandbox({ mode: 'simulated', spec: stormWorld(holding, size), seed, ...(assembly !== undefined && { assembly }) });
  try {
    return await sandbox.drive(play(sandbox, storm));
  } finally {
    await sandbox.close();
  }
};

/** The seeds say how launches, boots and health checks fall; three show how far that moves the times. */
const seedsOf: Readonly<Record<number, readonly number[]>> = { 200: [1, 2, 3], 1000: [1] };

/** Storms of 200 and of 1,000 warnings for each way to hold a group. */
export const benchStorm = async (): Promise<readonly StormFigures[]> => {
  const figures: StormFigures[] = [];
  for (const size of [200, 1_000]) {
    for (const holding of holdings) for (const seed of seedsOf[size] ?? []) figures.push(await playStorm({ holding, size, seed }));
  }
  return figures;
};

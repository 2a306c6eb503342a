import { type Sandbox, startSandbox } from '../sandbox/door.ts';
import { followTrace } from '../sandbox/scenario/follow-trace.ts';
import { observe } from '../sandbox/scenario/observe.ts';
import { type CapacityChange, changesIn } from '../sandbox/scenario/trace.ts';
import { type RecordedTrace, readTraceFile } from '../sandbox/scenario/trace-file.ts';
import { type Figures, figuresOf, type Life, type Prices } from './traces-figures.ts';
import { type PlayedRow, policyName, traceFiles } from './traces-rows.ts';
import { group, instanceType, noticeMs, type PlayedZone, spotPrice, tracePolicy, traceWorld, zonesOf } from './traces-world.ts';

/** The result of a trace. */
export type TraceFigures = Pick<PlayedRow, 'trace' | 'members' | 'seed' | 'drainS'> & { readonly policy: string; readonly days: number } & Figures & {
    readonly wallS: number;
  };

/** What is left out at the beginning, while the first members boot. */
const beginningMs = 120_000;
const msPerDay = 86_400_000;

type Played = {
  readonly row: PlayedRow;
  readonly zones: readonly PlayedZone[];
  readonly changes: readonly CapacityChange[];
  readonly lastsMs: number;
};

const pricesOf = ({ row, zones, changes }: Played, startMs: number): Prices => ({
  onDemand: Object.fromEntries(zones.map(({ zone, pool }) => [zone, pool.onDemandUsdPerHour])),
  spot: [
    ...zones.map((one) => ({ atMs: startMs, zone: one.zone, usdPerHour: spotPrice(one, row) })),
    ...changes.flatMap(({ atMs, zone, priceUsdPerHour }) =>
      priceUsdPerHour === undefined ? [] : [{ atMs: startMs + atMs, zone, usdPerHour: priceUsdPerHour }],
    ),
  ],
});

/** Writes down where and on which market each instance is launched. */
const watchLaunches = ({ world }: Sandbox): ReadonlyMap<string, Pick<Life, 'zone' | 'market' | 'launchedAtMs'>> => {
  const launched = new Map<string, Pick<Life, 'zone' | 'market' | 'launchedAtMs'>>();
  world.follow((event) => {
    if (event.kind === 'launched') launched.set(event.instance, { zone: event.zone, market: event.market, launchedAtMs: event.atMs });
  });
  return launched;
};

const play = async (sandbox: Sandbox, played: Played): Promise<Figures> => {
  const { world, clock } = sandbox;
  const launched = watchLaunches(sandbox);
  const observation = observe(world, () => group, clock.now);
  const startMs = clock.now();
  followTrace(sandbox, played.changes, { instanceType, noticeMs });
  await sandbox.putPolicy(tracePolicy(played.zones, played.row, world.snapshot().targetGroups[0]?.arn));
  await clock.sleep(startMs + played.lastsMs - clock.now());
  const lives = [...launched].map(([id, life]): Life => ({ ...observation.lives.get(id), ...life }));
  const window = { fromMs: startMs + beginningMs, toMs: startMs + played.lastsMs, members: played.row.members };
  return figuresOf(lives, observation.serving.get(group) ?? [], pricesOf(played, startMs), window);
};

const excerptOf = (trace: RecordedTrace, row: PlayedRow, lastsMs: number): Played => {
  const zones = zonesOf(trace, row.seed);
  const { file: _, ...how } = traceFiles[row.trace];
  const names = Object.fromEntries(zones.map(({ zone, pool }) => [zone, pool.zone]));
  return {
    row,
    zones,
    lastsMs,
    changes: changesIn(trace, { zones: names, fromSample: 0, lastsMs, noticeMs, prices: row.prices === 'trace', ...how }),
  };
};

/** How a row is played, besides what the row says. */
export type Playing = {
  /** The most days of the trace, from its beginning (default: all). */
  readonly days?: number;
  /** Folder of traces, instead of the default. */
  readonly folder?: string;
  /** Called before anything happens, for observers. */
  readonly watch?: (sandbox: Sandbox) => void;
};

/** Plays one row in virtual time through the whole stack. */
export const playTrace = async (row: PlayedRow, { days = Number.POSITIVE_INFINITY, folder, watch }: Playing = {}): Promise<TraceFigures> => {
  const startedMs = performance.now();
  const trace = await readTraceFile(traceFiles[row.trace].file, folder);
  const played = excerptOf(trace, row, Math.min(days * msPerDay, trace.samples * trace.gapMs));
  const sandbox = await startSandbox({ mode: 'simulated', spec: traceWorld(played.zones, row), seed: row.seed });
  watch?.(sandbox);
  try {
    const figures = await sandbox.drive(play(sandbox, played));
    const { trace: name, members, seed, drainS } = row;
    const wallS = Number(((performance.now() - startedMs) / 1_000).toFixed(1));
    const playedDays = Number((played.lastsMs / msPerDay).toFixed(2));
    return { trace: name, members, policy: policyName(row), seed, drainS, days: playedDays, ...figures, wallS };
  } finally {
    await sandbox.close();
  }
};

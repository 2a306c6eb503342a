import { ScenarioError } from '../sandbox/scenario/scenario-error.ts';
import { atLeastOne, OptionError, oneOf, optionsIn } from '../scripts/command-line.ts';
import { ciRows, playCi } from './ci.ts';
import { benchImport, type ImportFigures } from './cold-import.ts';
import { type BenchName, benchNamed, helpOf } from './command-line.ts';
import { type IdleRun, idleHour, playIdle } from './idle.ts';
import { type Dollars, dollarsOf, pricedStack } from './idle-dollars.ts';
import { playLarge } from './large.ts';
import { playSeveral } from './large-several.ts';
import { playMany, publishedStorms } from './many.ts';
import type { ManyRun } from './many-figures.ts';
import { missedGoals } from './many-goals.ts';
import { heldBy, manyOptions } from './many-options.ts';
import { playMemory } from './memory.ts';
import { benchPlanning, type PlanningFigures } from './planning.ts';
import { benchStorm, type StormFigures } from './storm.ts';
import { holdings } from './storm-world.ts';
import { table } from './table.ts';
import { playRows } from './traces-jobs.ts';
import { readTracesOptions, tracesHelp } from './traces-options.ts';

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const stormTable = (runs: readonly StormFigures[]): string =>
  table(
    ['held by', 'warned', 'mutating calls', 'first requested', 'all requested', 'all granted', 'all serving', 'lowest serving', 'drains'],
    runs.map((run) => [
      run.provider,
      run.interruptions,
      run.mutatingCalls,
      seconds(run.firstRequestedMs),
      seconds(run.allRequestedMs),
      seconds(run.allGrantedMs),
      seconds(run.lastServingMs),
      run.lowestServing,
      run.drainsStarted,
    ]),
  );

const importTable = ({ reactKb, reactMs, controlKb, controlMs, ratio }: ImportFigures): string =>
  table(
    ['bundle', 'KB', 'cold import ms', 'ratio'],
    [
      ['react', reactKb, reactMs, ratio],
      ['control', controlKb, controlMs, 1],
    ],
  );

const planningTable = ({ runs, growth }: PlanningFigures): string =>
  table(
    ['tree', 'placements', 'ms', 'µs each', 'growth'],
    runs.map(({ tree, placements, medianMs, perPlacementUs }) => {
      const grown = growth.find((one) => one.tree === tree && one.to === placements);
      return [tree, placements, medianMs, perPlacementUs, grown === undefined ? '' : `x ${grown.ratio}`];
    }),
  );

/** One benchmark: its figures, and the table that a reader sees when none is named. */
const bench = <Figures>(measure: () => Figures | Promise<Figures>, show: (figures: Figures) => string) => ({
  json: async (): Promise<string> => JSON.stringify(await measure(), null, 2),
  text: async (): Promise<string> => show(await measure()),
});

/** `dollars`: of a month in which nothing happens, by default and with the alarms about capacity alone. */
type IdleFigures = IdleRun & { readonly dollars: { readonly byDefault: Dollars; readonly capacity: Dollars } };

const benchIdle = async (time = idleHour): Promise<IdleFigures> => {
  const run = await playIdle(time);
  const [byDefault, capacity] = [await pricedStack(), await pricedStack('capacity')].map((stack) => dollarsOf(stack, run));
  if (byDefault === undefined || capacity === undefined) throw new Error('Two stacks were priced.');
  return { ...run, dollars: { byDefault, capacity } };
};

const idleTable = ({ calls, dollars: { byDefault, capacity } }: IdleFigures): string =>
  [
    table(
      ['function', 'call', 'in an idle hour'],
      [...calls.map(({ function: name, call, count }) => [name, call, count]), ['all', '', calls.reduce((sum, { count }) => sum + count, 0)]],
    ),
    table(
      ['dollars a month', 'by default', "alarms: 'capacity'"],
      Object.entries(byDefault).map(([what, usd]) => [what, usd, capacity[what as keyof Dollars]]),
    ),
  ].join('\n\n');

const benches = {
  idle: bench(() => benchIdle(), idleTable),
  import: bench(benchImport, importTable),
  planning: bench(benchPlanning, planningTable),
  storm: bench(benchStorm, stormTable),
};

/** One object a run on standard output, as soon as it is played; the goals it misses on standard error. */
const benchMany = async (args: readonly string[]): Promise<void> => {
  const { storm: one, calls, hold } = manyOptions(args);
  for (const storm of one === undefined ? publishedStorms() : [one]) {
    const run: ManyRun = await playMany(storm);
    console.log(JSON.stringify(run.figures));
    for (const missed of missedGoals(run)) console.error(`${run.figures.groups} x ${run.figures.members}, ${run.figures.case}: ${missed}`);
    if (calls) console.error(run.callTable);
    if (calls && run.requestedShares !== undefined)
      console.error(
        `requested of what the buckets allow: ${run.requestedShares.map(({ afterS, share }) => `${afterS} s ${(100 * share).toFixed(0)} %`).join(', ')}`,
      );
    if (hold && missedGoals(run).length > 0) process.exitCode = 1;
  }
};

const benchLarge = async (args: readonly string[]): Promise<void> => {
  const options = {
    groups: { type: 'string', default: '1' },
    members: { type: 'string', default: '10000' },
    held: { type: 'string', default: 'tag' },
    seed: { type: 'string', default: '1' },
    'until-whole': { type: 'boolean', default: false },
  } as const;
  const { groups, members, held, seed, 'until-whole': isWhole } = optionsIn(args, options, helpOf('large'));
  const size = { members: atLeastOne('members', members), held: oneOf('held', holdings, held), seed: atLeastOne('seed', seed) };
  const group = { ...size, ...(isWhole && { untilWhole: console.error }) };
  const count = atLeastOne('groups', groups);
  console.log(JSON.stringify(await (count === 1 ? playLarge(group) : playSeveral({ groups: count, ...group })), null, 2));
};

const benchMemory = async (args: readonly string[]): Promise<void> => {
  const options = { members: { type: 'string', default: '10000' }, heap: { type: 'string' } } as const;
  const { members, heap } = optionsIn(args, options, helpOf('memory'));
  console.log(JSON.stringify(await playMemory(atLeastOne('members', members), heap === undefined ? undefined : atLeastOne('heap', heap)), null, 2));
};

const benchIdleGroups = async (args: readonly string[]): Promise<void> => {
  const options = {
    groups: { type: 'string', default: '1' },
    held: { type: 'string', default: 'tag' },
    minutes: { type: 'string', default: '60' },
  } as const;
  const values = optionsIn(args, options, helpOf('idle'));
  const [groups, minutes] = [atLeastOne('groups', values.groups), atLeastOne('minutes', values.minutes)];
  console.log(JSON.stringify(await benchIdle({ groups, held: oneOf('held', heldBy, values.held), minutes }), null, 2));
};

const benchCi = async (args: readonly string[]): Promise<void> => {
  const options = {
    days: { type: 'string', default: '1' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    row: { type: 'string' },
  } as const;
  const values = optionsIn(args, options, helpOf('ci'));
  const rows = values.row === undefined ? ciRows : [oneOf('row', ciRows, values.row)];
  const [days, from, seed] = [atLeastOne('days', values.days), atLeastOne('from', values.from), atLeastOne('seed', values.seed)];
  for (let day = from; day < from + days; day += 1)
    for (const row of rows) console.log(JSON.stringify(await playCi({ row, day: day - 1, seed: seed + day - 1 })));
};

/** The figures of every row as one array on standard output. Progress goes to standard error. */
const benchTraces = async (args: readonly string[]): Promise<void> => {
  const options = readTracesOptions(args);
  if (options === 'help') return console.log(tracesHelp);
  console.log(JSON.stringify(await playRows(options, console.error), null, 2));
};

/** A bench without options. */
const benchAlone =
  (name: keyof typeof benches) =>
  async (args: readonly string[]): Promise<void> => {
    optionsIn(args, {}, helpOf(name));
    console.log(await benches[name].json());
  };

const played: Readonly<Record<BenchName, (args: readonly string[]) => Promise<void>>> = {
  storm: benchAlone('storm'),
  import: benchAlone('import'),
  planning: benchAlone('planning'),
  idle: benchIdleGroups,
  many: benchMany,
  large: benchLarge,
  memory: benchMemory,
  ci: benchCi,
  traces: benchTraces,
};

const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h' || arg === 'help';

const main = async (given: string | undefined, args: readonly string[]): Promise<void> => {
  if (isHelp(given)) return console.log(helpOf());
  if (given === undefined) {
    for (const [title, { text }] of Object.entries(benches)) console.log(`${title}\n${await text()}\n`);
    return;
  }
  const name = benchNamed(given);
  if (name !== 'traces' && args.some(isHelp)) return console.log(helpOf(name));
  await played[name](args);
};

try {
  await main(process.argv[2], process.argv.slice(3));
} catch (error) {
  if (!(error instanceof OptionError || error instanceof ScenarioError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

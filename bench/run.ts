import { benchImport, type ImportFigures } from './cold-import.ts';
import { benchPlanning, type PlanningFigures } from './planning.ts';
import { benchStorm, type StormFigures } from './storm.ts';
import { table } from './table.ts';

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

const benches = {
  import: bench(benchImport, importTable),
  planning: bench(benchPlanning, planningTable),
  storm: bench(benchStorm, stormTable),
};

const isKnown = (name: string): name is keyof typeof benches => Object.hasOwn(benches, name);

const main = async (name: string | undefined): Promise<void> => {
  if (name === undefined) {
    for (const [title, { text }] of Object.entries(benches)) console.log(`${title}\n${await text()}\n`);
  } else if (isKnown(name)) {
    console.log(await benches[name].json());
  } else {
    console.error(`There is no benchmark "${name}": use ${Object.keys(benches).join(', ')}, or no name for all of them.`);
    process.exitCode = 1;
  }
};

await main(process.argv[2]);

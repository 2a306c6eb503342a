import { nearestName } from '../core/policy/problem.ts';
import { meant, OptionError } from '../scripts/command-line.ts';

/** The benches, what each plays, and its options: one line an option, with its default in brackets. */
export const benchHelp = {
  storm: { plays: 'one group whose members are all warned: JSON', options: [] },
  import: { plays: "how long the cold import of react's bundle takes: JSON", options: [] },
  planning: { plays: 'how long the planner takes for up to 10,000 members: JSON', options: [] },
  idle: {
    plays: 'groups to which nothing happens: calls and dollars, JSON',
    options: ['--groups N (1)', '--held mixed|tag|attach|launch-instances (tag)', '--minutes N (60)'],
  },
  many: {
    plays: 'storms over many groups: one JSON object a run, and the goals that it misses on standard error',
    options: [
      '--groups N, --members N   one storm of this size. Without both: all of the published table, which takes hours. --case, --held, --concurrency and --seed need one of the two',
      '--case zone|all           the members of one zone are warned, or all members (zone)',
      '--held mixed|tag|attach|launch-instances (mixed)',
      '--concurrency N           functions that the account runs at once (1000)',
      '--seed N (1)',
      '--calls                   a table of calls on standard error',
      '--hold                    fails where a goal is missed',
    ],
  },
  large: {
    plays: 'one large group: sized from zero, one warning, a lost zone; or several, which exist before: JSON',
    options: [
      '--groups N (1)',
      '--members N (10000)',
      '--held tag|attach|launch-instances (tag)',
      '--seed N (1)',
      '--until-whole             one group: Holdfast launches all of it from zero. Several: until a lost zone is replaced. Progress on standard error',
    ],
  },
  memory: {
    plays: "the memory that react takes for looks at one large group, in a process with half of the function's memory: JSON",
    options: ['--members N (10000)', '--heap MB    the most memory for what the process keeps (half of what is configured)'],
  },
  ci: {
    plays: 'a CI fleet over days of a recorded trace: one JSON object a day and row',
    options: ['--days N (1)', '--from DAY (1)', '--seed N (1)', '--row ROW (all rows)'],
  },
  traces: { plays: 'whole recorded spot traces: availability and cost', options: ['npm run bench -- traces --help lists its options'] },
} as const satisfies Readonly<Record<string, { readonly plays: string; readonly options: readonly string[] }>>;

export type BenchName = keyof typeof benchHelp;
const benchNames = Object.keys(benchHelp) as readonly BenchName[];

const sectionOf = (name: BenchName): string => {
  const { plays, options } = benchHelp[name];
  return [`  ${name.padEnd(10)}${plays}`, ...options.map((option) => `${' '.repeat(14)}${option}`)].join('\n');
};

/** The help of one bench, or of all. */
export const helpOf = (name?: BenchName): string =>
  name === undefined
    ? `npm run bench -- [bench] [options]

Without a bench: storm, import, planning and idle, as tables. docs/performance.md has their figures.

${benchNames.map(sectionOf).join('\n')}

  --help      this text; after a bench, what it plays and its options`
    : `npm run bench -- ${name} [options]\n\n${sectionOf(name)}`;

/** The bench of this name. @throws OptionError */
export const benchNamed = (name: string): BenchName => {
  const found = benchNames.find((known) => known === name);
  if (found !== undefined) return found;
  const what = name.startsWith('-') ? `an option of all benches, found "${name}"` : `a bench, found "${name}"`;
  throw new OptionError(`Expected ${what}.${meant(nearestName(name, name.startsWith('-') ? ['--help'] : benchNames))}\n\n${helpOf()}`);
};

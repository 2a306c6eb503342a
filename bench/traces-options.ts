import { OptionError, optionsIn } from '../scripts/command-line.ts';
import { isPlayable, type PlayedRow, policyName, seeds, tableRows, traceNames } from './traces-rows.ts';

export const tracesHelp = `npm run bench -- traces [options]

Plays recorded spot traces in virtual time through the whole stack, and prints one JSON array on standard output:
[{trace, members, policy, seed, drainS, days, availabilityPercent, costSharePercent, launches, interruptions, returns, wallS}]

Without options: every row of the table in docs/performance.md, with two seeds. Options choose among these rows.

  --trace NAME      ${traceNames.join(', ')}; may be repeated
  --policy NAME     spread, spread with a spare, cheapest: as the field "policy" says it; may be repeated
  --drain SECONDS   0 (kept by tag, no target group) or 30 (a target group with that deregistration delay); may be repeated
  --seed N          any whole number above 0: the order of zones and every draw follow from it; may be repeated (1 and 2)
  --members N       members of the group (4)
  --days N          at most so many days of each trace, from its beginning, such as 0.5 (all)
  --traces FOLDER   where the files lie. Without it: what HOLDFAST_TRACES names, else what ships.
                    Rows whose file is not there are left out, and named on standard error
  --jobs N          rows played at once, each in a process of its own (1)
  --help            this text
`;

/** What the command line asks for. */
export type TracesOptions = {
  readonly rows: readonly PlayedRow[];
  readonly days?: number;
  readonly folder?: string;
  readonly jobs: number;
};

const wholeNumber = (option: string, given: string, least: number): number => {
  const value = Number(given);
  if (given.trim() !== '' && Number.isSafeInteger(value) && value >= least) return value;
  throw new OptionError(`--${option}: expected a whole number of at least ${least}, found "${given}".`);
};

const daysIn = (given: string): number => {
  const value = Number(given);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new OptionError(`--days: expected a number above 0, found "${given}".`);
};

const many = { type: 'string', multiple: true } as const;
const options = {
  trace: many,
  policy: many,
  drain: many,
  seed: many,
  members: { type: 'string', default: '4' },
  days: { type: 'string' },
  traces: { type: 'string' },
  jobs: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const;

/** Values of an option that chooses among rows: nothing given means all. */
const chosen = <Value extends string | number>(option: string, given: readonly string[] | undefined, known: readonly Value[]): ReadonlySet<Value> => {
  const all = new Map(known.map((value) => [String(value), value]));
  return new Set(
    (given ?? [...all.keys()]).map((text) => {
      const value = all.get(text);
      if (value === undefined) throw new OptionError(`--${option}: expected ${[...all.keys()].join(' or ')}, found "${text}".`);
      return value;
    }),
  );
};

/** Reads the command line. @throws OptionError */
export const readTracesOptions = (args: readonly string[]): TracesOptions | 'help' => {
  const values = optionsIn(args, options, tracesHelp);
  if (values.help) return 'help';
  const rows = tableRows(wholeNumber('members', values.members, 1)).filter(isPlayable);
  const traces = chosen('trace', values.trace, traceNames);
  const policies = chosen('policy', values.policy, [...new Set(rows.map(policyName))]);
  const drains = chosen('drain', values.drain, [...new Set(rows.map(({ drainS }) => drainS))]);
  const played = rows.filter((row) => traces.has(row.trace) && policies.has(policyName(row)) && drains.has(row.drainS));
  if (played.length === 0) {
    const known = rows.map((row) => `--trace ${row.trace} --policy "${policyName(row)}" --drain ${row.drainS}`).join('\n');
    throw new OptionError(`No row of the table is all of this. There are:\n${known}`);
  }
  const every = (values.seed ?? seeds.map(String)).map((seed) => wholeNumber('seed', seed, 1));
  return {
    rows: played.flatMap((row) => every.map((seed) => ({ ...row, seed }))),
    ...(values.days !== undefined && { days: daysIn(values.days) }),
    ...(values.traces !== undefined && { folder: values.traces }),
    jobs: wholeNumber('jobs', values.jobs, 1),
  };
};

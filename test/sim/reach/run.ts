import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atLeastOne, atLeastZero, commandLine, oneOf } from '../../../scripts/command-line.ts';
import { digestOfCode } from '../../mutants/generated/state.ts';
import { type ProfileName, profileNames } from '../profiles/list.ts';
import { runAssembly } from '../stage.ts';
import { keep, readKept } from './kept.ts';
import { openMeter, type Reach } from './measure.ts';
import { readableAssembly } from './readable-assembly.ts';
import { neverReached, profileTable, reasonTable, together } from './table.ts';

const command = {
  name: 'npm run sim:coverage',
  does: 'Plays random worlds of each profile, and counts which branches of the product they run.',
  examples: ['--profiles small,edits --worlds 10', '--missing'],
  options: {
    worlds: { type: 'string', default: '20', value: 'N', help: 'so many worlds of each profile, fewer of `large` and more of `rare`' },
    from: { type: 'string', default: '1', value: 'SEED', help: 'the seed of the first world' },
    profiles: { type: 'string', value: 'NAMES', help: 'only these profiles, with commas between them' },
    missing: { type: 'boolean', default: false, help: 'prints every place that no world has reached' },
    write: { type: 'boolean', default: false, help: 'writes the tables into docs/reach.md' },
  },
} as const;

const { values, worlds, firstSeed, wanted } = commandLine(command, (read) => ({
  ...read,
  worlds: atLeastOne('worlds', read.values.worlds),
  firstSeed: atLeastZero('from', read.values.from),
  wanted: read.values.profiles?.split(',').map((name) => oneOf('profiles', profileNames, name)) ?? profileNames,
}));

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const tell = (text: string): void => void process.stderr.write(`${text}\n`);
const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'reach.md');
const [begin, end] = ['<!-- coverage by profile -->', '<!-- end of coverage by profile -->'];

const writeTables = async (tables: string): Promise<void> => {
  const text = await readFile(page, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} lacks the lines ${begin} and ${end}, between which the tables stand.`);
  await writeFile(page, `${text.slice(0, from)}${begin}\n\n${tables}\n\n${text.slice(to)}`);
};

/** How many times as many worlds of these profiles are played. A world of a large group takes as long as ten or a hundred others, and `rare` has many kinds. */
const share: Partial<Record<ProfileName, number>> = { large: 1 / 4, huge: 1 / 20, rare: 5 };

const { directory, remove, scripts } = await readableAssembly();
runAssembly(directory);

/** What each profile reaches. A profile that was measured before, with the same code and worlds, is not played again. */
const measureAll = async (): Promise<readonly Reach[]> => {
  const [meter, code] = [await openMeter(scripts), await digestOfCode()];
  const urls = scripts.map(({ url }) => url);
  const reach: Reach[] = [];
  for (const profile of wanted) {
    const order = { profile, from: firstSeed, worlds: Math.ceil(worlds * (share[profile] ?? 1)) };
    const kept = await readKept(order, code, urls);
    if (kept !== undefined) tell(`${profile}: measured before`);
    const measured = kept ?? (await meter.measure({ ...order, tell }));
    if (kept === undefined) await keep(measured, code, urls);
    reach.push(measured);
  }
  meter.close();
  return reach;
};

try {
  const measured = together(scripts, await measureAll());
  const tables = `${profileTable(measured)}\n\n${reasonTable(measured)}`;
  const { places, codes } = neverReached(measured);
  say(`\n${tables}\n`);
  if (values.missing) say(places.join('\n'));
  say(`${places.length} branches are reached by no profile${codes.length === 0 ? '' : `, and neither are: ${codes.join(', ')}`}`);
  if (values.write) await writeTables(tables);
} finally {
  await remove();
}

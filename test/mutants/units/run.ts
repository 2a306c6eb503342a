import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, matchesGlob } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { atLeastOne, atLeastZero, commandLine, OptionError } from '../../../scripts/command-line.ts';
import { breakageOf, draw } from '../generated/draw.ts';
import { filesBelow, type Generated, type Instrumented, instrument, instrumentSources } from '../generated/instrument.ts';
import { say } from '../table.ts';
import type { Fate, Given, Told } from './worker.ts';

const command = {
  name: 'npm run mutate:units',
  does: 'Makes mutants of these folders or files with the operators of StrykerJS, runs the unit tests over each, and prints those that survive.',
  examples: ['core/swap core/view', "core/swap --tests 'core/swap/*.test.ts'", 'core/swap/ends.ts --line 42', '--generated 600 --seed 1'],
  positionals: 'PATHS',
  options: {
    tests: {
      type: 'string',
      default: '{core/**/*,policy/!(limits),drain/!(workflow),react/*,house/times}.test.ts',
      value: 'GLOB',
      help: 'the tests that are run, below test/',
    },
    generated: {
      type: 'string',
      value: 'N',
      help: 'not the mutants of paths, but the sample of so many that `npm run sim:mutants -- --generated` draws',
    },
    seed: { type: 'string', default: '1', value: 'N', help: 'the seed by which they are drawn' },
    line: { type: 'string', value: 'N', help: 'only mutants of this line' },
    left: { type: 'string', value: 'FILE', help: 'writes the mutants that no test kills, as `npm run sim:mutants -- --mine FILE` reads them' },
    all: { type: 'boolean', default: false, help: 'also prints what killed each mutant' },
  },
} as const;

const { values, positionals, wantedLine, sample } = commandLine(command, (read) => {
  const { line, generated, seed } = read.values;
  if (generated === undefined && read.positionals.length === 0) throw new OptionError('Expected folders or files, or --generated N.');
  return {
    ...read,
    wantedLine: line === undefined ? undefined : atLeastOne('line', line),
    sample: generated === undefined ? undefined : { count: atLeastOne('generated', generated), seed: atLeastZero('seed', seed) },
  };
});

const root = dirname(dirname(dirname(import.meta.dirname)));

/** A mutant that takes longer never ends. */
const patienceMs = 60_000;

const testFilesOf = async (glob: string): Promise<readonly string[]> =>
  (await filesBelow('test')).filter((file) => file.endsWith('.test.ts') && matchesGlob(file, `test/${glob}`)).toSorted();

const sourcesOf = async (wanted: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const folders = [...new Set(wanted.map((path) => path.split('/')[0] ?? ''))];
  const files = (await Promise.all(folders.map(filesBelow))).flat().toSorted();
  const chosen = files.filter((file) => wanted.some((path) => file === path || file.startsWith(`${path}/`)));
  return new Map(await Promise.all(chosen.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const)));
};

type Played = { readonly fate: Fate | 'hangs'; readonly by?: string };

/** Plays mutants in a thread of its own, which is started anew when one hangs. */
const openPlayer = (given: Given) => {
  const ready = async (worker: Worker): Promise<Worker> => {
    const [told] = (await once(worker, 'message')) as [Told];
    if (told.kind === 'ready' && told.failed.length > 0) say(`These tests fail with the code as it is, and are left out:\n${told.failed.join('\n')}`);
    return worker;
  };
  const start = () => ready(new Worker(new URL('./worker.ts', import.meta.url), { workerData: given }));
  let worker = start();
  return {
    play: async (id: string): Promise<Played> => {
      const over = new AbortController();
      const { signal } = over;
      const thread = await worker;
      const answers = [
        once(thread, 'message', { signal }).then(([told]): Played => ((told as Told).kind === 'fate' ? (told as Played) : { fate: 'hangs' })),
        sleep(patienceMs, { fate: 'hangs' } as const, { signal }),
      ];
      thread.postMessage(id);
      const played = await Promise.race(answers).catch((): Played => ({ fate: 'killed', by: 'the thread ended' }));
      over.abort();
      await Promise.allSettled(answers);
      if (played.fate === 'hangs' || played.by === 'the thread ended') {
        await thread.terminate();
        worker = start();
      }
      return played;
    },
    close: async () => void (await (await worker).terminate()),
  };
};

const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);

type Fates = ReadonlyMap<string, Played>;

/** Counts of a file or a folder. What a module only runs while it is loaded is left out, as `ignoreStatic` does. */
const rowOf = (name: string, list: readonly Generated[], fates: Fates): string => {
  const of = (...kinds: Played['fate'][]): number => list.filter(({ id }) => kinds.includes(fates.get(id)?.fate ?? 'while loading')).length;
  const [killed, survived, unreached] = [of('killed', 'hangs'), of('survived'), of('not reached')];
  const all = killed + survived + unreached;
  return `| ${name} | ${all} | ${killed} | ${percent(killed, all)} | ${survived} | ${unreached} |`;
};

const table = (mutants: readonly Generated[], fates: Fates): string => {
  const folders = Map.groupBy(mutants, ({ file }) => dirname(file));
  const head = ['| folder | mutants | killed | share | survived | not reached |', '|---|---|---|---|---|---|'];
  return [...head, ...[...folders].map(([folder, list]) => rowOf(folder, list, fates)), rowOf('all', mutants, fates)].join('\n');
};

const openOf = ({ sources }: Instrumented, mutants: readonly Generated[], fates: Fates): string =>
  mutants
    .flatMap((mutant) => {
      const { fate, by } = fates.get(mutant.id) ?? {};
      const isOpen = fate === 'survived' || fate === 'not reached';
      if (!isOpen && !values.all) return [];
      return [
        `${fate === 'survived' ? '' : `(${fate}${by === undefined ? '' : ` by ${by}`}) `}${breakageOf(sources.get(mutant.file) ?? '', mutant).name}`,
      ];
    })
    .join('\n');

/** The mutants that no test kills, as edits of their files. */
const leftOf = ({ sources }: Instrumented, mutants: readonly Generated[], fates: Fates) =>
  mutants
    .filter(({ id }) => ['survived', 'not reached'].includes(fates.get(id)?.fate ?? ''))
    .map((mutant) => breakageOf(sources.get(mutant.file) ?? '', mutant))
    .map(({ name, file, from, to }) => ({ name, file, from, to }));

const startedMs = Date.now();
const instrumented = sample === undefined ? await instrumentSources(await sourcesOf(positionals)) : await instrument();
const drawn =
  values.generated === undefined
    ? instrumented.mutants
    : await draw(instrumented, atLeastOne('generated', values.generated), atLeastZero('seed', values.seed));
const ids = new Set(drawn.map(({ id }) => id));
const mutants = instrumented.mutants.filter(({ id, line }) => ids.has(id) && (wantedLine === undefined || line === wantedLine));
const player = openPlayer({ counted: instrumented.counted, testFiles: await testFilesOf(values.tests) });
const fates = new Map<string, Played>();
for (const [, ofFile] of Map.groupBy(mutants, ({ file }) => file)) {
  for (const { id } of ofFile) fates.set(id, await player.play(id));
  say(openOf(instrumented, ofFile, fates));
  say(rowOf(ofFile[0]?.file ?? '', ofFile, fates));
}
await player.close();
if (values.left !== undefined) await writeFile(values.left, JSON.stringify(leftOf(instrumented, mutants, fates), null, 2));
say(`\n${table(mutants, fates)}\n\n${Math.round((Date.now() - startedMs) / 1000)} s`);

import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import fc from 'fast-check';
import { collect, type Test } from './registry.ts';
import { openTrial } from './trial.ts';

/** What a thread is given: the sources with a counter and a switch at every mutant, by path, and the test files. */
export type Given = { readonly counted: ReadonlyMap<string, string>; readonly testFiles: readonly string[] };

/** What became of one mutant. One that only runs while a module is loaded is not played: no switch reaches it. */
export type Fate = 'killed' | 'survived' | 'not reached' | 'while loading';

export type Told =
  | { readonly kind: 'ready'; readonly tests: number; readonly failed: readonly string[] }
  | { readonly kind: 'fate'; readonly id: string; readonly fate: Fate; readonly by?: string };

const root = dirname(dirname(dirname(import.meta.dirname)));
const { counted, testFiles } = workerData as Given;

/** Counting costs more than most tests: it ends when the first mutant is switched on. */
const countsUntilPlayed = (text: string): string =>
  text.replace(/function cover\(\) \{/, 'function cover() { if (ns.activeMutant !== undefined) return;');
const sources = new Map([...counted].map(([file, text]) => [pathToFileURL(join(root, file)).href, countsUntilPlayed(text)]));
const registry = new URL('./registry.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vitest' && context.parentURL !== registry ? { url: registry, shortCircuit: true } : next(specifier, context),
  load: (url, context, next) => {
    const source = sources.get(url);
    return source === undefined ? next(url, context) : { format: 'module-typescript', source, shortCircuit: true };
  },
});

/** Counters and switches, as StrykerJS writes them into the code. */
type Stryker = {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number;
  mutantCoverage?: { readonly static: Record<string, number>; readonly perTest: Record<string, Record<string, number>> };
};
const stryker: Stryker = {};
Object.assign(globalThis, { __stryker__: stryker });

/** A test, the global settings of its file, how long it takes, and how often it runs each mutant. */
type Known = { readonly test: Test; readonly settings: fc.GlobalParameters; tookMs: number };

const tell = (told: Told): void => parentPort?.postMessage(told);

/** Random tests draw the same values for each mutant, and stop at the first value that fails. */
const usual: fc.GlobalParameters = { seed: 1, endOnFailure: true };

const load = async (): Promise<readonly Known[]> => {
  const known: Known[] = [];
  for (const file of testFiles) {
    fc.configureGlobal(usual);
    const tests = await collect(file, () => import(pathToFileURL(join(root, file)).href));
    const settings = { ...usual, ...fc.readConfigureGlobal() };
    known.push(...tests.map((test) => ({ test, settings, tookMs: 0 })));
  }
  return known;
};

const titleOf = ({ suite, title }: Test): string => {
  const titles = [title];
  for (let one = suite; ; one = one.parent) {
    titles.unshift(one.title);
    if (one.parent === undefined) return titles.join(' > ');
  }
};

/** Runs every test once as the code is, with counters. */
const measure = async (known: readonly Known[]): Promise<readonly string[]> => {
  const failed: string[] = [];
  const trial = openTrial();
  for (const one of known) {
    const startedMs = performance.now();
    stryker.currentTestId = one.test.id;
    fc.configureGlobal(one.settings);
    if (!(await trial.passes(one.test))) failed.push(titleOf(one.test));
    one.tookMs = performance.now() - startedMs;
  }
  stryker.currentTestId = undefined;
  await trial.end();
  return failed;
};

/** A loop that runs a mutant so many times more often than the code as it is never ends. */
const loops = 100;

const fateOf = async (
  id: string,
  covering: readonly Known[],
  hitsIn: (test: Test) => number,
): Promise<{ readonly fate: Fate; readonly by?: string }> => {
  const trial = openTrial();
  stryker.activeMutant = id;
  try {
    for (const one of covering) {
      fc.configureGlobal(one.settings);
      stryker.hitCount = 0;
      stryker.hitLimit = hitsIn(one.test) * loops + 1_000;
      if (!(await trial.passes(one.test))) return { fate: 'killed', by: titleOf(one.test) };
    }
    return { fate: 'survived' };
  } finally {
    stryker.activeMutant = undefined;
    stryker.hitCount = undefined;
    await trial.end();
  }
};

const known = await load();
const failed = await measure(known);
const { static: whileLoading = {}, perTest = {} } = stryker.mutantCoverage ?? {};
const sound = known.filter(({ test }) => !failed.includes(titleOf(test))).toSorted((a, b) => a.tookMs - b.tookMs);

parentPort?.on('message', async (id: string) => {
  const hitsIn = (test: Test): number => perTest[test.id]?.[id] ?? 0;
  const covering = sound.filter(({ test }) => hitsIn(test) > 0);
  if (covering.length > 0) tell({ kind: 'fate', id, ...(await fateOf(id, covering, hitsIn)) });
  else tell({ kind: 'fate', id, fate: whileLoading[id] === undefined ? 'not reached' : 'while loading' });
});
tell({ kind: 'ready', tests: known.length, failed });

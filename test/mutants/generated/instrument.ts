import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';

const root = dirname(dirname(dirname(import.meta.dirname)));

/** The code that calls AWS: whatever is below these folders, and the workflow of a drain. The rest of `lib/` is not played by any world. */
const folders = ['aws', 'functions'];
export const drainWorkflow = 'lib/drain-workflow.ts';

/** One mutant of the operators of StrykerJS: a piece of source between two offsets, and what is put in its place. */
export type Generated = {
  readonly id: string;
  readonly file: string;
  readonly operator: string;
  readonly line: number;
  readonly from: number;
  readonly until: number;
  readonly replacement: string;
};

/** The sources with a counter at every mutant, and the mutants. The same sources always give the same list. */
export type Instrumented = {
  readonly sources: ReadonlyMap<string, string>;
  readonly counted: ReadonlyMap<string, string>;
  readonly mutants: readonly Generated[];
};

/** Sources below a folder of the tree, as paths from its root. */
export const filesBelow = async (folder: string): Promise<readonly string[]> =>
  (await readdir(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));

const never = (): boolean => false;
const trouble = (message: string): never => {
  throw new Error(message);
};
const logger = {
  isTraceEnabled: never,
  isDebugEnabled: never,
  isInfoEnabled: never,
  isWarnEnabled: never,
  isErrorEnabled: never,
  isFatalEnabled: never,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: trouble,
  error: trouble,
  fatal: trouble,
};

/** The offset at which each line of a text begins. */
const lineStarts = (text: string): readonly number[] => [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];

/** Makes the mutants of these sources, by their paths. */
export const instrumentSources = async (sources: ReadonlyMap<string, string>): Promise<Instrumented> => {
  const starts = new Map([...sources].map(([file, text]) => [file, lineStarts(text)]));
  const files = [...sources].map(([name, content]) => ({ name, content, mutate: true }));
  const result = await new Instrumenter(logger).instrument(files, { plugins: null, ignorers: [], excludedMutations: [] });
  const mutants = result.mutants.map(({ id, fileName: file, mutatorName: operator, replacement, location: { start, end } }) => {
    const offset = (place: { readonly line: number; readonly column: number }): number => (starts.get(file)?.[place.line] ?? 0) + place.column;
    return { id, file, operator, line: start.line + 1, from: offset(start), until: offset(end), replacement };
  });
  return { sources, counted: new Map(result.files.map(({ name, content }) => [name, content])), mutants };
};

/** Makes the mutants of all code that calls AWS. */
export const instrument = async (): Promise<Instrumented> => {
  const files = [...(await Promise.all(folders.map(filesBelow))).flat(), drainWorkflow].toSorted();
  return instrumentSources(new Map(await Promise.all(files.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const))));
};

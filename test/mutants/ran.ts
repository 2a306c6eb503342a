import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { anywhere } from './break-code.ts';
import { type Generated, instrumentSources } from './generated/instrument.ts';
import type { Edit } from './mutant.ts';
import type { Around } from './rarest-first.ts';

const root = dirname(dirname(import.meta.dirname));

/** Offsets in a source: from the first changed character to behind the last one. */
type Range = { readonly from: number; readonly until: number };

/** Code of the tree with counters, by its paths, and the counters of each breakage. */
export type Counted = {
  readonly sources: ReadonlyMap<string, string>;
  /** Which counters say that a breakage would run. Undefined: no counter says so, and it may run in every world. */
  readonly countersOf: (edits: readonly Edit[]) => readonly string[] | undefined;
  readonly aroundOf: (edits: readonly Edit[]) => Around;
};

/** What an edit changes of the text that it replaces: without what begins and ends alike. */
const changedBy = (source: string, { from, to }: Edit): Range => {
  const found = anywhere(from).exec(source);
  const [text, start] = [found?.[0] ?? '', found?.index ?? 0];
  const put = to.trim();
  const most = Math.min(text.length, put.length);
  let head = 0;
  while (head < most && text[head] === put[head]) head += 1;
  let tail = 0;
  while (tail < most - head && text.at(-1 - tail) === put.at(-1 - tail)) tail += 1;
  return { from: start + head, until: start + text.length - tail };
};

const holds = (outer: Range, inner: Range): boolean => outer.from <= inner.from && inner.until <= outer.until;
const lengthOf = ({ from, until }: Range): number => until - from;

/** A counter at a function counts when it is made, not when it is called. */
const isFunction = ({ operator }: Generated): boolean => operator === 'ArrowFunction';

const isBody = (one: Generated): boolean => isFunction(one) || one.operator === 'BlockStatement';

/** The counters in what is changed, or else the nearest one around it. Undefined where no counter is within the same function. */
const countersAt = (here: readonly Generated[], changed: Range): readonly string[] | undefined => {
  const around = here.filter((one) => holds(one, changed)).toSorted((a, b) => lengthOf(a) - lengthOf(b));
  if (!around.some(isBody)) return undefined;
  const within = here.filter((one) => holds(changed, one) && !isFunction(one));
  if (within.length > 0) return within.map(({ id }) => id);
  const nearest = around.slice(0, around.findIndex(isFunction) < 0 ? undefined : around.findIndex(isFunction))[0];
  return nearest === undefined ? undefined : around.filter((one) => lengthOf(one) === lengthOf(nearest)).map(({ id }) => id);
};

/** The outermost function around a change. Code that runs as its file is loaded has none. */
const functionAround = (here: readonly Generated[], changed: Range): Range | undefined =>
  here.filter((one) => isBody(one) && holds(one, changed)).toSorted((a, b) => lengthOf(b) - lengthOf(a))[0];

/**
 * Puts counters into the files that these breakages edit, beside the code as it is. They count nothing in `lib/`, which no world runs.
 * @throws when a file cannot be read
 */
export const counted = async (breakages: readonly (readonly Edit[])[]): Promise<Counted> => {
  const files = [...new Set(breakages.flat().map(({ file }) => file))].filter((file) => !file.startsWith('lib/'));
  const read = new Map(await Promise.all(files.map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const)));
  const instrumented = await instrumentSources(read);
  const byFile = Map.groupBy(instrumented.mutants, ({ file }) => file);
  const countersOfEdit = (edit: Edit): readonly string[] | undefined => {
    const source = read.get(edit.file);
    return source === undefined ? undefined : countersAt(byFile.get(edit.file) ?? [], changedBy(source, edit));
  };
  const aroundEdit = (edit: Edit): Around => {
    const [source, here] = [read.get(edit.file) ?? '', byFile.get(edit.file) ?? []];
    const body = functionAround(here, changedBy(source, edit));
    const inFile = here.filter((one) => !isFunction(one));
    return { near: inFile.filter((one) => body !== undefined && holds(body, one)).map(({ id }) => id), file: inFile.map(({ id }) => id) };
  };
  return {
    sources: instrumented.counted,
    aroundOf: (edits) => {
      const all = edits.map(aroundEdit);
      return { near: all.flatMap(({ near }) => near), file: all.flatMap(({ file }) => file) };
    },
    countersOf: (edits) => {
      const all = edits.map(countersOfEdit);
      return all.includes(undefined) ? undefined : all.flatMap((ids) => ids ?? []);
    },
  };
};

/** Counters as StrykerJS writes them, in the thread that runs the code. */
const shared = globalThis as {
  __stryker__?: { currentTestId?: string; mutantCoverage?: { perTest: Record<string, Readonly<Record<string, number>>> } };
};

/** Plays a world, and returns with its result which counters it ran. */
export const whatRan = async <Result>(play: () => Promise<Result>): Promise<readonly [Result, readonly string[]]> => {
  const world = 'now';
  const counters = shared.__stryker__ ?? {};
  shared.__stryker__ = counters;
  counters.currentTestId = world;
  try {
    const result = await play();
    return [result, Object.keys(counters.mutantCoverage?.perTest[world] ?? {})];
  } finally {
    delete counters.currentTestId;
    delete counters.mutantCoverage?.perTest[world];
  }
};

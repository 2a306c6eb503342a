import type { Workshop } from '../broken-assembly.ts';
import { editsOf } from '../mutant.ts';
import { createPlayer } from '../player.ts';
import { appliedOr, namesOf, row, say, secondsSince } from '../table.ts';
import { draw } from './draw.ts';
import { instrument } from './instrument.ts';
import { measureReach, worldsFrom } from './reach.ts';
import { digestOfCode, type Entry, type Fate, readSample, type Sample, writeSample } from './state.ts';

/** How many mutants are drawn by which seed, which part of them is played, and in how many worlds each at most. */
export type Order = { readonly count: number; readonly seed: number; readonly part: number; readonly parts: number; readonly budget: number };

/** So many worlds of each kind are tried for code that they run. */
const roundsOfWorlds = 3;

const prepare = async (workshop: Workshop, { count, seed }: Order, code: string): Promise<Sample> => {
  const instrumented = await instrument();
  say(`${instrumented.mutants.length} mutants are generated. ${count} of those that compile are drawn by seed ${seed}.`);
  const drawn = await draw(instrumented, count, seed);
  const counted = await workshop.replaceCode('counted', instrumented.counted);
  const reach = await measureReach(instrumented, counted, worldsFrom(1, roundsOfWorlds), say);
  const entries = drawn.map((mutant) => {
    const reachedBy = reach.filter(({ ids }) => ids.has(mutant.id)).map(({ seed: world, profile }) => ({ seed: world, profile }));
    return { ...mutant, reachedBy };
  });
  return { code, entries };
};

const playUntilBroken = async (assembly: string, { reachedBy }: Entry, budget: number): Promise<Fate> => {
  const player = createPlayer();
  const worlds = reachedBy.slice(0, budget);
  try {
    for (const [index, by] of worlds.entries()) {
      const { broken } = await player.play({ ...by, assembly });
      if (broken.length > 0) return { kind: 'killed', worlds: index + 1, by, broken: namesOf(broken).split(', ') };
    }
    return { kind: 'survived', worlds: worlds.length };
  } finally {
    await player.close();
  }
};

const fateOf = async (workshop: Workshop, entry: Entry, budget: number): Promise<Fate> => {
  if (entry.reachedBy.length === 0) return { kind: 'not reached' };
  let why = '';
  const name = `generated ${entry.id}`;
  const assembly = await appliedOr(workshop.breakCode(name, editsOf(entry)), (text) => {
    why = text;
  });
  try {
    return assembly === undefined ? { kind: 'not built', why } : await playUntilBroken(assembly, entry, budget);
  } finally {
    await workshop.discard(name);
  }
};

const textOf = (fate: Fate): string => {
  if (fate.kind === 'killed') return `killed by ${fate.by.profile} ${fate.by.seed}: ${fate.broken.join(', ')}`;
  if (fate.kind === 'survived') return `SURVIVED ${fate.worlds} worlds`;
  return fate.kind === 'not built' ? fate.why : 'NOT REACHED';
};

const countsOf = (entries: readonly Entry[]): Readonly<Record<Fate['kind'] | 'drawn' | 'open', number>> => {
  const of = (kind?: Fate['kind']): number => entries.filter(({ fate }) => fate?.kind === kind).length;
  return {
    drawn: entries.length,
    killed: of('killed'),
    survived: of('survived'),
    'not reached': of('not reached'),
    'not built': of('not built'),
    open: of(),
  };
};

/**
 * Plays a part of a sample of generated mutants, each in random worlds that run its code, until one breaks. What is known is kept in `.mutants/`, so
 * that the parts may be played one after the other, and a part that was stopped goes on where it was.
 */
export const huntGenerated = async (workshop: Workshop, order: Order): Promise<void> => {
  const { count, seed, part, parts, budget } = order;
  const code = await digestOfCode();
  const sample = (await readSample(count, seed, code)) ?? (await prepare(workshop, order, code));
  await writeSample(count, seed, sample);
  say(row(['mutant', 'fate', 'time']));
  say(row(['---', '---', '---']));
  const own = sample.entries.filter((_, index) => index % parts === part - 1);
  for (const entry of own) {
    if (entry.fate !== undefined) continue;
    const startedMs = Date.now();
    entry.fate = await fateOf(workshop, entry, budget);
    await writeSample(count, seed, sample);
    say(row([entry.name.replaceAll('|', '\\|'), textOf(entry.fate), secondsSince(startedMs)]));
  }
  const survivors = own.filter(({ fate }) => fate?.kind === 'survived').map(({ name, file, from, to }) => ({ name, file, from, to }));
  say(`\nSurvivors, as a file for --mine:\n${JSON.stringify(survivors, null, 2)}`);
  say(`\n${JSON.stringify({ part: countsOf(own), all: countsOf(sample.entries) })}`);
};

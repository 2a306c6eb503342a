import type { Choice } from '../sim/random-situation.ts';
import type { Workshop } from './broken-assembly.ts';
import { type Edit, editsOf } from './mutant.ts';
import { createPlayer } from './player.ts';
import { type Counted, counted } from './ran.ts';
import { busiestDrainsFirst, rarestFirst } from './rarest-first.ts';
import { appliedOr, say } from './table.ts';
import type { Played } from './worker.ts';

export type Breakage = Edit & { readonly name: string; readonly also?: readonly Edit[] };

/** In which worlds the code that a breakage changes runs, the likeliest first, and in which of them a build with it decides something else. */
type Found = { readonly reached: readonly number[]; readonly differs: readonly number[] };

export type Measured = {
  /** Undefined for what the world does not show: code that the functions are not made of. */
  readonly found: (breakage: Breakage) => Found | undefined;
  /** The worlds with the code as it is, as far as they were played. */
  readonly asItIs: Map<number, Promise<Played>>;
  /** The worlds for code that the functions are not made of, the likeliest first: a breakage of the workflow shows in drains. */
  readonly ofStack: readonly number[];
};

/** So many builds beside each other keep a world well below the patience of a player. */
const mostBeside = 60;

const isOfCore = (breakage: Breakage): boolean => editsOf(breakage).every(({ file }) => file.startsWith('core/'));
const isOfFunctions = (breakage: Breakage): boolean => editsOf(breakage).every(({ file }) => !file.startsWith('lib/'));

type Finding = { reached: readonly number[]; readonly differs: number[] };

/** What one world shows about each of these breakages. */
const noteWorld = (played: Played, seed: number, part: readonly Breakage[], { countersOf }: Counted, found: ReadonlyMap<string, Finding>): void => {
  const ran = new Set(played.ran);
  const beside = part.filter(isOfCore);
  for (const breakage of part) {
    const counters = countersOf(editsOf(breakage));
    const one = found.get(breakage.name);
    if (one !== undefined && (counters === undefined || counters.some((id) => ran.has(id)))) one.reached = [...one.reached, seed];
  }
  for (const build of played.differing ?? []) found.get(beside[build]?.name ?? '')?.differs.push(seed);
};

/** The worlds by the work of their drains. Those that were not played yet are played as they are. */
const drainsFirst = async (workshop: Workshop, seeds: readonly number[], choice: Choice, asItIs: Measured['asItIs']): Promise<readonly number[]> => {
  const player = createPlayer();
  const work = new Map<number, Played['drains']>();
  for (const seed of seeds) {
    const played = asItIs.get(seed) ?? player.play({ seed, ...choice, assembly: workshop.whole });
    asItIs.set(seed, played);
    work.set(seed, (await played).drains);
  }
  await player.close();
  return busiestDrainsFirst(work);
};

/**
 * Plays each world once as it is, with counters in the code that breakages change, and with the broken builds of `core/` beside it. So it is known which
 * worlds reach a breakage, and in which of them it decides something else.
 */
export const measure = async (workshop: Workshop, wanted: readonly Breakage[], seeds: readonly number[], choice: Choice): Promise<Measured> => {
  const shown = wanted.filter(isOfFunctions);
  const found = new Map(shown.map(({ name }) => [name, { reached: [], differs: [] } as Finding]));
  const asItIs: Measured['asItIs'] = new Map();
  for (let first = 0; first < shown.length; first += mostBeside) {
    const part = shown.slice(first, first + mostBeside);
    const counting = await counted(part.map(editsOf));
    const assembly = await appliedOr(workshop.putBeside(part.filter(isOfCore).map(editsOf), counting.sources), (why) => say(why));
    if (assembly === undefined) continue;
    const player = createPlayer();
    const ranIn = new Map<number, ReadonlySet<string>>();
    for (const seed of seeds) {
      const played = await player.play({ seed, ...choice, assembly });
      asItIs.set(seed, Promise.resolve(played));
      ranIn.set(seed, new Set(played.ran));
      noteWorld(played, seed, part, counting, found);
    }
    for (const breakage of part) {
      const one = found.get(breakage.name);
      if (one !== undefined) one.reached = rarestFirst(one.reached, ranIn, counting.aroundOf(editsOf(breakage)));
    }
    await player.close();
    await workshop.discard('beside');
  }
  const ofStack = shown.length === wanted.length ? seeds : await drainsFirst(workshop, seeds, choice, asItIs);
  return { found: ({ name }) => found.get(name), asItIs, ofStack };
};

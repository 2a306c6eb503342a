import type { Choice } from '../sim/random-situation.ts';
import type { Workshop } from './broken-assembly.ts';
import { type Edit, editsOf } from './mutant.ts';
import { createPlayer, type Player } from './player.ts';
import { appliedOr, row, say, secondsSince } from './table.ts';
import type { Played } from './worker.ts';

export type Breakage = Edit & { readonly name: string; readonly also?: readonly Edit[] };

/** Which random worlds to play: so many, from this seed on, and what of them; and how many breakages at a time. */
export type Worlds = {
  readonly count: number;
  readonly from: number;
  readonly jobs: number;
  readonly choice: Choice;
  /** Each breakage is played in so many of them at most. */
  readonly plays: number;
};

type Fall = { readonly worlds: number; readonly seed?: number; readonly broken: readonly string[]; readonly unsound: number };

const invariantsOf = ({ broken }: Played): readonly string[] => [...new Set(broken.map(({ invariant }) => invariant))];

/** What each world breaks with the code as it is: that says nothing about what was broken. Asked only of worlds that somebody breaks. */
const askAsItIs =
  (workshop: Workshop, choice: Choice, known: Measured['asItIs']) =>
  (player: Player, seed: number): Promise<readonly string[]> => {
    const answer = known.get(seed) ?? player.play({ seed, ...choice, assembly: workshop.whole }).then(invariantsOf);
    known.set(seed, answer);
    return answer;
  };

const seedsOf = ({ count, from }: Worlds): readonly number[] => Array.from({ length: count }, (_, index) => from + index);

/** The seeds to play for each breakage, and what those worlds break with the code as it is, as far as it is known. */
type Measured = { readonly seedsOf: (breakage: Breakage) => readonly number[]; readonly asItIs: Map<number, Promise<readonly string[]>> };

/** So many builds beside each other keep a world well below the patience of a player. */
const mostBeside = 60;

/**
 * Plays each world once as it is, with the builds of `core/` beside it, and keeps for each the worlds in which it decides something else. Everywhere
 * else it would play the same world.
 */
const measure = async (workshop: Workshop, wanted: readonly Breakage[], worlds: Worlds): Promise<Measured> => {
  const measured = wanted.filter((one) => editsOf(one).every(({ file }) => file.startsWith('core/')));
  const found = new Map<string, number[]>(measured.map(({ name }) => [name, []]));
  const asItIs: Measured['asItIs'] = new Map();
  for (let first = 0; first < measured.length; first += mostBeside) {
    const part = measured.slice(first, first + mostBeside);
    const assembly = await appliedOr(workshop.putBeside(part.map(editsOf)), (why) => say(why));
    if (assembly === undefined) continue;
    const player = createPlayer();
    for (const seed of seedsOf(worlds)) {
      const played = await player.play({ seed, ...worlds.choice, assembly });
      asItIs.set(seed, Promise.resolve(invariantsOf(played)));
      for (const build of played.differing ?? []) found.get(part[build]?.name ?? '')?.push(seed);
    }
    await player.close();
    await workshop.discard('beside');
  }
  return { seedsOf: ({ name }) => found.get(name) ?? seedsOf(worlds), asItIs };
};

/** Plays world after world until one breaks an invariant that holds there with the code as it is. */
const fallOf = async (
  player: Player,
  assembly: string,
  seeds: readonly number[],
  choice: Choice,
  asItIs: ReturnType<typeof askAsItIs>,
): Promise<Fall> => {
  let unsound = 0;
  for (const [index, seed] of seeds.entries()) {
    const all = invariantsOf(await player.play({ seed, ...choice, assembly }));
    const broken = all.length === 0 ? [] : without(all, await asItIs(player, seed));
    if (broken.length > 0) return { worlds: index + 1, seed, broken, unsound };
    if (all.length > 0) unsound += 1;
  }
  return { worlds: seeds.length, broken: [], unsound };
};

const without = (all: readonly string[], some: readonly string[]): readonly string[] => all.filter((name) => !some.includes(name));

const verdictOf = ({ broken }: Fall, seeds: readonly number[]): string => {
  if (seeds.length === 0) return 'DECIDES THE SAME IN ALL WORLDS';
  return broken.length === 0 ? 'SURVIVED' : broken.join(', ');
};

const textOf = (fall: Fall, seeds: readonly number[]): readonly string[] => [
  verdictOf(fall, seeds),
  fall.seed === undefined ? `${fall.worlds}` : `${fall.worlds} (seed ${fall.seed})`,
  String(seeds.length),
  String(fall.unsound),
];

/**
 * After how many random worlds each breakage falls, and by which invariant. Every one has a thread of its own, which holds no other broken code. A
 * breakage of `core/` is played only in worlds in which it decides something else.
 * Returns how many survive all of their worlds.
 */
export const huntInWorlds = async (workshop: Workshop, wanted: readonly Breakage[], worlds: Worlds): Promise<number> => {
  const measured = await measure(workshop, wanted, worlds);
  say(row(['breakage', 'breaks', 'after worlds', 'worlds in which it may decide something else', 'worlds that break as it is', 'time']));
  say(row(['---', '---', '---', '---', '---', '---']));
  const asItIs = askAsItIs(workshop, worlds.choice, measured.asItIs);
  const waiting = wanted.values();
  let survivors = 0;
  const work = async (): Promise<void> => {
    for (const breakage of waiting) {
      const startedMs = Date.now();
      const assembly = await appliedOr(workshop.breakCode(breakage.name, editsOf(breakage)), (why) =>
        say(row([breakage.name, why, '0', '0', '0', ''])),
      );
      if (assembly === undefined) {
        survivors += 1;
        continue;
      }
      const player = createPlayer();
      try {
        const seeds = measured.seedsOf(breakage);
        const fall = await fallOf(player, assembly, seeds.slice(0, worlds.plays), worlds.choice, asItIs);
        if (fall.broken.length === 0) survivors += 1;
        say(row([breakage.name, ...textOf(fall, seeds), secondsSince(startedMs)]));
      } finally {
        await player.close();
      }
    }
  };
  await Promise.all(Array.from({ length: worlds.jobs }, work));
  return survivors;
};

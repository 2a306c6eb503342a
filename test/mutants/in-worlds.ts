import type { Choice } from '../sim/random-situation.ts';
import type { Workshop } from './broken-assembly.ts';
import { type Edit, editsOf } from './mutant.ts';
import { createPlayer, type Player } from './player.ts';
import { appliedOr, row, say, secondsSince } from './table.ts';
import type { Played } from './worker.ts';

export type Breakage = Edit & { readonly name: string; readonly also?: readonly Edit[] };

/** Which random worlds to play: so many, from this seed on, and what of them; and how many breakages at a time. */
export type Worlds = { readonly count: number; readonly from: number; readonly jobs: number; readonly choice: Choice };

type Fall = { readonly worlds: number; readonly seed?: number; readonly broken: readonly string[]; readonly unsound: number };

const invariantsOf = ({ broken }: Played): readonly string[] => [...new Set(broken.map(({ invariant }) => invariant))];

/** What each world breaks with the code as it is: that says nothing about what was broken. Asked only of worlds that somebody breaks. */
const askAsItIs = (workshop: Workshop, choice: Choice) => {
  const known = new Map<number, Promise<readonly string[]>>();
  return (player: Player, seed: number): Promise<readonly string[]> => {
    const answer = known.get(seed) ?? player.play({ seed, ...choice, assembly: workshop.whole }).then(invariantsOf);
    known.set(seed, answer);
    return answer;
  };
};

/** Plays world after world until one breaks an invariant that holds there with the code as it is. */
const fallOf = async (player: Player, assembly: string, { count, from, choice }: Worlds, asItIs: ReturnType<typeof askAsItIs>): Promise<Fall> => {
  let unsound = 0;
  for (let worlds = 1; worlds <= count; worlds += 1) {
    const seed = from + worlds - 1;
    const all = invariantsOf(await player.play({ seed, ...choice, assembly }));
    const broken = all.length === 0 ? [] : without(all, await asItIs(player, seed));
    if (broken.length > 0) return { worlds, seed, broken, unsound };
    if (all.length > 0) unsound += 1;
  }
  return { worlds: count, broken: [], unsound };
};

const without = (all: readonly string[], some: readonly string[]): readonly string[] => all.filter((name) => !some.includes(name));

const textOf = ({ broken, seed, worlds, unsound }: Fall): readonly string[] => [
  broken.length === 0 ? 'SURVIVED' : broken.join(', '),
  seed === undefined ? `${worlds}` : `${worlds} (seed ${seed})`,
  String(unsound),
];

/**
 * After how many random worlds each breakage falls, and by which invariant. Every one has a thread of its own, which holds no other broken code.
 * Returns how many survive all of their worlds.
 */
export const huntInWorlds = async (workshop: Workshop, wanted: readonly Breakage[], worlds: Worlds): Promise<number> => {
  say(row(['breakage', 'breaks', 'after worlds', 'worlds that break as it is', 'time']));
  say(row(['---', '---', '---', '---', '---']));
  const asItIs = askAsItIs(workshop, worlds.choice);
  const waiting = wanted.values();
  let survivors = 0;
  const work = async (): Promise<void> => {
    for (const breakage of waiting) {
      const startedMs = Date.now();
      const assembly = await appliedOr(workshop.breakCode(breakage.name, editsOf(breakage)), (why) => say(row([breakage.name, why, '0', '0', ''])));
      if (assembly === undefined) {
        survivors += 1;
        continue;
      }
      const player = createPlayer();
      try {
        const fall = await fallOf(player, assembly, worlds, asItIs);
        if (fall.broken.length === 0) survivors += 1;
        say(row([breakage.name, ...textOf(fall), secondsSince(startedMs)]));
      } finally {
        await player.close();
      }
    }
  };
  await Promise.all(Array.from({ length: worlds.jobs }, work));
  return survivors;
};

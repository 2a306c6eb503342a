import type { Workshop } from './broken-assembly.ts';
import { type Edit, editsOf } from './mutant.ts';
import { createPlayer, type Player } from './player.ts';
import { namesOf, row, say, secondsSince } from './table.ts';

export type Breakage = Edit & { readonly name: string; readonly also?: readonly Edit[] };

/** Which random worlds to play: so many, from this seed on; and how many breakages at a time. */
export type Worlds = { readonly count: number; readonly from: number; readonly jobs: number };

type Fall = { readonly worlds: number; readonly seed?: number; readonly broken: string; readonly unsound: number };

/** A world that breaks with the code as it is says nothing about what was broken. */
const breaksAsItIs = (workshop: Workshop) => {
  const known = new Map<number, Promise<boolean>>();
  const ask = async (player: Player, seed: number): Promise<boolean> => (await player.play({ seed, assembly: workshop.whole })).broken.length > 0;
  return (player: Player, seed: number): Promise<boolean> => {
    const answer = known.get(seed) ?? ask(player, seed);
    known.set(seed, answer);
    return answer;
  };
};

/** Plays world after world until one falls that stands with the code as it is. */
const fallOf = async (
  player: Player,
  assembly: string,
  { count, from }: Worlds,
  isUnsound: (player: Player, seed: number) => Promise<boolean>,
): Promise<Fall> => {
  let unsound = 0;
  for (let worlds = 1; worlds <= count; worlds += 1) {
    const seed = from + worlds - 1;
    const broken = namesOf((await player.play({ seed, assembly })).broken);
    if (broken === '') continue;
    if (!(await isUnsound(player, seed))) return { worlds, seed, broken, unsound };
    unsound += 1;
  }
  return { worlds: count, broken: '', unsound };
};

const textOf = ({ broken, seed, worlds, unsound }: Fall): readonly string[] => [
  broken === '' ? 'SURVIVED' : broken,
  broken === '' ? `${worlds}` : `${worlds} (seed ${seed})`,
  String(unsound),
];

/**
 * After how many random worlds each breakage falls, and by which invariant. Every one has a thread of its own, which holds no other broken code.
 * Returns how many survive all of their worlds.
 */
export const huntInWorlds = async (workshop: Workshop, wanted: readonly Breakage[], worlds: Worlds): Promise<number> => {
  say(row(['breakage', 'breaks', 'after worlds', 'worlds that break as it is', 'time']));
  say(row(['---', '---', '---', '---', '---']));
  const isUnsound = breaksAsItIs(workshop);
  const waiting = wanted.values();
  let survivors = 0;
  const work = async (): Promise<void> => {
    for (const breakage of waiting) {
      const startedMs = Date.now();
      const assembly = await workshop.breakCode(breakage.name, editsOf(breakage));
      const player = createPlayer();
      try {
        const fall = await fallOf(player, assembly, worlds, isUnsound);
        if (fall.broken === '') survivors += 1;
        say(row([breakage.name, ...textOf(fall), secondsSince(startedMs)]));
      } finally {
        await player.close();
      }
    }
  };
  await Promise.all(Array.from({ length: worlds.jobs }, work));
  return survivors;
};

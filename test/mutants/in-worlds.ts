import type { Choice } from '../sim/random-situation.ts';
import type { Workshop } from './broken-assembly.ts';
import { type Breakage, type Measured, measure } from './measured.ts';
import { editsOf } from './mutant.ts';
import { createPlayer, type Player } from './player.ts';
import { appliedOr, row, say, secondsSince } from './table.ts';
import type { Played } from './worker.ts';

/** Which random worlds to play: so many, from this seed on, and what of them; and how many breakages at a time. */
export type Worlds = {
  readonly count: number;
  readonly from: number;
  readonly jobs: number;
  readonly choice: Choice;
  /** Each breakage is played in so many of them at most. */
  readonly plays: number;
};

/** `others`: seeds of the worlds that were played, and in which something else happened than with the code as it is. */
type Fall = {
  readonly worlds: number;
  readonly seed?: number;
  readonly broken: readonly string[];
  readonly unsound: number;
  readonly others: readonly number[];
};

const invariantsOf = ({ broken }: Played): readonly string[] => [...new Set(broken.map(({ invariant }) => invariant))];

/** A world with the code as it is. What it breaks says nothing about what was broken. */
const askAsItIs =
  (workshop: Workshop, choice: Choice, known: Measured['asItIs']) =>
  (player: Player, seed: number): Promise<Played> => {
    const answer = known.get(seed) ?? player.play({ seed, ...choice, assembly: workshop.whole });
    known.set(seed, answer);
    return answer;
  };

const seedsOf = ({ count, from }: Worlds): readonly number[] => Array.from({ length: count }, (_, index) => from + index);

/** What is decided is compared at the border of `core/`. So a breakage that seems to decide the same is played all the same. */
const playedWhereSame = 2;

/** The worlds in which a breakage is played: where it decides something else, or else where its code runs at all. */
const seedsFor = (breakage: Breakage, { found, ofStack }: Measured, worlds: Worlds): readonly number[] => {
  const shown = found(breakage);
  if (shown === undefined) return ofStack.slice(0, worlds.plays);
  const isOfCore = editsOf(breakage).every(({ file }) => file.startsWith('core/'));
  if (!isOfCore) return shown.reached.slice(0, worlds.plays);
  return shown.differs.length > 0 ? shown.differs.slice(0, worlds.plays) : shown.reached.slice(0, Math.min(worlds.plays, playedWhereSame));
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
  const others: number[] = [];
  for (const [index, seed] of seeds.entries()) {
    const played = await player.play({ seed, ...choice, assembly });
    const whole = await asItIs(player, seed);
    const all = invariantsOf(played);
    const broken = without(all, invariantsOf(whole));
    if (played.digest !== whole.digest) others.push(seed);
    if (broken.length > 0) return { worlds: index + 1, seed, broken, unsound, others };
    if (all.length > 0) unsound += 1;
  }
  return { worlds: seeds.length, broken: [], unsound, others };
};

const without = (all: readonly string[], some: readonly string[]): readonly string[] => all.filter((name) => !some.includes(name));

const verdictOf = ({ broken, worlds, others }: Fall): string => {
  if (worlds === 0) return 'NOT REACHED';
  if (broken.length > 0) return broken.join(', ');
  return others.length === 0 ? 'SURVIVED, the history stays the same' : 'SURVIVED';
};

/** Where something else happened, and which worlds these are: a rule that is missing shows there. */
const othersOf = ({ others, worlds }: Fall): string => `${others.length} of ${worlds}${others.length === 0 ? '' : ` (${others.join(', ')})`}`;

const textOf = (breakage: Breakage, fall: Fall, { found }: Measured, { count }: Worlds): readonly string[] => {
  const shown = found(breakage);
  const isOfCore = editsOf(breakage).every(({ file }) => file.startsWith('core/'));
  return [
    verdictOf(fall),
    fall.seed === undefined ? `${fall.worlds}` : `${fall.worlds} (seed ${fall.seed})`,
    shown === undefined ? 'not known' : `${shown.reached.length} of ${count}`,
    shown === undefined || !isOfCore ? 'not known' : String(shown.differs.length),
    othersOf(fall),
    String(fall.unsound),
  ];
};

const heads = [
  'breakage',
  'breaks',
  'after worlds',
  'reached in',
  'decides something else in',
  'another history in',
  'worlds that break as it is',
  'time',
];

const huntOne = async (
  workshop: Workshop,
  breakage: Breakage,
  worlds: Worlds,
  measured: Measured,
  asItIs: ReturnType<typeof askAsItIs>,
): Promise<boolean> => {
  const startedMs = Date.now();
  const assembly = await appliedOr(workshop.breakCode(breakage.name, editsOf(breakage)), (why) =>
    say(row([breakage.name, why, ...heads.slice(2).map(() => '')])),
  );
  if (assembly === undefined) return false;
  const player = createPlayer();
  try {
    const fall = await fallOf(player, assembly, seedsFor(breakage, measured, worlds), worlds.choice, asItIs);
    say(row([breakage.name, ...textOf(breakage, fall, measured, worlds), secondsSince(startedMs)]));
    return fall.broken.length > 0;
  } finally {
    await player.close();
    await workshop.discard(breakage.name);
  }
};

/**
 * After how many random worlds each breakage falls, and by which invariant. Every one has a thread of its own, which holds no other broken code. It is
 * played only in worlds that run what it changes; a breakage of `core/` first of all in those in which it decides something else.
 * Returns how many survive all of their worlds.
 */
export const huntInWorlds = async (workshop: Workshop, wanted: readonly Breakage[], worlds: Worlds): Promise<number> => {
  const measured = await measure(workshop, wanted, seedsOf(worlds), worlds.choice);
  say(row(heads));
  say(row(heads.map(() => '---')));
  const asItIs = askAsItIs(workshop, worlds.choice, measured.asItIs);
  const waiting = wanted.values();
  let survivors = 0;
  const work = async (): Promise<void> => {
    for (const breakage of waiting) if (!(await huntOne(workshop, breakage, worlds, measured, asItIs))) survivors += 1;
  };
  await Promise.all(Array.from({ length: worlds.jobs }, work));
  return survivors;
};

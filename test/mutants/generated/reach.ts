import { z } from 'zod';
import { play } from '../../sim/play.ts';
import { type ProfileName, profileNames } from '../../sim/profiles/list.ts';
import { randomSituation } from '../../sim/random-situation.ts';
import { drainWorkflow, type Instrumented } from './instrument.ts';

/** A random world. */
export type World = { readonly seed: number; readonly profile: ProfileName };

/** Which of the mutants each world runs. */
export type Reach = readonly (World & { readonly ids: ReadonlySet<string> })[];

/** Worlds of thousands of instances, or of days, take as long as all others together. */
const slow: readonly ProfileName[] = ['huge', 'large', 'long'];

/** One world of each kind, then the next of each. */
export const worldsFrom = (from: number, rounds: number): readonly World[] =>
  Array.from({ length: rounds }, (_, round) =>
    profileNames.filter((profile) => !slow.includes(profile)).map((profile) => ({ seed: from + round, profile })),
  ).flat();

/** Counters that the instrumented code keeps, as StrykerJS writes it. */
const counters = z.object({
  mutantCoverage: z.object({ static: z.record(z.string(), z.number()), perTest: z.record(z.string(), z.record(z.string(), z.number())) }),
});

const shared = globalThis as { __stryker__?: { currentTestId?: string } };

/** Code that runs as a function is loaded runs in the first world alone, and counts for all. */
const whileLoading = 'while loading';

/** The workflow is no code that runs in a world: whoever begins a drain has come by it. */
const beginsDrains = 'functions/begin-drain/begin-drain.ts';

/** Plays each world with code that counts. A world that breaks as it is tells nothing, and is left out. */
export const measureReach = async (
  { mutants }: Instrumented,
  assembly: string,
  worlds: readonly World[],
  tell: (text: string) => void,
): Promise<Reach> => {
  const holding: World[] = [];
  const stryker = shared.__stryker__ ?? {};
  shared.__stryker__ = stryker;
  const nameOf = ({ seed, profile }: World): string => `${profile} ${seed}`;
  const [first] = worlds;
  const rounds = [...(first === undefined ? [] : [{ ...first, name: whileLoading }]), ...worlds.map((world) => ({ ...world, name: nameOf(world) }))];
  for (const { name, ...world } of rounds) {
    stryker.currentTestId = name;
    const startedMs = Date.now();
    const { violations } = await play(randomSituation(world.seed, world), { assembly });
    tell(`${name}: ${violations.length === 0 ? 'holds' : 'breaks as it is'}, ${Date.now() - startedMs} ms`);
    if (violations.length === 0 && name !== whileLoading) holding.push(world);
  }
  const { mutantCoverage } = counters.parse(stryker);
  const idsOf = (name: string): ReadonlySet<string> => new Set(Object.keys(mutantCoverage.perTest[name] ?? {}));
  const inFirst = idsOf(first === undefined ? '' : nameOf(first));
  const loaded = [...idsOf(whileLoading), ...Object.keys(mutantCoverage.static)].filter((id) => !inFirst.has(id));
  const ofWorkflow = mutants.filter(({ file }) => file === drainWorkflow).map(({ id }) => id);
  const ofBegin = mutants.filter(({ file }) => file === beginsDrains).map(({ id }) => id);
  return holding.map((world) => {
    const ids = idsOf(nameOf(world));
    return { ...world, ids: new Set([...ids, ...loaded, ...(ofBegin.some((id) => ids.has(id)) ? ofWorkflow : [])]) };
  });
};

import { parseArgs } from 'node:util';
import { profileNames } from '../sim/profiles/list.ts';
import { putBacks } from './audit/put-backs.ts';
import { survivors as oldSurvivors } from './audit/survivors.ts';
import { openWorkshop, type Workshop } from './broken-assembly.ts';
import { huntInSituations } from './in-situations.ts';
import { type Breakage, huntInWorlds } from './in-worlds.ts';
import { mutants } from './list.ts';
import { editsOf, type Mutant } from './mutant.ts';
import { createPlayer, type Player } from './player.ts';
import { type RunName, runs } from './runs.ts';
import { namesOf, row, say, secondsSince } from './table.ts';
import { typeFaults } from './typed.ts';

const { values } = parseArgs({
  options: {
    /** Only mutants whose name holds this text. */
    only: { type: 'string', default: '' },
    /** Every run of a mutant is played, not only until one has caught it. */
    all: { type: 'boolean', default: false },
    /** The faults of the audit instead of mutants, each in its own situation. */
    'put-back': { type: 'boolean', default: false },
    /** The mutants that survived an earlier judge instead. Only random worlds are played of them. */
    survivors: { type: 'boolean', default: false },
    /** Random worlds instead of runs and situations: so many at most, until one breaks. */
    worlds: { type: 'string' },
    /** Seed of the first of them. */
    from: { type: 'string', default: '1' },
    /** Only worlds of this kind; without it each seed picks its own. */
    profile: { type: 'string' },
    /** How many breakages play their worlds at the same time. */
    jobs: { type: 'string', default: '1' },
  },
});

/** What runs break with the code as it is: nothing that such a run notices says anything. */
const unsoundOf = async (player: Player, assembly: string, names: readonly RunName[]): Promise<ReadonlyMap<RunName, string>> => {
  const found = new Map<RunName, string>();
  for (const run of names) {
    const { broken } = await player.play({ run, assembly });
    if (broken.length > 0) found.set(run, broken.map(({ invariant, detail }) => `${run}: ${invariant}: ${detail}`).join('\n'));
  }
  return found;
};

/** What caught a mutant: invariants by run. None when it survived. */
const hunt = async (player: Player, workshop: Workshop, mutant: Mutant, isSound: (run: RunName) => boolean): Promise<readonly string[]> => {
  const assembly = await workshop.breakCode(mutant.name, editsOf(mutant));
  const caught: string[] = [];
  for (const run of mutant.caughtBy.filter(isSound)) {
    if (caught.length > 0 && !values.all) break;
    const { broken } = await player.play({ run, assembly });
    if (broken.length > 0) caught.push(`${namesOf(broken)} (${run})`);
  }
  return caught;
};

const huntAll = async (player: Player, workshop: Workshop, wanted: readonly Mutant[], isSound: (run: RunName) => boolean): Promise<number> => {
  say(row(['mutant', 'caught by (run)', 'time']));
  say(row(['---', '---', '---']));
  let survivors = 0;
  for (const mutant of wanted) {
    const startedMs = Date.now();
    const caught = await hunt(player, workshop, mutant, isSound);
    if (caught.length === 0) survivors += 1;
    say(row([mutant.name, caught.length === 0 ? `SURVIVED ${mutant.caughtBy.join(', ')}` : caught.join('; '), secondsSince(startedMs)]));
  }
  return survivors;
};

const isWanted = ({ name }: { readonly name: string }): boolean => name.includes(values.only);

const inRuns = async (player: Player, workshop: Workshop): Promise<number> => {
  const wanted = mutants.filter(isWanted);
  const needed = (Object.keys(runs) as RunName[]).filter((run) => wanted.some(({ caughtBy }) => caughtBy.includes(run)));
  const unsound = await unsoundOf(player, workshop.whole, needed);
  if (unsound.size > 0) say(`These break already with the code as it is, so they can catch nothing:\n${[...unsound.values()].join('\n')}\n`);
  const survived = await huntAll(player, workshop, wanted, (run) => !unsound.has(run));
  say(`\n${wanted.length} mutants, ${survived} survived; ${needed.length - unsound.size} of ${needed.length} runs hold with the code as it is.`);
  return survived + unsound.size;
};

const chosen = (): readonly Breakage[] => {
  if (values['put-back']) return putBacks;
  return values.survivors ? oldSurvivors : mutants;
};

const inWorlds = async (workshop: Workshop, count: number): Promise<number> => {
  const wanted = chosen().filter(isWanted);
  const profile = profileNames.find((name) => name === values.profile);
  if (profile === undefined && values.profile !== undefined) throw new Error(`${values.profile} is not one of ${profileNames.join(', ')}.`);
  const choice = profile === undefined ? {} : { profile };
  const survived = await huntInWorlds(workshop, wanted, { count, from: Number(values.from), jobs: Number(values.jobs), choice });
  say(`\n${wanted.length} breakages, each in at most ${count} random worlds from seed ${values.from}: ${survived} survived.`);
  return survived;
};

const inSituations = async (player: Player, workshop: Workshop): Promise<number> => {
  const wanted = putBacks.filter(isWanted);
  const survived = await huntInSituations(player, workshop, wanted);
  say(`\n${wanted.length} faults put back: ${survived} were not seen in their own situations.`);
  return survived;
};

/** @throws when a breakage does not compile: it would throw wherever it runs, and seem to be caught. */
const compileAll = async (wanted: readonly Breakage[]): Promise<void> => {
  const faults = await typeFaults(wanted);
  if (faults.size === 0) return;
  throw new Error(`These do not compile:\n${[...faults].map(([name, what]) => `${name}: ${what.join('; ')}`).join('\n')}`);
};

const hunted = async (workshop: Workshop): Promise<number> => {
  await compileAll(chosen().filter(isWanted));
  if (values.survivors && values.worlds === undefined) throw new Error('Survivors are played in random worlds alone: give --worlds too.');
  if (values.worlds !== undefined) return inWorlds(workshop, Number(values.worlds));
  const player = createPlayer();
  try {
    return await (values['put-back'] ? inSituations(player, workshop) : inRuns(player, workshop));
  } finally {
    await player.close();
  }
};

const startedMs = Date.now();
const workshop = await openWorkshop();
try {
  process.exitCode = (await hunted(workshop)) === 0 ? 0 : 1;
  say(`${secondsSince(startedMs)} in all.`);
} finally {
  await workshop.close();
}

import { atLeastOne, atLeastZero, commandLine, OptionError, oneOf, refuse } from '../../scripts/command-line.ts';
import { profileNames } from '../sim/profiles/list.ts';
import { putBacks } from './audit/put-backs.ts';
import { survivors as oldSurvivors } from './audit/survivors.ts';
import { openWorkshop, type Workshop } from './broken-assembly.ts';
import { huntGenerated } from './generated/hunt.ts';
import { huntInSituations } from './in-situations.ts';
import { huntInWorlds } from './in-worlds.ts';
import { mutants } from './list.ts';
import type { Breakage } from './measured.ts';
import { editsOf, type Mutant } from './mutant.ts';
import { readBreakages } from './of-file.ts';
import { type Player, withPlayers } from './player.ts';
import { type RunName, runs } from './runs.ts';
import { appliedOr, namesOf, row, say, secondsSince } from './table.ts';
import { typeFaults } from './typed.ts';

const command = {
  name: 'npm run sim:mutants',
  does: 'Breaks the code on purpose, and plays it until a rule breaks. Without options: every mutant of test/mutants/list.ts in the runs that should show it.',
  examples: [
    "--only 'lost race'                          the mutants whose name contains this text",
    '--mine my.json                              your own mutants, in all runs',
    '--mine my.json --worlds 60 --profile edits  your own mutants, in random worlds',
    '--put-back                                  the faults of the audit, each in its own situation',
    '--generated 600 --seed 1 --part 1/6         mutants that StrykerJS makes, in random worlds',
  ],
  options: {
    only: { type: 'string', default: '', value: 'TEXT', help: 'only mutants whose name contains this text' },
    all: { type: 'boolean', default: false, help: 'plays every run of a mutant, not only until one catches it' },
    'put-back': { type: 'boolean', default: false, help: 'the faults of the audit instead of mutants' },
    mine: { type: 'string', value: 'FILE', help: 'mutants of your own instead: a JSON list of {name, file, from, to}' },
    survivors: { type: 'boolean', default: false, help: 'the mutants that survived an earlier judge instead, in random worlds' },
    worlds: { type: 'string', value: 'N', help: 'plays random worlds instead of runs and situations: so many at most, until one breaks' },
    plays: { type: 'string', value: 'N', help: 'plays a mutant in so many at most of the worlds that reach it' },
    from: { type: 'string', default: '1', value: 'SEED', help: 'the seed of the first of them' },
    profile: { type: 'string', value: 'NAME', help: `draws worlds of one kind: ${profileNames.join(', ')}` },
    generated: { type: 'string', value: 'N', help: 'so many mutants of functions/, aws/ and the drain workflow, made by StrykerJS' },
    seed: { type: 'string', default: '1', value: 'N', help: 'the seed by which they are drawn' },
    part: { type: 'string', default: '1/1', value: 'K/N', help: 'which part of them is played' },
    jobs: { type: 'string', default: '1', value: 'N', help: 'plays so many at the same time; --generated plays one after the other' },
  },
} as const;

const { values } = commandLine(command, (read) => read);

const allRuns = Object.keys(runs) as [RunName, ...RunName[]];

/** What runs break with the code as it is: nothing that such a run notices says anything. Each is played once, when it is first needed. */
const openSoundness = (assembly: string) => {
  const known = new Map<RunName, Promise<string | undefined>>();
  const play = async (player: Player, run: RunName): Promise<string | undefined> => {
    const { broken } = await player.play({ run, assembly });
    return broken.length === 0 ? undefined : broken.map(({ invariant, detail }) => `${run}: ${invariant}: ${detail}`).join('\n');
  };
  return (player: Player, run: RunName): Promise<string | undefined> => {
    const found = known.get(run) ?? play(player, run);
    known.set(run, found);
    return found;
  };
};

type UnsoundIn = ReturnType<typeof openSoundness>;

const survivalOf = ({ caughtBy }: Mutant): string =>
  caughtBy === allRuns ? `SURVIVED all ${allRuns.length} runs` : `SURVIVED ${caughtBy.join(', ')}`;

type Hunted = { readonly isCaught: boolean; readonly text: string };

/** What caught a mutant: invariants by run. */
const hunt = async (player: Player, workshop: Workshop, mutant: Mutant, unsoundIn: UnsoundIn): Promise<Hunted> => {
  let whyNot = '';
  const assembly = await appliedOr(workshop.breakCode(mutant.name, editsOf(mutant)), (why) => {
    whyNot = why;
  });
  if (assembly === undefined) return { isCaught: false, text: whyNot };
  const caught: string[] = [];
  for (const run of mutant.caughtBy) {
    if (caught.length > 0 && !values.all) break;
    const { broken } = await player.play({ run, assembly });
    if (broken.length > 0 && (await unsoundIn(player, run)) === undefined) caught.push(`${namesOf(broken)} (${run})`);
  }
  return caught.length === 0 ? { isCaught: false, text: survivalOf(mutant) } : { isCaught: true, text: caught.join('; ') };
};

const huntAll = async (workshop: Workshop, wanted: readonly Mutant[], unsoundIn: UnsoundIn, jobs: number): Promise<number> => {
  say(row(['mutant', 'caught by (run)', 'time']));
  say(row(['---', '---', '---']));
  let survivors = 0;
  await withPlayers(wanted, jobs, async (mutant, player) => {
    const startedMs = Date.now();
    const { isCaught, text } = await hunt(player, workshop, mutant, unsoundIn);
    if (!isCaught) survivors += 1;
    say(row([mutant.name, text, secondsSince(startedMs)]));
  });
  return survivors;
};

const isWanted = ({ name }: { readonly name: string }): boolean => name.includes(values.only);

const inOwnRuns = async (workshop: Workshop, own: readonly Breakage[], jobs: number): Promise<number> => {
  const wanted = own.map((one) => ({ ...one, caughtBy: allRuns }));
  const survived = await huntAll(workshop, wanted, openSoundness(workshop.whole), jobs);
  say(`\n${wanted.length} mutants of your own, ${survived} survived.${survived === 0 ? '' : ' Play those in random worlds: add --worlds 60.'}`);
  return survived;
};

const inRuns = async (workshop: Workshop, jobs: number): Promise<number> => {
  const wanted = mutants.filter(isWanted);
  const needed = allRuns.filter((run) => wanted.some(({ caughtBy }) => caughtBy.includes(run)));
  const unsoundIn = openSoundness(workshop.whole);
  const unsound: string[] = [];
  await withPlayers(needed, jobs, async (run, player) => {
    unsound.push(...[await unsoundIn(player, run)].filter((text) => text !== undefined));
  });
  if (unsound.length > 0) say(`These break already with the code as it is, so they can catch nothing:\n${unsound.join('\n')}\n`);
  const survived = await huntAll(workshop, wanted, unsoundIn, jobs);
  say(`\n${wanted.length} mutants, ${survived} survived; ${needed.length - unsound.length} of ${needed.length} runs hold with the code as it is.`);
  return survived + unsound.length;
};

const chosen = async (): Promise<readonly Breakage[]> => {
  if (values.mine !== undefined) return readBreakages(values.mine);
  if (values['put-back']) return putBacks;
  return values.survivors ? oldSurvivors : mutants;
};

const inWorlds = async (workshop: Workshop, wanted: readonly Breakage[], count: number): Promise<number> => {
  const choice = values.profile === undefined ? {} : { profile: oneOf('profile', profileNames, values.profile) };
  const [from, jobs] = [atLeastZero('from', values.from), atLeastOne('jobs', values.jobs)];
  const plays = values.plays === undefined ? count : atLeastOne('plays', values.plays);
  const survived = await huntInWorlds(workshop, wanted, { count, from, jobs, choice, plays });
  say(`\n${wanted.length} breakages, each in at most ${count} random worlds from seed ${values.from}: ${survived} survived.`);
  return survived;
};

const inSituations = async (workshop: Workshop, jobs: number): Promise<number> => {
  const wanted = putBacks.filter(isWanted);
  const survived = await huntInSituations(workshop, wanted, jobs);
  say(`\n${wanted.length} faults put back: ${survived} were not seen in their own situations.`);
  return survived;
};

/** @throws when a breakage does not compile: it would throw wherever it runs, and seem to be caught. */
const compileAll = async (wanted: readonly Breakage[]): Promise<void> => {
  const faults = await typeFaults(wanted);
  if (faults.size === 0) return;
  throw new OptionError(`These do not compile:\n${[...faults].map(([name, what]) => `${name}: ${what.join('; ')}`).join('\n')}`);
};

/** Nobody expects all of a sample to fall: what survives is listed. */
const inSample = async (workshop: Workshop, count: number): Promise<number> => {
  const [part, parts] = values.part.split('/').map((number) => atLeastOne('part', number));
  if (part === undefined || parts === undefined || part > parts) throw new OptionError(`--part: expected a part like 2/6, found "${values.part}".`);
  const budget = values.worlds === undefined ? 12 : atLeastOne('worlds', values.worlds);
  await huntGenerated(workshop, { count, seed: atLeastZero('seed', values.seed), part, parts, budget });
  return 0;
};

const hunted = async (workshop: Workshop): Promise<number> => {
  if (values.generated !== undefined) return inSample(workshop, atLeastOne('generated', values.generated));
  const wanted = (await chosen()).filter(isWanted);
  await compileAll(wanted);
  if (values.survivors && values.worlds === undefined) throw new OptionError('--survivors: these are played only in random worlds. Add --worlds N.');
  if (values.worlds !== undefined) return inWorlds(workshop, wanted, atLeastOne('worlds', values.worlds));
  const jobs = atLeastOne('jobs', values.jobs);
  if (values.mine !== undefined) return inOwnRuns(workshop, wanted, jobs);
  return values['put-back'] ? inSituations(workshop, jobs) : inRuns(workshop, jobs);
};

const startedMs = Date.now();
const workshop = await openWorkshop();
try {
  process.exitCode = (await hunted(workshop)) === 0 ? 0 : 1;
  say(`${secondsSince(startedMs)} in all.`);
} catch (error) {
  await workshop.close();
  refuse(error);
} finally {
  await workshop.close();
}

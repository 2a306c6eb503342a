import { atLeastOne, atLeastZero, atMost, commandLine, needs, oneOf, type Read, refuse } from '../../scripts/command-line.ts';
import { type CleanRun, type CrashRun, cleanRun, crashPoints, type Death, moments, passes, replayLine, twoDeaths } from './crash-points.ts';
import { fightTest } from './fight.ts';
import { freezeAssembly } from './frozen-assembly.ts';
import { heldMemory } from './heap.ts';
import { habits, someOf, writeKinds, writesBetween } from './interleavings.ts';
import type { Violation } from './invariants.ts';
import { playAll } from './jobs.ts';
import { type Often, profileNames, profileWith } from './profiles/list.ts';
import { type WriterKind, writerKinds } from './profiles/outside.ts';
import { troubles } from './random-draw.ts';
import type { Choice } from './random-situation.ts';
import { commitHash, partOf, shareOf } from './share.ts';
import { type SeedTask, scriptOf, shrink } from './shrink.ts';
import { slackOfWorlds } from './slack/worlds.ts';
import { runAssembly } from './stage.ts';
import { judge, replayOf, type Task } from './task.ts';
import { type OnTrace, traced, traceTwice } from './trace.ts';
import { longWorkflows, workflows } from './workflows.ts';

const command = {
  name: 'npm run sim',
  does: 'Plays the stack in simulated worlds with faults, and judges each world. Without options: every crash point of every workflow.',
  examples: [
    '--seeds 100 --from 1 --jobs 2             random worlds',
    '--seeds 100 --often outside:33          random worlds, a third of them with others who set sizes',
    '--seeds 1 --from 14 --trace               one random world, with its trace',
    '--shrink 14                               the fewest steps and faults with which world 14 still breaks',
    '--crash-points --parts 12                 one part in twelve of the crash points',
    '--workflow refusal --crash 12:before      one crash',
    '--two-deaths 200                          pairs of crashes, drawn from --seed',
    '--writes --parts 40                       sizes that others write between any two calls',
    '--workflow outside-return --write 12:more:once   one such write',
    '--fight 50                                worlds of writers that set sizes from outside',
    '--fight 50 --always tight-maxima          the same, where maxima bind',
    '--fight 50 --always weights               the same, where instance types get weights',
    '--slack 30 --from 1                       false steps in 30 random histories, and how many the judge misses',
    '--seed-twice 14                           one random world twice: both traces must be the same',
  ],
  positionals: 'SEED',
  options: {
    seeds: { type: 'string', value: 'N', help: 'plays so many random worlds' },
    from: { type: 'string', default: '1', value: 'SEED', help: 'the seed of the first world' },
    profile: { type: 'string', value: 'NAME', help: `draws worlds of one kind: ${profileNames.join(', ')}` },
    often: {
      type: 'string',
      value: 'NAME:PERCENT',
      help: 'draws worlds of this kind more often, as in outside:33: so many percent of all worlds are of it, the others are drawn by weight',
    },
    always: { type: 'string', value: 'TROUBLE', help: `draws this trouble in every world: ${troubles.join(', ')}` },
    keep: { type: 'string', value: '1,3', help: 'plays only these steps of a world; 0 is not one of them' },
    faults: { type: 'string', value: '1,3', help: 'plays only these faults of a world; 0 is not one of them' },
    shrink: { type: 'boolean', default: false, help: 'shrinks the worlds that break, or the one of SEED' },
    'seed-twice': { type: 'string', value: 'SEED', help: 'plays one world twice, and compares the traces' },
    slack: {
      type: 'string',
      value: 'N',
      help: 'plants false steps into the histories of so many worlds, and counts those that the judge does not see',
    },
    fight: {
      type: 'string',
      value: 'N',
      help: 'plays so many worlds for each kind of writer that sets sizes from outside, and says what became of what they wrote',
    },
    writers: {
      type: 'string',
      value: 'steps,person',
      help: `with --fight: only these writers, together in each world: ${writerKinds.join(', ')}`,
    },
    'crash-points': { type: 'boolean', default: false, help: 'kills a function at every call of every workflow, one world for each' },
    count: { type: 'boolean', default: false, help: 'counts the crash points of each workflow, and plays none' },
    'two-deaths': { type: 'string', value: 'N', help: 'plays so many pairs of crashes, drawn from --seed' },
    writes: { type: 'boolean', default: false, help: 'plays every size that others may write between any two calls' },
    parts: {
      type: 'string',
      default: '1',
      value: 'N',
      help: 'plays one part in so many of the crash points, chosen by the hash of the commit, or of the writes, drawn from --seed',
    },
    part: { type: 'string', value: 'K', help: 'plays this one of the parts, from 1: all of them together play every crash point or write once' },
    by: { type: 'string', value: 'TEXT', help: 'chooses the part by this text instead' },
    workflow: { type: 'string', value: 'NAME', help: 'plays this workflow' },
    except: { type: 'string', default: '', value: 'NAMES', help: 'leaves out these workflows, with commas between them' },
    crash: {
      type: 'string',
      value: '12:before',
      help: `kills functions at these calls of a workflow, with commas between them: ${moments.join(', ')}`,
    },
    pass: { type: 'string', default: 'back', value: 'PASS', help: `after a crash the message comes back, or is lost: ${passes.join(', ')}` },
    write: {
      type: 'string',
      value: '12:more:once',
      help: `one such write: the number of the call that it follows, what is written (${writeKinds.join(', ')}), and how often (${habits.join(', ')})`,
    },
    seed: { type: 'string', default: '1', value: 'N', help: 'the seed of workflows, and of what is drawn from them' },
    jobs: { type: 'string', default: '1', value: 'N', help: 'plays so many worlds at the same time' },
    trace: { type: 'boolean', default: false, help: 'prints the trace of one world or one crash' },
    memory: { type: 'boolean', default: false, help: 'prints the memory of this process as worlds go by; with one job' },
  },
} as const;

type Asked = Read<typeof command.options>;

/** As in `--keep 1,3`; 0 is not one of them. */
const numbersIn = (option: string, text: string): readonly number[] => text.split(',').map((one) => atLeastZero(option, one));

/** As in `--writers steps,person`. */
const writersIn = (text: string): readonly WriterKind[] => text.split(',').map((one) => oneOf('writers', writerKinds, one));

/** As in `--often outside:33`. */
const oftenIn = (text: string): Often => {
  const [profile, percent = ''] = text.split(':');
  return { profile: oneOf('often', profileNames, profile), percent: atMost(100, 'often', atLeastZero('often', percent)) };
};

/** Which worlds are played, and what of each. Only options that draw worlds use it. */
const worldsIn = ({ values, positionals }: Asked): { readonly choice: Choice; readonly often?: Often } => {
  const { seeds, shrink, slack, always, profile, keep, faults, often } = values;
  if (often !== undefined) needs('often', { seeds });
  if (values.writers !== undefined) needs('writers', { fight: values.fight });
  const drawn = { seeds, 'shrink SEED': shrink ? positionals[0] : undefined, 'seed-twice': values['seed-twice'], slack };
  for (const [option, value] of Object.entries({ profile, keep, faults })) if (value !== undefined) needs(option, drawn);
  if (always !== undefined) needs('always', { ...drawn, fight: values.fight });
  const choice = {
    ...(always !== undefined && { always: oneOf('always', troubles, always) }),
    ...(profile !== undefined && { profile: oneOf('profile', profileNames, profile) }),
    ...(keep !== undefined && { keep: numbersIn('keep', keep) }),
    ...(faults !== undefined && { faults: numbersIn('faults', faults) }),
  };
  return { choice, ...(often !== undefined && { often: oftenIn(often) }) };
};

const { values, positionals, workflow, seed, from, jobs, parts, choice, often } = commandLine(command, (read) => ({
  ...read,
  ...worldsIn(read),
  workflow: read.values.workflow === undefined ? undefined : oneOf('workflow', Object.keys({ ...workflows, ...longWorkflows }), read.values.workflow),
  seed: atLeastZero('seed', read.values.seed),
  from: atLeastZero('from', read.values.from),
  jobs: atLeastOne('jobs', read.values.jobs),
  parts: atLeastOne('parts', read.values.parts),
}));
const { seeds, slack, fight, writers } = values;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const inThousands = (count: number): string => count.toLocaleString('en');
const inWords = (violations: readonly Violation[]): string =>
  violations.map(({ invariant, detail }) => `    ${invariant}: ${detail.join('; ')}`).join('\n');
const sayTrace: OnTrace = (steps, trace) => say(`${steps}\n${trace}`);

const report = (violations: readonly Violation[], replay: string): number => {
  if (violations.length === 0) return 0;
  say(`  broken: ${replay}\n${inWords(violations)}`);
  return 1;
};

const { directory, remove } = await freezeAssembly();
runAssembly(directory);

/** The fewest steps and faults that still break, with the line that plays exactly them. */
const shrinkTask = async (task: SeedTask): Promise<number> => {
  const shrunk = await shrink(task);
  if (shrunk === undefined) {
    say(`seed ${task.seed} breaks nothing`);
    return 0;
  }
  say(`seed ${task.seed}, after ${shrunk.played} plays, still breaks with:\n${scriptOf(shrunk.task)}`);
  return report(shrunk.violations, replayOf(shrunk.task));
};

const progressEvery = 100;
/** Plays all of them and answers how many broke something. */
const playTasks = async (tasks: readonly Task[]): Promise<number> => {
  let [played, broken] = [0, 0];
  const toShrink: SeedTask[] = [];
  const tell = ({ task, violations }: { readonly task: Task; readonly violations: readonly Violation[] }): void => {
    played += 1;
    broken += report(violations, replayOf(task));
    if (values.shrink && violations.length > 0 && task.kind === 'seed') toShrink.push(task);
    if (played % progressEvery === 0) say(`  ${played} of ${tasks.length} played, ${broken} broken${values.memory ? `; ${heldMemory()}` : ''}`);
  };
  await playAll(tasks, { jobs, assembly: directory, tell });
  for (const task of toShrink) await shrinkTask(task);
  return broken;
};

const leftOut = values.except.split(',');
const names = (workflow === undefined ? Object.keys(workflows) : [workflow]).filter((name) => !leftOut.includes(name));
const asTask = (run: CrashRun): Task => ({ kind: 'crash', run });
const clean = async (workflow: string): Promise<CleanRun & { readonly broken: number }> => {
  const run = await cleanRun(workflow, seed);
  return { ...run, broken: report(run.violations, replayLine({ workflow, deaths: [], pass: 'back', seed })) };
};

const everyCrashPoint = async (): Promise<number> => {
  const by = values.by ?? commitHash();
  let [played, broken] = [0, 0];
  for (const workflow of names) {
    const run = await clean(workflow);
    const all = crashPoints(workflow, seed, run);
    const points = values.part === undefined ? shareOf(all, parts, by, replayLine) : partOf(all, parts, atLeastOne('part', values.part));
    const here = run.broken + (await playTasks(points.map(asTask)));
    say(`${workflow}: ${run.sequence.length} calls, ${points.length} crashes, ${here} broken`);
    played += points.length;
    broken += here;
  }
  say(`${played} crash points played, ${broken} broken.`);
  return broken;
};

/** The calls of each workflow and its crash points, as rows of a table. */
const countCrashPoints = async (): Promise<number> => {
  let [calls, crashes, broken] = [0, 0, 0];
  for (const workflow of names) {
    const run = await clean(workflow);
    const points = crashPoints(workflow, seed, run).length;
    say(`| \`${workflow}\` | ${inThousands(run.sequence.length)} | ${inThousands(points)} |`);
    calls += run.sequence.length;
    crashes += points;
    broken += run.broken;
  }
  say(`| all | ${inThousands(calls)} | ${inThousands(crashes)} |`);
  return broken;
};

const manyTwoDeaths = async (count: number): Promise<number> => {
  const runs = new Map<string, CleanRun & { readonly broken: number }>();
  for (const workflow of names) runs.set(workflow, await clean(workflow));
  const broken = [...runs.values()].reduce((sum, run) => sum + run.broken, 0) + (await playTasks(twoDeaths(count, seed, runs).map(asTask)));
  say(`${count} runs with two deaths played, ${broken} broken.`);
  return broken;
};

/** As in `--crash 12:before,40:answered`. */
const deathsIn = (text: string | undefined): readonly Death[] =>
  (text === undefined ? [] : text.split(',')).map((death) => {
    const [call, when] = death.split(':');
    return { call: atLeastOne('crash', call ?? ''), when: oneOf('crash', moments, when) };
  });

const one = async (task: Task): Promise<number> => report(await judge(task, values.trace ? traced(sayTrace) : undefined), replayOf(task));

/** As in `--write 12:more:once`. */
const writeIn = (workflow: string, text: string): Task => {
  const [call, write, habit] = text.split(':');
  return {
    kind: 'write',
    run: { workflow, call: atLeastOne('write', call ?? ''), write: oneOf('write', writeKinds, write), habit: oneOf('write', habits, habit), seed },
  };
};

const everyWrite = async (): Promise<number> => {
  let [played, broken] = [0, 0];
  for (const workflow of names.filter((name) => name.startsWith('outside-'))) {
    const run = await clean(workflow);
    const all = writesBetween(workflow, seed, run);
    const writes = values.part === undefined ? someOf(all, parts, seed) : partOf(all, parts, atLeastOne('part', values.part));
    const here = run.broken + (await playTasks(writes.map((one): Task => ({ kind: 'write', run: one }))));
    say(`${workflow}: ${run.sequence.length} calls, ${writes.length} writes between them, ${here} broken`);
    played += writes.length;
    broken += here;
  }
  say(`${played} writes played, ${broken} broken.`);
  return broken;
};

const oneWorkflow = (workflow: string): Promise<number> =>
  one(asTask({ workflow, deaths: deathsIn(values.crash), pass: oneOf('pass', passes, values.pass), seed }));

const manySeeds = async (count: number): Promise<number> => {
  const tasks = Array.from({ length: count }, (_, index): Task => {
    const seed = from + index;
    return { kind: 'seed', seed, ...(often !== undefined && { profile: profileWith(seed, often) }), ...choice };
  });
  const [only] = tasks;
  const broken = await (tasks.length === 1 && only !== undefined && !values.shrink ? one(only) : playTasks(tasks));
  say(`${count} seeds from ${from}, ${broken} broken.`);
  return broken;
};

const seedTwice = async (which: number): Promise<number> => {
  const [first, second] = await traceTwice(which, choice);
  const same = first === second;
  say(`seed ${which}, played twice: ${same ? 'the same' : 'another'} trace of ${first.split('\n').length} lines`);
  return same ? 0 : 1;
};

const chosen = (): Promise<number> => {
  const [only] = positionals;
  if (values['crash-points']) return values.count ? countCrashPoints() : everyCrashPoint();
  if (values.writes) return everyWrite();
  if (workflow !== undefined && values.write !== undefined) return one(writeIn(workflow, values.write));
  if (values['two-deaths'] !== undefined) return manyTwoDeaths(atLeastOne('two-deaths', values['two-deaths']));
  if (slack !== undefined) return slackOfWorlds(atLeastOne('slack', slack), from, choice, say);
  if (fight !== undefined)
    return fightTest({
      count: atLeastOne('fight', fight),
      from,
      say,
      always: choice.always,
      ...(writers !== undefined && { writers: writersIn(writers) }),
      ...(values.trace && { onEnd: traced(sayTrace) }),
    });
  if (values['seed-twice'] !== undefined) return seedTwice(atLeastZero('seed-twice', values['seed-twice']));
  if (values.shrink && only !== undefined) return shrinkTask({ kind: 'seed', seed: atLeastZero('shrink', only), ...choice });
  if (seeds !== undefined) return manySeeds(atLeastOne('seeds', seeds));
  return workflow === undefined ? everyCrashPoint() : oneWorkflow(workflow);
};

try {
  process.exitCode = (await chosen()) === 0 ? 0 : 1;
} catch (error) {
  await remove();
  refuse(error);
} finally {
  await remove();
}
// A function that died over a call leaves the timer of its time limit behind, for up to a minute of wall time. Nobody waits for it.
process.exit();

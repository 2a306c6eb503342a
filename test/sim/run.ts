import { parseArgs } from 'node:util';
import { type CleanRun, type CrashRun, cleanRun, crashPoints, type Death, moments, passes, replayLine, twoDeaths } from './crash-points.ts';
import { fightTest } from './fight.ts';
import { freezeAssembly } from './frozen-assembly.ts';
import { heldMemory } from './heap.ts';
import { habits, someOf, writeKinds, writesBetween } from './interleavings.ts';
import type { Violation } from './invariants.ts';
import { playAll } from './jobs.ts';
import { profileNames } from './profiles/list.ts';
import { troubles } from './random-draw.ts';
import type { Choice } from './random-situation.ts';
import { commitHash, partOf, shareOf } from './share.ts';
import { type SeedTask, scriptOf, shrink } from './shrink.ts';
import { slackOfWorlds } from './slack/worlds.ts';
import { runAssembly } from './stage.ts';
import { judge, replayOf, type Task } from './task.ts';
import { type OnTrace, traced, traceTwice } from './trace.ts';
import { workflows } from './workflows.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'crash-points': { type: 'boolean', default: false },
    /** Plays one part in so many of the crash points, chosen by the commit's hash. */
    parts: { type: 'string', default: '1' },
    /** Plays this one of the parts, from 1: all of them together play every crash point once. */
    part: { type: 'string' },
    /** Counts the crash points of each workflow, and plays none. */
    count: { type: 'boolean', default: false },
    /** Chooses the part by this text instead. */
    by: { type: 'string' },
    'two-deaths': { type: 'string' },
    /** Sets the size of every workflow that others set the size of, between any two calls of functions. */
    writes: { type: 'boolean', default: false },
    /** One such write: the number of the call that it follows, what is written, and whether it is kept up. */
    write: { type: 'string' },
    /** Plants false steps into the histories of so many random worlds, and counts those that the judge does not see. */
    slack: { type: 'string' },
    /** Plays so many worlds for each kind of writer that sets sizes from outside, and tells what became of what they wrote. */
    fight: { type: 'string' },
    workflow: { type: 'string' },
    /** Workflows whose crash points are left out, with commas between them. */
    except: { type: 'string', default: '' },
    crash: { type: 'string' },
    pass: { type: 'string', default: 'back' },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    'seed-twice': { type: 'string' },
    from: { type: 'string', default: '1' },
    always: { type: 'string' },
    profile: { type: 'string' },
    keep: { type: 'string' },
    faults: { type: 'string' },
    shrink: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
    /** Tells what memory is held, as worlds go by: in this process, so of one job. */
    memory: { type: 'boolean', default: false },
  },
});
const [seed, from, jobs] = [Number(values.seed), Number(values.from), Number(values.jobs)];

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
const names = (values.workflow === undefined ? Object.keys(workflows) : [values.workflow]).filter((name) => !leftOut.includes(name));
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
    const points =
      values.part === undefined ? shareOf(all, Number(values.parts), by, replayLine) : partOf(all, Number(values.parts), Number(values.part));
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

const oneOf = <T extends string>(known: readonly T[], name: string | undefined): T => {
  const found = known.find((one) => one === name);
  if (found === undefined) throw new Error(`${name} is not one of ${known.join(', ')}.`);
  return found;
};

/** As in `--crash 12:before,40:answered`. */
const deathsIn = (text: string | undefined): readonly Death[] =>
  (text === undefined ? [] : text.split(',')).map((death) => {
    const [call, when] = death.split(':');
    return { call: Number(call), when: oneOf(moments, when) };
  });

const one = async (task: Task): Promise<number> => report(await judge(task, values.trace ? traced(sayTrace) : undefined), replayOf(task));

/** As in `--write 12:more:once`. */
const writeIn = (workflow: string, text: string): Task => {
  const [call, write, habit] = text.split(':');
  return { kind: 'write', run: { workflow, call: Number(call), write: oneOf(writeKinds, write), habit: oneOf(habits, habit), seed } };
};

const everyWrite = async (): Promise<number> => {
  let [played, broken] = [0, 0];
  for (const workflow of names.filter((name) => name.startsWith('outside-'))) {
    const run = await clean(workflow);
    const writes = someOf(writesBetween(workflow, seed, run), Number(values.parts), seed);
    const here = run.broken + (await playTasks(writes.map((one): Task => ({ kind: 'write', run: one }))));
    say(`${workflow}: ${run.sequence.length} calls, ${writes.length} writes between them, ${here} broken`);
    played += writes.length;
    broken += here;
  }
  say(`${played} writes played, ${broken} broken.`);
  return broken;
};

const oneWorkflow = (workflow: string): Promise<number> =>
  one(asTask({ workflow, deaths: deathsIn(values.crash), pass: oneOf(passes, values.pass), seed }));

/** As in `--keep 1,3`; 0 is not one of them. */
const numbersIn = (text: string): readonly number[] => text.split(',').map(Number);

/** What is played of each seed. */
const choice = (): Choice => ({
  ...(values.always !== undefined && { always: oneOf(troubles, values.always) }),
  ...(values.profile !== undefined && { profile: oneOf(profileNames, values.profile) }),
  ...(values.keep !== undefined && { keep: numbersIn(values.keep) }),
  ...(values.faults !== undefined && { faults: numbersIn(values.faults) }),
});

const manySeeds = async (count: number): Promise<number> => {
  const tasks = Array.from({ length: count }, (_, index): Task => ({ kind: 'seed', seed: from + index, ...choice() }));
  const [only] = tasks;
  const broken = await (tasks.length === 1 && only !== undefined && !values.shrink ? one(only) : playTasks(tasks));
  say(`${count} seeds from ${from}, ${broken} broken.`);
  return broken;
};

const seedTwice = async (which: number): Promise<number> => {
  const [first, second] = await traceTwice(which, choice());
  const same = first === second;
  say(`seed ${which}, played twice: ${same ? 'the same' : 'another'} trace of ${first.split('\n').length} lines`);
  return same ? 0 : 1;
};

const chosen = (): Promise<number> => {
  if (values['crash-points']) return values.count ? countCrashPoints() : everyCrashPoint();
  if (values.writes) return everyWrite();
  if (values.workflow !== undefined && values.write !== undefined) return one(writeIn(values.workflow, values.write));
  if (values['two-deaths'] !== undefined) return manyTwoDeaths(Number(values['two-deaths']));
  if (values.slack !== undefined) return slackOfWorlds(Number(values.slack), from, choice(), say);
  if (values.fight !== undefined) return fightTest(Number(values.fight), from, say);
  if (values['seed-twice'] !== undefined) return seedTwice(Number(values['seed-twice']));
  if (values.shrink && positionals[0] !== undefined) return shrinkTask({ kind: 'seed', seed: Number(positionals[0]), ...choice() });
  if (values.seeds !== undefined) return manySeeds(Number(values.seeds));
  return values.workflow === undefined ? everyCrashPoint() : oneWorkflow(values.workflow);
};

try {
  process.exitCode = (await chosen()) === 0 ? 0 : 1;
} finally {
  await remove();
}
// A function that died over a call leaves the timer of its time limit behind, for up to a minute of wall time. Nobody waits for it.
process.exit();

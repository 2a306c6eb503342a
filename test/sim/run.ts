import { parseArgs } from 'node:util';
import { type CrashPoint, cleanRun, crashPoints, type Pass, playCrash, replayLine, type When } from './crash-points.ts';
import { freezeAssembly } from './frozen-assembly.ts';
import type { Violation } from './invariants.ts';
import { type Outcome, play } from './play.ts';
import { randomSituation } from './random-situation.ts';
import { runAssembly } from './stage.ts';
import { traceOf } from './trace.ts';
import { workflows } from './workflows.ts';

const { values } = parseArgs({
  options: {
    'crash-points': { type: 'boolean', default: false },
    workflow: { type: 'string' },
    crash: { type: 'string' },
    when: { type: 'string', default: 'after' },
    pass: { type: 'string', default: 'back' },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
});

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const inWords = (violations: readonly Violation[]): string =>
  violations.map(({ invariant, detail }) => `    ${invariant}: ${detail.join('; ')}`).join('\n');
type OnEnd = NonNullable<NonNullable<Parameters<typeof play>[1]>['onEnd']>;
const onEnd: OnEnd = (stage, evidence) => {
  if (!values.trace) return;
  say(stage.situation.steps.map(({ atMs, what }) => `${(atMs / 1_000).toFixed(3).padStart(9)} ${what}`).join('\n'));
  say(traceOf(stage, evidence));
};

/** A run that throws is as bad as one that breaks an invariant. */
const judged = async (run: Promise<Outcome>): Promise<readonly Violation[]> => {
  try {
    return (await run).violations;
  } catch (error) {
    return [{ invariant: 'the run comes to its end', detail: [error instanceof Error ? (error.stack ?? error.message) : String(error)] }];
  }
};

const report = (violations: readonly Violation[], replay: string): number => {
  if (violations.length === 0) return 0;
  say(`  broken: ${replay}\n${inWords(violations)}`);
  return 1;
};

const everyCrashPoint = async (): Promise<number> => {
  const seed = Number(values.seed);
  let [played, broken] = [0, 0];
  for (const workflow of values.workflow === undefined ? Object.keys(workflows) : [values.workflow]) {
    const clean = await cleanRun(workflow, seed);
    let here = report(clean.violations, `npm run sim -- --workflow ${workflow} --seed ${seed} --trace`);
    const points = crashPoints(workflow, seed, clean.sequence);
    for (const point of points) here += report(await judged(playCrash(point)), replayLine(point));
    say(`${workflow}: ${clean.sequence.length} calls, ${points.length} crashes, ${here} broken`);
    played += points.length;
    broken += here;
  }
  say(`${played} crash points played, ${broken} broken.`);
  return broken;
};

const oneWorkflow = async (workflow: string): Promise<number> => {
  const point: CrashPoint = {
    workflow,
    call: Number(values.crash ?? Number.MAX_SAFE_INTEGER),
    when: values.when as When,
    pass: values.pass as Pass,
    seed: Number(values.seed),
  };
  const violations = await judged(playCrash(point, onEnd));
  return report(violations, replayLine(point));
};

const manySeeds = async (count: number): Promise<number> => {
  const from = Number(values.from);
  let broken = 0;
  for (let seed = from; seed < from + count; seed++) {
    broken += report(await judged(play(randomSituation(seed), { onEnd })), `npm run sim -- --seeds 1 --from ${seed} --trace`);
    if ((seed - from + 1) % 50 === 0) say(`${seed - from + 1} seeds played, ${broken} broken`);
  }
  say(`${count} seeds from ${from}, ${broken} broken.`);
  return broken;
};

const { directory, remove } = await freezeAssembly();
runAssembly(directory);
const broken = await (values['crash-points']
  ? everyCrashPoint()
  : values.seeds !== undefined
    ? manySeeds(Number(values.seeds))
    : values.workflow !== undefined
      ? oneWorkflow(values.workflow)
      : everyCrashPoint());
process.exitCode = broken === 0 ? 0 : 1;
await remove();

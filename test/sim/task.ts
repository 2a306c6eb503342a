import { type CrashRun, playCrash, replayLine } from './crash-points.ts';
import { playWrite, type WriteRun, writeLine } from './interleavings.ts';
import type { Violation } from './invariants.ts';
import { type Hooks, type Outcome, play } from './play.ts';
import { type Choice, randomSituation } from './random-situation.ts';

/** One run to be played, as it can be handed to another process. */
export type Task =
  | ({ readonly kind: 'seed'; readonly seed: number } & Choice)
  | { readonly kind: 'crash'; readonly run: CrashRun }
  | { readonly kind: 'write'; readonly run: WriteRun };

/** As in `--keep 1,3`; none of them is 0, for no step and no fault has that number. */
const listed = (flag: string, numbers: readonly number[] | undefined): string =>
  numbers === undefined ? '' : ` --${flag} ${numbers.length === 0 ? '0' : numbers.join()}`;
const named = (flag: string, name: string | undefined): string => (name === undefined ? '' : ` --${flag} ${name}`);

/** One line that plays this run again. */
export const replayOf = (task: Task): string => {
  if (task.kind === 'crash') return replayLine(task.run);
  if (task.kind === 'write') return writeLine(task.run);
  const { seed, profile, always, keep, faults } = task;
  const choice = `${named('profile', profile)}${named('always', always)}${listed('keep', keep)}${listed('faults', faults)}`;
  return `npm run sim -- --seeds 1 --from ${seed}${choice} --trace`;
};

const outcomeOf = (task: Task, onEnd: Hooks['onEnd']): Promise<Outcome> => {
  if (task.kind === 'crash') return playCrash(task.run, onEnd);
  if (task.kind === 'write') return playWrite(task.run, onEnd);
  return play(randomSituation(task.seed, task), onEnd === undefined ? {} : { onEnd });
};

/** What the run broke. One that throws is as bad as one that breaks an invariant. */
export const judge = async (task: Task, onEnd?: Hooks['onEnd']): Promise<readonly Violation[]> => {
  try {
    return (await outcomeOf(task, onEnd)).violations;
  } catch (error) {
    return [{ invariant: 'the run comes to its end', detail: [error instanceof Error ? (error.stack ?? error.message) : String(error)] }];
  }
};

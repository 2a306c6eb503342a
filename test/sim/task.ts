import { type CrashRun, playCrash, replayLine } from './crash-points.ts';
import type { Violation } from './invariants.ts';
import { type Hooks, type Outcome, play } from './play.ts';
import type { Trouble } from './random-draw.ts';
import { randomSituation } from './random-situation.ts';

/** One run to be played, as it can be handed to another process. */
export type Task = { readonly kind: 'seed'; readonly seed: number; readonly always?: Trouble } | { readonly kind: 'crash'; readonly run: CrashRun };

export const replayOf = (task: Task): string =>
  task.kind === 'seed'
    ? `npm run sim -- --seeds 1 --from ${task.seed}${task.always === undefined ? '' : ` --always ${task.always}`} --trace`
    : replayLine(task.run);

const outcomeOf = (task: Task, onEnd: Hooks['onEnd']): Promise<Outcome> =>
  task.kind === 'seed' ? play(randomSituation(task.seed, task.always), onEnd === undefined ? {} : { onEnd }) : playCrash(task.run, onEnd);

/** What the run broke. One that throws is as bad as one that breaks an invariant. */
export const judge = async (task: Task, onEnd?: Hooks['onEnd']): Promise<readonly Violation[]> => {
  try {
    return (await outcomeOf(task, onEnd)).violations;
  } catch (error) {
    return [{ invariant: 'the run comes to its end', detail: [error instanceof Error ? (error.stack ?? error.message) : String(error)] }];
  }
};

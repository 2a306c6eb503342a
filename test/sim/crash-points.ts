import { isMutating, type LoggedCall } from '../../sandbox/call-log.ts';
import { type Outcome, play } from './play.ts';
import type { Situation } from './situation.ts';
import type { Stage } from './stage.ts';
import { workflows } from './workflows.ts';

/** `back`: the message that was being worked on comes again. `lost`: it never does, no event comes either, and only the tick remains. */
export const passes = ['back', 'lost'] as const;
export type Pass = (typeof passes)[number];
export type When = 'before' | 'after';

/** A function dies over the n-th call that functions make from the trigger on, before it was applied or after. */
export type CrashPoint = { readonly workflow: string; readonly call: number; readonly when: When; readonly pass: Pass; readonly seed: number };

const loseEverything = (stage: Stage): void => {
  for (const queue of stage.sandbox.platform.queues) queue.purge();
  stage.addFaults([{ on: 'event', kind: 'drop' }]);
};

const crash =
  ({ call, when, pass }: CrashPoint) =>
  (stage: Stage): void => {
    stage.addFaults([{ on: 'call', kind: 'crash-caller', when, nth: call }]);
    if (pass === 'back') return;
    stage.sandbox.platform.functions.observe(({ result }) => {
      if (result.kind === 'error' && result.errorType === 'Runtime.ExitError') loseEverything(stage);
    });
  };

/** Faults stay in force until rest: a crash may come long after the last step. */
const situationOf = ({ workflow, seed, pass }: Pick<CrashPoint, 'workflow' | 'seed' | 'pass'>): Situation => {
  const make = workflows[workflow];
  if (make === undefined) throw new Error(`There is no workflow ${workflow}; there are ${Object.keys(workflows).join(', ')}.`);
  return { ...make(), seed, keepsFaults: true, ...(pass === 'lost' ? { deaf: true } : {}) };
};

export const playCrash = (point: CrashPoint, onEnd: NonNullable<Parameters<typeof play>[1]>['onEnd'] = () => undefined): Promise<Outcome> =>
  play(situationOf(point), { onReady: crash(point), onEnd });

/** The calls that functions make in a workflow when nothing goes wrong, in their order, until everything is at rest. */
export const cleanRun = async (workflow: string, seed: number): Promise<Outcome & { readonly sequence: readonly LoggedCall[] }> => {
  const outcome = await play(situationOf({ workflow, seed, pass: 'back' }));
  const { calls, restAtMs } = outcome.evidence;
  return { ...outcome, sequence: calls.filter(({ atMs }) => atMs <= (restAtMs ?? Number.POSITIVE_INFINITY)) };
};

/** Every place where a function can die. After a read is before the next call: the world is the same, so a read is cut off once. */
export const crashPoints = (workflow: string, seed: number, sequence: readonly LoggedCall[]): readonly CrashPoint[] =>
  passes.flatMap((pass) =>
    sequence.flatMap(({ operation }, index) =>
      (isMutating(operation) ? (['before', 'after'] as const) : (['before'] as const)).map((when) => ({
        workflow,
        call: index + 1,
        when,
        pass,
        seed,
      })),
    ),
  );

/** One line that plays this crash again. */
export const replayLine = ({ workflow, call, when, pass, seed }: CrashPoint): string =>
  `npm run sim -- --workflow ${workflow} --crash ${call} --when ${when} --pass ${pass} --seed ${seed} --trace`;

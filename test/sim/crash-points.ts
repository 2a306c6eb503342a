import { isMutating, type LoggedCall } from '../../sandbox/call-log.ts';
import type { InvocationRecord } from '../../sandbox/platform/functions/invocation.ts';
import { forkRandom } from '../../sandbox/random.ts';
import { type Hooks, type Outcome, play } from './play.ts';
import type { Situation } from './situation.ts';
import type { Stage } from './stage.ts';
import { longWorkflows, workflows } from './workflows.ts';

/** `back`: the message that was being worked on comes again. `lost`: it never does, no event comes either, and only the tick remains. */
export const passes = ['back', 'lost'] as const;
export type Pass = (typeof passes)[number];
/** Before the call was applied; after it was applied, the answer still on its way; as the answer arrives. */
export const moments = ['before', 'after', 'answered'] as const;
export type When = (typeof moments)[number];

/** A function dies over the n-th call that functions make from the trigger on. */
export type Death = { readonly call: number; readonly when: When };
/** A workflow in which functions die, once or several times. */
export type CrashRun = { readonly workflow: string; readonly deaths: readonly Death[]; readonly pass: Pass; readonly seed: number };

const loseEverything = (stage: Stage): void => {
  for (const queue of stage.sandbox.platform.queues) queue.purge();
  stage.addFaults([{ on: 'event', kind: 'drop' }]);
};

const crash =
  ({ deaths, pass }: CrashRun) =>
  (stage: Stage): void => {
    stage.addFaults(deaths.map(({ call, when }) => ({ on: 'call', kind: 'crash-caller', when, nth: call }) as const));
    if (pass === 'back') return;
    stage.sandbox.platform.functions.observe(({ result }) => {
      if (result.kind === 'error' && result.errorType === 'Runtime.ExitError') loseEverything(stage);
    });
  };

/** Faults stay in force until rest: a crash may come long after the last step. */
export const situationOf = ({ workflow, seed }: Pick<CrashRun, 'workflow' | 'seed'>): Situation => {
  const make = workflows[workflow] ?? longWorkflows[workflow];
  if (make === undefined) throw new Error(`There is no workflow ${workflow}; there are ${Object.keys(workflows).join(', ')}.`);
  return { ...make(), seed, keepsFaults: true };
};

export const playCrash = (run: CrashRun, onEnd: NonNullable<Hooks['onEnd']> = () => undefined): Promise<Outcome> =>
  play(situationOf(run), { onReady: crash(run), onEnd });

/** The calls that functions make when nothing goes wrong, in their order, until everything is at rest, and who was called. */
export type CleanRun = Outcome & { readonly sequence: readonly LoggedCall[] };

export const cleanRun = async (workflow: string, seed: number): Promise<CleanRun> => {
  const outcome = await play(situationOf({ workflow, seed }));
  const { calls, restAtMs } = outcome.evidence;
  return { ...outcome, sequence: calls.filter(({ atMs }) => atMs <= (restAtMs ?? Number.POSITIVE_INFINITY)) };
};

/** The last call that each invocation made. Roles are named after their functions' resources, so a call belongs to who ran under its role then. */
const lastCalls = (sequence: readonly LoggedCall[], invocations: readonly InvocationRecord[], roleOf: ReadonlyMap<string, string>): Set<LoggedCall> =>
  new Set(
    invocations.flatMap(({ functionName, startedAtMs, endedAtMs }) => {
      const own = sequence.findLast(({ caller, atMs }) => caller === roleOf.get(functionName) && atMs >= startedAtMs && atMs <= endedAtMs);
      return own === undefined ? [] : [own];
    }),
  );

/**
 * Every place where a function can die. Before: each call. After: each write; after a read the world is what it was before the next call. Answered: each
 * write, and the last call of each invocation, which no next call follows.
 */
export const crashPoints = (workflow: string, seed: number, { sequence, evidence }: CleanRun): readonly CrashRun[] => {
  const last = lastCalls(sequence, evidence.invocations, evidence.roleOf);
  const momentsOf = (call: LoggedCall): readonly When[] => {
    if (isMutating(call.operation)) return moments;
    return last.has(call) ? ['before', 'answered'] : ['before'];
  };
  return passes.flatMap((pass) =>
    sequence.flatMap((call, index) => momentsOf(call).map((when) => ({ workflow, deaths: [{ call: index + 1, when }], pass, seed }))),
  );
};

/** How many calls after the first death the second may come: what is done again until everything is well takes about so many. */
const recoveryCalls = 60;

/** Pairs of deaths in one run, drawn: the second while the first is being made good. */
export const twoDeaths = (count: number, seed: number, clean: ReadonlyMap<string, CleanRun>): readonly CrashRun[] => {
  const random = forkRandom(seed, 'two deaths');
  const below = (limit: number): number => Math.floor(random() * limit);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const names = [...clean.keys()];
  return Array.from({ length: count }, () => {
    const workflow = one(names);
    const first = 1 + below(clean.get(workflow)?.sequence.length ?? 1);
    const deaths = [
      { call: first, when: one(moments) },
      { call: first + 1 + below(recoveryCalls), when: one(moments) },
    ];
    return { workflow, deaths, pass: one(passes), seed };
  });
};

/** One line that plays this run again. */
export const replayLine = ({ workflow, deaths, pass, seed }: CrashRun): string => {
  const crashes = deaths.length === 0 ? '' : ` --crash ${deaths.map(({ call, when }) => `${call}:${when}`).join(',')} --pass ${pass}`;
  return `npm run sim -- --workflow ${workflow}${crashes} --seed ${seed} --trace`;
};

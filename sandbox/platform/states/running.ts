import type { WorldClock } from '../../clock.ts';
import type { Random } from '../../random.ts';
import type { State } from './definition.ts';
import type { History } from './history.ts';
import type { Bindings, Evaluate } from './query.ts';
import { withinLimit } from './trouble.ts';

/** Carries out a Task state's resource. Throws StateError for what goes wrong there. */
export type RunTask = (resource: string, args: unknown, history: History) => Promise<unknown>;

export type InterpreterDeps = {
  readonly clock: WorldClock;
  readonly random: Random;
  readonly evaluate: Evaluate;
  readonly runTask: RunTask;
  /** World milliseconds that entering a state takes. */
  readonly transitionMs: number;
};

/** The context of one run of a list of states. Each branch has its own, and can read the variables of the outer run. */
export type Frame = {
  readonly variables: Record<string, unknown>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly history: History;
  /** Returns true after the execution was stopped or a sibling branch failed. Then no state may begin. */
  readonly isOver: () => boolean;
};

/** A state that was entered. */
export type Running = {
  readonly name: string;
  readonly state: State;
  readonly input: unknown;
  readonly frame: Frame;
  readonly context: Readonly<Record<string, unknown>> & { readonly State: { RetryCount: number } };
};

/** The result of a state: the next state or the end. */
export type Step = { readonly output: unknown; readonly next?: string | undefined };

/** Never settles, because code of an ended execution must not run on. A shared promise would keep everything in memory that ever waited for it. */
export const never = (): Promise<never> => new Promise(() => undefined);

export const bindings = ({ input, frame, context }: Running, more: Readonly<Record<string, unknown>> = {}): Bindings => ({
  states: { input, context, ...more },
  variables: frame.variables,
});

/** Output and Assign see the variables as they were before the state; what is assigned is seen from the next state on. */
export const conclude = async (
  { evaluate }: InterpreterDeps,
  running: Running,
  from: Pick<State, 'Output' | 'Assign'>,
  result: unknown,
  more: Readonly<Record<string, unknown>> = {},
): Promise<unknown> => {
  const bound = bindings(running, more);
  const output = from.Output === undefined ? result : await evaluate(from.Output, bound, 'Output');
  const assigned = from.Assign === undefined ? {} : await evaluate(from.Assign, bound, 'Assign');
  Object.assign(running.frame.variables, assigned);
  return withinLimit(output, `The state/task '${running.name}' output`);
};

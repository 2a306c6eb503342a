import type { WorldClock } from '../../clock.ts';
import type { Random } from '../../random.ts';
import { type ChoiceRule, type MachineDefinition, type State, StateError } from './definition.ts';
import { type History, mostEvents } from './history.ts';
import type { Bindings, Evaluate } from './query.ts';
import { catcherFor, planRetries, withinLimit } from './trouble.ts';

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

/** What one run of a list of states knows. Branches have their own, and see the variables around them. */
export type Frame = {
  readonly variables: Record<string, unknown>;
  readonly context: Readonly<Record<string, unknown>>;
  readonly history: History;
  /** Answers true once the execution was stopped or a sibling branch failed: nothing may be begun any more. */
  readonly isOver: () => boolean;
};

/** What a state leads to. */
type Step = { readonly output: unknown; readonly next?: string | undefined };
type Running = {
  readonly name: string;
  readonly state: State;
  readonly input: unknown;
  readonly frame: Frame;
  readonly context: Record<string, unknown>;
};

/** Never settles: code of an execution that is over stands still here. */
const never = new Promise<never>(() => undefined);

const asStateError = (error: unknown): StateError => {
  if (error instanceof StateError) return error;
  throw error;
};

export const createInterpreter = (deps: InterpreterDeps) => {
  const { clock, evaluate } = deps;

  const bindings = ({ input, frame, context }: Running, more: Readonly<Record<string, unknown>> = {}): Bindings => ({
    states: { input, context, ...more },
    variables: frame.variables,
  });
  /** Output and Assign see the variables as they were before the state; what is assigned is seen from the next state on. */
  const conclude = async (
    running: Running,
    from: Pick<State, 'Output' | 'Assign'>,
    result: unknown,
    more: Readonly<Record<string, unknown>>,
  ): Promise<unknown> => {
    const bound = bindings(running, more);
    const output = from.Output === undefined ? result : await evaluate(from.Output, bound, 'Output');
    const assigned = from.Assign === undefined ? {} : await evaluate(from.Assign, bound, 'Assign');
    Object.assign(running.frame.variables, assigned);
    return withinLimit(output, `The state/task '${running.name}' output`);
  };
  const withTimeout = async <T>(work: Promise<T>, running: Running): Promise<T> => {
    if (running.state.TimeoutSeconds === undefined) return work;
    const seconds = Number(await evaluate(running.state.TimeoutSeconds, bindings(running), 'TimeoutSeconds'));
    return new Promise<T>((resolve, reject) => {
      const timer = clock.after(seconds * 1000, () => {
        running.frame.history.add('TaskTimedOut', { error: 'States.Timeout', resource: running.state.Resource });
        reject(new StateError('States.Timeout', `The task ${running.name} did not finish within ${seconds} seconds.`));
      });
      work.then(resolve, reject).finally(() => timer.cancel());
    });
  };
  const task = async (running: Running): Promise<unknown> => {
    const { state, frame, input } = running;
    const args = state.Arguments === undefined ? input : await evaluate(state.Arguments, bindings(running), 'Arguments');
    withinLimit(args, `The state/task '${running.name}' Arguments`);
    const result = await withTimeout(deps.runTask(String(state.Resource), args, frame.history), running);
    return withinLimit(result, `The state/task '${running.name}' result`);
  };
  const inner = (definition: MachineDefinition, input: unknown, { frame }: Running, siblings: { failed: boolean }, more = {}): Promise<unknown> =>
    runStates(definition, input, {
      variables: { ...frame.variables },
      context: { ...frame.context, ...more },
      history: frame.history,
      isOver: () => siblings.failed || frame.isOver(),
    });
  const parallel = async (running: Running): Promise<unknown> => {
    const { state, frame, input } = running;
    const args = state.Arguments === undefined ? input : await evaluate(state.Arguments, bindings(running), 'Arguments');
    const siblings = { failed: false };
    frame.history.add('ParallelStateStarted');
    try {
      const results = await Promise.all((state.Branches ?? []).map((branch) => inner(branch, structuredClone(args), running, siblings)));
      frame.history.add('ParallelStateSucceeded');
      return results;
    } catch (error) {
      siblings.failed = true;
      frame.history.add('ParallelStateFailed');
      throw error;
    }
  };
  const map = async (running: Running): Promise<unknown> => {
    const { state, frame, input } = running;
    const processor = state.ItemProcessor as MachineDefinition;
    const items = state.Items === undefined ? input : await evaluate(state.Items, bindings(running), 'Items');
    if (!Array.isArray(items))
      throw new StateError('States.QueryEvaluationError', `The field 'Items' of the Map state ${running.name} must be a list.`);
    const most = Number(state.MaxConcurrency === undefined ? 0 : await evaluate(state.MaxConcurrency, bindings(running), 'MaxConcurrency')) || 40;
    const siblings = { failed: false };
    const results: unknown[] = [];
    let index = 0;
    const iterate = async (): Promise<void> => {
      for (let at = index++; at < items.length && !siblings.failed; at = index++) {
        const more = { Map: { Item: { Index: at, Value: items[at] } } };
        const context = { ...running.context, ...more };
        frame.history.add('MapIterationStarted', { name: running.name, index: at });
        const item =
          state.ItemSelector === undefined ? items[at] : await evaluate(state.ItemSelector, bindings({ ...running, context }), 'ItemSelector');
        results[at] = await inner(processor, item, running, siblings, more);
        frame.history.add('MapIterationSucceeded', { name: running.name, index: at });
      }
    };
    frame.history.add('MapStateStarted', { length: items.length });
    try {
      await Promise.all(Array.from({ length: Math.min(most, items.length) }, iterate));
      frame.history.add('MapStateSucceeded');
      return results;
    } catch (error) {
      siblings.failed = true;
      frame.history.add('MapStateFailed');
      throw error;
    }
  };
  const wait = async (running: Running): Promise<void> => {
    const { state } = running;
    const field = state.Seconds === undefined ? 'Timestamp' : 'Seconds';
    const value = await evaluate(state[field], bindings(running), field);
    const untilMs = field === 'Seconds' ? clock.now() + Number(value) * 1000 : Date.parse(String(value));
    const isWrong = Number.isNaN(untilMs) || (field === 'Seconds' && (typeof value !== 'number' || value < 0));
    if (isWrong)
      throw new StateError('States.QueryEvaluationError', `The field '${field}' of the Wait state ${running.name} is ${JSON.stringify(value)}.`);
    if (untilMs > clock.now()) await clock.sleep(untilMs - clock.now());
  };
  const choose = async (running: Running): Promise<Step> => {
    const { state, input } = running;
    let chosen: ChoiceRule | undefined;
    for (const rule of state.Choices ?? []) {
      const holds = await evaluate(rule.Condition, bindings(running), 'Condition');
      if (typeof holds !== 'boolean') {
        throw new StateError(
          'States.QueryEvaluationError',
          `The Condition '${rule.Condition}' of ${running.name} is no boolean: ${JSON.stringify(holds)}.`,
        );
      }
      if (holds) {
        chosen = rule;
        break;
      }
    }
    const next = chosen?.Next ?? state.Default;
    if (next === undefined) throw new StateError('States.NoChoiceMatched', `No choice of ${running.name} holds, and it has no default.`);
    return { output: await conclude(running, chosen ?? state, input, {}), next };
  };
  const fail = async (running: Running): Promise<never> => {
    const { Error: error = 'States.Fail', Cause: cause = '' } = running.state;
    const bound = bindings(running);
    throw new StateError(String(await evaluate(error, bound, 'Error')), String(await evaluate(cause, bound, 'Cause')));
  };
  const work: Readonly<Record<Exclude<State['Type'], 'Choice'>, (running: Running) => Promise<unknown>>> = {
    Task: task,
    Parallel: parallel,
    Map: map,
    Fail: fail,
    Pass: async ({ input }) => input,
    Succeed: async ({ input }) => input,
    Wait: async (running) => {
      await wait(running);
      return running.input;
    },
  };
  const hasResult = new Set<string>(['Task', 'Parallel', 'Map']);
  const attempt = async (running: Running): Promise<Step> => {
    const { state } = running;
    if (state.Type === 'Choice') return choose(running);
    const result = await work[state.Type](running);
    if (running.frame.isOver()) return never;
    const output = await conclude(running, state, result, hasResult.has(state.Type) ? { result } : {});
    return { output, next: state.Next };
  };
  /** Tries a state until it answers, its retries are used up, or a catcher takes the error. */
  const settle = async (running: Running): Promise<Step> => {
    const { state, frame } = running;
    const retries = planRetries(state, deps.random);
    for (;;) {
      try {
        return await attempt(running);
      } catch (thrown) {
        const error = asStateError(thrown);
        if (frame.isOver()) return never;
        if (error.error === 'States.QueryEvaluationError')
          frame.history.add('EvaluationFailed', { error: error.error, cause: error.message, state: running.name });
        const delaySeconds = retries.next(error);
        if (delaySeconds !== undefined) {
          await clock.sleep(delaySeconds * 1000);
          if (frame.isOver()) return never;
          (running.context.State as Record<string, unknown>).RetryCount = retries.count;
          continue;
        }
        const catcher = catcherFor(state, error);
        if (catcher === undefined) throw error;
        const errorOutput = { Error: error.error, Cause: error.message };
        return { output: await conclude(running, catcher, errorOutput, { errorOutput }), next: catcher.Next };
      }
    }
  };
  const enter = (name: string, state: State, input: unknown, frame: Frame): Running => {
    frame.history.add(`${state.Type}StateEntered`, { name, input: JSON.stringify(input) });
    if (frame.history.events.length > mostEvents) throw new StateError('States.Runtime', `The execution reached ${mostEvents} events.`);
    const entered = { Name: name, EnteredTime: new Date(clock.now()).toISOString(), RetryCount: 0 };
    return { name, state, input, frame, context: { ...frame.context, State: entered } };
  };
  /** Runs states from the first to an end. Rejects with the StateError that nothing caught; never settles once the frame is over. */
  const runStates = async (definition: MachineDefinition, input: unknown, frame: Frame): Promise<unknown> => {
    let current: Step = { output: input, next: definition.StartAt };
    while (current.next !== undefined) {
      if (deps.transitionMs > 0) await clock.sleep(deps.transitionMs);
      if (frame.isOver()) return never;
      const name: string = current.next;
      const state = definition.States[name] as State;
      current = await settle(enter(name, state, current.output, frame));
      if (frame.isOver()) return never;
      frame.history.add(`${state.Type}StateExited`, { name, output: JSON.stringify(current.output) });
    }
    return current.output;
  };
  return { runStates };
};

import { mapState, parallelState, type RunStates } from './branching-states.ts';
import { type State, StateError } from './definition.ts';
import { mostEvents } from './history.ts';
import { conclude, type Frame, type InterpreterDeps, never, type Running, type Step } from './running.ts';
import { choiceState, failState, runTaskState, waitState } from './single-states.ts';
import { catcherFor, planRetries, type RetryPlan } from './trouble.ts';

/** States whose result is in `$states.result`. */
const haveResult: readonly State['Type'][] = ['Task', 'Parallel', 'Map'];

const asStateError = (error: unknown): StateError => {
  if (error instanceof StateError) return error;
  throw error;
};

/** Runs states in JSONata. Rules: Step Functions Developer Guide, "Amazon States Language" and "Transforming data with JSONata". */
export const createInterpreter = (deps: InterpreterDeps): { readonly runStates: RunStates } => {
  const { clock } = deps;

  const work = (running: Running): Promise<unknown> => {
    switch (running.state.Type) {
      case 'Task':
        return runTaskState(deps, running);
      case 'Wait':
        return waitState(deps, running);
      case 'Parallel':
        return parallelState(deps, running, runStates);
      case 'Map':
        return mapState(deps, running, runStates);
      case 'Fail':
        return failState(deps, running);
      default:
        return Promise.resolve(running.input);
    }
  };
  const attempt = async (running: Running): Promise<Step> => {
    const { state } = running;
    if (state.Type === 'Choice') return choiceState(deps, running);
    const result = await work(running);
    if (running.frame.isOver()) return never();
    return { output: await conclude(deps, running, state, result, haveResult.includes(state.Type) ? { result } : {}), next: state.Next };
  };
  const note = ({ frame, name }: Running, { error, message }: StateError): void => {
    if (error === 'States.QueryEvaluationError') frame.history.add('EvaluationFailed', { error, cause: message, state: name });
  };
  /**
   * Handles a failure. Returns true to try again (the interval is over then), or the next state of a catcher. Throws an error that no retrier and no catcher
   * takes.
   */
  const recover = async (running: Running, retries: RetryPlan, error: StateError): Promise<Step | 'again'> => {
    note(running, error);
    const delaySeconds = retries.next(error);
    if (delaySeconds !== undefined) {
      await clock.sleep(delaySeconds * 1000);
      running.context.State.RetryCount = retries.count;
      return 'again';
    }
    const catcher = catcherFor(running.state, error);
    if (catcher === undefined) throw error;
    const errorOutput = { Error: error.error, Cause: error.message };
    return { output: await conclude(deps, running, catcher, errorOutput, { errorOutput }), next: catcher.Next };
  };
  /** Tries a state until it succeeds, its retries are used up, or a catcher takes the error. */
  const settle = async (running: Running): Promise<Step> => {
    const retries = planRetries(running.state, deps.random);
    let outcome: Step | 'again' = 'again';
    while (outcome === 'again') {
      if (running.frame.isOver()) return never();
      outcome = await attempt(running).catch((thrown) => (running.frame.isOver() ? never() : recover(running, retries, asStateError(thrown))));
    }
    return outcome;
  };
  const enter = (name: string, state: State, input: unknown, frame: Frame): Running => {
    frame.history.add(`${state.Type}StateEntered`, { name, input: JSON.stringify(input) });
    if (frame.history.events.length > mostEvents) throw new StateError('States.Runtime', `The execution reached ${mostEvents} events.`);
    const entered = { Name: name, EnteredTime: new Date(clock.now()).toISOString(), RetryCount: 0 };
    return { name, state, input, frame, context: { ...frame.context, State: entered } };
  };
  /** Runs states from the first to an end. Rejects with the StateError that nothing caught; never settles once the frame is over. */
  const runStates: RunStates = async (definition, input, frame) => {
    let current: Step = { output: input, next: definition.StartAt };
    while (current.next !== undefined) {
      if (deps.transitionMs > 0) await clock.sleep(deps.transitionMs);
      if (frame.isOver()) return never();
      const name: string = current.next;
      const state = definition.States[name] as State;
      current = await settle(enter(name, state, current.output, frame));
      if (frame.isOver()) return never();
      frame.history.add(`${state.Type}StateExited`, { name, output: JSON.stringify(current.output) });
    }
    return current.output;
  };
  return { runStates };
};

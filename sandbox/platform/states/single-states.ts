import { StateError } from './definition.ts';
import { bindings, conclude, type InterpreterDeps, type Running, type Step } from './running.ts';
import { withinLimit } from './trouble.ts';

const wrong = (running: Running, field: string, value: unknown): StateError =>
  new StateError('States.QueryEvaluationError', `The field '${field}' of the state ${running.name} must not be ${JSON.stringify(value)}.`);

/** Work that does not end within the state's time-out goes on, but its result is ignored. */
const withTimeout = async <T>({ clock, evaluate }: InterpreterDeps, running: Running, work: Promise<T>): Promise<T> => {
  if (running.state.TimeoutSeconds === undefined) return work;
  const seconds = Number(await evaluate(running.state.TimeoutSeconds, bindings(running), 'TimeoutSeconds'));
  return new Promise<T>((resolve, reject) => {
    const timer = clock.after(seconds * 1000, () => {
      running.frame.history.add('TaskTimedOut', { error: 'States.Timeout', resource: running.state.Resource });
      reject(new StateError('States.Timeout', `The task ${running.name} did not finish within ${seconds} seconds.`));
    });
    work.finally(() => timer.cancel()).then(resolve, reject);
  });
};

export const runTaskState = async (deps: InterpreterDeps, running: Running): Promise<unknown> => {
  const { state, frame, input } = running;
  const args = state.Arguments === undefined ? input : await deps.evaluate(state.Arguments, bindings(running), 'Arguments');
  withinLimit(args, `The state/task '${running.name}' Arguments`);
  const result = await withTimeout(deps, running, deps.runTask(String(state.Resource), args, frame.history));
  return withinLimit(result, `The state/task '${running.name}' result`);
};

export const waitState = async ({ clock, evaluate }: InterpreterDeps, running: Running): Promise<unknown> => {
  const field = running.state.Seconds === undefined ? 'Timestamp' : 'Seconds';
  const value = await evaluate(running.state[field], bindings(running), field);
  if (field === 'Seconds' && (typeof value !== 'number' || value < 0)) throw wrong(running, field, value);
  const untilMs = field === 'Seconds' ? clock.now() + Number(value) * 1000 : Date.parse(String(value));
  if (Number.isNaN(untilMs)) throw wrong(running, field, value);
  if (untilMs > clock.now()) await clock.sleep(untilMs - clock.now());
  return running.input;
};

/** The first choice whose condition is true, or the default. A condition that is not a boolean fails the state. */
export const choiceState = async (deps: InterpreterDeps, running: Running): Promise<Step> => {
  for (const rule of running.state.Choices ?? []) {
    const holds = await deps.evaluate(rule.Condition, bindings(running), 'Condition');
    if (typeof holds !== 'boolean') throw wrong(running, 'Condition', holds);
    if (holds) return { output: await conclude(deps, running, rule, running.input), next: rule.Next };
  }
  const { state, input, name } = running;
  if (state.Default === undefined) throw new StateError('States.NoChoiceMatched', `No choice of ${name} holds, and it has no default.`);
  return { output: await conclude(deps, running, state, input), next: state.Default };
};

export const failState = async ({ evaluate }: InterpreterDeps, running: Running): Promise<never> => {
  const { Error: error = 'States.Fail', Cause: cause = '' } = running.state;
  const bound = bindings(running);
  throw new StateError(String(await evaluate(error, bound, 'Error')), String(await evaluate(cause, bound, 'Cause')));
};

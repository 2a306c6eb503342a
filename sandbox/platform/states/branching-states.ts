import { type MachineDefinition, StateError } from './definition.ts';
import { bindings, type Frame, type InterpreterDeps, type Running } from './running.ts';

export type RunStates = (definition: MachineDefinition, input: unknown, frame: Frame) => Promise<unknown>;

/** The default concurrency of Map. */
const inlineConcurrency = 40;

/** States inside a state: they see the variables around them and change only their own; the first failure ends their siblings. */
const createFamily = ({ frame }: Running, runStates: RunStates) => {
  let failed = false;
  const run = (definition: MachineDefinition, input: unknown, more: Readonly<Record<string, unknown>> = {}): Promise<unknown> =>
    runStates(definition, input, {
      variables: { ...frame.variables },
      context: { ...frame.context, ...more },
      history: frame.history,
      isOver: () => failed || frame.isOver(),
    });
  /** Writes the result into the history. */
  const together = async (kind: 'Parallel' | 'Map', work: () => Promise<unknown[]>): Promise<unknown[]> => {
    try {
      const results = await work();
      frame.history.add(`${kind}StateSucceeded`);
      return results;
    } catch (error) {
      failed = true;
      frame.history.add(`${kind}StateFailed`);
      throw error;
    }
  };
  return { run, together, hasFailed: () => failed };
};

export const parallelState = async ({ evaluate }: InterpreterDeps, running: Running, runStates: RunStates): Promise<unknown> => {
  const { state, frame, input } = running;
  const args = state.Arguments === undefined ? input : await evaluate(state.Arguments, bindings(running), 'Arguments');
  const family = createFamily(running, runStates);
  frame.history.add('ParallelStateStarted');
  return family.together('Parallel', () => Promise.all((state.Branches ?? []).map((branch) => family.run(branch, structuredClone(args)))));
};

const itemsOf = async ({ evaluate }: InterpreterDeps, running: Running): Promise<readonly unknown[]> => {
  const { state, input, name } = running;
  const items = state.Items === undefined ? input : await evaluate(state.Items, bindings(running), 'Items');
  if (Array.isArray(items)) return items;
  throw new StateError('States.QueryEvaluationError', `The field 'Items' of the Map state ${name} must be a list.`);
};

export const mapState = async (deps: InterpreterDeps, running: Running, runStates: RunStates): Promise<unknown> => {
  const { state, frame, name } = running;
  const items = await itemsOf(deps, running);
  const asked = state.MaxConcurrency === undefined ? 0 : await deps.evaluate(state.MaxConcurrency, bindings(running), 'MaxConcurrency');
  const family = createFamily(running, runStates);
  const results: unknown[] = [];
  let taken = 0;
  const iterate = async (): Promise<void> => {
    while (taken < items.length && !family.hasFailed()) {
      const index = taken++;
      const place = { Map: { Item: { Index: index, Value: items[index] } } };
      const bound = bindings({ ...running, context: { ...running.context, ...place } });
      frame.history.add('MapIterationStarted', { name, index });
      const item = state.ItemSelector === undefined ? items[index] : await deps.evaluate(state.ItemSelector, bound, 'ItemSelector');
      results[index] = await family.run(state.ItemProcessor as MachineDefinition, item, place);
      frame.history.add('MapIterationSucceeded', { name, index });
    }
  };
  frame.history.add('MapStateStarted', { length: items.length });
  return family.together('Map', async () => {
    await Promise.all(Array.from({ length: Math.min(Number(asked) || inlineConcurrency, items.length) }, iterate));
    return results;
  });
};

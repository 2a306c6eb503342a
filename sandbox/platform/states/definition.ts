/** The Amazon States Language in JSONata, as far as the sandbox runs it. */
export type MachineDefinition = {
  readonly QueryLanguage?: string;
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
  readonly TimeoutSeconds?: number;
};

export type State = {
  readonly Type: 'Task' | 'Pass' | 'Wait' | 'Choice' | 'Parallel' | 'Map' | 'Succeed' | 'Fail';
  readonly QueryLanguage?: string;
  readonly Next?: string;
  readonly End?: boolean;
  readonly Output?: unknown;
  readonly Assign?: Readonly<Record<string, unknown>>;
  readonly Retry?: readonly Retrier[];
  readonly Catch?: readonly Catcher[];
  readonly Resource?: string;
  readonly Arguments?: unknown;
  readonly TimeoutSeconds?: unknown;
  readonly Seconds?: unknown;
  readonly Timestamp?: unknown;
  readonly Choices?: readonly ChoiceRule[];
  readonly Default?: string;
  readonly Branches?: readonly MachineDefinition[];
  readonly Items?: unknown;
  readonly ItemSelector?: unknown;
  readonly ItemProcessor?: MachineDefinition & { readonly ProcessorConfig?: { readonly Mode?: string } };
  readonly MaxConcurrency?: unknown;
  readonly Error?: unknown;
  readonly Cause?: unknown;
};

export type Retrier = {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds?: number;
  readonly MaxAttempts?: number;
  readonly BackoffRate?: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: 'FULL' | 'NONE';
};

export type Catcher = {
  readonly ErrorEquals: readonly string[];
  readonly Next: string;
  readonly Output?: unknown;
  readonly Assign?: State['Assign'];
};
export type ChoiceRule = { readonly Condition: unknown; readonly Next: string; readonly Output?: unknown; readonly Assign?: State['Assign'] };

/** A state's or an execution's failure, named as Step Functions names it. */
export class StateError extends Error {
  readonly error: string;

  constructor(error: string, cause: string) {
    super(cause);
    this.name = error;
    this.error = error;
  }
}

/** Fields of the older query language: in a JSONata state Step Functions refuses them. */
const jsonPathFields = [
  ...['InputPath', 'OutputPath', 'Parameters', 'Result', 'ResultPath', 'ResultSelector', 'Variable'],
  ...['ItemsPath', 'MaxConcurrencyPath', 'ToleratedFailureCountPath', 'ToleratedFailurePercentagePath'],
  ...['SecondsPath', 'TimestampPath', 'TimeoutSecondsPath', 'HeartbeatSecondsPath', 'ErrorPath', 'CausePath'],
];

const checkLanguage = (name: string, state: State, isJsonata: boolean): void => {
  if (isJsonata && state.QueryLanguage === 'JSONPath')
    throw new Error(`State ${name} is in JSONPath, which a state machine in JSONata must not have.`);
  if (!isJsonata && state.QueryLanguage !== 'JSONata') throw new Error(`State ${name} is in JSONPath: the sandbox runs JSONata only.`);
  const parts = [state, ...(state.Choices ?? []), ...(state.Catch ?? [])];
  const stray = jsonPathFields.filter((field) => parts.some((part) => field in part));
  if (stray.length > 0) throw new Error(`State ${name} is in JSONata and must not have ${stray.join(', ')}.`);
};

const checkState = (name: string, state: State, states: MachineDefinition['States'], isJsonata: boolean): void => {
  checkLanguage(name, state, isJsonata);
  const targets = [state.Next, state.Default, ...[...(state.Catch ?? []), ...(state.Choices ?? [])].map(({ Next }) => Next)];
  for (const target of targets)
    if (target !== undefined && !(target in states)) throw new Error(`State ${name} leads to ${target}, which does not exist.`);
  for (const inner of [...(state.Branches ?? []), ...(state.ItemProcessor ? [state.ItemProcessor] : [])]) checkDefinition(inner, isJsonata);
};

/** @throws naming the state and what is wrong with it. */
export const checkDefinition = (definition: MachineDefinition, outerIsJsonata = false): void => {
  const isJsonata = outerIsJsonata || definition.QueryLanguage === 'JSONata';
  if (!(definition.StartAt in definition.States)) throw new Error(`The state machine starts at ${definition.StartAt}, which does not exist.`);
  for (const [name, state] of Object.entries(definition.States)) checkState(name, state, definition.States, isJsonata);
};

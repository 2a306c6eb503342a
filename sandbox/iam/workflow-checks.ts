import { arnOf, type DeriveChecks } from './access-check.ts';

const onArn =
  (action: string, resourceType: string, member: string): DeriveChecks =>
  (input) => [{ action, resourceType, resource: String(input[member]), context: {} }];

export const statesChecks: Readonly<Record<string, DeriveChecks>> = {
  StartExecution: onArn('states:StartExecution', 'statemachine', 'stateMachineArn'),
  ListExecutions: onArn('states:ListExecutions', 'statemachine', 'stateMachineArn'),
  DescribeStateMachine: onArn('states:DescribeStateMachine', 'statemachine', 'stateMachineArn'),
  DescribeExecution: onArn('states:DescribeExecution', 'execution', 'executionArn'),
  GetExecutionHistory: onArn('states:GetExecutionHistory', 'execution', 'executionArn'),
  StopExecution: onArn('states:StopExecution', 'execution', 'executionArn'),
};

type EventEntry = { readonly EventBusName?: string; readonly Source?: string; readonly DetailType?: string };

/** Each entry is checked for itself: conditions look at its own source and type. */
const putEvents: DeriveChecks = (input, deps) =>
  ((input.Entries ?? []) as readonly EventEntry[]).map(({ EventBusName = 'default', Source, DetailType }) => ({
    action: 'events:PutEvents',
    resourceType: 'event-bus',
    resource: EventBusName.startsWith('arn:') ? EventBusName : arnOf(deps, 'events', `event-bus/${EventBusName}`),
    context: {
      ...(Source === undefined ? {} : { 'events:source': [Source] }),
      ...(DetailType === undefined ? {} : { 'events:detail-type': [DetailType] }),
    },
  }));

export const eventsChecks: Readonly<Record<string, DeriveChecks>> = { PutEvents: putEvents };

/** GetCallerIdentity needs no permission at all. */
export const stsChecks: Readonly<Record<string, DeriveChecks>> = { GetCallerIdentity: () => [] };

type Invocation = { readonly FunctionName?: unknown };

/** What state machines do without the SDK in between. */
export const lambdaChecks: Readonly<Record<string, DeriveChecks>> = {
  Invoke: (input, deps) => {
    const name = String((input as Invocation).FunctionName);
    const resource = name.startsWith('arn:') ? name : arnOf(deps, 'lambda', `function:${name}`);
    return [{ action: 'lambda:InvokeFunction', resourceType: 'function', resource, context: {} }];
  },
};

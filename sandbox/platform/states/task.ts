import { ApiError } from '../../api.ts';
import type { InvocationResult } from '../functions/invocation.ts';
import { StateError } from './definition.ts';
import type { RunTask } from './running.ts';

export type TaskDeps = {
  readonly invoke: (functionName: string, payload: unknown, role: string) => Promise<InvocationResult>;
  /** Any other AWS call, made with the state machine's role. */
  readonly call?: (service: string, operation: string, input: Record<string, unknown>, role: string) => Promise<unknown>;
};

/** Services whose name in a state machine's resource differs from the one in IAM. */
const serviceNames: Readonly<Record<string, string>> = { eventbridge: 'events', sfn: 'states', elasticloadbalancingv2: 'elasticloadbalancing' };

const functionFailure = (result: InvocationResult & { kind: 'error' }): StateError => {
  const { errorType, errorMessage, trace } = result;
  return new StateError(errorType, JSON.stringify({ errorType, errorMessage, ...(trace && { trace }) }));
};

const viaFunction = async (deps: TaskDeps, role: string, functionName: string, payload: unknown): Promise<unknown> => {
  const result = await deps.invoke(functionName, payload, role);
  if (result.kind === 'error') throw functionFailure(result);
  return result.value;
};

const viaApi = async (deps: TaskDeps, role: string, service: string, action: string, args: unknown): Promise<unknown> => {
  if (deps.call === undefined) throw new StateError('States.Runtime', `The sandbox cannot carry out ${service}:${action} from a state machine.`);
  const operation = `${action[0]?.toUpperCase()}${action.slice(1)}`;
  try {
    return await deps.call(serviceNames[service] ?? service, operation, args as Record<string, unknown>, role);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new StateError(`${service[0]?.toUpperCase()}${service.slice(1)}.${error.code}`, error.message);
  }
};

const carryOut = async (deps: TaskDeps, role: string, resource: string, args: unknown): Promise<unknown> => {
  if (/^arn:[^:]+:lambda:/.test(resource)) return viaFunction(deps, role, resource, args);
  const [, integration = ''] = /^arn:[^:]+:states:::(.+)$/.exec(resource) ?? [];
  if (/\.(sync(:2)?|waitForTaskToken)$/.test(integration))
    throw new StateError('States.Runtime', `The sandbox does not know the pattern of ${resource}.`);
  if (integration === 'lambda:invoke') {
    const { FunctionName, Payload } = args as { FunctionName: string; Payload?: unknown };
    return { ExecutedVersion: '$LATEST', Payload: await viaFunction(deps, role, FunctionName, Payload ?? {}), StatusCode: 200 };
  }
  const [service = '', action = ''] = integration.replace(/^aws-sdk:/, '').split(':');
  if (action === '') throw new StateError('States.Runtime', `The sandbox does not know the resource ${resource}.`);
  return viaApi(deps, role, service, action, args);
};

/** Task states: Lambda functions, and AWS calls by integrations of the request-response kind. */
export const createRunTask =
  (deps: TaskDeps, role: string): RunTask =>
  async (resource, args, history) => {
    const [resourceType = '', action = ''] = resource.replace(/^arn:[^:]+:states:::/, '').split(':');
    const told = { resource: action, resourceType };
    history.add('TaskScheduled', { ...told, parameters: JSON.stringify(args) });
    history.add('TaskStarted', told);
    try {
      const result = await carryOut(deps, role, resource, args);
      history.add('TaskSucceeded', { ...told, output: JSON.stringify(result) });
      return result;
    } catch (error) {
      if (error instanceof StateError) history.add('TaskFailed', { ...told, error: error.error, cause: error.message });
      throw error;
    }
  };

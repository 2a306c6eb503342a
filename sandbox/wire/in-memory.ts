import { ApiError } from '../api.ts';
import { protocolOfModel, type ServiceProtocol } from './protocols.ts';
import { type OperationShapes, schemasOf } from './schemas.ts';
import { plainCopy, readValues, writeValues } from './values.ts';

/** A request in values that was never serialized. */
export type ValueRequest = { readonly protocol: ServiceProtocol; readonly operation: string; readonly input: unknown };

/** What an SDK client returns for a response: the output, or the error that it throws. */
export type ValueAnswer =
  | { readonly output: Record<string, unknown>; readonly error?: undefined }
  | { readonly error: Error & { readonly name: string }; readonly output?: undefined };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const isValueRequest = (request: unknown): request is ValueRequest => isObject(request) && 'protocol' in request && isObject(request.protocol);

/** The error for what the sandbox does not simulate. */
export const unknownValue = ({ protocol, operation }: Pick<ValueRequest, 'protocol' | 'operation'>): ApiError =>
  new ApiError('UnknownOperationException', `The sandbox does not simulate ${protocol.service}:${operation}.`);

const shapesOf = async (request: Pick<ValueRequest, 'protocol' | 'operation'>): Promise<OperationShapes | undefined> => {
  const schemas = await schemasOf(request.protocol);
  if (schemas === undefined) return undefined;
  const shapes = schemas.operation(request.operation);
  if (shapes === undefined) throw unknownValue(request);
  return shapes;
};

/**
 * The input of a call, as the service would read it from the wire.
 * @throws ApiError for an operation that the API does not know and for input that it would refuse.
 */
export const inputOf = async (request: ValueRequest): Promise<Record<string, unknown>> => {
  const shapes = await shapesOf(request);
  // The table engine copies its input, and returns a new object for each response, so no copy is made here.
  if (shapes === undefined) return { ...(request.input as object) };
  return shapes.input.isUnitSchema() ? {} : readValues(shapes.input, request.protocol.style, request.input);
};

/**
 * A success, as an SDK client would read it from the wire.
 * @throws TypeError when the output is not what the API's schema says: a fault of the simulator.
 */
export const outputOf = async (request: ValueRequest, output: unknown, requestId: string): Promise<ValueAnswer> => {
  const shapes = await shapesOf(request);
  const copy = shapes === undefined ? ((output ?? {}) as object) : shapes.output.isUnitSchema() ? {} : writeValues(shapes.output, output);
  return { output: { ...copy, $metadata: { httpStatusCode: 200, requestId } } };
};

/** A modelled error, as an SDK client would throw it: named by its shape, with the shape's members. */
export const errorOf = async ({ protocol }: ValueRequest, error: ApiError, requestId: string): Promise<ValueAnswer> => {
  const known = (await schemasOf(protocol))?.error(error.code);
  const status = known?.status ?? error.status;
  const members = known === undefined ? plainCopy(error.members) : writeValues(known.shape, error.members);
  return {
    error: Object.assign(new Error(error.message), members, {
      name: known?.name ?? error.code,
      Code: known?.queryCode ?? error.code,
      $fault: status < 500 ? 'client' : 'server',
      $metadata: { httpStatusCode: status, requestId },
    }),
  };
};

type Operation = { readonly name: string; readonly namespace: string };

/**
 * The protocol of SDK clients that talk to the cloud in their own process: requests and answers are values, and no text is written or read. What passes
 * is the same as over the wire (test/sim/repeatable.test.ts, test/sandbox/front/in-memory.test.ts); everything else that a client does, it does.
 */
export const inMemoryProtocol = {
  getShapeId: (): string => 'holdfast.sandbox#inMemory',
  setSerdeContext: (): void => undefined,
  serializeRequest: async ({ name, namespace }: Operation, input: unknown): Promise<ValueRequest> => {
    const protocol = protocolOfModel(namespace);
    if (protocol === undefined) throw new TypeError(`The sandbox speaks no protocol of ${namespace}.`);
    return { protocol, operation: name, input };
  },
  deserializeResponse: async (_operation: Operation, _context: unknown, answer: ValueAnswer): Promise<Record<string, unknown>> => {
    if (answer.error !== undefined) throw answer.error;
    return answer.output;
  },
} as const;

import { ApiError } from '../api.ts';
import { encodeJsonError, encodeXmlError } from './errors.ts';
import type { WireRequest, WireResponse } from './http.ts';
import { readJson, writeJson } from './json.ts';
import { parseParameters, readParameters } from './query-input.ts';
import { type OperationShapes, schemasOf } from './schemas.ts';
import { formOf, type WireTarget } from './target.ts';
import { element, writeMembers } from './xml-output.ts';

/** Parameters that name the call itself and are no part of its input. */
const envelope = ['Action', 'Version'];

/** The error for what the sandbox does not simulate: it names the call, and is never an empty success. */
export const unknownOperation = (target: WireTarget): ApiError => {
  const code = target.protocol.style === 'json' ? 'UnknownOperationException' : 'InvalidAction';
  return new ApiError(code, `The sandbox does not simulate ${target.protocol.service}:${target.operation}.`);
};

const shapesOf = async (target: WireTarget): Promise<OperationShapes | undefined> => {
  const schemas = await schemasOf(target.protocol);
  if (schemas === undefined) return undefined;
  const shapes = schemas.operation(target.operation);
  if (shapes === undefined) throw unknownOperation(target);
  return shapes;
};

const parseBody = (body: string): Record<string, unknown> => {
  try {
    return JSON.parse(body === '' ? '{}' : body);
  } catch (error) {
    throw new ApiError('SerializationException', `The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/**
 * The input of a call, members named and typed as in the service's API.
 * @throws ApiError for an operation that the API does not know and for input that it would refuse.
 */
export const readInput = async (target: WireTarget, request: WireRequest): Promise<Record<string, unknown>> => {
  const shapes = await shapesOf(target);
  const { style } = target.protocol;
  if (style === 'json') {
    const body = parseBody(request.body);
    return shapes === undefined ? body : ((shapes.input.isUnitSchema() ? {} : readJson(shapes.input, body)) as Record<string, unknown>);
  }
  if (shapes === undefined || shapes.input.isUnitSchema()) return {};
  const parameters = parseParameters(formOf(request));
  for (const name of envelope) parameters.children.delete(name);
  return readParameters(shapes.input, parameters, style) as Record<string, unknown>;
};

const xmlAnswer = (target: WireTarget, shapes: OperationShapes | undefined, output: unknown, requestId: string): string => {
  const { style, namespace } = target.protocol;
  const isEmpty = shapes === undefined || shapes.output.isUnitSchema();
  const members = isEmpty ? '' : writeMembers(shapes.output, output ?? {});
  const open = `<${target.operation}Response xmlns="${namespace}">`;
  const close = `</${target.operation}Response>`;
  if (style === 'ec2') return `${open}${element('requestId', requestId)}${isEmpty ? element('return', 'true') : members}${close}`;
  const result = isEmpty ? '' : element(`${target.operation}Result`, members);
  return `${open}${result}${element('ResponseMetadata', element('RequestId', requestId))}${close}`;
};

const jsonAnswer = (shapes: OperationShapes | undefined, output: unknown): string => {
  if (shapes === undefined) return JSON.stringify(output ?? {});
  return shapes.output.isUnitSchema() ? '{}' : JSON.stringify(writeJson(shapes.output, output ?? {}));
};

const headersOf = (target: WireTarget, requestId: string): Record<string, string> => ({
  'content-type': target.protocol.style === 'json' ? `application/x-amz-json-${target.protocol.jsonVersion}` : 'text/xml;charset=UTF-8',
  'x-amzn-requestid': requestId,
});

/**
 * A success in the form of the service's protocol.
 * @throws TypeError when the output is not what the API's schema says: a fault of the simulator.
 */
export const encode = async (target: WireTarget, output: unknown, requestId: string): Promise<WireResponse> => {
  const shapes = await shapesOf(target);
  const body = target.protocol.style === 'json' ? jsonAnswer(shapes, output) : xmlAnswer(target, shapes, output, requestId);
  return { status: 200, headers: headersOf(target, requestId), body };
};

/** A modelled error in the form of the service's protocol. */
export const encodeError = async (target: WireTarget, error: ApiError, requestId: string): Promise<WireResponse> => {
  const schemas = await schemasOf(target.protocol);
  const encoded = (target.protocol.style === 'json' ? encodeJsonError : encodeXmlError)(
    target.protocol,
    error,
    schemas?.error(error.code),
    requestId,
  );
  return { ...encoded, headers: { ...headersOf(target, requestId), ...encoded.headers } };
};

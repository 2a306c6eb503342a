import { ApiError } from '../api.ts';
import { writeScalar } from './scalars.ts';
import { givenMembers, requiredMembers, type Shape } from './schemas.ts';

type Json = Readonly<Record<string, unknown>>;

const refuseMissing = (shape: Shape, given: Json): void => {
  const missing = requiredMembers(shape).find((name) => given[name] == null);
  if (missing === undefined) return;
  throw new ApiError(
    'ValidationException',
    `1 validation error detected: Value at '${missing}' failed to satisfy constraint: Member must not be null`,
  );
};

const refuseShape = (shape: Shape, value: unknown): never => {
  throw new ApiError('SerializationException', `${shape.getName() ?? 'The request'} cannot be read from a ${typeof value}`);
};

const readStructure = (shape: Shape, value: Json): Record<string, unknown> => {
  refuseMissing(shape, value);
  const members = [...shape.structIterator()].filter(([name]) => value[name] != null);
  return Object.fromEntries(members.map(([name, member]) => [name, readJson(member, value[name])]));
};

const readMap = (shape: Shape, value: Json): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readJson(shape.getValueSchema(), item)]));

/**
 * Reads the JSON of a request by the operation's schema: dates and blobs become Date and Uint8Array. Members that the API does not know are passed
 * over, as AWS's JSON services do.
 * @throws ApiError when a member is missing or of the wrong kind.
 */
export const readJson = (shape: Shape, value: unknown): unknown => {
  if (shape.isListSchema()) return Array.isArray(value) ? value.map((item) => readJson(shape.getValueSchema(), item)) : refuseShape(shape, value);
  if (shape.isMapSchema() || shape.isStructSchema()) {
    if (typeof value !== 'object' || value === null) return refuseShape(shape, value);
    return shape.isMapSchema() ? readMap(shape, value as Json) : readStructure(shape, value as Json);
  }
  if (shape.isTimestampSchema()) return typeof value === 'number' ? new Date(value * 1000) : new Date(String(value));
  return shape.isBlobSchema() ? new Uint8Array(Buffer.from(String(value), 'base64')) : value;
};

/** The JSON of a response. Throws if a value does not fit the schema. */
export const writeJson = (shape: Shape, value: unknown): unknown => {
  if (shape.isListSchema()) return (value as readonly unknown[]).map((item) => writeJson(shape.getValueSchema(), item));
  if (shape.isMapSchema())
    return Object.fromEntries(Object.entries(value as Json).map(([key, item]) => [key, writeJson(shape.getValueSchema(), item)]));
  if (shape.isStructSchema()) return Object.fromEntries(givenMembers(shape, value).map(([name, member, item]) => [name, writeJson(member, item)]));
  return shape.isDocumentSchema() ? value : writeScalar(shape, value, 'epochSeconds');
};

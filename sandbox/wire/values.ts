import { randomUUID } from 'node:crypto';
import { ApiError } from '../api.ts';
import type { ServiceProtocol } from './protocols.ts';
import { writeScalar } from './scalars.ts';
import { membersOf, requiredMembers, type Shape } from './schemas.ts';

/**
 * What the wire makes of inputs and outputs, in values instead of text: copies of what the API's schema knows, without what is not given. Each shape's
 * copier is made once.
 */
type Copy = (value: unknown) => unknown;
type Style = ServiceProtocol['style'];
type Json = Readonly<Record<string, unknown>>;

/** A copy of plain data without members that are undefined. */
export const plainCopy = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainCopy);
  if (value instanceof Uint8Array) return value.slice();
  const copy: Record<string, unknown> = {};
  for (const name in value) {
    const member = (value as Json)[name];
    if (member !== undefined) copy[name] = plainCopy(member);
  }
  return copy;
};

/** The query protocols cannot express an empty structure or an empty list, so it is left out. Only AWS query writes empty lists. */
const isWritten = (style: Style, copied: unknown): boolean => {
  if (style === 'json' || typeof copied !== 'object' || copied === null || copied instanceof Date) return true;
  return Object.keys(copied).length > 0 || (style === 'query' && Array.isArray(copied));
};

const missing = (style: Style, name: string): ApiError =>
  style === 'json'
    ? new ApiError('ValidationException', `1 validation error detected: Value at '${name}' failed to satisfy constraint: Member must not be null`)
    : new ApiError('MissingParameter', `The request must contain the parameter ${name}`);

const kindOf = (shape: Shape): 'list' | 'map' | 'structure' | 'scalar' => {
  if (shape.isListSchema()) return 'list';
  if (shape.isMapSchema()) return 'map';
  return shape.isStructSchema() ? 'structure' : 'scalar';
};

/** Makes the copiers of one direction: each of a shape, and one for all that have its schema, so that shapes may hold themselves. */
const copiersBy = (make: (shape: Shape, inner: (shape: Shape) => Copy) => Copy) => {
  const known = new WeakMap<object, Copy>();
  const copierOf = (shape: Shape): Copy => {
    const schema: unknown = shape.getSchema();
    if (typeof schema !== 'object' || schema === null) return make(shape, copierOf);
    const found = known.get(schema);
    if (found !== undefined) return found;
    let made: Copy | undefined;
    const copier: Copy = (value) => {
      made ??= make(shape, copierOf);
      return made(value);
    };
    known.set(schema, copier);
    return copier;
  };
  return copierOf;
};

const listCopier =
  (copy: Copy): Copy =>
  (value) =>
    (value as readonly unknown[]).map(copy);

const mapCopier =
  (copy: Copy): Copy =>
  (value) => {
    const entries: Record<string, unknown> = {};
    for (const key in value as Json) entries[key] = copy((value as Json)[key]);
    return entries;
  };

const readList =
  (style: Style, copy: Copy): Copy =>
  (value) =>
    (value as readonly unknown[]).map(copy).filter((item) => isWritten(style, item));

const readStructure = (shape: Shape, style: Style, inner: (shape: Shape) => Copy): Copy => {
  const members = membersOf(shape).members.map(([name, member]) => ({ name, copy: inner(member), isToken: member.isIdempotencyToken() }));
  const required = requiredMembers(shape);
  return (value) => {
    const read: Record<string, unknown> = {};
    for (const { name, copy, isToken } of members) {
      const given = (value as Json)[name] ?? (isToken ? randomUUID() : undefined);
      const copied = given === undefined ? undefined : copy(given);
      if (copied !== undefined && isWritten(style, copied)) read[name] = copied;
    }
    const absent = required.find((name) => read[name] === undefined);
    if (absent !== undefined) throw missing(style, absent);
    return read;
  };
};

const readScalar = (shape: Shape, style: Style): Copy => {
  if (shape.isTimestampSchema()) return (value) => new Date((value as Date).getTime());
  return style === 'json' || !shape.isStringSchema() ? (value) => value : String;
};

/** How inputs of a service arrive. */
const inputCopiers = (style: Style) =>
  copiersBy((shape, inner) => {
    const kind = kindOf(shape);
    if (kind === 'list') return readList(style, inner(shape.getValueSchema()));
    if (kind === 'map') return mapCopier(inner(shape.getValueSchema()));
    return kind === 'structure' ? readStructure(shape, style, inner) : readScalar(shape, style);
  });

const copiers: Readonly<Record<Style, (shape: Shape) => Copy>> = {
  ec2: inputCopiers('ec2'),
  query: inputCopiers('query'),
  json: inputCopiers('json'),
};

/**
 * The input of a call as its service reads it.
 * @throws ApiError when a member is missing.
 */
export const readValues = (shape: Shape, style: Style, value: unknown): Record<string, unknown> =>
  copiers[style](shape)(value ?? {}) as Record<string, unknown>;

/** Most structures give a few of many members, so the given ones are looked up. They are written in the order of the schema. */
const writeStructure = (shape: Shape, inner: (shape: Shape) => Copy): Copy => {
  const writers = new Map(membersOf(shape).members.map(([name, member], position) => [name, { name, position, copy: inner(member) }]));
  return (value) => {
    if (typeof value !== 'object' || value === null) throw new TypeError(`${shape.getName()} must be an object, not ${typeof value}`);
    const given = [];
    for (const name in value) {
      const member = (value as Json)[name];
      const writer = writers.get(name);
      if (writer === undefined && member !== undefined) throw new TypeError(`${shape.getName()} has no member ${name}`);
      if (writer !== undefined && member != null) given.push(writer);
    }
    given.sort((a, b) => a.position - b.position);
    const written: Record<string, unknown> = {};
    for (const { name, copy } of given) written[name] = copy((value as Json)[name]);
    return written;
  };
};

/** Dates keep their milliseconds on every wire. */
const writeValue = (shape: Shape): Copy => {
  if (shape.isDocumentSchema()) return plainCopy;
  if (shape.isTimestampSchema()) return (value) => new Date(String(writeScalar(shape, value, 'dateTime')));
  return shape.isBlobSchema() ? (value) => (value as Uint8Array).slice() : (value) => writeScalar(shape, value, 'dateTime');
};

const outputCopier = copiersBy((shape, inner) => {
  const kind = kindOf(shape);
  if (kind === 'list') {
    const list = listCopier(inner(shape.getValueSchema()));
    return (value) => {
      if (!Array.isArray(value)) throw new TypeError(`${shape.getMemberName()} must be a list, not ${typeof value}`);
      return list(value);
    };
  }
  if (kind === 'map') return mapCopier(inner(shape.getValueSchema()));
  return kind === 'structure' ? writeStructure(shape, inner) : writeValue(shape);
});

/**
 * The output of a call as its caller reads it.
 * @throws TypeError when it is not what the API's schema says: a fault of the simulator.
 */
export const writeValues = (shape: Shape, value: unknown): Record<string, unknown> => outputCopier(shape)(value ?? {}) as Record<string, unknown>;

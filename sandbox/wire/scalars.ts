import { ApiError } from '../api.ts';
import type { Shape } from './schemas.ts';

/** Timestamp formats of the SDK's schemas; the plain one takes the protocol's default. */
const timestampKinds = { plain: 4, dateTime: 5, httpDate: 6, epochSeconds: 7 } as const;

const refuse = (shape: Shape, text: string): never => {
  throw new ApiError('InvalidParameterValue', `Value (${text}) for parameter ${shape.getMemberName()} is invalid.`);
};

const readDate = (shape: Shape, text: string): Date => {
  const date = new Date(/^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : text);
  return Number.isNaN(date.getTime()) ? refuse(shape, text) : date;
};

const readNumber = (shape: Shape, text: string): number => {
  const value = Number(text);
  return text === '' || Number.isNaN(value) ? refuse(shape, text) : value;
};

/** A scalar of a query request, from its text. */
export const readScalar = (shape: Shape, text: string): unknown => {
  if (shape.isBooleanSchema()) return text.toLowerCase() === 'true';
  if (shape.isTimestampSchema()) return readDate(shape, text);
  if (shape.isBlobSchema()) return new Uint8Array(Buffer.from(text, 'base64'));
  if (shape.isNumericSchema() || shape.isBigIntegerSchema() || shape.isBigDecimalSchema()) return readNumber(shape, text);
  return text;
};

const mustBe = (shape: Shape, value: unknown, type: string): never => {
  throw new TypeError(`${shape.getMemberName()} must be a ${type}, not ${typeof value}`);
};

const writeDate = (shape: Shape, value: unknown, plain: number): string | number => {
  const date = value instanceof Date ? value : typeof value === 'string' ? new Date(value) : mustBe(shape, value, 'Date');
  const schema = shape.getSchema();
  const kind = schema === timestampKinds.plain ? plain : schema;
  if (kind === timestampKinds.epochSeconds) return date.getTime() / 1000;
  return kind === timestampKinds.httpDate ? date.toUTCString() : date.toISOString();
};

/** A scalar of a response, checked against its schema. `plain` is the protocol's own form of a timestamp. */
export const writeScalar = (shape: Shape, value: unknown, plain: 'dateTime' | 'epochSeconds'): string | number | boolean => {
  if (shape.isTimestampSchema()) return writeDate(shape, value, timestampKinds[plain]);
  if (shape.isBlobSchema()) return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : mustBe(shape, value, 'Uint8Array');
  if (shape.isBooleanSchema()) return typeof value === 'boolean' ? value : mustBe(shape, value, 'boolean');
  if (shape.isStringSchema()) return typeof value === 'string' ? value : mustBe(shape, value, 'string');
  return typeof value === 'number' ? value : mustBe(shape, value, 'number');
};

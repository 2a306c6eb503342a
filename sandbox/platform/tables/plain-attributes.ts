import { createRequire } from 'node:module';
import type { AttributeMap } from './stream.ts';

type Attribute = AttributeMap[string];

/** A number as the engine writes it: nothing to round, no zeros to take off. */
const asWritten = /^(?:0|-?(?:[1-9]\d{0,19}(?:\.\d{0,14}[1-9])?|0\.\d{0,14}[1-9]))$/;

/** Copies of the values that the engine takes as they are. Undefined: the engine has to check this value itself. Sets and binary values are among these. */
const copyByType: Readonly<Record<string, (value: unknown) => unknown>> = {
  S: (value) => (typeof value === 'string' ? value : undefined),
  N: (value) => (typeof value === 'string' && asWritten.test(value) ? value : undefined),
  BOOL: (value) => (typeof value === 'boolean' ? value : undefined),
  NULL: (value) => (value === true ? value : undefined),
  L: (value) => {
    if (!Array.isArray(value)) return undefined;
    const copy = value.map(copyOfAttribute);
    return copy.includes(undefined) ? undefined : copy;
  },
  M: (value) => plainAttributes(value),
};

/** A map, because a value may name as its type what every object has, such as a constructor. */
const copies = new Map(Object.entries(copyByType));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);

const copyOfAttribute = (attribute: unknown): Attribute | undefined => {
  if (!isObject(attribute)) return undefined;
  let copy: Attribute | undefined;
  for (const type in attribute) {
    const value = copy === undefined ? copies.get(type)?.(attribute[type]) : undefined;
    if (value === undefined) return undefined;
    copy = { [type]: value };
  }
  return copy;
};

/**
 * A copy of an item, a key or the values of an expression, if the engine would accept each of them and change none. It checks in one pass what the engine
 * checks value by value in three. Undefined: the engine has to check it itself.
 */
export const plainAttributes = (item: unknown): AttributeMap | undefined => {
  if (!isObject(item)) return undefined;
  const copy: Record<string, Attribute> = {};
  for (const name in item) {
    // An assignment to this name sets no attribute.
    if (name === '__proto__') return undefined;
    const attribute = copyOfAttribute(item[name]);
    if (attribute === undefined) return undefined;
    copy[name] = attribute;
  }
  return copy;
};

type Validations = { validateAttributeValue(value: unknown): string | undefined };

/** Has the engine itself check only those values of items and keys that are not plain. */
export const checkPlainFirst = (): void => {
  const validations = createRequire(import.meta.url)('dynalite/validations') as Validations;
  const byEngine = validations.validateAttributeValue;
  validations.validateAttributeValue = (value) => (copyOfAttribute(value) === undefined ? byEngine(value) : undefined);
};

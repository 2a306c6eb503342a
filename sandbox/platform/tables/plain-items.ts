import type { AttributeMap } from './stream.ts';

type Attribute = AttributeMap[string];

/** A plain value in DynamoDB's own JSON. What is undefined is left out. */
const toAttribute = (value: unknown): Attribute => {
  if (value === null) return { NULL: true };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'string') return { S: value };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  if (typeof value === 'object') return { M: toItem(value as Record<string, unknown>) };
  throw new TypeError(`DynamoDB has no type for ${typeof value}.`);
};

export const toItem = (value: Readonly<Record<string, unknown>>): AttributeMap =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, toAttribute(member)]),
  );

/** The plain value of an attribute; sets become lists. */
const fromAttribute = (attribute: Attribute): unknown => {
  const [type = '', value] = Object.entries(attribute)[0] ?? [];
  switch (type) {
    case 'NULL':
      return null;
    case 'N':
      return Number(value);
    case 'NS':
      return (value as readonly string[]).map(Number);
    case 'L':
      return (value as readonly Attribute[]).map(fromAttribute);
    case 'M':
      return fromItem(value as AttributeMap);
    default:
      return value;
  }
};

export const fromItem = (item: AttributeMap): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([key, attribute]) => [key, fromAttribute(attribute)]));

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { plainAttributes } from '../../../sandbox/platform/tables/plain-attributes.ts';

type Types = Readonly<Record<string, unknown>>;
type Engine = {
  checkTypes(data: unknown, types: Types): { readonly Item: Record<string, unknown> };
  validateAttributeValue(value: unknown): string | undefined;
};
const require = createRequire(import.meta.url);
const { checkTypes, validateAttributeValue } = require('dynalite/validations') as Engine;
const { types } = require('dynalite/validations/putItem') as { readonly types: Types };

/** The item as the engine's own checks leave it. */
const byEngine = (item: unknown): unknown => {
  const { Item } = checkTypes({ Item: structuredClone(item) }, types);
  for (const name in Item) expect(validateAttributeValue(Item[name])).toBe(undefined);
  return Item;
};

const numbers = ['0', '7', '-7', '1200', '0.5', '-0.05', '12.25', '1764345600000', '12345678901234567890.123456789012345'];
const item = {
  text: { S: '' },
  flag: { BOOL: false },
  nothing: { NULL: true },
  list: { L: [{ S: 'a' }, { L: [] }, { M: {} }] },
  map: { M: { inner: { M: { n: { N: '1' } } } } },
  ...Object.fromEntries(numbers.map((N) => [`n${N}`, { N }])),
};

describe('plain attributes', () => {
  it('are what the engine leaves of them, in a copy', () => {
    const copy = plainAttributes(item);
    expect(copy).toEqual(item);
    expect(copy).toEqual(byEngine(item));
    expect(copy?.list).not.toBe(item.list);
    expect(copy?.map).not.toBe(item.map);
  });

  it.each([
    ['a number that the engine would write in another way', { N: '01' }],
    ['a number with zeros at its end', { N: '1.50' }],
    ['a number with an exponent', { N: '1e3' }],
    ['minus nothing', { N: '-0' }],
    ['a number with too many digits', { N: '1'.repeat(39) }],
    ['a number that is not a text', { N: 7 }],
    ['no number', { N: 'seven' }],
    ['a text that is none', { S: 7 }],
    ['a truth that is a text', { BOOL: 'true' }],
    ['nothing that is not true', { NULL: false }],
    ['a set', { SS: ['a'] }],
    ['bytes', { B: 'AA==' }],
    ['two types at once', { S: 'a', N: '1' }],
    ['no type', {}],
    ['an unknown type', { X: 'a' }],
    ['a type by a name that every object has', { constructor: 'a' }],
    ['an attribute by the name of the prototype', { M: JSON.parse('{"__proto__": {"S": "a"}}') }],
    ['a list that is none', { L: {} }],
    ['a map that is a list', { M: [] }],
    ['an attribute that is none', null],
    ['one of these in a list', { L: [{ N: '01' }] }],
    ['one of these in a map', { M: { a: { M: { b: { N: '01' } } } } }],
  ])('are not all that an item has: %s', (_, attribute) => {
    expect(plainAttributes({ a: { S: 'a' }, b: attribute })).toBe(undefined);
  });
});

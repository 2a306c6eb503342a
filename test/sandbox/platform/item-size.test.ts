import { expect, test } from 'vitest';
import { itemBytes } from '../../../sandbox/platform/tables/item-size.ts';

// Sizes by DynamoDB's own rules ("DynamoDB item sizes and formats").
test.each([
  ['a string counts its name and its UTF-8', { a: { S: 'é' } }, 1 + 2],
  ['a number counts two digits a byte and one more', { n: { N: '1234' } }, 1 + 3],
  ['a negative number counts its sign', { n: { N: '-1234' } }, 1 + 4],
  ['zeros before and after the digits are free', { n: { N: '100' } }, 1 + 2],
  ['an exponent is no digit', { n: { N: '1.5e-7' } }, 1 + 2],
  ['null and booleans are one byte', { a: { NULL: true }, b: { BOOL: false } }, 2 + 2],
  ['binaries count their bytes', { b: { B: 'AAAA' } }, 1 + 3],
  ['a list takes three bytes, and one a member', { l: { L: [{ S: 'ab' }, { S: 'c' }] } }, 1 + 3 + 2 + 3],
  ['a map takes three bytes, and one a member', { m: { M: { key: { S: 'value' } } } }, 1 + 3 + 1 + 3 + 5],
  ['sets count their members', { s: { SS: ['ab', 'c'] }, n: { NS: ['12'] } }, 1 + 3 + 1 + 2],
])('%s', (_, item, bytes) => {
  expect(itemBytes(item)).toBe(bytes);
});

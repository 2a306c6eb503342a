import { expect, test } from 'vitest';
import { codeOf } from '../../aws/calls/errors.ts';
import { flag, isMap, number, text } from '../../aws/state/checks.ts';
import { readHolders } from '../../aws/state/state-schema.ts';

test('a value of another type is named as it was found, in sixty characters at most', () => {
  expect([text('a'), number(7), flag(false)]).toEqual([undefined, undefined, undefined]);
  expect(text(7)).toBe('expected text, found 7');
  expect(text(null)).toBe('expected text, found null');
  expect(text(undefined)).toBe('expected text, found undefined');
  expect(text([1, 2])).toBe('expected text, found a list or a map');
  expect(number('7')).toBe('expected a number, found 7');
  expect(number('x'.repeat(100))).toBe(`expected a number, found ${'x'.repeat(54)}`);
  expect(flag({})).toBe('expected true or false, found a list or a map');
});

test('a map is no list, and null is neither', () => {
  expect([{}, [], null, 'text', undefined].map(isMap)).toEqual([true, false, false, false, false]);
});

test('the Auto Scaling groups that a stored state names are read, as far as they can be', () => {
  expect(readHolders({ holders: ['a', 'b'], policyVersion: 3 })).toEqual({ asgs: ['a', 'b'], policyVersion: 3 });
  expect(readHolders({ holders: ['a', 7] })).toEqual({ asgs: ['a'], policyVersion: 0 });
  for (const raw of [undefined, null, 'text', {}, { holders: [] }]) expect(readHolders(raw)).toEqual({ asgs: [], policyVersion: 0 });
  // What cannot be read is lost, and the registry still knows it.
  for (const holders of ['a', [7]]) expect(readHolders({ holders })).toBeUndefined();
});

test('the code of an error is its name, or the code of the network below a general name', () => {
  expect(codeOf(Object.assign(new Error('gone'), { name: 'ThrottlingException', code: 'ECONNRESET' }))).toBe('ThrottlingException');
  expect(codeOf(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))).toBe('ECONNRESET');
  expect(codeOf(Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' }))).toBe('ECONNRESET');
  expect(codeOf(Object.assign(new Error('gone'), { Code: 'RequestLimitExceeded', code: 'other' }))).toBe('RequestLimitExceeded');
  expect([codeOf(new TypeError('a bug')), codeOf('text'), codeOf(undefined)]).toEqual(['TypeError', 'Unknown', 'Unknown']);
});

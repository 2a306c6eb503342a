import { describe, expect, it } from 'vitest';
import { validatePolicy } from '../../core/policy/validate.ts';
import { smallDocument } from './documents.ts';

const pool = smallDocument.pools['spot-1a'];
const pools = { a: pool, b: pool, c: pool };
const told = (change: Readonly<Record<string, unknown>>): readonly string[] => {
  const result = validatePolicy({ ...smallDocument, pools, capacity: { tiered: ['a', 'b', 'c'] }, ...change });
  return result.kind === 'invalid' ? result.problems.map(({ message }) => message) : [];
};
const tree = (capacity: unknown) => told({ capacity });
const selectors = 'a pool name, or a map with one of tiered, spread, weighted, cheapest';

describe('a value that fits none of several forms', () => {
  it('is reported with all forms when it has no field of any of them', () => {
    expect(tree({})).toEqual([`capacity: expected ${selectors}, found an empty map.`]);
    expect(tree(null)).toEqual([`capacity: expected ${selectors}, found no value (null).`]);
    expect(tree(5)).toEqual([`capacity: expected ${selectors}, found 5.`]);
  });

  it('is reported with the nearest field of any form, for the first field that has one', () => {
    expect(tree({ x: 1, teired: ['a'] })).toEqual([`capacity: expected ${selectors}, found a map with teired, x. Did you mean "tiered"?`]);
  });

  it('is reported with each problem of its form, when one of its fields names the form', () => {
    expect(tree({ tiered: [5], x: 1 })).toEqual([
      'capacity.tiered[0]: expected a pool name, or a map with one of tiered, spread, weighted, cheapest, found 5.',
      'capacity.x: expected one of tiered, found unknown field "x".',
    ]);
  });

  it('is of the form whose fields it has all of, before one that another field belongs to', () => {
    const stray = (rest: string) => [`capacity.by: expected one of ${rest}, found unknown field "by".`];
    expect(tree({ tiered: ['a'], by: 'zone' })).toEqual(stray('tiered'));
    expect(tree({ cheapest: ['a'], by: 'zone' })).toEqual(stray('cheapest'));
    expect(tree({ weighted: ['a'], by: 'zone' })).toEqual([
      ...stray('weighted'),
      'capacity.weighted[0]: expected a map with use and weight, found "a".',
    ]);
  });

  it('is of a form that lacks a field where it has another of its fields', () => {
    expect(tree({ by: 'zone' })).toEqual([
      'capacity.spread is missing: expected a list of at least one pool name or selector, or a map with of and by.',
    ]);
  });

  it('is of several forms when it has all fields of two, whatever is wrong below them', () => {
    expect(tree({ tiered: [5], spread: [5] })).toEqual([
      'capacity: expected one selector in a map, such as tiered: [..., { spread: [...] }], found a map with spread, tiered.',
    ]);
  });

  it('is reported with each problem of ten wrong children', () => {
    const weighted = Array.from({ length: 10 }, () => ({ use: 'a', weight: 'much', x: 1 }));
    const told = tree({ weighted }).filter((message) => message.startsWith('capacity.weighted['));
    expect(told.filter((message) => message.endsWith('expected one of use, weight, found unknown field "x".'))).toHaveLength(10);
    expect(told.filter((message) => message.includes('.weight: expected'))).toHaveLength(10);
  });

  it('gets no suggestion for a number where a word is expected', () => {
    expect(told({ swap: { order: 5 } })).toEqual(['swap.order: expected launch-first or drain-first, found 5.']);
  });
});

describe('a pool that capacity names and that is not there', () => {
  it('is reported with the nearest name for the first fifty', () => {
    const unknown = Array.from({ length: 51 }, (_, index) => `pool-${index}x`);
    const known = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`pool-${index}`, pool]));
    const result = validatePolicy({ ...smallDocument, pools: known, capacity: { tiered: unknown } });
    const nearest = result.kind === 'invalid' ? result.problems.filter((problem) => problem.nearest !== undefined) : [];
    expect(nearest).toHaveLength(50);
  });
});

import { describe, expect, it } from 'vitest';
import { partOf, shareOf } from './share.ts';

const items = Array.from({ length: 3_000 }, (_, index) => `call ${index}`);
const share = (parts: number, by: string): readonly string[] => shareOf(items, parts, by, (item) => item);

describe('a share of the crash points', () => {
  it('is the same for the same commit, and another for another', () => {
    expect(share(3, 'a')).toEqual(share(3, 'a'));
    expect(share(3, 'a')).not.toEqual(share(3, 'b'));
  });

  it('is about as large as its fraction', () => {
    expect(share(3, 'a').length).toBeGreaterThan(900);
    expect(share(3, 'a').length).toBeLessThan(1_100);
    expect(share(1, 'a')).toEqual(items);
  });

  it('reaches every item after some commits', () => {
    const reached = new Set(Array.from({ length: 40 }, (_, index) => share(3, `commit ${index}`)).flat());
    expect(reached.size).toBe(items.length);
  });

  it('refuses a number of parts that makes no sense', () => {
    expect(() => share(0, 'a')).toThrow('at least 1');
  });
});

describe('one of the parts by its number', () => {
  it('leaves no item out, and has none twice', () => {
    const items = Array.from({ length: 23 }, (_, index) => index);
    const parts = [1, 2, 3, 4].map((part) => partOf(items, 4, part));
    expect(parts.flat().toSorted((one, other) => one - other)).toEqual(items);
  });

  it('is one of those that there are', () => {
    expect(() => partOf([1], 2, 3)).toThrow('Expected a part from 1 to 2. Found 3.');
  });
});

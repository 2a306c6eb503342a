import { describe, expect, it } from 'vitest';
import { shareOf } from './share.ts';

const items = Array.from({ length: 3_000 }, (_, index) => `call ${index}`);
const share = (parts: number, by: string): readonly string[] => shareOf(items, parts, by, (item) => item);

describe('a share of the crash points', () => {
  it('is the same for the same commit, and another for another', () => {
    expect(share(3, 'a')).toEqual(share(3, 'a'));
    expect(share(3, 'a')).not.toEqual(share(3, 'b'));
  });

  it('is about as large as it says', () => {
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

import { expect, it } from 'vitest';
import { randomSituation } from './random-situation.ts';

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
const worlds = seeds.map((seed) => randomSituation(seed, { profile: 'small' }));

it('some policies of worlds that say little bound what Holdfast may do', () => {
  const saying = (field: string) => worlds.filter(({ policies }) => policies.some((policy) => policy[field] !== undefined)).length;
  for (const field of ['launches', 'breaker', 'removal']) {
    expect(saying(field)).toBeGreaterThan(5);
    expect(saying(field)).toBeLessThan(40);
  }
});

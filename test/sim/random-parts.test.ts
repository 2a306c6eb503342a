import { expect, it } from 'vitest';
import { hasTargets } from './random-parts.ts';
import { randomSituation } from './random-situation.ts';

it('nothing that never answers is launched where no target group would tell it', () => {
  const drawn = Array.from({ length: 200 }, (_, index) => randomSituation(16_300_001 + index, { profile: 'outages' }));
  const isMute = ({ steps }: (typeof drawn)[number]): boolean => steps.some(({ what }) => what.includes('never answers'));
  const isBare = ({ spec, policies }: (typeof drawn)[number]): boolean => policies.some((policy) => !hasTargets({ spec }, policy));
  expect(drawn.filter((world) => isMute(world) && isBare(world))).toEqual([]);
  for (const of of [isMute, isBare]) expect(drawn.filter(of).length).toBeGreaterThan(5);
});

it('no pool has a cap where the tree has spot alone', () => {
  const drawn = Array.from({ length: 200 }, (_, index) => randomSituation(18_120_001 + index, { profile: 'bounds' })).flatMap(
    ({ policies }) => policies,
  );
  const isAlone = ({ capacity }: (typeof drawn)[number]): boolean => capacity !== undefined && !JSON.stringify(capacity).includes('"od-');
  const isCapped = ({ pools }: (typeof drawn)[number]): boolean => JSON.stringify(pools).includes('"cap"');
  expect(drawn.filter((policy) => isAlone(policy) && isCapped(policy))).toEqual([]);
  for (const of of [isAlone, isCapped]) expect(drawn.filter(of).length).toBeGreaterThan(5);
});

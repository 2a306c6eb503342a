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

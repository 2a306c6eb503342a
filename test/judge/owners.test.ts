import { expect, it } from 'vitest';
import { isHeldBack } from '../../sandbox/judge/world/owners.ts';

it('an Auto Scaling group that does not even out its zones lets members go, and one with any other process suspended may not', () => {
  const held = (...suspended: string[]): boolean => isHeldBack({ suspended });
  expect([held(), held('AZRebalance'), held('AZRebalance', 'Terminate'), held('Launch')]).toEqual([false, false, true, true]);
});

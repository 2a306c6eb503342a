import { cheapest } from './cheapest.ts';
import type { Selector } from './selector.ts';
import type { SelectorKind } from './selector-kind.ts';
import { spread } from './spread.ts';
import { tiered } from './tiered.ts';
import { weighted } from './weighted.ts';

/** Every kind of selector but a pool. */
export const selectorKinds: Readonly<Record<Exclude<Selector['kind'], 'pool'>, SelectorKind>> = {
  tiered,
  spread,
  weighted,
  cheapest,
};

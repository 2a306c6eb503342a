import { cheapest, writtenCheapest } from './cheapest.ts';
import type { Selector } from './selector.ts';
import type { SelectorKind } from './selector-kind.ts';
import { spread, writtenSpread } from './spread.ts';
import { tiered, writtenTiered } from './tiered.ts';
import { weighted, writtenWeighted } from './weighted.ts';
import type { WrittenKind, WrittenNode } from './written-kind.ts';

export type KindName = Exclude<Selector['kind'], 'pool'>;

/** How every kind of selector but a pool decides. */
export const selectorKinds: Readonly<Record<KindName, SelectorKind>> = {
  tiered,
  spread,
  weighted,
  cheapest,
};

/** How each of them is written in a policy. */
export const writtenKinds: Readonly<Record<KindName, WrittenKind<WrittenNode>>> = {
  tiered: writtenTiered,
  spread: writtenSpread,
  weighted: writtenWeighted,
  cheapest: writtenCheapest,
};

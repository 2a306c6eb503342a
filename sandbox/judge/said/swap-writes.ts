import { items } from '../../../core/contract.ts';
import type { Chronicle } from '../chronicle.ts';
import type { HistoryEvent } from '../history.ts';
import { remembered } from '../remembered.ts';
import { isFunction } from '../world/life.ts';
import type { SwapFacts } from './swap-facts.ts';

/** A write of a swap, with what it says of its instance. */
export type SwapWrite = Extract<HistoryEvent, { readonly kind: 'item-written' }> & {
  readonly by: { readonly kind: 'function'; readonly invocation: string };
  readonly swap: { readonly state: string; readonly drain?: string; readonly facts: SwapFacts };
};

/** Every write of the swap of each instance, by a function. */
export const swapWrites = remembered((chronicle: Chronicle): ReadonlyMap<string, readonly SwapWrite[]> => {
  const writes = chronicle.of('item-written').filter((one): one is SwapWrite => one.swap?.facts !== undefined && isFunction(one.by));
  return Map.groupBy(writes, ({ item }) => item.slice(items.swapPrefix.length));
});

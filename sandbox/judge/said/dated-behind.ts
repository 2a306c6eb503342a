import { items } from '../../../core/contract.ts';
import type { AttributeMap } from '../../platform/tables/stream.ts';
import type { Actor, HistoryEvent } from '../history.ts';
import { times } from '../times.ts';
import type { Untimed } from '../untimed.ts';

/** What a function does to an instance itself. It stores each of these as the time of its own clock at that moment. */
const ownDeeds = ['claimedAtMs', 'chosenAtMs', 'releaseAskedAtMs', 'drainStartedAtMs', 'goneAtMs'];

type Change = { readonly before: AttributeMap | undefined; readonly after: AttributeMap | undefined };

/** The earliest time of its own that a function newly wrote into a swap, if that is well before the write. */
export const datedBehind = ({ before, after }: Change, by: Actor, nowMs: number): Untimed<HistoryEvent> | undefined => {
  const item = String(after?.item?.S);
  if (after === undefined || !item.startsWith(items.swapPrefix)) return undefined;
  const fresh = ownDeeds.flatMap((field) => {
    const [was, is] = [before?.[field]?.N, after[field]?.N];
    return is === undefined || is === was ? [] : [{ field, saidMs: Number(is) }];
  });
  const [earliest] = fresh.toSorted((one, other) => one.saidMs - other.saidMs);
  if (earliest === undefined || nowMs - earliest.saidMs <= times.clockAheadMs) return undefined;
  return { kind: 'dated-behind', group: String(after.group?.S), item, ...earliest, by };
};

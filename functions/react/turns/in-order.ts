import type { Facts } from '../messages/facts.ts';
import { isMinuteTick, type Received } from '../messages/route.ts';
import { isOnlyInMessages } from './hand-over.ts';

/** Groups that a wake names. The minute's tick names every group. */
const wokenBy = (received: readonly Pick<Received, 'signal'>[]): ReadonlySet<string> =>
  new Set(received.flatMap(({ signal }) => (signal.kind === 'tick' && !isMinuteTick(signal) ? signal.groups : [])));

/**
 * The order in which an invocation converges its groups. Groups that cannot be handed over come first, because the time
 * may not suffice for all. Then come groups that are woken: something of them is due now, for example their turn at the
 * account's buckets. An invocation with the minute's tick of hundreds of groups takes more than ten seconds.
 */
export const inOrder = (facts: readonly Facts[], received: readonly Pick<Received, 'signal'>[]): readonly Facts[] => {
  const woken = wokenBy(received);
  const rank = (one: Facts): number => {
    if (isOnlyInMessages(one)) return 0;
    return woken.has(one.group) ? 1 : 2;
  };
  return facts.toSorted((one, other) => rank(one) - rank(other));
};

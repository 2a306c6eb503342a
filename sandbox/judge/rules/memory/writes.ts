import { items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { times } from '../../times.ts';
import { isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

export const nothingUnreadIsReplaced: Rule = {
  name: 'nothing is replaced unread',
  meaning:
    'A function replaces or removes what another writer stored only if it has read that. This holds for the state of a group, the budget of the account, the claim of an Auto Scaling group, and the hooks and the deadline of a swap.',
  broken: (chronicle) =>
    chronicle.of('overwrote').map(
      ({ group, item, attribute, by, atMs }): Broken => ({
        group,
        atMs,
        detail: `${by.kind === 'function' ? by.function : by.kind} replaced ${attribute} of ${item}, which it had not read`,
      }),
    ),
};

/** The drain of whose workflow each invocation is a step. */
const drainsOf = (chronicle: Chronicle): ReadonlyMap<string, string> =>
  new Map(chronicle.of('invocation-began').flatMap(({ invocation, drain }) => (drain === undefined ? [] : [[invocation, drain] as const])));

export const drainsWriteTheirOwn: Rule = {
  name: 'a drain writes the swaps that name it, and no others',
  meaning: 'A step of a drain changes only swaps that name this drain. A swap that another drain took over is left to that drain.',
  broken: (chronicle) => {
    const drains = drainsOf(chronicle);
    return chronicle.of('item-written').flatMap(({ item, group, swap, by, atMs }): readonly Broken[] => {
      const drain = isFunction(by) ? drains.get(by.invocation) : undefined;
      if (swap === undefined || drain === undefined || swap.drain === drain) return [];
      const instance = item.slice(items.swapPrefix.length);
      return [{ group, instance, atMs, detail: `a step of ${drain} wrote the swap of ${instance}, which names ${swap.drain ?? 'no drain'}` }];
    });
  },
};

export const nothingIsDatedAhead: Rule = {
  name: 'nothing is dated after it was written',
  meaning:
    'However wrong the clocks of functions are, no state of a group and no swap says of anything that it happened more than six seconds after the write. The time of draining may be the end of the deregistration delay that the swap names.',
  broken: (chronicle) =>
    chronicle
      .of('dated-ahead')
      .flatMap(({ group, item, field, aheadMs, atMs }): readonly Broken[] =>
        aheadMs <= times.clockAheadMs
          ? []
          : [{ group, atMs, detail: `${field} of ${item} is dated ${(aheadMs / 1_000).toFixed(1)} s after it was written` }],
      ),
};

/** The reservations of each group, by the write of the state that first names them as the latest one. */
const firstNamed = (chronicle: Chronicle) =>
  [...chronicle.groups.values()].flatMap(({ group, written }) => {
    const seen = new Set<string>();
    return written.flatMap(({ lastReservation, by, atMs }) => {
      if (lastReservation === undefined || seen.has(lastReservation)) return [];
      seen.add(lastReservation);
      return isFunction(by) ? [{ group, reservation: lastReservation, invocation: by.invocation, atMs }] : [];
    });
  });

export const requestsAreStoredFirst: Rule = {
  name: 'a request is stored before it is made',
  meaning:
    'When the state of a group names a new reservation, and its function launches after that, the request of this reservation is stored already. A function that dies leaves a request that another one can repeat as it was.',
  broken: (chronicle) => {
    // The first write counts: a restored state table writes its items again.
    const stored = new Map(
      chronicle
        .of('item-written')
        .flatMap((one): readonly [string, number][] => (one.request === undefined ? [] : [[`${one.group} ${one.item}`, one.atMs]]))
        .reverse(),
    );
    const launches = Map.groupBy(
      chronicle.of('called').filter(({ launch }) => launch !== undefined),
      ({ invocation }) => invocation,
    );
    return firstNamed(chronicle).flatMap(({ group, reservation, invocation, atMs }): readonly Broken[] => {
      const hasLaunched = launches.get(invocation)?.some(({ askedAtMs }) => askedAtMs >= atMs) === true;
      const storedAtMs = stored.get(`${group} ${items.request(reservation)}`) ?? Number.POSITIVE_INFINITY;
      if (!hasLaunched || storedAtMs <= atMs) return [];
      return [{ group, atMs, detail: `the state names reservation ${reservation}, and its request is not stored yet` }];
    });
  },
};

import { items } from '../../../../core/contract.ts';
import { readsPrices } from '../../capacity/paid.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** Spot prices are read again when they are older (docs/policy.md, Prices). */
const readEveryMs = 300_000;
/** A read is requested a moment after its look began. */
const askedWithinMs = 10_000;

/** Whether spot prices were read for an invocation, or at least requested, late enough to be as young as they must be. */
const isRead = (chronicle: Chronicle, startedAtMs: number, atMs: number): boolean => {
  const sinceMs = startedAtMs - readEveryMs - askedWithinMs - 2 * chronicle.times.clockMs;
  return chronicle
    .of('called')
    .some(({ operation, askedAtMs }) => operation === 'DescribeSpotPriceHistory' && askedAtMs >= sinceMs && askedAtMs <= atMs);
};

/** Whether every policy that may have been in force needs spot prices. */
const needsPrices = (chronicle: Chronicle, group: string, sinceMs: number, atMs: number): boolean => {
  const policies = chronicle.policiesIn(group, sinceMs, atMs);
  return policies.length > 0 && policies.every(readsPrices);
};

export const pricesAreRead: Rule = {
  name: 'spot prices are read every five minutes',
  meaning:
    'While a policy needs spot prices (`cheapest`, a limit of a spot pool, or mode `observe`), each decision follows a read of them that was made, or at least tried, in the five minutes before its look. Each group reads by itself, and calls do not show the group, so this is about accounts with one group.',
  broken: (chronicle) => {
    if (chronicle.groups.size !== 1) return [];
    return chronicle.of('item-written').flatMap(({ item, group, by, atMs }): readonly Broken[] => {
      if (!item.startsWith(items.decisionPrefix) || !isFunction(by)) return [];
      const startedAtMs = chronicle.invocations.get(by.invocation)?.beganAtMs ?? atMs;
      if (!needsPrices(chronicle, group, startedAtMs, atMs) || isRead(chronicle, startedAtMs, atMs)) return [];
      return [{ group, atMs, detail: `${item} was decided, and spot prices had not been read for five minutes` }];
    });
  },
};

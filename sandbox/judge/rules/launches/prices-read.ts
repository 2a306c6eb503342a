import { items } from '../../../../core/contract.ts';
import { readsPrices } from '../../capacity/paid.ts';
import type { Chronicle, Invocation } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Policy } from '../../policy/policy.ts';
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

/**
 * The policy that the state followed when an invocation began which only a tick had called. Such a function may know that policy, and then reads it again
 * only before it acts.
 */
const followedBy = (chronicle: Chronicle, group: string, { beganAtMs, deliveries }: Invocation): readonly Policy[] => {
  const { written = [], policies = [] } = chronicle.groups.get(group) ?? {};
  if (deliveries.length === 0 || deliveries.some(({ told }) => told.about !== 'tick')) return [];
  const version = written.findLast(({ atMs }) => atMs <= beganAtMs)?.policyVersion;
  return policies.flatMap((one) => (one.version === version && one.policy !== undefined ? [one.policy] : []));
};

/** Whether every policy that may have been in force, or that its function may know, needs spot prices. */
const needsPrices = (chronicle: Chronicle, group: string, sinceMs: number, atMs: number, by: Invocation | undefined): boolean => {
  const policies = [...chronicle.policiesIn(group, sinceMs, atMs), ...(by === undefined ? [] : followedBy(chronicle, group, by))];
  return policies.length > 0 && policies.every(readsPrices);
};

export const pricesAreRead: Rule = {
  name: 'spot prices are read every five minutes',
  meaning:
    'While a policy needs spot prices (`cheapest`, a limit of a spot pool, or mode `observe`), each decision follows a read of them that was made, or at least tried, in the five minutes before its look. A look that only a tick caused may follow the policy that the state followed before. Each group reads by itself, and calls do not show the group, so this is about accounts with one group.',
  broken: (chronicle) => {
    if (chronicle.groups.size !== 1) return [];
    return chronicle.of('item-written').flatMap(({ item, group, by, atMs }): readonly Broken[] => {
      if (!item.startsWith(items.decisionPrefix) || !isFunction(by)) return [];
      const author = chronicle.invocations.get(by.invocation);
      const startedAtMs = author?.beganAtMs ?? atMs;
      if (!needsPrices(chronicle, group, startedAtMs, atMs, author) || isRead(chronicle, startedAtMs, atMs)) return [];
      return [{ group, atMs, detail: `${item} was decided, and spot prices had not been read for five minutes` }];
    });
  },
};

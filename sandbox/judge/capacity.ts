import type { Chronicle } from './chronicle.ts';
import type { OfferingName } from './cloud.ts';
import { restedUntil } from './giving.ts';
import type { Policy, PolicyPool } from './policy.ts';
import { offeringsOf } from './pools.ts';
import { poolsOf } from './tree.ts';

const offeringGives = ({ cloud, history }: Chronicle, pool: PolicyPool, offering: OfferingName, atMs: number): boolean =>
  cloud.freeAt(offering, atMs) >= 1 &&
  (cloud.priceAt(offering, atMs) ?? 0) <= pool.maxPriceUsdPerHour &&
  history.spec.subnets.some(({ id, zone }) => zone === offering.zone && pool.subnets.includes(id) && cloud.addressesAt(id, atMs) >= 1);

/** Whether some offering of a policy's whole tree could give one more at a moment, and is asked: refusals let it rest for a while, whatever it has. */
const somethingGives = (chronicle: Chronicle, policy: Policy, atMs: number): boolean =>
  poolsOf(policy, policy.capacity).some(
    (pool) =>
      pool.cap > 0 &&
      offeringsOf(pool).some(
        (offering) =>
          offeringGives(chronicle, pool, offering, atMs) &&
          restedUntil(chronicle, pool, offering, { group: policy.group, sinceMs: atMs, atMs }) <= atMs,
      ),
  );

/** Ends of rests that began until a moment. */
const restsEnd = (chronicle: Chronicle, group: string, untilMs: number): readonly number[] => {
  const policies = chronicle.policiesIn(group, Number.NEGATIVE_INFINITY, untilMs);
  const pools = policies.flatMap((policy) => poolsOf(policy, policy.capacity));
  const refusals = chronicle.of('refused').filter(({ atMs }) => atMs <= untilMs);
  return refusals.flatMap(({ atMs }) =>
    pools.flatMap((pool) => offeringsOf(pool).map((offering) => restedUntil(chronicle, pool, offering, { group, sinceMs: atMs, atMs }))),
  );
};

/** The last moment between two until which nothing in the tree could give, or would be asked; the first of them when there was none. */
export const gaveNothingUntil = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): number => {
  const changes = [...chronicle.of('offering'), ...chronicle.of('quota'), ...chronicle.of('addresses'), ...chronicle.of('refused')];
  const found = [...changes.map(({ atMs }) => atMs), ...chronicle.lives.map(({ launchedAtMs }) => launchedAtMs)];
  const later = [...found, ...restsEnd(chronicle, group, untilMs)].filter((atMs) => atMs > fromMs && atMs <= untilMs);
  const sorted = [...new Set([fromMs, ...later])].sort((a, b) => a - b);
  const last = sorted.findLastIndex((atMs) => {
    const policy = chronicle.policyAt(group, atMs);
    return policy !== undefined && !somethingGives(chronicle, policy, atMs);
  });
  return last < 0 ? fromMs : (sorted[last + 1] ?? untilMs);
};

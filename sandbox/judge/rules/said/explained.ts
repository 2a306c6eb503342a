import { items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { ownLaunches, reservationOf } from '../../members/staying.ts';
import type { Policy } from '../../policy/policy.ts';
import { pathTo, usedBelow } from '../../policy/tree.ts';
import { decisionsOf, type SaidDecision, type SaidRound, type SaidSwap, swapsOf } from '../../said/stored.ts';
import { type Life, tagsAt } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** What was requested under each reservation, as it was stored last. */
const requestsOf = (chronicle: Chronicle) =>
  new Map(
    chronicle
      .of('item-written')
      .flatMap(({ item, request }) => (request === undefined ? [] : [[item.slice(items.request('').length), request] as const])),
  );

/** Instances beyond the number that was requested under their reservation: the last ones. EC2 launches once for a token. */
const beyondRequest = (chronicle: Chronicle): readonly Broken[] => {
  const requested = requestsOf(chronicle);
  return [...Map.groupBy(ownLaunches(chronicle), ({ life }) => reservationOf(life))].flatMap(([reservation, launches]) => {
    const count = requested.get(reservation ?? '')?.count ?? launches.length;
    return launches.slice(count).map(({ life: { instance, launchedAtMs: atMs }, group }) => ({
      group,
      instance,
      atMs,
      detail: `${launches.length} were launched under the reservation of ${instance}, and ${count} were requested`,
    }));
  });
};

/** The pool that an instance names. An Auto Scaling group tags what it launches a moment later. */
const poolNamed = (life: Life): string | undefined => tagsAt(life, Number.POSITIVE_INFINITY)['holdfast:pool'];

/** Instances of another pool than the one that was requested under their reservation. */
const ofAnotherPool = (chronicle: Chronicle): readonly Broken[] => {
  const requested = requestsOf(chronicle);
  return ownLaunches(chronicle).flatMap(({ life, group }): readonly Broken[] => {
    const [pool, named] = [requested.get(reservationOf(life) ?? '')?.pool, poolNamed(life)];
    if (pool === undefined || named === undefined || pool === named) return [];
    return [
      { group, instance: life.instance, atMs: life.launchedAtMs, detail: `${life.instance} was launched from ${named}, and ${pool} was requested` },
    ];
  });
};

/** Pools of earlier tiers than the one of a pool. Below a spread by zone or type, a reason is about that zone or type alone. */
const earlierPools = (policy: Policy, pool: string): readonly string[] => {
  const way = pathTo(policy.capacity, pool);
  const bound = way.findIndex(({ selector }) => selector.kind === 'spread' && selector.by !== 'pool');
  return way
    .slice(0, bound === -1 ? way.length : bound)
    .flatMap(({ selector, child }) => (selector.kind === 'tiered' ? selector.children.slice(0, child).flatMap(usedBelow) : []));
};

const passedWithoutReason = (policy: Policy, { placed, against }: SaidRound): readonly string[] =>
  placed
    .filter(({ isBound }) => !isBound)
    .flatMap(({ pool }) =>
      earlierPools(policy, pool)
        .filter((earlier) => !against.includes(earlier))
        .map((earlier) => `${pool}, and does not say why not from ${earlier}`),
    );

/** The policy that a decision followed. */
const policyOf = ({ groups }: Chronicle, { group, policyVersion }: SaidDecision): Policy | undefined =>
  groups.get(group)?.policies.findLast(({ version }) => version === policyVersion)?.policy;

/** Decisions that launch from a later tier, and do not say of each pool of an earlier one why it could not give. */
const unexplainedTiers = (chronicle: Chronicle, decisions: readonly SaidDecision[]): readonly Broken[] =>
  decisions.flatMap((decision) => {
    const policy = policyOf(chronicle, decision);
    const { id, group, atMs } = decision;
    const wrong = policy === undefined ? [] : decision.rounds.flatMap((round) => passedWithoutReason(policy, round));
    return [...new Set(wrong)].map((what) => ({ group, atMs, detail: `decision ${id} launches from ${what}` }));
  });

/** Every launch and every removal by Holdfast has a decision that names it. */
export const everythingExplained: Rule = {
  name: 'everything is explained',
  meaning:
    'A stored decision names every launch of Holdfast, and every member that Holdfast chose to let go. No more instances carry a reservation than were requested under it, and all of them come from the pool that was requested. A decision that launches a missing member from a later tier says of each pool of an earlier tier why it could not give.',
  broken: (chronicle) => {
    const decisions = decisionsOf(chronicle.history);
    const launched = new Set(decisions.flatMap(({ launches }) => launches.flatMap(({ instances }) => instances)));
    const ids = decisions.map(({ id }) => `${id}-`);
    const isTagged = (life: Life): boolean => life.tags.some(({ tags }) => ids.some((id) => tags['holdfast:reservation']?.startsWith(id)));
    const isChosen = ({ instance, reason }: SaidSwap): boolean =>
      // Holdfast may end an instance that EC2 announced to take and did not take, because of the warning.
      reason === 'scale-in' || reason === 'return' || (reason === 'unwanted' && chronicle.life(instance)?.warnings.length === 0);
    const chosen = swapsOf(chronicle.history).filter(isChosen);
    return [
      ...beyondRequest(chronicle),
      ...ofAnotherPool(chronicle),
      ...unexplainedTiers(chronicle, decisions),
      ...ownLaunches(chronicle)
        .filter(({ life }) => !launched.has(life.instance) && !isTagged(life))
        .map(({ life, group }) => ({
          group,
          instance: life.instance,
          atMs: life.launchedAtMs,
          detail: `${life.instance} was launched, and no decision says so`,
        })),
      ...chosen
        .filter(({ instance, decision }) => !decisions.some(({ id, removals }) => id === decision && removals.includes(instance)))
        .map(({ instance, group, reason, claimedAtMs }) => ({
          group,
          instance,
          atMs: claimedAtMs,
          detail: `${instance} left (${reason}), and no decision says so`,
        })),
    ];
  },
};

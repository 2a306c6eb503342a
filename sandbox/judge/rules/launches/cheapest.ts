import { type Moment, mayBeBelieved, priceBeliefMs } from '../../capacity/giving.ts';
import { givingWell } from '../../capacity/giving-well.ts';
import { readSince } from '../../capacity/paid.ts';
import { type Bound, byAnyPolicy, type Placed } from '../../capacity/placed.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Rule } from '../../finding.ts';
import type { Policy, PolicyPool, TreeNode } from '../../policy/policy.ts';
import { offeringsOf } from '../../policy/pools.ts';
import { poolsOf, type Selector } from '../../policy/tree.ts';
import { nameOf, type OfferingName } from '../../world/cloud.ts';
import { boundPath } from './placement.ts';

/** A move needs a saving of a tenth; prices are believed for a while. */
const saving = 1.12;

/** Every price that an offering had in the time from which prices are still believed. */
const believedPrices = (chronicle: Chronicle, offering: OfferingName, { sinceMs, atMs }: Moment): readonly number[] =>
  chronicle.cloud.pricesIn(offering, sinceMs - priceBeliefMs, atMs);

/**
 * The least that the child of a launch could be believed to cost: EC2 chooses among the types of a pool,
 * and does not say which of them had run out as long as another one gave.
 */
const believedCost = (chronicle: Chronicle, { life, policy, moment, pool: own }: Placed, child: TreeNode, within: Bound): number => {
  // The refusals in the response of the same call were not known before it.
  const { invocation: _, ...before } = moment;
  const paid = (offering: OfferingName, { priceFactor }: PolicyPool): readonly number[] =>
    believedPrices(chronicle, offering, moment).map((price) => price * priceFactor);
  const open = poolsOf(policy, child).flatMap((pool) =>
    offeringsOf(pool)
      .filter((offering) => within(offering) && mayBeBelieved(chronicle, pool, offering, before))
      .flatMap((offering) => paid(offering, pool)),
  );
  return Math.min(life.priceUsdPerHour * own.priceFactor, ...paid(life, own), ...open);
};

/** The most that is paid of the price of an offering below a node. */
const factorBelow = (policy: Policy, node: TreeNode, offering: OfferingName): number =>
  Math.max(
    ...poolsOf(policy, node)
      .filter((pool) => offeringsOf(pool).some((one) => nameOf(one) === nameOf(offering)))
      .map(({ priceFactor }) => priceFactor),
  );

export const cheapestFirst: Rule = {
  name: 'the cheapest child is used',
  meaning: 'No launch goes to a child of `cheapest` while another child would give it for a tenth less than this child could be believed to cost.',
  broken: byAnyPolicy((chronicle, placed) => {
    const { policy, moment, life } = placed;
    for (const { selector, child, within } of boundPath(placed)) {
      if (selector.kind !== 'cheapest') continue;
      const cost = believedCost(chronicle, placed, selector.children[child] ?? placed.pool.name, within);
      const isCheaper = (node: TreeNode, offering: OfferingName): boolean =>
        Math.max(...believedPrices(chronicle, offering, moment)) * factorBelow(policy, node, offering) * saving < cost;
      const cheaper = selector.children.find(
        (node, index) => index !== child && givingWell({ chronicle, policy, moment, within }, node).some((offering) => isCheaper(node, offering)),
      );
      if (cheaper !== undefined)
        return `${life.instance} was launched from a child that costs ${cost} USD per hour, and ${JSON.stringify(cheaper)} costs less`;
    }
    return undefined;
  }),
};

/** The prices that Holdfast may compare of an offering: those that it read, or the one that the policy states. None where it may not know any. */
const knownPrices = (chronicle: Chronicle, offering: OfferingName, { policy, moment }: Placed): readonly number[] => {
  const stated = policy.onDemandPrices[offering.instanceType];
  if (offering.market === 'on-demand') return stated === undefined ? [] : [stated];
  const isRead = readSince(chronicle, policy, { lookedSinceMs: moment.sinceMs, chosenAtMs: moment.atMs }) !== undefined;
  return isRead ? believedPrices(chronicle, offering, moment) : [];
};

/** Whether the request of a launch named the types of its pool in an order, for one zone. An Auto Scaling group chooses by itself. */
const hasOrder = ({ asg, ...pool }: PolicyPool): boolean => asg === undefined && new Set(offeringsOf(pool).map(({ zone }) => zone)).size === 1;

/** What the selectors above the pool of a launch leave of it, where one of them is `cheapest`. */
const belowCheapest = (placed: Placed): Bound | undefined => {
  const path = boundPath(placed);
  return path.some(({ selector }) => selector.kind === 'cheapest') ? path.at(-1)?.below : undefined;
};

export const cheapestTypeFirst: Rule = {
  name: 'below cheapest, the cheapest type of a pool is launched',
  meaning:
    'Below `cheapest`, nothing is launched from a pool of one zone while another type of this pool would give it for a tenth less, by the prices that Holdfast has read or that the policy states. A spread by instance type chooses the type itself. Moves do not count, and neither do pools that are Auto Scaling groups: these choose among their types by themselves.',
  broken: byAnyPolicy((chronicle, placed) => {
    const { policy, moment, life, pool, replaces } = placed;
    const within = belowCheapest(placed);
    if (within === undefined || replaces.length > 0 || !hasOrder(pool)) return undefined;
    const cost = Math.min(life.priceUsdPerHour, ...knownPrices(chronicle, life, placed));
    const cheaper = givingWell({ chronicle, policy, moment, within }, pool.name).find((offering) => {
      const prices = knownPrices(chronicle, offering, placed);
      return prices.length > 0 && Math.max(...prices) * saving < cost;
    });
    return cheaper && `${nameOf(life)} was launched, and ${nameOf(cheaper)} of ${pool.name} costs less`;
  }),
};

/** Whether a selector says which type is launched, so that the order of the types of a pool does not. */
const choosesType = (selector: Selector): boolean => selector.kind === 'cheapest' || (selector.kind === 'spread' && selector.by === 'instance-type');

export const preferredTypeFirst: Rule = {
  name: 'the preferred type of a pool is launched',
  meaning:
    'Where no selector above it is `cheapest` or spreads by instance type, nothing is launched from a pool of one zone while an earlier type of its `instanceTypes` would give it. Moves do not count, and neither do pools that are Auto Scaling groups: these choose among their types by themselves.',
  broken: byAnyPolicy((chronicle, placed) => {
    const { policy, moment, life, pool, replaces } = placed;
    if (boundPath(placed).some(({ selector }) => choosesType(selector)) || replaces.length > 0 || !hasOrder(pool)) return undefined;
    const types = offeringsOf(pool).map(({ instanceType }) => instanceType);
    const own = types.indexOf(life.instanceType);
    const preferred = givingWell({ chronicle, policy, moment }, pool.name).find(({ instanceType }) => types.indexOf(instanceType) < own);
    return preferred && `${nameOf(life)} was launched, and ${pool.name} prefers ${nameOf(preferred)}`;
  }),
};

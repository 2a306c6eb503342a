import { isKnownToLeave, type Moment, perhapsHeld, priceBeliefMs, surelyHeld } from '../../capacity/giving.ts';
import { givesAtAll, givingWell } from '../../capacity/giving-well.ts';
import { placedBeside } from '../../capacity/owed-beside.ts';
import { type Bound, byAnyPolicy, type Placed } from '../../capacity/placed.ts';
import { movesIn } from '../../capacity/returning.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { missingBeside } from '../../members/missing-requests.ts';
import { ownLaunches } from '../../members/staying.ts';
import { limitFor, type Policy, type PolicyPool } from '../../policy/policy.ts';
import { offeringsOf, poolOf } from '../../policy/pools.ts';
import { pathTo, poolsOf, type Selector, usedPools } from '../../policy/tree.ts';
import { nameOf } from '../../world/cloud.ts';
import { isFunction, type Life, tagsAt } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

export const placedInPools: Rule = {
  name: 'launches come from the pools of the policy',
  meaning:
    'Every launch of Holdfast comes from a pool that the capacity of the policy in force names, not below a child of weight 0: from its subnets, its instance types and its market.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap(({ life, group, sinceMs }): readonly Broken[] => {
      const policies = chronicle.policiesIn(group, sinceMs, life.launchedAtMs);
      const fits = policies.some((policy) => {
        const pool = policy.pools[poolOf(life, policy, life.launchedAtMs) ?? ''];
        const isNamed = pool !== undefined && usedPools(policy).includes(pool);
        const isSold = isNamed && (pool.market === 'mixed' || offeringsOf(pool).some((offering) => nameOf(offering) === nameOf(life)));
        return isSold && pool.subnets.includes(life.subnet);
      });
      if (policies.length === 0 || fits) return [];
      const said = tagsAt(life, life.launchedAtMs)['holdfast:pool'] ?? life.stays[0]?.asg ?? 'none';
      return [
        { group, instance: life.instance, atMs: life.launchedAtMs, detail: `${nameOf(life)} in ${life.subnet} does not belong to pool ${said}` },
      ];
    }),
};

/** Whether its request was one of CreateFleet on spot. An Auto Scaling group launches by its own limit. */
const isBoundByRequest = ({ market, launchedAtMs, stays }: Life): boolean => market === 'spot' && stays[0]?.fromMs !== launchedAtMs;

export const withinPrice: Rule = {
  name: 'price limits hold',
  meaning:
    'Every launch had a price within the limit of its pool at some time of the last ten minutes. A launch of CreateFleet on spot has such a price itself, because its request carries the limit.',
  broken: byAnyPolicy((chronicle, { life, moment, pool }) => {
    const known = chronicle.cloud.pricesIn(life, moment.sinceMs - priceBeliefMs, moment.atMs);
    const cheapest = Math.min(life.priceUsdPerHour, ...(isBoundByRequest(life) ? [] : known));
    const limit = limitFor(pool, life.instanceType);
    // EC2 takes prices with six decimals.
    return cheapest <= limit + 1e-6 ? undefined : `${nameOf(life)} costs ${cheapest} USD per hour, and ${pool.name} allows ${limit}`;
  }),
};

export const withinCap: Rule = {
  name: 'caps hold',
  meaning: 'At every launch of Holdfast, its pool holds no more members than its cap. Members on their way count.',
  broken: byAnyPolicy((chronicle, { life, moment, policy, pool }) => {
    const held = surelyHeld(chronicle, moment, life.order).filter((one) => poolOf(one, policy, moment.atMs) === pool.name).length;
    return held <= pool.cap ? undefined : `${pool.name} holds ${held} with ${life.instance}, and its cap is ${pool.cap}`;
  }),
};

/** What a selector on the way to the pool of a launch leaves to choose from below it, of what those above it leave. */
const boundBelow = ({ kind, by }: Selector, above: Bound, life: Life): Bound => {
  if (kind !== 'spread' || by === 'pool') return above;
  const key = by === 'zone' ? 'zone' : 'instanceType';
  return (offering) => above(offering) && offering[key] === life[key];
};

/** Every selector on the way to the pool of a launch, with what those above it leave to choose from, and what is left below it. */
export const boundPath = ({ policy, pool, life, from }: Placed) => {
  let below = from;
  return pathTo(policy.capacity, pool.name).map(({ selector, child }) => {
    const within = below;
    below = boundBelow(selector, within, life);
    return { selector, child, within, below };
  });
};

export const earlierTierFirst: Rule = {
  name: 'an earlier tier is used while it gives',
  meaning:
    'Nothing is launched from a later tier while an earlier one would give it. A tier gives while capacity is free, the price fits, and its offerings do not rest after a refusal or after launches that EC2 took back at once. EC2’s refusals to other groups count for a group that launched within half a minute after them. A later tier may not be used because EC2 takes instances of an earlier one, or may take them. A move that is owed on demand passes over an offering to which an Auto Scaling group undid such moves, for as long as the policy says.',
  broken: byAnyPolicy((chronicle, placed) => {
    const { policy, moment } = placed;
    for (const { selector, child, within } of boundPath(placed)) {
      if (selector.kind !== 'tiered') continue;
      const earlier = selector.children.slice(0, child).find((node) => givesAtAll({ chronicle, policy, moment, within }, node));
      if (earlier !== undefined)
        return `${placed.life.instance} was launched from ${placed.pool.name}, and ${JSON.stringify(earlier)} is earlier and had capacity`;
    }
    return undefined;
  }),
};

/** A part of a selector that is counted for itself: a child, or a zone or type of all children. */
type Part = {
  readonly name: string;
  readonly weight: number;
  readonly isOf: (life: Life) => boolean;
  readonly pools: readonly PolicyPool[];
  readonly gives: () => boolean;
};

const partsOf = (chronicle: Chronicle, placed: Placed, selector: Selector): readonly Part[] => {
  const { policy, moment, from } = placed;
  const inPools = (pools: readonly PolicyPool[]) => {
    const names = new Set(pools.map(({ name }) => name));
    return (life: Life): boolean => names.has(poolOf(life, policy, moment.atMs) ?? '');
  };
  if (selector.kind !== 'spread' || selector.by === 'pool') {
    return selector.children.map((child, index) => ({
      name: JSON.stringify(child),
      weight: selector.weights[index] ?? 1,
      isOf: inPools(poolsOf(policy, child)),
      pools: poolsOf(policy, child),
      gives: () => givingWell({ chronicle, policy, moment, within: from }, child).length > 0,
    }));
  }
  const key = selector.by === 'zone' ? 'zone' : 'instanceType';
  const pools = selector.children.flatMap((child) => poolsOf(policy, child));
  const isBelow = inPools(pools);
  return [...new Set(pools.flatMap((pool) => offeringsOf(pool).map((offering) => offering[key])))].map((value) => ({
    name: value,
    weight: 1,
    isOf: (life) => isBelow(life) && life[key] === value,
    pools: pools.filter((pool) => offeringsOf(pool).some((offering) => offering[key] === value)),
    gives: () =>
      selector.children.some(
        (child) => givingWell({ chronicle, policy, moment, within: (offering) => from(offering) && offering[key] === value }, child).length > 0,
      ),
  }));
};

/** A smaller difference is one of rounding. */
const tiny = 1e-9;

/** Whether the function that placed launched it, and perhaps for a member of the same part that moves: only one of these two surely counts. */
const isMovedWithin = (chronicle: Chronicle, { placedBy }: Moment, { isOf }: Part, life: Life): boolean =>
  isFunction(life.by) && life.by.invocation === placedBy && movesIn(chronicle).get(life)?.worse.some(isOf) === true;

/**
 * What was surely chosen for the same need as a launch, in the same round: no move, no spare, and nothing that had more to choose from. The last one of a
 * part was chosen beside all others of this part, and who was chosen for other parts later only brings it nearer to its share.
 */
const chosenBeside = (chronicle: Chronicle, { life, policy, from }: Placed): readonly Life[] =>
  policy.spare > 0 ? [] : placedBeside(chronicle, life).filter((other) => from(other) && !movesIn(chronicle).has(other));

/** How many more of its share one part has than another: the least that is certain. */
const ahead = (chronicle: Chronicle, placed: Placed, parts: readonly Part[], one: Part, other: Part): number => {
  const { life, moment } = placed;
  const beside = chosenBeside(chronicle, placed).filter((held) => one.isOf(held) || other.isOf(held));
  const surely = [...new Set([...surelyHeld(chronicle, moment, life.order), ...beside])];
  const perhaps = perhapsHeld(chronicle, moment).filter((held) => !isKnownToLeave(held, moment));
  const missing = missingBeside(chronicle, life, moment.group, other.pools);
  const own = surely.filter((held) => one.isOf(held) && !isMovedWithin(chronicle, moment, one, held));
  const difference = own.length - perhaps.filter(other.isOf).length - missing;
  const [least = 0, most = 0] = [surely, perhaps].map((list) => list.filter((held) => parts.some((part) => part.isOf(held))).length);
  // What counts for one part counts for the total that shares are of.
  const totals = [least, most, most + missing];
  const weights = [parts.reduce((sum, { weight }) => sum + weight, 0), one.weight + other.weight];
  const due = totals.flatMap((total) => weights.map((sum) => ((one.weight - other.weight) * total) / sum));
  return difference - Math.max(...due);
};

/** Why a launch should have gone to another part of a selector. */
const unfair = (chronicle: Chronicle, placed: Placed, selector: Selector): string | undefined => {
  const parts = partsOf(chronicle, placed, selector);
  const one = parts.find((part) => part.isOf(placed.life));
  // Within a child, a move leaves the shares of the children as they are.
  if (one === undefined || placed.replaces.some(one.isOf)) return undefined;
  const isEven = selector.kind === 'spread';
  // Of two children, the one further below its share is chosen. Among more, one that is due sooner may go first.
  const most = isEven || parts.filter(({ weight }) => weight > 0).length === 2 ? 1 : 2;
  const other = parts.find((part) => {
    if (part === one || part.weight === 0) return false;
    const by = isEven
      ? ahead(
          chronicle,
          placed,
          [
            { ...one, weight: 1 },
            { ...part, weight: 1 },
          ],
          { ...one, weight: 1 },
          { ...part, weight: 1 },
        )
      : ahead(chronicle, placed, parts, one, part);
    return by > most + tiny && part.gives();
  });
  return other === undefined
    ? undefined
    : `${placed.life.instance} was launched from ${one.name}, and ${other.name} was further below its share and had capacity`;
};

/** LaunchInstances takes no instance type: an Auto Scaling group of several picks among them by itself. */
const isLeftToAsgs = (policy: Policy, selector: Selector): boolean =>
  selector.by === 'instance-type' &&
  selector.children.flatMap((child) => poolsOf(policy, child)).some(({ asg, instanceTypes }) => asg !== undefined && instanceTypes.length > 1);

export const sharedOut: Rule = {
  name: 'spreads and weights hold at every launch',
  meaning:
    'No launch goes to a child of a spread or of weights while another child would give it and is further below its share. Launches count that its function had stored to request beside it, or an earlier one for the group, even if a fault hit that function before it requested them. So do launches that its function requested beside it and that AWS refused or throttled later.',
  broken: byAnyPolicy((chronicle, placed) => {
    for (const { selector } of pathTo(placed.policy.capacity, placed.pool.name)) {
      if (selector.kind === 'tiered' || selector.kind === 'cheapest') continue;
      if (isLeftToAsgs(placed.policy, selector)) return undefined;
      const detail = unfair(chronicle, placed, selector);
      if (detail !== undefined) return detail;
      // A spread by zone or type chooses that first; what is below decides within it.
      if (selector.by !== 'pool') return undefined;
    }
    return undefined;
  }),
};

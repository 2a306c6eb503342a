import { givingOf } from '../../capacity/giving.ts';
import { givingWell } from '../../capacity/giving-well.ts';
import { isOnDemand, owedBy } from '../../capacity/limits.ts';
import { dueMoments, isFree, isWhole, movingPolicy } from '../../capacity/quiet.ts';
import { mayMove } from '../../capacity/returning.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { headcountAt } from '../../members/staying.ts';
import { leanAmong, partOf } from '../../policy/evenness.ts';
import type { Policy, TreeNode } from '../../policy/policy.ts';
import { poolOf } from '../../policy/pools.ts';
import { poolsBelow, poolsOf, type Selector, selectorOf } from '../../policy/tree.ts';
import { times } from '../../times.ts';
import { nameOf, type OfferingName } from '../../world/cloud.ts';
import { isProtected, type Life, lastRefusalMs, stayAt } from '../../world/life.ts';
import { isHeldBack } from '../../world/owners.ts';

type Broken = Omit<Finding, 'rule'>;

/** A refusal puts off a return for at most this long, or for `after` if that is longer (docs/policy.md, return). */
export const longestWaitMs = 600_000;

type Place = { readonly chronicle: Chronicle; readonly policy: Policy; readonly life: Life; readonly atMs: number };

const spotGiving = ({ chronicle, policy, atMs }: Place, node: TreeNode, within: (offering: OfferingName) => boolean): OfferingName | undefined => {
  const quiet = policy.returning === undefined ? {} : { quietForMs: policy.returning.afterMs };
  const moment = { group: policy.group, sinceMs: atMs, atMs, ...quiet };
  return poolsOf(policy, node)
    .flatMap((pool) => givingOf(chronicle, policy, pool, moment))
    .find((offering) => offering.market === 'spot' && within(offering));
};

/** Spot of an earlier tier than a member's own that gives another one. */
const betterSpot = (place: Place): OfferingName | undefined => {
  const { policy, life, atMs } = place;
  const pool = poolOf(life, policy, atMs) ?? '';
  let node: TreeNode = policy.capacity;
  let isBelow = (_: OfferingName): boolean => true;
  for (let selector = selectorOf(node); selector !== undefined; selector = selectorOf(node)) {
    const { kind, by, children, weights } = selector;
    const own = children.findIndex((child, index) => poolsBelow(child).includes(pool) && weights[index] !== 0);
    const next: TreeNode | undefined = children[own];
    if (next === undefined || kind === 'cheapest') return undefined;
    const earlier = kind === 'tiered' ? children.slice(0, own) : [];
    const [found] = earlier.flatMap((child) => spotGiving(place, child, isBelow) ?? []);
    if (found !== undefined) return found;
    const above = isBelow;
    if (kind === 'spread' && by === 'zone') isBelow = (offering) => above(offering) && offering.zone === life.zone;
    if (kind === 'spread' && by === 'instance-type') isBelow = (offering) => above(offering) && offering.instanceType === life.instanceType;
    node = next;
  }
  return undefined;
};

/** Members that may leave: they are not protected, no minimum keeps them, and the group does not owe them on demand. */
const movable = (chronicle: Chronicle, policy: Policy, atMs: number): readonly Life[] => {
  const { staying } = headcountAt(chronicle, policy.group, atMs);
  const desired = Math.max(0, ...chronicle.desiredIn(policy.group, atMs, atMs));
  const isOwed = staying.filter(isOnDemand).length <= owedBy(policy, desired);
  return staying.filter((life) => {
    if ((isOwed && isOnDemand(life)) || !mayMove(policy, life)) return false;
    const asg = stayAt(life, atMs)?.asg;
    const change = asg === undefined ? undefined : chronicle.cloud.asgAt(asg, atMs);
    const isKept = change !== undefined && (isHeldBack(change) || (policy.asg !== asg && change.desired <= change.min));
    return !isKept && !isProtected(life, atMs) && atMs - lastRefusalMs(life, atMs) >= times.keptForMs;
  });
};

type Still = Pick<Place, 'chronicle' | 'policy' | 'atMs'>;

/** What is still to be moved whenever a group was quiet for long enough. */
const stillToMove =
  (
    refusedMs: number,
    find: (still: Still, members: readonly Life[]) => { readonly life: Life; readonly detail: string } | undefined,
  ): Rule['broken'] =>
  (chronicle) =>
    [...chronicle.groups.keys()].flatMap((group): readonly Broken[] => {
      const last = chronicle.policyAt(group, chronicle.history.endedAtMs)?.returning;
      const moments = last === undefined ? [] : dueMoments(chronicle, group, last, refusedMs);
      return moments.flatMap((atMs): readonly Broken[] => {
        const policy = movingPolicy(chronicle, group, atMs);
        if (policy === undefined || !isWhole(chronicle, policy, atMs) || !isFree(chronicle, policy, atMs)) return [];
        const found = find({ chronicle, policy, atMs }, movable(chronicle, policy, atMs));
        return found === undefined ? [] : [{ group, instance: found.life.instance, atMs, detail: found.detail }];
      });
    });

export const onDemandIsGone: Rule = {
  name: 'on-demand is gone in time after spot is back',
  meaning:
    'When no signal against spot was received and nothing was under way, for as long as `return` asks and one look more, and a window of `return` is open, no member stays on demand while an earlier tier gives spot. Members that the group owes on demand stay. One look more is allowed after the hour in which three losses had stopped all moves, too. After the state was lost or restored, the time of the budget counts too.',
  broken: stillToMove(longestWaitMs, (still, members) => {
    for (const life of members.filter(isOnDemand)) {
      const offering = betterSpot({ ...still, life });
      if (offering !== undefined)
        return { life, detail: `${life.instance} is on demand, and ${nameOf(offering)} has capacity for one in an earlier tier` };
    }
    return undefined;
  }),
};

/** A refusal is believed for its whole rest before members even out (docs/policy.md, return). */
const longestRestMs = times.longestRestMs;
const dayMs = 24 * 3_600_000;

/** Every spread on the way to a member's pool, and all weights that no spread by zone or type stands above. */
const evenedAbove = (node: TreeNode, pool: string): readonly Selector[] => {
  const selector = selectorOf(node);
  if (selector === undefined) return [];
  const child = selector.children.find((one) => poolsBelow(one).includes(pool));
  const below = child === undefined ? [] : evenedAbove(child, pool);
  if (selector.kind === 'weighted') return [selector, ...below];
  if (selector.kind !== 'spread') return below;
  return [selector, ...(selector.by === 'pool' ? below : below.filter(({ kind }) => kind === 'spread'))];
};

/** What EC2 takes at one time, its functions receive within this time. */
const sameOccasionMs = 120_000;

/** Whether EC2 took members of the group on at most one occasion within the last day: after two, members wait for longer. */
const isCalm = ({ chronicle, policy, atMs }: Place): boolean => {
  const lost = chronicle
    .livesIn(policy.group)
    .filter(({ warnings }) => warnings.some((warning) => warning.atMs <= atMs && warning.atMs > atMs - dayMs));
  const heardAtMs = lost.flatMap(({ warnings, deliveries }) =>
    [...warnings, ...deliveries.filter(({ told }) => told.about === 'warning')].map((one) => one.atMs),
  );
  return lost.length < 2 || Math.max(...heardAtMs) - Math.min(...heardAtMs) <= sameOccasionMs;
};

/** The members in the parts of a selector, and the offerings of its children that give one more if the group was calm. */
const partsWith = (place: Place, selector: Selector) => {
  const { chronicle, policy, atMs } = place;
  const quiet = policy.returning === undefined ? {} : { quietForMs: policy.returning.afterMs };
  const moment = { group: policy.group, sinceMs: atMs, atMs, ...quiet };
  const { staying } = headcountAt(chronicle, policy.group, atMs);
  const parts = Map.groupBy(staying, (one) => partOf(selector, one, policy, atMs));
  const held = new Map([...parts].flatMap(([part, list]) => (part === undefined ? [] : [[part, list.length] as const])));
  const calm = isCalm(place) ? selector.children.map((child) => givingWell({ chronicle, policy, moment }, child)) : [];
  return { held, calm };
};

/** An offering of the member's market in a part of a spread that gives one more, and holds two members fewer than the member's own. */
const leanerPart = (place: Place, spread: Selector): OfferingName | undefined => {
  const { policy, life, atMs } = place;
  const { held, calm } = partsWith(place, spread);
  const own = held.get(partOf(spread, life, policy, atMs) ?? '') ?? 0;
  return calm.flatMap((offerings, index) => {
    const partOfOffering = ({ zone, instanceType }: OfferingName): string =>
      spread.by === 'pool' ? String(index) : spread.by === 'zone' ? zone : instanceType;
    return offerings.filter((offering) => offering.market === life.market && own - (held.get(partOfOffering(offering)) ?? 0) >= 2);
  })[0];
};

/** An offering of a child of weights that gives one more and is below its share, while the member's own child is a whole member above. */
const belowShare = (place: Place, weights: Selector): OfferingName | undefined => {
  const { policy, life, atMs } = place;
  const own = partOf(weights, life, policy, atMs);
  const { held, calm } = partsWith(place, weights);
  // For evenness nobody moves from spot to on-demand.
  const open = calm.map((offerings, index) =>
    weights.weights[index] === 0 ? [] : offerings.filter(({ market }) => market === 'spot' || !isSpot(life)),
  );
  const giving = open.flatMap((offerings, index) => (offerings.length > 0 ? [String(index)] : []));
  const lean = own === undefined ? undefined : leanAmong(weights, held, own, giving);
  return open[Number(lean)]?.[0];
};

const isSpot = ({ market }: Life): boolean => market === 'spot';

/** Tiers before a member's own that have any offering: while one of them rests, the member waits for it. */
const isInFirstTier = ({ policy, life, atMs }: Place): boolean => {
  const pool = poolOf(life, policy, atMs) ?? '';
  const isFirst = (node: TreeNode): boolean => {
    const selector = selectorOf(node);
    if (selector === undefined) return true;
    const own = selector.children.findIndex((child) => poolsBelow(child).includes(pool));
    const next = selector.children[own];
    return next !== undefined && (selector.kind !== 'tiered' || own === 0) && selector.kind !== 'cheapest' && isFirst(next);
  };
  return isFirst(policy.capacity);
};

/** The place to which a member should move, and the reason. */
const evenerPlace = (place: Place, selector: Selector): { readonly offering: OfferingName; readonly why: string } | undefined => {
  const offering = selector.kind === 'spread' ? leanerPart(place, selector) : belowShare(place, selector);
  return (
    offering && {
      offering,
      why:
        selector.kind === 'spread'
          ? 'is in a part with two members more than the part of'
          : 'is in a child that is a whole member above its share, and not in',
    }
  );
};

export const spreadsEvenOut: Rule = {
  name: 'spreads even out in time',
  meaning:
    'This rule holds when no signal was received and nothing was under way for as long as `return` asks and one look more, in an open window of `return`, where EC2 took members of the group on at most one occasion within a day. In the first tier, no part of a spread gives one more and holds two members fewer than another part. No child of weights there gives one more and is below its share while another child is a whole member or more above its own.',
  broken: stillToMove(longestRestMs, (still, members) => {
    // Where others set the size, the Auto Scaling group balances its zones itself.
    for (const life of still.policy.isSizedOutside ? [] : members) {
      const place = { ...still, life };
      const pool = poolOf(life, still.policy, still.atMs) ?? '';
      const [found] = isInFirstTier(place) ? evenedAbove(still.policy.capacity, pool).flatMap((selector) => evenerPlace(place, selector) ?? []) : [];
      if (found !== undefined) return { life, detail: `${life.instance} ${found.why} ${nameOf(found.offering)}, which has capacity for one` };
    }
    return undefined;
  }),
};

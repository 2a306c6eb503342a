import type { Chronicle } from '../chronicle.ts';
import { couldBeKnown, headcountAt, ownLaunches, reservationOf, surgeOf } from '../members/staying.ts';
import { type Counted, evensOut, everybody, partOf, type Scope, within } from '../policy/evenness.ts';
import type { MoveLimit, Policy, TreeNode } from '../policy/policy.ts';
import { poolOf, priceFactorOf } from '../policy/pools.ts';
import { poolsBelow, type Selector, selectorOf } from '../policy/tree.ts';
import { remembered } from '../remembered.ts';
import { decisionsOf } from '../said/stored.ts';
import { refillAt } from '../told/refill.ts';
import { isDeniedStill } from '../world/denied.ts';
import { isFunction, isProtected, type Life } from '../world/life.ts';
import { priceBeliefMs } from './giving.ts';
import { isOnDemand, mayBeOwed } from './limits.ts';
import { sparesWith } from './spares.ts';

/** The members that stay with a launch, and the size that they count for. */
type Beside = { readonly members: readonly Life[]; readonly desired: number };

type Pair = Beside & {
  readonly chronicle: Chronicle;
  readonly policy: Policy;
  readonly one: Life;
  readonly than: Life;
  readonly atMs: number;
  /** Below a spread by zone or type: who is in the part that both are in. */
  readonly scope: Scope;
  readonly counted: Counted;
  readonly namedBy: (launch: Life) => readonly string[];
};

/** A move needs a saving of a twentieth (docs/policy.md, return); prices are believed for a while. */
const worthwhile = 0.95;

/** What is paid for an instance, by every price that may be believed. */
const pricesOf = ({ chronicle, policy, atMs }: Pair, life: Life): readonly number[] => {
  const factor = priceFactorOf(life, policy, atMs);
  return [life.priceUsdPerHour, ...chronicle.cloud.pricesIn(life, atMs - priceBeliefMs, atMs)].map((price) => price * factor);
};

const isKnown = ({ onDemandPrices }: Policy, { market, instanceType }: Life): boolean =>
  market === 'spot' || onDemandPrices[instanceType] !== undefined;

/** Below a `cheapest` node. Where the policy does not state prices on demand, spot alone is better. */
const isCheaper = (pair: Pair): boolean => {
  const { one, than, policy } = pair;
  if (!isKnown(policy, one) || !isKnown(policy, than)) return one.market === 'spot' && than.market !== 'spot';
  return Math.min(...pricesOf(pair, one)) <= Math.max(...pricesOf(pair, than)) * worthwhile + 1e-9;
};

const childrenWith = ({ children }: Selector, pool: string): readonly number[] =>
  children.flatMap((child, index) => (poolsBelow(child).includes(pool) ? [index] : []));

/** The selector at which the ways of both part, each to a part of its own. Undefined where both are in one place. */
const partingOf = (node: TreeNode, pair: Pair, pools: readonly [string, string]): Selector | undefined => {
  const selector = selectorOf(node);
  if (selector === undefined) return undefined;
  const [ways, others] = [childrenWith(selector, pools[0]), childrenWith(selector, pools[1])];
  const common = ways.find((index) => others.includes(index));
  const child = common === undefined ? undefined : selector.children[common];
  if (child === undefined) return selector;
  const [part, other] = [pair.one, pair.than].map((life) => partOf(selector, life, pair.policy, pair.atMs));
  return selector.kind === 'spread' && part !== other ? selector : partingOf(child, pair, pools);
};

/** Whether a price decides between both: not where they lie in one child of a `cheapest` node, and a selector of another kind below parts them. */
const isForPrice = (node: TreeNode, pair: Pair, pools: readonly [string, string]): boolean =>
  (partingOf(node, pair, pools)?.kind ?? 'cheapest') === 'cheapest';

/** What is looked at below a selector: a spread by zone or type leaves only the part that both are in. */
const inPart = (selector: Selector, pair: Pair): Pair | undefined => {
  const { policy, one, than, atMs } = pair;
  const scope = within(pair.scope, selector, one, policy, atMs);
  return scope.has(than) ? { ...pair, scope } : undefined;
};

const isBetterBelow = (node: TreeNode, pair: Pair, pools: readonly [string, string]): boolean => {
  const selector = selectorOf(node);
  if (selector === undefined) return false;
  const [one, than] = [childrenWith(selector, pools[0]), childrenWith(selector, pools[1])];
  if (one.length === 0 || than.length === 0) return false;
  if (selector.kind === 'tiered' && Math.min(...one) !== Math.min(...than)) return Math.min(...one) < Math.min(...than);
  if (selector.kind === 'cheapest' && isForPrice(node, pair, pools) && isCheaper(pair)) return true;
  if (!pair.policy.isSizedOutside && evensOut(selector, { ...pair, life: pair.one }, pair.than)) return true;
  const common = selector.kind === 'tiered' ? Math.min(...one) : one.find((index) => than.includes(index));
  const child = common === undefined ? undefined : selector.children[common];
  const inner = inPart(selector, pair);
  return child !== undefined && inner !== undefined && isBetterBelow(child, inner, pools);
};

/** Whether a member may move at all. Where others set the size, only members that Holdfast launched on demand may. */
export const mayMove = ({ isSizedOutside }: Policy, life: Life): boolean => !isSizedOutside || (isOnDemand(life) && isFunction(life.by));

/**
 * Whether the place of one instance is better than that of another by the policy's tree: an earlier tier, a lower price below `cheapest`, a part of a
 * spread that holds two fewer, or a child of weights that is below its share.
 */
const isBetter = (pair: Omit<Pair, 'scope'>): boolean => {
  const { policy, one, than, atMs } = pair;
  const [pool, other] = [poolOf(one, policy, atMs), poolOf(than, policy, atMs)];
  return pool !== undefined && other !== undefined && isBetterBelow(policy.capacity, { ...pair, scope: everybody }, [pool, other]);
};

/** How many members may move at once, by a limit and the surge of a policy. */
export const mostMoves = (limit: MoveLimit, desired: number): number =>
  limit.isShare ? Math.max(1, Math.floor((desired * limit.by) / 100)) : limit.by;

type Moment = { readonly group: string; readonly atMs: number; readonly sinceMs: number; readonly order: number };

/** When the function had begun to look that chose each launch. */
const lookedFor = remembered(
  (chronicle: Chronicle): ReadonlyMap<Life, number> => new Map(ownLaunches(chronicle).map(({ life, sinceMs }) => [life, sinceMs])),
);

/** Whether the look that chose a launch showed that a member is protected. It need not show what its user did a moment before, or since. */
const wasShownProtected = (chronicle: Chronicle, than: Life, one: Life): boolean =>
  isProtected(than, one.launchedAtMs) && isProtected(than, (lookedFor(chronicle).get(one) ?? one.launchedAtMs) - chronicle.times.asgLagMs);

/** Members that each stored decision says its launches move. */
const declaredIn = remembered(
  (chronicle: Chronicle): ReadonlyMap<string, readonly string[]> =>
    new Map(decisionsOf(chronicle.history).flatMap(({ id, moves }) => (moves === undefined ? [] : [[id, moves] as const]))),
);

/** Members that the stored decision of a launch says its launches move. Without a stored decision, this is unknown. */
const saidToMove = (chronicle: Chronicle, life: Life): readonly string[] | undefined => {
  const decision = reservationOf(life)?.replace(/-r\d+-\d+$/, '');
  return decision === undefined ? undefined : declaredIn(chronicle).get(decision);
};

/** Whether a stored decision shows that none of its launches moves a member. Without a stored decision, this is unknown. */
export const isSaidToMoveNobody = (chronicle: Chronicle, life: Life): boolean => saidToMove(chronicle, life)?.length === 0;

/** Members that a launch may replace, because it is in a better place. */
const worseThan = (chronicle: Chronicle, policy: Policy, one: Life, beside: Beside, among = beside.members): readonly Life[] => {
  const counted: Counted = new Map();
  const namedBy = (launch: Life): readonly string[] => saidToMove(chronicle, launch) ?? [];
  return among.filter(
    (than) =>
      than !== one &&
      mayMove(policy, than) &&
      !wasShownProtected(chronicle, than, one) &&
      isBetter({ chronicle, policy, one, than, atMs: one.launchedAtMs, counted, namedBy, ...beside }),
  );
};

/** Members on spot that a launch on demand may replace, because so many are owed on demand. */
export const leavingForOnDemand = ({ launchedAtMs }: Life, members: readonly Life[]): readonly Life[] =>
  members.filter((one) => !isOnDemand(one) && !isProtected(one, launchedAtMs));

/** How many launches can each replace a member of their own, of those that each may replace. */
const mostPairs = (replaceable: readonly (readonly Life[])[]): number => {
  const launchFor = new Map<Life, number>();
  const finds = (launch: number, tried: Set<Life>): boolean =>
    (replaceable[launch] ?? []).some((member) => {
      if (tried.has(member)) return false;
      tried.add(member);
      const other = launchFor.get(member);
      if (other !== undefined && !finds(other, tried)) return false;
      launchFor.set(member, launch);
      return true;
    });
  return replaceable.filter((_, launch) => finds(launch, new Set())).length;
};

/**
 * Launches for moves whose members have yet to leave. These are the latest launches, as many as there are members above the size and its spares. Earlier
 * launches have replaced a member, and may move again.
 */
const movesUnderWay = (chronicle: Chronicle, policy: Policy, life: Life, { members, desired }: Beside): readonly Life[] => {
  const others = members.filter((one) => one.order < life.order);
  const spares = Math.min(policy.spare, others.filter((one) => !isOnDemand(one)).length);
  const moves = others.filter((one) => sureMovesIn(chronicle).has(one)).toSorted((one, other) => other.order - one.order);
  return moves.slice(0, Math.max(0, others.length - desired - spares));
};

/** How many members move with a launch and with those before it whose members have yet to leave: each launch moves another one. */
const movesWith = (chronicle: Chronicle, policy: Policy, life: Life, beside: Beside): number => {
  const { members } = beside;
  const before = movesUnderWay(chronicle, policy, life, beside);
  const staying = members.filter((one) => !before.includes(one));
  const replaceable = [life, ...before].map((one) => worseThan(chronicle, policy, one, beside, staying));
  return replaceable[0]?.length === 0 ? 0 : mostPairs(replaceable);
};

/** How many members beyond the size a launch may make, because it moves one of them to a better place, or on demand where so many are owed. */
export const returnsAllowed = (chronicle: Chronicle, life: Life, moment: Moment, members: readonly Life[]): number => {
  if (isSaidToMoveNobody(chronicle, life)) return 0;
  const desired = Math.max(0, ...chronicle.desiredIn(moment.group, moment.sinceMs, moment.atMs));
  return Math.max(
    0,
    ...chronicle.policiesIn(moment.group, moment.sinceMs, moment.atMs).map((policy) => {
      if (mayBeOwed(chronicle, policy, { life, group: moment.group, sinceMs: moment.sinceMs }))
        return Math.min(policy.maxSurge, leavingForOnDemand(life, members).length);
      if (policy.returning === undefined) return 0;
      return Math.min(policy.maxSurge, mostMoves(policy.returning.atMost, desired), movesWith(chronicle, policy, life, { members, desired }));
    }),
  );
};

/** A launch for a member that moves. */
export type ReturnLaunch = {
  readonly life: Life;
  readonly group: string;
  readonly sinceMs: number;
  readonly desired: number;
  readonly policies: readonly Policy[];
  /** Members in worse places. */
  readonly worse: readonly Life[];
};

/**
 * The size beyond which a launch is for a move. A write of others that fell between a look of Holdfast and its write may have been lost. A launch may have
 * been for a move then, if it is beyond the size that the Auto Scaling group shows. One beyond a size that a late describe may still have shown was not
 * surely for a move.
 */
const sizeFor = (chronicle: Chronicle, isSure: boolean, { group, sinceMs, atMs }: Pick<Moment, 'group' | 'sinceMs' | 'atMs'>): number => {
  const sizes = isSure ? chronicle.desiredShownIn(group, sinceMs, atMs) : chronicle.desiredIn(group, sinceMs, atMs);
  const word = chronicle.wordsFor(group, atMs)?.findLast((one) => one.atMs <= atMs);
  return !isSure && word?.isBetween ? Math.min(...sizes) : Math.max(0, ...sizes);
};

type Launch = ReturnType<typeof ownLaunches>[number];

/**
 * Who stays or waits with a launch, and the size that they count for, where it is beyond that size and what the surge of swaps allows. `isSure`: no
 * spare explains it.
 */
const beyondSize = (chronicle: Chronicle, isSure: boolean, { life, group, sinceMs }: Launch) => {
  const atMs = life.launchedAtMs;
  const policies = chronicle.policiesIn(group, sinceMs, atMs);
  const headcount = headcountAt(chronicle, group, atMs, { order: life.order, sinceMs });
  const known = [...headcount.staying, ...headcount.waiting].filter((one) => couldBeKnown(chronicle, one, { sinceMs, atMs }));
  const desired = sizeFor(chronicle, isSure, { group, sinceMs, atMs });
  const spares = isSure ? sparesWith(life, policies, known) : 0;
  const most = desired + spares + surgeOf(policies, headcount.claimed, isDeniedStill(chronicle, group, atMs));
  return known.length + refillAt(chronicle, group, { sinceMs, atMs }) <= most ? undefined : { policies, known, desired };
};

/** Whether a launch may be for a member that moves, because its group has its size without it. */
export const isBeyondSize = (chronicle: Chronicle, launch: Launch): boolean => beyondSize(chronicle, false, launch) !== undefined;

/**
 * Members that each launch beyond the size may move: those on spot where so many are owed on demand, and otherwise those in worse places. It may also
 * have been launched where the policy wants spares.
 */
export const movedBy = remembered(
  (chronicle: Chronicle): ReadonlyMap<Life, readonly Life[]> =>
    new Map(
      ownLaunches(chronicle).flatMap((launch): readonly (readonly [Life, readonly Life[]])[] => {
        const { known = [], policies = [] } = beyondSize(chronicle, false, launch) ?? {};
        const isOwed = policies.some((policy) => mayBeOwed(chronicle, policy, launch));
        return [[launch.life, isOwed ? leavingForOnDemand(launch.life, known) : (movesIn(chronicle).get(launch.life)?.worse ?? [])]];
      }),
    ),
);

/** Launches beyond what is wanted and what the surge of swaps allows, where they are better places for members. `isSure`: no spare explains them. */
const launchesBeyond = (chronicle: Chronicle, isSure: boolean): readonly ReturnLaunch[] =>
  ownLaunches(chronicle).flatMap((launch) => {
    const { life, group, sinceMs } = launch;
    const beyond = beyondSize(chronicle, isSure, launch);
    if (beyond === undefined) return [];
    const { policies, known, desired } = beyond;
    const worse = new Set(policies.flatMap((policy) => worseThan(chronicle, policy, life, { members: known, desired })));
    const isOwed = policies.some((policy) => mayBeOwed(chronicle, policy, { life, group, sinceMs }));
    return isOwed || worse.size === 0 ? [] : [{ life, group, sinceMs, desired, policies, worse: [...worse] }];
  });

/** Launches that neither the size nor spares explain. */
export const returnLaunches = remembered((chronicle: Chronicle): readonly ReturnLaunch[] => launchesBeyond(chronicle, true));

const sureMovesIn = remembered((chronicle: Chronicle): ReadonlySet<Life> => new Set(returnLaunches(chronicle).map(({ life }) => life)));

/** Whether a launch was for a member that moves: neither the size nor spares explain it. */
export const isSureMove = (chronicle: Chronicle, life: Life): boolean => sureMovesIn(chronicle).has(life);

/** Instances that were launched for members that move, or that may have been where the policy wants spares. */
export const movesIn = remembered(
  (chronicle: Chronicle): ReadonlyMap<Life, ReturnLaunch> => new Map(launchesBeyond(chronicle, false).map((launch) => [launch.life, launch])),
);

import type { BootNews } from '../../core/boots.ts';
import { stillChosen, withChosen } from '../../core/chosen.ts';
import type { SizeChange } from '../../core/decision-record.ts';
import type { Group } from '../../core/group.ts';
import {
  alarmChanges,
  catchUp,
  endsHeard,
  followAlarms,
  followPolicy,
  initialState,
  isLetGo,
} from '../../core/group-state/state.ts';
import { withFormer } from '../../core/holders.ts';
import { seeKept } from '../../core/kept.ts';
import { traitsOf } from '../../core/leave-reason.ts';
import { modeOf } from '../../core/mode.ts';
import { sizeAsSet } from '../../core/observe.ts';
import { type OfferingKey, offeringKey } from '../../core/offering.ts';
import { asOthersSet, type OutsideSize, outsideSizeOf, withOutsideSize } from '../../core/outside-size.ts';
import { offeringsOf } from '../../core/pool.ts';
import { forgetRefusals } from '../../core/pool-memory.ts';
import type { CapacityIn, Holdings } from '../../core/ports.ts';
import { childrenOf, type Selector } from '../../core/selector.ts';
import type { Swap } from '../../core/swap.ts';
import type { LeavingFact } from '../../core/swap-life/claim.ts';
import type { GroupState, Member, View } from '../../core/view.ts';
import type { Facts } from './facts.ts';
import { inherit } from './inherit.ts';
import type { ReactPorts } from './ports.ts';
import { withoutTaken } from './taken.ts';

/** Spot prices change slowly: they are read again when older than this. */
const pricesAgeMs = 300_000;

const hasCheapest = (node: Selector): boolean => node.kind === 'cheapest' || childrenOf(node).some(hasCheapest);

/** After a failed read of prices, the next one comes after this time. The earlier prices hold until then. */
const askAgainMs = 60_000;

/**
 * Reading prices costs a call, so they are read only for a policy that depends on them, and where decisions say what
 * they would have cost.
 */
const asksForPrices = (group: Group): boolean =>
  modeOf(group) === 'observe' ||
  hasCheapest(group.capacity) ||
  Object.values(group.pools).some(
    ({ market, maxPriceUsdPerHour }) => market === 'spot' && maxPriceUsdPerHour !== undefined,
  );

type Priced = { readonly group: Group; readonly state: GroupState; readonly members: readonly Member[] };

const readPrices = async ({ group, state, members }: Priced, ports: ReactPorts): Promise<GroupState> => {
  const nowMs = ports.clock.now();
  if (!asksForPrices(group) || nowMs - state.prices.atMs < pricesAgeMs) return state;
  const held = modeOf(group) === 'observe' ? members.map(({ offering }) => offering) : [];
  const spot = [...Object.values(group.pools).flatMap(offeringsOf), ...held].filter(({ market }) => market === 'spot');
  const unique = new Map(spot.map((offering) => [offeringKey(offering), offering]));
  const usdPerHour: Readonly<Record<OfferingKey, number>> | undefined = await ports.prices.spotPrices([
    ...unique.values(),
  ]);
  if (usdPerHour === undefined)
    return { ...state, prices: { ...state.prices, atMs: nowMs - pricesAgeMs + askAgainMs } };
  return { ...state, prices: { atMs: nowMs, usdPerHour } };
};

const withDetached = ({ detached: _before, ...state }: GroupState, { detached = [] }: Holdings): GroupState =>
  detached.length === 0 ? state : { ...state, detached };

const withChoices = ({ chosen: _before, ...state }: GroupState, swaps: readonly Swap[], nowMs: number): GroupState => {
  const chosen = stillChosen({ chosen: _before ?? [] }, swaps, nowMs);
  return chosen.length === 0 ? state : { ...state, chosen };
};

const sizeChange = (
  code: 'policy' | 'caught-up' | 'outside',
  before: GroupState,
  after: GroupState,
): readonly SizeChange[] =>
  before.desired === after.desired ? [] : [{ code, from: before.desired, to: after.desired }];

/** A user who writes the policy may have mended what failed. */
const afterRewrite = ({ failedBoots: _f, deaths: _d, ...state }: GroupState): GroupState => ({
  ...state,
  memory: forgetRefusals(state.memory),
});

type Sized = Pick<Gathered, 'state' | 'sizes' | 'desired'>;

type Sizing = Pick<Gathered, 'group' | 'stored' | 'holdings' | 'swaps'> & {
  readonly byPolicy: GroupState;
  readonly facts: Facts;
  readonly nowMs: number;
};

const sizedByPolicy = ({ group, stored, byPolicy: found, holdings, swaps, facts, nowMs }: Sizing): Sized => {
  const { added: _othersSetItBefore, ...byPolicy } = found;
  const caughtUp = catchUp(byPolicy, group, { members: holdings.members, swaps, comesBack: isLetGo(stored) });
  const isObserved = modeOf(group) === 'observe';
  const sized = isObserved ? sizeAsSet(caughtUp, group, holdings.asgs) : caughtUp;
  const alarmed = alarmChanges(sized, group, facts, nowMs);
  const followed = followAlarms(sized, group, facts, nowMs);
  return {
    state: isObserved ? { ...followed, desired: sized.desired } : followed,
    sizes: [...sizeChange('policy', stored, byPolicy), ...sizeChange('caught-up', byPolicy, caughtUp), ...alarmed],
    desired: followed.desired,
  };
};

const sizedByOthers = (state: GroupState, stored: GroupState): Sized => ({
  state,
  sizes: sizeChange('outside', stored, state),
  desired: state.desired,
});

/** A group's items and instances as they are now. */
export type Gathered = {
  /** The group in force, with the Auto Scaling groups that earlier policies left. */
  readonly group: Group;
  readonly stored: GroupState;
  readonly state: GroupState;
  readonly sizes: readonly SizeChange[];
  /** The desired size with what alarms change now. Of an observed group, the state does not keep that. */
  readonly desired: number;
  readonly swaps: readonly Swap[];
  readonly holdings: Holdings;
  /** When the look at the holdings began. */
  readonly lookedAtMs: number;
  /** The size that others set, where they do. */
  readonly outside?: OutsideSize;
  /** Warnings that an earlier holder of its Auto Scaling groups received. */
  readonly inherited: readonly LeavingFact[];
  /** Pools whose instances died before they served, as far as this look found out. */
  readonly failedBoots?: readonly BootNews[];
};

/** What was read of a group already. */
export type KnownBefore = {
  readonly state: GroupState | undefined;
  /** A look that several groups share, or one that is used again; and then when it began. */
  readonly look?: (group: Group) => Promise<Holdings>;
  readonly lookedAtMs?: number;
};

/**
 * Reads a group. The state item is read before the describes, so its launches are never newer than what the describes
 * show. A launch that another invocation records in between is found as a conflict when the decision is written.
 *
 * @param known what was read already.
 */
export const gather = async (
  accepted: Group,
  facts: Facts,
  provider: CapacityIn,
  ports: ReactPorts,
  known?: KnownBefore,
): Promise<Gathered> => {
  const lookedAtMs = known?.lookedAtMs ?? ports.clock.now();
  const stored = (known ? known.state : await ports.store.state(accepted.name)) ?? initialState(accepted);
  const own = await withoutTaken(accepted, stored, ports.store);
  const group = withFormer(accepted, own);
  const [swaps, holdings, inherited] = await Promise.all([
    ports.store.swaps(group.name),
    known?.look === undefined ? provider.describe(group) : known.look(group),
    inherit(group, own, ports),
  ]);
  const nowMs = ports.clock.now();
  const isRewritten = facts.causes.some(({ code }) => code === 'policy-change');
  const learned = isRewritten ? afterRewrite(own) : own;
  const byPolicy = followPolicy({ ...learned, raised: [...own.raised, ...inherited.raised] }, group);
  const outside = outsideSizeOf(group, byPolicy, holdings.asgs, nowMs);
  const sized =
    outside === undefined
      ? sizedByPolicy({ group, stored, byPolicy, holdings, swaps, facts, nowMs })
      : sizedByOthers(withOutsideSize(byPolicy, group, outside), stored);
  const state = withDetached(withChoices(sized.state, swaps, nowMs), holdings);
  return {
    group,
    stored,
    lookedAtMs,
    state: await readPrices({ group, state, members: holdings.members }, ports),
    sizes: sized.sizes,
    desired: sized.desired,
    ...(outside && { outside }),
    swaps,
    holdings,
    inherited: inherited.leaving,
  };
};

/** Who was detached since the state item was written, and advice that the policy does not follow: each is told once. */
const newsOf = (
  { stored, group, holdings, failedBoots = [] }: Gathered,
  { leaving }: Facts,
): NonNullable<View['news']> => {
  const known = new Set(stored.detached);
  const members = new Set(holdings.members.map(({ instance }) => instance));
  const advised = leaving.filter((fact) => traitsOf(fact).isAdvice && members.has(fact.instance));
  return {
    detached: (holdings.detached ?? []).filter((instance) => !known.has(instance)),
    adviceNotFollowed: group.rebalance.act ? [] : [...new Set(advised.map(({ instance }) => instance))],
    ...(failedBoots.length > 0 && { failedBoots }),
  };
};

export const viewOf = (gathered: Gathered, nowMs: number, facts: Facts): View =>
  seeKept({
    nowMs,
    group: gathered.group,
    state: gathered.state,
    members: gathered.holdings.members,
    swaps: withChosen(gathered.state, gathered.swaps, gathered.holdings.members, gathered.group.name),
    asgs: asOthersSet(gathered.holdings.asgs, gathered.outside),
    ended: [...gathered.holdings.ended, ...facts.ended, ...endsHeard(gathered.state, gathered.holdings.members)],
    news: newsOf(gathered, facts),
  });

import { allSettled } from '../../../aws/calls/in-parallel.ts';
import type { BreakerNews } from '../../../core/breaker/learn.ts';
import { withChosen } from '../../../core/decision/chosen-members.ts';
import type { SizeChange } from '../../../core/decision/decision-record.ts';
import type { Group } from '../../../core/group/group.ts';
import { withFormer } from '../../../core/group/holders.ts';
import { asOthersSet, type OutsideSize } from '../../../core/group/outside-size.ts';
import { asCounted } from '../../../core/group/unfit.ts';
import { surelyDetached } from '../../../core/group-state/detached.ts';
import { followLook } from '../../../core/group-state/look.ts';
import { offeringsToPrice, type Priced, withNeededPrices, withPrices } from '../../../core/group-state/prices.ts';
import { asNew, isFirstItem } from '../../../core/group-state/restored.ts';
import { withLosses } from '../../../core/group-state/returns.ts';
import { endsHeard, initialState } from '../../../core/group-state/state.ts';
import { withReservations } from '../../../core/launch/reservation-life.ts';
import { type BootNews, whyEnded } from '../../../core/pool-memory/failed-boots.ts';
import type { GivenUp } from '../../../core/pool-memory/given-up.ts';
import type { CapacityIn, Holdings } from '../../../core/ports/capacity-provider.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import type { LeavingFact } from '../../../core/swap/claim.ts';
import { seeKept } from '../../../core/swap/kept-members.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { arrivedIn } from '../../../core/view/arriving.ts';
import { changesIn } from '../../../core/view/changes.ts';
import { withNotes } from '../../../core/view/notes.ts';
import type { GroupState, Member, View } from '../../../core/view/view.ts';
import type { Facts } from '../messages/facts.ts';
import type { ReactPorts } from '../ports.ts';
import { inherit } from './inherited.ts';
import { factsOfLost } from './lost-warnings.ts';
import { withoutForeign, withoutTaken } from './taken-asgs.ts';

/** The state of a group without a state item: it may have been lost. */
const withoutItem = (group: Group, ports: ReactPorts): GroupState => {
  const initial = initialState(group);
  return withNotes(initial, ports.believed(group.name, initial));
};

/** Reads spot prices where it is time for that. */
const readPrices = async (priced: Priced, ports: ReactPorts): Promise<GroupState> => {
  const nowMs = ports.clock.now();
  const offerings = offeringsToPrice(priced, nowMs);
  return offerings === undefined
    ? withNeededPrices(priced)
    : withPrices(priced.state, await ports.prices.spotPrices(offerings), nowMs);
};

/** A group's items and instances as they are now. */
export type Gathered = {
  /** The group in force, with the Auto Scaling groups that earlier policies left, as it is treated in this look. */
  readonly group: Group;
  readonly stored: GroupState;
  readonly state: GroupState;
  readonly sizes: readonly SizeChange[];
  /**
   * The desired size after the alarms that are now in alarm. In mode `observe` the state keeps the size without them.
   */
  readonly desired: number;
  readonly swaps: readonly Swap[];
  readonly holdings: Holdings;
  /** When the look at the holdings began. */
  readonly lookedAtMs: number;
  /** The size that others set, where they do. */
  readonly outside?: OutsideSize;
  /** Warnings that an earlier holder of its Auto Scaling groups received. */
  readonly inherited: readonly LeavingFact[];
  /** Pools whose instances ended before they served, as far as this look found out. */
  readonly failedBoots?: readonly BootNews[];
  /** Members that are in service again, because EC2 warned about them and did not take them. */
  readonly putBack?: readonly string[];
  /** Members that this run gave up, because they never served. */
  readonly givenUp?: readonly GivenUp[];
  /** Breakers that opened or closed, as far as this look found out. */
  readonly breakers?: readonly BreakerNews[];
  /** Members that EC2 advises to replace and that are not claimed, because the budget for advice is spent. */
  readonly overBudget?: readonly Member[];
};

/** Facts about a group that were read before. */
export type KnownBefore = {
  readonly state: GroupState | undefined;
  readonly swaps: readonly Swap[];
  /** Swaps of warned members that a restored table lacks. */
  readonly lost?: readonly Swap[];
  /** A look that several groups share, or that is used again, and when it began. */
  readonly look?: (group: Group) => Promise<Holdings>;
  readonly lookedAtMs?: number;
};

/**
 * Reads what a group holds. The state item was read before, so its launches are never newer than what the describes
 * show. A launch that another invocation records in between is found as a conflict when the decision is written.
 *
 * @param known facts that were read before.
 */
export const gather = async (
  accepted: Group,
  facts: Facts,
  provider: CapacityIn,
  ports: ReactPorts,
  known: KnownBefore,
): Promise<Gathered> => {
  const lookedAtMs = known.lookedAtMs ?? ports.clock.now();
  const { swaps } = known;
  const found = known.state ?? withoutItem(accepted, ports);
  const own = await withoutTaken(accepted, found, ports.store);
  const inForce = withFormer(accepted, own);
  const [shown, inherited] = await allSettled([
    known.look === undefined
      ? provider.describe(inForce, changesIn(known.state, { swaps, ended: facts.ended }))
      : known.look(inForce),
    inherit(inForce, own, ports),
  ]);
  const held = await withoutForeign(inForce, shown, ports.store);
  const group = asCounted(inForce, held.asgs);
  const holdings = { ...held, members: withReservations(held.members, own.reservations) };
  const isFirst =
    isFirstItem(group, { members: holdings.members, swaps }) && ports.believed(group.name, found) === found;
  const dated = (one: GroupState): GroupState => (known.state !== undefined || isFirst ? one : asNew(one, lookedAtMs));
  const stored = dated(found);
  const nowMs = ports.clock.now();
  const { state, ...sized } = followLook({
    group,
    stored,
    known: withLosses(dated(own), group, inherited.losses),
    inherited,
    holdings,
    swaps,
    writtenAtMs: facts.writtenAtMs,
    alarms: facts.alarms,
    nowMs,
  });
  return {
    group,
    stored,
    lookedAtMs,
    state: await readPrices({ group, state, members: holdings.members }, ports),
    ...sized,
    swaps,
    holdings,
    inherited: [...inherited.leaving, ...factsOfLost(known.lost ?? [], holdings.members, nowMs)],
  };
};

/** The run with its group as this look treats it. */
export const asTreatedIn = <T extends { readonly group: Group }>(
  run: T,
  { group: { mode, countsUnits } }: Pick<Gathered, 'group'>,
): T => ({ ...run, group: { ...run.group, ...(mode && { mode }), ...(countsUnits && { countsUnits }) } });

/**
 * Members that their user detached, each reported once. An Auto Scaling group drops who leaves or has ended, while
 * describes still show the instance as running: nobody detached that one.
 */
const detachedNow = ({ stored, state, swaps, holdings }: Gathered, { ended }: Facts): readonly string[] => {
  const going = swaps.flatMap(({ instance, state: swap }) =>
    swap === 'waiting' || swap === 'withdrawn' ? [] : [instance],
  );
  const others = new Set([...(stored.detached ?? []), ...going, ...ended, ...endsHeard(state, holdings.members)]);
  return surelyDetached(holdings).filter((instance) => !others.has(instance));
};

/** Members that were detached since the last write, and advice that the policy ignores. Each is reported once. */
const newsOf = (gathered: Gathered, facts: Facts): NonNullable<View['news']> => {
  const { state, group, holdings, putBack, failedBoots = [], givenUp = [], breakers = [], overBudget = [] } = gathered;
  const { leaving } = facts;
  const members = new Set(holdings.members.map(({ instance }) => instance));
  const advised = leaving.filter((fact) => traitsOf(fact).isAdvice && members.has(fact.instance));
  const serves = arrivedIn(state.arriving, holdings.members);
  return {
    detached: detachedNow(gathered, facts),
    adviceNotFollowed: group.rebalance.act ? [] : [...new Set(advised.map(({ instance }) => instance))],
    ...(overBudget.length > 0 && { adviceOverBudget: overBudget.map(({ instance }) => instance) }),
    ...(putBack !== undefined && { putBack }),
    ...(serves.length > 0 && { serves }),
    ...(failedBoots.length > 0 && { failedBoots }),
    ...(breakers.length > 0 && { breakers }),
    ends: whyEnded(holdings),
    ...(givenUp.length > 0 && { givenUp }),
  };
};

/**
 * Members that EC2 shows as stopped before the deadline of its warning. EC2 warns of what runs, so the describe may be
 * older than the start of the member, as when its Auto Scaling group takes it out of a warm pool.
 */
const stoppedBefore = ({ holdings, swaps }: Gathered, nowMs: number): readonly string[] =>
  swaps.flatMap(({ instance, warnedAtMs, deadlineMs = 0 }) =>
    warnedAtMs !== undefined && nowMs < deadlineMs && holdings.stopped.includes(instance) ? [instance] : [],
  );

/** Instances that are known to have ended, each once: rules count them. */
const endedNow = (gathered: Gathered, { ended }: Facts, nowMs: number): readonly string[] => {
  const { holdings, state } = gathered;
  const mayRun = new Set(stoppedBefore(gathered, nowMs));
  const shown = holdings.ended.filter((instance) => !mayRun.has(instance));
  return [...new Set([...shown, ...ended, ...endsHeard(state, holdings.members)])];
};

export const viewOf = (gathered: Gathered, nowMs: number, facts: Facts): View =>
  seeKept({
    nowMs,
    group: gathered.group,
    state: gathered.state,
    members: gathered.holdings.members,
    swaps: withChosen(gathered.state, gathered.swaps, gathered.holdings.members, gathered.group.name),
    asgs: asOthersSet(gathered.holdings.asgs, gathered.outside),
    aside: [...gathered.holdings.aside, ...(gathered.holdings.detached ?? []), ...(gathered.holdings.foreign ?? [])],
    ended: endedNow(gathered, facts, nowMs),
    ...(gathered.holdings.endedUnder && { endedUnder: gathered.holdings.endedUnder }),
    news: newsOf(gathered, facts),
  });

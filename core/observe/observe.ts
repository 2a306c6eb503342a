import type { Decision } from '../decision/decision.ts';
import type { Observed } from '../decision/decision-record.ts';
import type { Remark } from '../decision/remark.ts';
import type { Group } from '../group/group.ts';
import { namedAsgs } from '../group/holders.ts';
import { type Offering, offeringKey } from '../pool/offering.ts';
import { paidPrice, pricesIn } from '../pool/price.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { Swap } from '../swap/swap.ts';
import type { AsgView, GroupState, Member, View } from '../view/view.ts';
import { heardNow, mostHeard, remembered } from './heard.ts';
import type { Cost, Heard, Need, NotDone } from './not-done.ts';

/** Instances that a stored decision names. It counts all of them. */
const namedAtMost = 50;

const asSwap = (heard: Heard, { group, members }: View): Swap => {
  const { instance, reason, atMs, deadlineMs } = heard;
  const member = members.find((one) => one.instance === instance);
  return {
    group: group.name,
    instance,
    reason,
    state: traitsOf(heard).waitsForSurge ? 'waiting' : 'leaving',
    pool: member?.pool ?? 'unknown',
    offering: member === undefined ? 'unknown' : offeringKey(member.offering),
    asg: member?.asg,
    claimedAtMs: atMs,
    deadlineMs,
    decision: '',
  };
};

/** Swaps of members that leave, as if the group were not only observed. They are never stored. */
const swapsIfActed = (heard: readonly Heard[], view: View): readonly Swap[] => {
  const stored = new Set(view.swaps.map(({ instance }) => instance));
  return heard.filter(({ instance }) => !stored.has(instance)).map((one) => asSwap(one, view));
};

/**
 * The desired size of an observed group with Auto Scaling groups: their desired capacities, because others set these,
 * within the bounds of the policy.
 */
export const sizeAsSet = (state: GroupState, group: Group, asgs: readonly AsgView[]): GroupState => {
  const named = namedAsgs(group);
  const held = asgs.filter(({ name }) => named.includes(name));
  if (named.length === 0 || held.length < named.length) return state;
  const set = held.reduce((sum, { desired }) => sum + desired, 0);
  return { ...state, desired: Math.min(group.size.max, Math.max(group.size.min, set)) };
};

/** The cost of these instances at known prices, without the part that commitments pay. */
const costOf = (
  instances: readonly { readonly offering: Offering; readonly pool: string | undefined }[],
  view: View,
): Cost => {
  const prices = pricesIn(view);
  const known = instances.flatMap(
    ({ offering, pool = '' }) => paidPrice(prices, offering, view.group.pools[pool]) ?? [],
  );
  const usdPerHour = known.reduce((sum, usd) => sum + usd, 0);
  return { usdPerHour: Math.round(usdPerHour * 1e6) / 1e6, priced: known.length, of: instances.length };
};

const placedAt = ({ placements }: Decision) =>
  placements.flatMap(({ pool, count, offerings }) =>
    offerings.slice(0, 1).flatMap((offering) => Array.from({ length: count }, () => ({ offering, pool }))),
  );

/** Members that stay, as far as is known. */
const stayingIn = ({ members, ended }: View, swaps: readonly Swap[]): readonly Member[] => {
  const leaving = new Set([...ended, ...swaps.filter(({ state }) => state !== 'waiting').map((swap) => swap.instance)]);
  return members.filter(({ instance }) => !leaving.has(instance));
};

/** The remark about launches of others that came in place of those of an observed decision. */
const cameByItself = (view: View, need: Need): Remark => {
  const came = view.members.filter(({ launchedAtMs }) => launchedAtMs >= need.atMs);
  return {
    code: 'came-by-itself',
    decision: need.decision,
    afterMs: view.nowMs - need.atMs,
    instances: came.slice(0, namedAtMost).map(({ instance }) => instance),
    count: came.length,
    cost: costOf(came, view),
    wouldCost: need.cost,
  };
};

/** The actions that an observed look would have taken, and its notes. */
export type Observation = {
  /** The decision if the group acted. */
  readonly decision: Decision;
  /** Whether no stored decision says the same yet. */
  readonly isNews: boolean;
  readonly outcome: Observed;
  /** What happened since an earlier observed decision. */
  readonly remarks: readonly Remark[];
  readonly notDone: NotDone;
};

type Look = {
  readonly view: View;
  /** Leaving members by the signals of this look. */
  readonly heard: readonly Heard[];
  /** The desired size after the changes that alarms would make now. */
  readonly desired: number;
  /** The id under which the observed decision is stored. */
  readonly id: string;
  readonly decide: (view: View) => Decision;
};

const outcomeOf = (view: View, decision: Decision, leaving: readonly Heard[]): Observed => {
  const removed = decision.removals.map(({ instance }) => instance);
  const ending = new Set([...removed, ...decision.drains, ...returningIn(decision)]);
  return {
    code: 'observed',
    leaves: leaving.slice(0, namedAtMost).map(({ instance, reason }) => ({ instance, reason })),
    adds: costOf(placedAt(decision), view),
    ends: costOf(
      view.members.filter(({ instance }) => ending.has(instance)),
      view,
    ),
    now: costOf(view.members, view),
  };
};

/** How many members are missing or surplus. Members that would move to a better place are neither. */
export const lackIn = ({ placements, unplaced, removals }: Decision): Pick<NotDone, 'missing' | 'surplus'> => ({
  missing: placements.filter(({ moves }) => moves === undefined).reduce((sum, { count }) => sum + count, unplaced),
  surplus: removals.length,
});

/** Members that would move to a better place. */
const returningIn = ({ placements }: Decision): readonly string[] => placements.flatMap(({ moves = [] }) => moves);

const nothingBefore: NotDone = { missing: 0, surplus: 0 };

/**
 * Decides about an observed group as if it acted. Of earlier observed looks, only the leaving members in the state's
 * `notDone` count. Launches and removals of an observed decision do not count in the next one.
 */
export const observe = ({ view, heard, desired, id, decide }: Look): Observation => {
  const { notDone: before = nothingBefore, cheapest } = view.state;
  const moved = heard.filter((one) => !traitsOf(one).isAnnounced);
  const told = heardNow(
    heard.filter((one) => traitsOf(one).isAnnounced),
    view,
  );
  const leaving = [...told, ...moved];
  const swaps = [...view.swaps, ...swapsIfActed(leaving, view)];
  const decision = { ...decide({ ...view, swaps, state: { ...view.state, desired } }), cheapest };
  const known = new Set([...Object.keys(before.heard ?? {}), ...(before.moved ?? [])]);
  const fresh = leaving.filter(({ instance }) => !known.has(instance));
  const returning = returningIn(decision);
  const outcome = outcomeOf(view, decision, fresh);
  // The change that an alarm would make is stored once, and not kept in the state.
  const isSteady = desired === view.state.desired;
  const now = isSteady ? lackIn(decision) : { missing: before.missing, surplus: before.surplus };
  const isMore = now.missing > before.missing || now.surplus > before.surplus;
  const opened: Need | undefined =
    now.missing > before.missing ? { decision: id, atMs: view.nowMs, cost: outcome.adds } : before.need;
  const moving = [...moved.map(({ instance }) => instance), ...returning];
  const isMet = stayingIn(view, swaps).length >= view.state.desired;
  return {
    decision,
    isNews: isMore || fresh.length > 0 || !isSteady || returning.some((instance) => !known.has(instance)),
    outcome,
    remarks: isMet && before.need !== undefined ? [cameByItself(view, before.need)] : [],
    notDone: {
      ...now,
      ...(told.length > 0 && { heard: remembered(told, view.nowMs) }),
      ...(moving.length > 0 && { moved: moving.slice(0, mostHeard) }),
      ...(opened !== undefined && !isMet && { need: opened }),
    },
  };
};

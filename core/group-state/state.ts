import type { Group } from '../group/group.ts';
import { holdersNow, namedAsgs, targetGroupsNow } from '../group/holders.ts';
import { stillKnown } from '../launch/reservation-life.ts';
import { countForgotten, forgetLaunches } from '../limits/launch-limit.ts';
import { offeringKey, parseOfferingKey } from '../pool/offering.ts';
import { rememberAdvice } from '../pool-memory/advice.ts';
import { type Interrupted, rememberInterruptions } from '../pool-memory/interruptions.ts';
import { forgetExpired } from '../pool-memory/pool-memory.ts';
import type { AlarmFact } from '../scaling/lasting-alarms.ts';
import type { Swap, Warned } from '../swap/swap.ts';
import { describeLagMs } from '../times/times.ts';
import { cameUpNow, stillArriving } from '../view/arriving.ts';
import { deadIn, gapsNow } from '../view/asg-ledger.ts';
import { isStray } from '../view/headcount.ts';
import { stillRegistered } from '../view/registered.ts';
import { isNew, unservedNow } from '../view/unserved.ts';
import type { GroupState, Member, View } from '../view/view.ts';
import { followReturns, type Launched } from './returns.ts';

/**
 * The state of a group that was never converged, or whose state item was lost: its policy's starting size, nothing
 * learned, nothing under way.
 */
export const initialState = (group: Group): GroupState => ({
  version: 0,
  desired: group.size.desired,
  policyVersion: group.policyVersion,
  policySize: JSON.stringify(group.size),
  reservations: [],
  memory: {},
  alarms: {},
  raised: [],
  strays: {},
  asgGaps: {},
  cheapest: {},
  prices: { atMs: 0, usdPerHour: {} },
  wakeAtMs: 0,
  ...(group.former && { holders: group.former }),
});

/** Whether the group has no policy since this state was written, or had none until now. */
export const isLetGo = ({ policySize }: GroupState): boolean => policySize === '';

/**
 * A policy whose size changed sets the desired size anew. Any other change leaves it, within the bounds. Another policy
 * may name other target groups, so whom Holdfast registered is unknown then.
 */
export const followPolicy = ({ registered, ...state }: GroupState, group: Group): GroupState => {
  const policySize = JSON.stringify(group.size);
  const wanted = policySize === state.policySize ? state.desired : group.size.desired;
  const desired = Math.min(group.size.max, Math.max(group.size.min, wanted));
  const holders = [...new Set([...(state.holders ?? []), ...namedAsgs(group)])];
  const targetGroups = targetGroupsNow(state, group);
  return {
    ...state,
    desired,
    policyVersion: group.policyVersion,
    policySize,
    ...(holders.length > 0 && { holders }),
    ...(targetGroups.length > 0 && { targetGroups }),
    ...(registered && state.policyVersion === group.policyVersion && { registered }),
  };
};

/** Facts of signals that change the state. */
export type Heard = {
  readonly alarms: readonly AlarmFact[];
  /** Instances that EC2 reports as shutting down, stopped or terminated. */
  readonly ended: readonly string[];
  /** Auto Scaling groups that could not launch by themselves. */
  readonly refusedAsgs: readonly string[];
};

/** What a look shows, and whether the group was let go before it. */
type CatchingUp = {
  readonly members: readonly Member[];
  readonly swaps: readonly Swap[];
  readonly comesBack: boolean;
};

/**
 * A member with a later reservation than the latest in the state shows that the state item was lost, or restored from
 * an older time. The size that alarms had set since is unknown, so the present number of members, without spares,
 * becomes the size, within the policy's bounds. Reservations of another group that held the Auto Scaling group before
 * do not count, because they were never in this state. A group that comes back after it was let go has the size of its
 * policy.
 */
export const catchUp = (state: GroupState, group: Group, { members, swaps, comesBack }: CatchingUp): GroupState => {
  const own = members.filter(({ launchedFor }) => launchedFor === undefined);
  const latest = own.reduce(
    (last, { reservation = '' }) => (reservation > last ? reservation : last),
    state.lastReservation ?? '',
  );
  if (latest === (state.lastReservation ?? '')) return state;
  if (comesBack) return { ...state, lastReservation: latest };
  const leaving = new Set(swaps.filter((swap) => swap.state !== 'waiting').map(({ instance }) => instance));
  const present = members.filter(({ instance }) => !leaving.has(instance)).length;
  const ofSize = present - (group.spare ?? 0);
  return { ...state, desired: Math.min(group.size.max, Math.max(state.desired, ofSize)), lastReservation: latest };
};

/** Members that EC2 takes, by signals, and the known facts about their launches. */
export type Losses = {
  readonly warned: readonly Warned[];
  readonly launched: readonly Launched[];
  readonly swaps: readonly Swap[];
};

const interruptedIn = ({ warned, launched }: Losses): readonly Interrupted[] => {
  const launchedAt = new Map(launched.map(({ instance, launchedAtMs }) => [instance, launchedAtMs]));
  return warned.flatMap(({ instance, offering, toldAtMs }) => {
    const known = parseOfferingKey(offering);
    const launchedAtMs = launchedAt.get(instance);
    if (known === undefined) return [];
    const times = { ...(launchedAtMs !== undefined && { launchedAtMs }), ...(toldAtMs !== undefined && { toldAtMs }) };
    return [{ offering: offeringKey(known), ...times }];
  });
};

/**
 * Memory of offerings that EC2 takes instances from now, or advised to leave a while ago. Their replacements go
 * elsewhere if possible.
 */
export const learnFromLosses = (state: GroupState, losses: Losses, nowMs: number): GroupState => {
  const memory = rememberInterruptions(state.memory, interruptedIn(losses), nowMs);
  return { ...state, memory: rememberAdvice(memory, losses.swaps, nowMs) };
};

const strayIds = ({ group, members, swaps }: View): readonly string[] => {
  const leaving = new Set(swaps.map(({ instance }) => instance));
  return members
    .filter((member) => isStray(group, member) && !leaving.has(member.instance))
    .map(({ instance }) => instance);
};

/** At most one sighting a minute counts, so that a burst of signals does not make a stray look old. */
const sightingEveryMs = 50_000;

const seeStrays = (view: View): GroupState['strays'] =>
  Object.fromEntries(
    strayIds(view).map((instance) => {
      const before = view.state.strays[instance];
      if (before === undefined) return [instance, { firstSeenAtMs: view.nowMs, sightings: 1 }];
      const isNew = view.nowMs - before.firstSeenAtMs >= before.sightings * sightingEveryMs;
      return [instance, isNew ? { ...before, sightings: before.sightings + 1 } : before];
    }),
  );

/**
 * Ends that were received before and still count against a describe. An instance that was stopped and started again has
 * a later launch time, and its end no longer counts.
 */
export const endsHeard = ({ ended = {} }: Pick<GroupState, 'ended'>, members: readonly Member[]): readonly string[] => {
  const launched = new Map(members.map(({ instance, launchedAtMs }) => [instance, launchedAtMs]));
  return Object.entries(ended).flatMap(([instance, heardAtMs]) =>
    (launched.get(instance) ?? 0) > heardAtMs ? [] : [instance],
  );
};

type Ends = Pick<GroupState, 'ended'>;

/** Ends reported now, and those reported before that an older describe may still revive. */
const endsKept = ({ ended = {} }: Ends, told: readonly string[], nowMs: number): Ends => {
  const before = Object.entries(ended).filter(([, atMs]) => nowMs - atMs < describeLagMs);
  const fresh = told.map((instance) => [instance, nowMs] as const);
  return fresh.length + before.length === 0 ? {} : { ended: Object.fromEntries([...fresh, ...before]) };
};

/**
 * Ends of members without a swap. They are kept so that an older describe in a later look does not revive them. The
 * describe of this look may be older than the launch of a new one, and that of a later look may show it as alive.
 */
const hearEnds = (view: View, told: readonly string[]): Ends => {
  const swapped = new Set(view.swaps.map(({ instance }) => instance));
  const known = new Set([...view.members.map(({ instance }) => instance), ...Object.keys(view.state.arriving ?? {})]);
  const fresh = told.filter((instance) => known.has(instance) && !swapped.has(instance));
  const stands = new Set(endsHeard(view.state, view.members));
  const before = Object.entries(view.state.ended ?? {}).filter(([instance]) => stands.has(instance));
  return endsKept({ ended: Object.fromEntries(before) }, fresh, view.nowMs);
};

/** The state item holds 400 KB, and all members of a group may end after it was let go. */
const mostEnds = 1_000;

/**
 * The state of a group that is let go, after these ends were reported. Nobody looks at its members. If its policy
 * returns, a describe of then may still show them as alive.
 */
export const withEnds = (state: GroupState, told: readonly string[], nowMs: number): GroupState => {
  const { ended: _before, ...rest } = state;
  const { ended = {} } = endsKept(state, told, nowMs);
  const last = Object.entries(ended).slice(0, mostEnds);
  return last.length === 0 ? rest : { ...rest, ended: Object.fromEntries(last) };
};

/**
 * The state with a note that EC2 refused refills of these Auto Scaling groups. The next look keeps the note if it finds
 * the gap, and removes it otherwise.
 */
export const withRefusedRefills = (state: GroupState, asgs: readonly string[], nowMs: number): GroupState => {
  const news = asgs.filter((asg) => !state.asgGaps[asg]?.refused);
  if (news.length === 0) return state;
  const refused = news.map((asg) => [asg, { sinceMs: state.asgGaps[asg]?.sinceMs ?? nowMs, refused: true }]);
  return { ...state, asgGaps: { ...state.asgGaps, ...Object.fromEntries(refused) } };
};

/**
 * The state after a look: with reported ends, gaps of Auto Scaling groups and strays, and without reservations that may
 * be forgotten.
 */
export const followView = (view: View, { ended, refusedAsgs }: Omit<Heard, 'alarms'>): GroupState => {
  const told = { ...view, state: withRefusedRefills(view.state, refusedAsgs, view.nowMs) };
  const reservations = view.state.reservations.flatMap((one) => stillKnown(one, view) ?? []);
  const counted = countForgotten(view, new Set(reservations.map(({ id }) => id)));
  const {
    ended: _before,
    unserved = {},
    arriving: _arriving,
    cameUp: _cameUp,
    registered: _registered,
    ...state
  } = forgetLaunches(counted, view.group, view.nowMs);
  const cameUp = cameUpNow(view.state, view.members, (member) => isNew(view, member));
  const dead = deadIn(view);
  const alive = view.members.filter(({ instance }) => !dead.has(instance));
  const idle = unservedNow({ ...view, members: alive, unserved }, cameUp, _arriving);
  const arriving = stillArriving(_arriving, view.members, view.nowMs);
  const registered = stillRegistered(_registered, view.members, (member) => isNew(view, member), view.nowMs);
  return {
    ...state,
    ...hearEnds(view, ended),
    ...followReturns(view),
    memory: forgetExpired(view.state.memory, view.nowMs, view.group.returning?.afterMs),
    reservations,
    asgGaps: gapsNow(told),
    strays: seeStrays(view),
    ...(Object.keys(idle).length > 0 && { unserved: idle }),
    ...(arriving && { arriving }),
    ...(cameUp.length > 0 && { cameUp }),
    ...(registered && { registered }),
    ...(view.state.holders && { holders: holdersNow(view, view.state.holders) }),
  };
};

/** Whether two states are equal except for their version: a look that changes nothing must not write. */
export const sameState = (a: GroupState, b: GroupState): boolean =>
  JSON.stringify({ ...a, version: 0 }) === JSON.stringify({ ...b, version: 0 });

import { desiredAfterAdjustment } from '../../core/adjustment.ts';
import type { Group } from '../../core/group.ts';
import { gapsNow } from '../../core/headcount.ts';
import { offeringKey, parseOfferingKey } from '../../core/offering.ts';
import { forgetExpired, rememberInterruptions } from '../../core/pool-memory.ts';
import type { Swap } from '../../core/swap.ts';
import type { GroupState, Member, View } from '../../core/view.ts';
import type { Facts } from './facts.ts';

/** The state of a group that was never converged: its policy's starting size, nothing learned, nothing under way. */
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
});

/** A policy whose size changed sets the desired size anew; any other change leaves it, within the bounds. */
export const followPolicy = (state: GroupState, group: Group): GroupState => {
  if (state.policyVersion === group.policyVersion) return state;
  const policySize = JSON.stringify(group.size);
  const wanted = policySize === state.policySize ? state.desired : group.size.desired;
  const desired = Math.min(group.size.max, Math.max(group.size.min, wanted));
  return { ...state, desired, policyVersion: group.policyVersion, policySize };
};

/** Alarms change the desired size within its bounds, each at most once in its cooldown; a repeated delivery carries the same time and does nothing. */
export const followAlarms = (state: GroupState, group: Group, facts: Facts): GroupState => {
  const alarms = { ...state.alarms };
  let { desired } = state;
  for (const { alarm, atMs } of facts.alarms.toSorted((a, b) => a.atMs - b.atMs)) {
    const rule = group.scaling.find((candidate) => candidate.alarm === alarm);
    const last = alarms[alarm];
    if (rule === undefined || (last !== undefined && atMs < last + Math.max(1, rule.cooldownMs))) continue;
    desired = desiredAfterAdjustment(desired, rule.adjust, group.size);
    alarms[alarm] = atMs;
  }
  return { ...state, desired, alarms };
};

/** Offerings that EC2 takes instances from right now are a poor place for their replacements. */
export const learnFromInterruptions = (state: GroupState, claimed: readonly Swap[], nowMs: number): GroupState => {
  const offerings = claimed
    .filter(({ reason }) => reason === 'interruption')
    .flatMap(({ offering }) => parseOfferingKey(offering) ?? [])
    .map(offeringKey);
  return offerings.length === 0 ? state : { ...state, memory: rememberInterruptions(state.memory, offerings, nowMs) };
};

const strayIds = (members: readonly Member[], swaps: readonly Swap[]): readonly string[] => {
  const leaving = new Set(swaps.map(({ instance }) => instance));
  return members
    .filter(({ instance, reservation, pool }) => reservation === undefined && pool === undefined && !leaving.has(instance))
    .map(({ instance }) => instance);
};

/** At most one sighting a minute counts, so that a burst of signals cannot make a stray old. */
const sightingEveryMs = 50_000;

const seeStrays = (view: View): GroupState['strays'] =>
  Object.fromEntries(
    (view.group.holding.kind === 'tag' ? strayIds(view.members, view.swaps) : []).map((instance) => {
      const before = view.state.strays[instance];
      if (before === undefined) return [instance, { firstSeenAtMs: view.nowMs, sightings: 1 }];
      const isNew = view.nowMs - before.firstSeenAtMs >= before.sightings * sightingEveryMs;
      return [instance, isNew ? { ...before, sightings: before.sightings + 1 } : before];
    }),
  );

/** What the look itself adds to the state: reservations that may be forgotten, gaps of Auto Scaling groups, strays seen. */
export const followView = (view: View, facts: Facts): GroupState => {
  const gaps = gapsNow(view);
  const refused = new Set(facts.refusedAsgs);
  return {
    ...view.state,
    memory: forgetExpired(view.state.memory, view.nowMs),
    reservations: view.state.reservations.filter(({ instances, forgetAtMs }) => instances === undefined || view.nowMs < forgetAtMs),
    asgGaps: Object.fromEntries(Object.entries(gaps).map(([asg, gap]) => [asg, refused.has(asg) ? { ...gap, refused: true } : gap])),
    strays: seeStrays(view),
  };
};

/** Whether two states say the same, their version aside: an idle look must not write. */
export const sameState = (a: GroupState, b: GroupState): boolean => JSON.stringify({ ...a, version: 0 }) === JSON.stringify({ ...b, version: 0 });

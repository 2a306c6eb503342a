import type { SizeChange } from '../decision/decision-record.ts';
import type { Group } from '../group/group.ts';
import { adjustmentAt, desiredAfterAdjustment } from '../scaling/adjustment.ts';
import {
  type AlarmFact,
  alarmTellsForMs,
  type KnownAlarms,
  knownAlarms,
  lastingAlarm,
} from '../scaling/lasting-alarms.ts';
import type { GroupState } from '../view/view.ts';
import { sinceRenewed } from './restored.ts';
import type { Heard } from './state.ts';

const alarmChange = (
  state: GroupState,
  group: Group,
  { alarm, atMs, quiet, fromThreshold }: AlarmFact,
  nowMs: number,
): SizeChange | undefined => {
  const rule = group.scaling.find((candidate) => candidate.alarm === alarm);
  const last = state.alarms[alarm];
  if (rule === undefined) return undefined;
  if (nowMs - atMs > alarmTellsForMs) return { code: 'alarm-late', alarm, atMs };
  if (quiet !== undefined) return { code: 'alarm-quiet', alarm, why: quiet };
  if (last !== undefined && atMs < last + Math.max(1, rule.cooldownMs))
    return { code: 'alarm-cooling', alarm, untilMs: last + rule.cooldownMs };
  const adjust = adjustmentAt(rule, fromThreshold);
  const to = desiredAfterAdjustment(state.desired, adjust, group.size);
  const distance = rule.steps && fromThreshold !== undefined ? { fromThreshold } : {};
  return { code: 'alarm', alarm, atMs, adjust, ...distance, from: state.desired, to };
};

/** The end of an alarm may have come while the policy was deleted, so that no function received it. */
const statesAfter = (state: GroupState, group: Group, heard: readonly AlarmFact[], nowMs: number): KnownAlarms => {
  const renewedAtMs = Math.max(state.renewedAtMs ?? 0, group.backAtMs ?? 0);
  return knownAlarms(state.alarmStates ?? {}, sinceRenewed(heard, { renewedAtMs }), group, nowMs);
};

/** How an alarm that stays in `ALARM` changes the desired size. */
const lasting = (
  state: GroupState,
  group: Group,
  alarms: readonly AlarmFact[],
  nowMs: number,
): readonly SizeChange[] => {
  const known = statesAfter(state, group, alarms, nowMs);
  const rule = lastingAlarm(group, { known, actedAtMs: state.alarms, nowMs });
  if (rule === undefined) return [];
  const { alarm } = rule;
  const fromThreshold = known[alarm]?.fromThreshold;
  const adjust = adjustmentAt(rule, fromThreshold);
  const to = desiredAfterAdjustment(state.desired, adjust, group.size);
  if (to === state.desired) return [];
  const atMs = known[alarm]?.atMs ?? nowMs;
  const distance = rule.steps && fromThreshold !== undefined ? { fromThreshold } : {};
  return [{ code: 'alarm', alarm, atMs, adjust, ...distance, from: state.desired, to, lasts: true }];
};

/** Facts in order of time: the last one of each alarm. */
const newestOfEach = (facts: readonly AlarmFact[]): readonly AlarmFact[] => [
  ...new Map(facts.map((fact) => [fact.alarm, fact])).values(),
];

/**
 * How alarms change the desired size. Each acts at most once in its cooldown, counted from when it acted. So of a
 * backlog only the newest change of each alarm acts, and a repeated delivery falls into the cooldown. A change that is
 * suppressed or muted does not act, and does not undo an earlier one of the backlog that should have acted.
 */
export const alarmChanges = (
  state: GroupState,
  group: Group,
  { alarms }: Pick<Heard, 'alarms'>,
  nowMs: number,
): readonly SizeChange[] => {
  const wentOff = alarms.filter(({ isOn }) => isOn).toSorted((a, b) => a.atMs - b.atMs);
  const newest = [
    ...newestOfEach(wentOff.filter(({ quiet }) => quiet === undefined)),
    ...newestOfEach(wentOff.filter(({ quiet }) => quiet !== undefined)),
  ];
  let { desired } = state;
  const changes = newest.flatMap((fact) => {
    const change = alarmChange({ ...state, desired }, group, fact, nowMs);
    if (change?.code === 'alarm') desired = change.to;
    return change ?? [];
  });
  // What has just acted is in its cooldown.
  return changes.some(({ code }) => code === 'alarm') ? changes : [...changes, ...lasting(state, group, alarms, nowMs)];
};

/** The state after alarms have changed the desired size within its bounds. */
export const followAlarms = (
  state: GroupState,
  group: Group,
  heard: Pick<Heard, 'alarms'>,
  nowMs: number,
): GroupState => {
  const acted = alarmChanges(state, group, heard, nowMs).filter((change) => change.code === 'alarm');
  const actedAtMs = Object.fromEntries(acted.map(({ alarm, atMs }) => [alarm, Math.max(atMs, nowMs)]));
  const known = statesAfter(state, group, heard.alarms, nowMs);
  const { alarmStates: _before, ...rest } = state;
  return {
    ...rest,
    desired: acted.at(-1)?.to ?? state.desired,
    alarms: { ...state.alarms, ...actedAtMs },
    ...(Object.keys(known).length > 0 && { alarmStates: known }),
  };
};

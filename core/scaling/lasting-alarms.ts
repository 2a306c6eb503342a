import type { Group, ScalingRule } from '../group/group.ts';

/** A state of an alarm, from CloudWatch. */
export type AlarmFact = {
  readonly alarm: string;
  readonly atMs: number;
  /** Whether it went to `ALARM`, or left it. */
  readonly isOn: boolean;
  /** It is in `ALARM`, and its actions are suppressed (by another alarm) or muted, so it must not act. */
  readonly quiet?: 'suppressed' | 'muted';
  /** How far its metric was from its threshold when it went off: above it or, where negative, below it. */
  readonly fromThreshold?: number;
};

/** The last received change of an alarm. */
export type KnownAlarm = Omit<AlarmFact, 'alarm'>;

export type KnownAlarms = Readonly<Record<string, KnownAlarm>>;

/** An alarm that went off longer ago does not show the present load. */
export const alarmTellsForMs = 3_600_000;
/** An alarm acts again at most once a minute, however short its cooldown. */
const againAfterMs = 60_000;
/** An alarm without an event for a day may have been deleted. */
const lastsForMs = 86_400_000;

/** The alarms of a policy as they are known after these facts: of several changes, the latest counts. */
export const knownAlarms = (
  known: KnownAlarms,
  heard: readonly AlarmFact[],
  { scaling }: Pick<Group, 'scaling'>,
  nowMs: number,
): KnownAlarms => {
  const named = new Set(scaling.map(({ alarm }) => alarm));
  const after = new Map(Object.entries(known).filter(([alarm]) => named.has(alarm)));
  for (const { alarm, ...fact } of heard) {
    const before = after.get(alarm);
    // An alarm that went off this long ago may be over by now. The end of a known `ALARM` counts at any age.
    const isLate = nowMs - fact.atMs > alarmTellsForMs && (fact.isOn || !before?.isOn);
    if (named.has(alarm) && !isLate && fact.atMs >= (before?.atMs ?? 0)) after.set(alarm, fact);
  }
  return Object.fromEntries(after);
};

type Asking = {
  readonly known: KnownAlarms;
  /** When each alarm last acted. */
  readonly actedAtMs: Readonly<Record<string, number>>;
  readonly nowMs: number;
};

const isDue = ({ alarm, cooldownMs }: ScalingRule, { actedAtMs, known, nowMs }: Asking): boolean => {
  const sinceMs = actedAtMs[alarm] ?? known[alarm]?.atMs ?? nowMs;
  return nowMs >= sinceMs + Math.max(againAfterMs, cooldownMs);
};

/**
 * The alarm that is still in `ALARM` after its cooldown. CloudWatch sends an event when the state of an alarm changes,
 * and none while it stays. Of several, the one that went off last acts, so that two of them do not undo each other.
 */
export const lastingAlarm = ({ scaling }: Pick<Group, 'scaling'>, asking: Asking): ScalingRule | undefined => {
  const { known, nowMs } = asking;
  const standing = scaling.filter(({ alarm }) => {
    const state = known[alarm];
    return state?.isOn && state.quiet === undefined && nowMs - state.atMs < lastsForMs;
  });
  const [latest] = standing.toSorted((a, b) => (known[b.alarm]?.atMs ?? 0) - (known[a.alarm]?.atMs ?? 0));
  return latest !== undefined && isDue(latest, asking) ? latest : undefined;
};

import type { Situation } from '../situation.ts';
import { deletePolicy, lastingAlarm, putPolicy } from '../steps.ts';
import { restoreState } from '../table-steps.ts';
import { settingOf } from '../worlds.ts';
import { scripted } from './scripted.ts';

const of = scripted(600_000);

const elastic = {
  size: { min: 2, max: 24, desired: 4 },
  spot: 8,
  max: 24,
  policy: {
    scaling: [
      { alarm: 'high', adjust: '+2', cooldown: '1m' },
      { alarm: 'low', adjust: '-1', cooldown: '3m' },
    ],
  },
} as const;
const minuteMs = 60_000;

const made: readonly Situation[] = [
  of('an overload lasts', settingOf('tag', elastic), {
    asked: { web: { size: 4 } },
    steps: [lastingAlarm(1_000, 'high', 5 * minuteMs)],
    calmAtMs: 9 * minuteMs,
  }),
  of('an alarm returns within its cooldown', settingOf('attach', elastic), {
    asked: { web: { size: 4, endsAt: 2 } },
    steps: [lastingAlarm(1_000, 'low', 20_000), lastingAlarm(60_000, 'low', 4 * minuteMs)],
    calmAtMs: 8 * minuteMs,
  }),
  of('an alarm is suppressed', settingOf('tag', elastic), {
    asked: { web: { size: 4, endsAt: 4 } },
    steps: [lastingAlarm(1_000, 'high', 5 * minuteMs, 'suppressed')],
    calmAtMs: 7 * minuteMs,
  }),
  of('the state is restored from a time at which an alarm lasted', settingOf('tag', elastic), {
    asked: { web: { size: 4, endsAt: 6 } },
    steps: [lastingAlarm(1_000, 'high', 30_000), restoreState(15_000, 105_000)],
    calmAtMs: 6 * minuteMs,
  }),
  of('the state is restored from a time without a policy', settingOf('tag', elastic), {
    asked: { web: { size: 4, endsAt: 6 } },
    steps: [
      deletePolicy(1_000),
      restoreState(10_000, 110_000),
      putPolicy(20_000, settingOf('tag', elastic).policy),
      lastingAlarm(40_000, 'high', 30_000),
    ],
    calmAtMs: 6 * minuteMs,
  }),
];

/** Situations in which alarms last. */
export const alarms: Readonly<Record<string, () => Situation>> = Object.fromEntries(made.map((situation) => [situation.name, () => situation]));

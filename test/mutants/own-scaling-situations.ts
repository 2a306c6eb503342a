import { scheduled } from '../sim/random-scaling.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { alarm, lastingAlarm } from '../sim/steps.ts';
import { settingOf } from '../sim/worlds.ts';

const size = { min: 2, max: 12, desired: 4 };
const minuteMs = 60_000;

type Policy = Readonly<Record<string, unknown>>;

const of = (name: string, scaling: readonly object[], stepsOf: (policy: Policy) => readonly Step[], endsAt: number): Situation => {
  const { spec, policy } = settingOf('tag', { size, spot: 8, policy: { scaling } });
  const steps = stepsOf(policy);
  return {
    name,
    seed: 1,
    spec,
    policies: [policy],
    asked: { web: { size: 4, endsAt } },
    steps,
    calmAtMs: Math.max(...steps.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs)) + 2 * minuteMs,
    restWithinMs: 10 * minuteMs,
  };
};

const steps = (side: 'above' | 'below', sign: '+' | '-') => [
  { [side]: 0, adjust: `${sign}1` },
  { [side]: 20, adjust: `${sign}2` },
];
const stepped = [
  { alarm: 'high', steps: steps('above', '+'), cooldown: '10m' },
  { alarm: 'low', steps: steps('below', '-'), cooldown: '10m' },
];
const plain = [{ alarm: 'high', adjust: '+2', cooldown: '10m' }];
const soon = (afterMinutes: number, wanted: number, timezone = 'UTC') => ({ afterMinutes, timezone, size: wanted });

/** Worlds in which alarms act by steps, or a schedule sets the size. */
export const ownScalingSituations = {
  'an alarm far above its threshold': () =>
    of('an alarm far above its threshold', stepped, () => [lastingAlarm(1_000, 'high', 30_000, undefined, 25)], 6),
  'an alarm far below its threshold': () =>
    of('an alarm far below its threshold', stepped, () => [lastingAlarm(1_000, 'low', 30_000, undefined, -25)], 2),
  'an alarm exactly at a step': () => of('an alarm exactly at a step', stepped, () => [lastingAlarm(1_000, 'high', 30_000, undefined, 20)], 6),
  'an alarm far above its threshold lasts': () =>
    of(
      'an alarm far above its threshold lasts',
      [{ ...stepped[0], cooldown: '1m' }],
      () => [lastingAlarm(1_000, 'high', 400_000, undefined, 25)],
      12,
    ),
  'two alarms last': () => {
    const both = [
      { alarm: 'high', adjust: '+2', cooldown: '1m' },
      { alarm: 'low', adjust: -1, cooldown: '1m' },
    ];
    return of('two alarms last', both, () => [lastingAlarm(1_000, 'high', 400_000), lastingAlarm(30_000, 'low', 400_000)], 2);
  },
  'an alarm that a rule mutes': () => of('an alarm that a rule mutes', plain, () => [lastingAlarm(1_000, 'high', 30_000, 'muted')], 4),
  'an alarm that is suppressed for long': () =>
    of('an alarm that is suppressed for long', [{ ...plain[0], cooldown: '1m' }], () => [lastingAlarm(1_000, 'high', 300_000, 'suppressed')], 4),
  'a schedule, then an alarm': () =>
    of('a schedule, then an alarm', plain, (policy) => [scheduled(1_000, policy, [soon(2, 6)]), alarm(5 * minuteMs, 'high')], 8),
  'a schedule whose time is over': () =>
    of('a schedule whose time is over', plain, (policy) => [scheduled(1_000, policy, [soon(-5, 9), soon(2, 5)])], 5),
  'a schedule in another time zone': () =>
    of('a schedule in another time zone', plain, (policy) => [scheduled(1_000, policy, [soon(2, 7, 'Asia/Kolkata')])], 7),
  'a schedule whose day is another one in UTC': () =>
    of('a schedule whose day is another one in UTC', plain, (policy) => [scheduled(1_000, policy, [soon(2, 7, 'Pacific/Kiritimati')])], 7),
  'two times of a schedule at once': () =>
    of('two times of a schedule at once', plain, (policy) => [scheduled(1_000, policy, [soon(2, 9), soon(2, 5, 'Europe/Berlin')])], 5),
} as const satisfies Readonly<Record<string, () => Situation>>;

import { breakBoots } from '../sim/capacity-steps.ts';
import { endWhilePending, killZone } from '../sim/ending-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { alarm, putPolicy } from '../sim/steps.ts';
import { type SettingOptions, settingOf, zones } from '../sim/worlds.ts';

const [zone, otherZone] = zones;
const size = 6;
const minuteMs = 60_000;

type Policy = Readonly<Record<string, unknown>>;

const of = (name: string, stepsOf: (policy: Policy) => readonly Step[], options: SettingOptions = {}): Situation => {
  const { spec, policy } = settingOf('attach', { size, market: 'spot', ...options });
  const steps = stepsOf(policy);
  return {
    name,
    seed: 1,
    spec,
    policies: [policy],
    asked: { web: { size } },
    steps,
    calmAtMs: Math.max(...steps.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs)) + 2 * minuteMs,
    restWithinMs: 15 * minuteMs,
  };
};

/** What is launched in the zone for so long ends before it serves. */
const dying = (atMs: number, forMs: number, filter: { readonly zone?: string } = { zone }): Step => breakBoots(atMs, forMs, filter, 'dies');

/** Worlds in which an Auto Scaling group launches by itself, and what it launches ends before it runs. */
export const refillSituations = {
  'its own launches die for long': () => of('its own launches die for long', () => [dying(1_000, 14 * minuteMs), killZone(2_000, zone)]),
  'its own launches die for a minute': () => of('its own launches die for a minute', () => [dying(1_000, 70_000), killZone(2_000, zone)]),
  'its own launches die, it shrinks, and they die again later': () =>
    of(
      'its own launches die, it shrinks, and they die again later',
      () => [...[dying(1_000, 60_000), killZone(2_000, zone), alarm(25_500, 'low')], ...[dying(200_000, 40_000, {}), killZone(201_000, otherZone)]],
      { size: { min: 2, max: 10, desired: size }, policy: { scaling: [{ alarm: 'low', adjust: '-2', cooldown: '2m' }] } },
    ),
  'its own launches die, come up, and die again soon': () =>
    of('its own launches die, come up, and die again soon', () => [
      ...[dying(1_000, 50_000), killZone(2_000, zone)],
      ...[dying(85_000, 50_000), killZone(86_000, zone)],
    ]),
  'a user ends its own launches before they run': () =>
    of('a user ends its own launches before they run', () => [endWhilePending(1_000, 4 * minuteMs, zone), killZone(2_000, zone)]),
  'its own launches died for long, a quarter of an hour ago': () =>
    of('its own launches died for long, a quarter of an hour ago', () => [
      ...[dying(1_000, 3 * minuteMs), killZone(2_000, zone)],
      ...[dying(22 * minuteMs, 20_000), killZone(22 * minuteMs + 1_000, zone)],
    ]),
  'its own launches died for long, and the policy is written': () =>
    of('its own launches died for long, and the policy is written', (policy) => [
      ...[dying(1_000, 3 * minuteMs), killZone(2_000, zone)],
      putPolicy(5 * minuteMs, { ...policy, tags: { team: 'other' } }),
      ...[dying(6 * minuteMs, 20_000), killZone(6 * minuteMs + 1_000, zone)],
    ]),
} as const satisfies Readonly<Record<string, () => Situation>>;

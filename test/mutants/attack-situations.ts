import { noCapacity } from '../sim/capacity-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { alarm, interrupt, kill } from '../sim/steps.ts';
import { type SettingOptions, settingOf, zones } from '../sim/worlds.ts';

const minuteMs = 60_000;

type Script = {
  readonly options?: SettingOptions;
  readonly steps: readonly Step[];
  readonly endsAt?: number;
  /** How long the world goes on after the last step. */
  readonly goesOnMs?: number;
};

const size = { min: 1, max: 12, desired: 5 };

const of = (name: string, { options = {}, steps, endsAt = size.desired, goesOnMs = 2 * minuteMs }: Script): Situation => {
  const { spec, policy } = settingOf('tag', { size, spot: 8, ...options });
  return {
    name,
    seed: 1,
    spec,
    policies: [policy],
    asked: { web: { size: size.desired, endsAt } },
    steps,
    calmAtMs: Math.max(...steps.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs)) + goesOnMs,
    restWithinMs: 20 * minuteMs,
  };
};

const both = ['spot', 'on-demand'] as const;
const returning = { after: '1m', every: '1m', atMost: '50%' };

/** Worlds for mutants that an attacker wrote, and whose moment random worlds seldom draw. */
export const attackSituations = {
  'nothing gives for half an hour': () =>
    of('nothing gives for half an hour', { steps: [noCapacity(1_000, 30 * minuteMs, both, zones), kill(5_000, 2)] }),
  'a share of an odd size': () =>
    of('a share of an odd size', {
      options: { policy: { scaling: [{ alarm: 'high', adjust: '+25%', cooldown: '10m' }] } },
      steps: [alarm(1_000, 'high')],
      endsAt: 7,
    }),
  'two alarms soon after each other': () =>
    of('two alarms soon after each other', {
      options: {
        policy: {
          scaling: [
            { alarm: 'high', adjust: '+3', cooldown: '5m' },
            { alarm: 'low', adjust: '-1', cooldown: '5m' },
          ],
        },
      },
      steps: [alarm(1_000, 'high'), alarm(40_000, 'low')],
      endsAt: 7,
    }),
  'an alarm again in the second half of its cooldown': () =>
    of('an alarm again in the second half of its cooldown', {
      options: { policy: { scaling: [{ alarm: 'high', adjust: '+1', cooldown: '2m' }] } },
      steps: [alarm(1_000, 'high'), alarm(91_000, 'high')],
      endsAt: 6,
    }),
  'spot comes back in a window of the night before': () =>
    of('spot comes back in a window of the night before', {
      options: { policy: { return: { ...returning, window: 'wed 22:00-05:00' } } },
      steps: [noCapacity(1_000, 3 * minuteMs, ['spot'], zones), interrupt(5_000, 2)],
      goesOnMs: 30 * minuteMs,
    }),
} satisfies Readonly<Record<string, () => Situation>>;

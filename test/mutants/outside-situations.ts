import { noCapacity } from '../sim/capacity-steps.ts';
import { setBy } from '../sim/outside-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { interrupt, putPolicy } from '../sim/steps.ts';
import { type SettingOptions, settingOf, zones } from '../sim/worlds.ts';

const sized = { size: { from: 'asg', min: 0, max: 20 }, return: { after: '1m', every: '1m', atMost: 2 } };

const endsAt = (size: number): Pick<Situation, 'asked'> => ({ asked: { web: { size: 6, endsAt: size } } });

const of = (name: string, options: SettingOptions, steps: readonly Step[]): Situation => {
  const { spec, policy } = settingOf('attach', { size: 6, max: 20, policy: sized, ...options });
  const lastsMs = Math.max(0, ...steps.map(({ atMs, lastsMs: forMs = 0 }) => atMs + forMs));
  return {
    name,
    seed: 1,
    spec,
    policies: [policy],
    asked: { web: { size: 6, endsAt: 6 } },
    steps,
    calmAtMs: lastsMs + 900_000,
    restWithinMs: 600_000,
  };
};

/** Two members are missing until Holdfast attaches them on demand. Describes of the group are late. */
const late: SettingOptions = { market: 'spot', spot: 2, asgLagSeconds: [4, 4] };

/** Worlds in which others set the size of a group, and spot comes back. */
export const outsideSituations = {
  'spot comes back to a group that others size': (): Situation =>
    of('spot comes back to a group that others size', { market: 'spot' }, [noCapacity(500, 60_000, ['spot'], zones), interrupt(1_000, 3)]),
  'paused while a member moves where others set the size': (): Situation => {
    const { policy } = settingOf('attach', { size: 6, max: 20, market: 'spot', policy: sized });
    const paused = putPolicy(252_000, { ...policy, mode: 'pause' }, 'the mode becomes pause', 'mode-edited');
    const steps = [noCapacity(500, 60_000, ['spot'], zones), interrupt(1_000, 2), paused];
    return of('paused while a member moves where others set the size', { market: 'spot' }, steps);
  },
  'a scaler wants more than the maximum': (): Situation => {
    const wants = [{ atSeconds: 0, value: 9 }];
    const steps = [setBy(1_000, { kind: 'absolute', asg: 'web-asg', everySeconds: 1, wants }, 180_000)];
    return { ...of('a scaler wants more than the maximum', { ...late, max: 8 }, steps), ...endsAt(8) };
  },
  'a group that others size launches on demand by itself': (): Situation =>
    of('a group that others size launches on demand by itself', { market: 'on-demand' }, []),
};

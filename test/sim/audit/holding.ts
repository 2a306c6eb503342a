import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import type { Situation } from '../situation.ts';
import { interrupt } from '../steps.ts';
import { type Setting, settingOf } from '../worlds.ts';

type Script = Pick<Situation, 'asked' | 'steps'> & Partial<Situation>;

const of = (name: string, { spec, policy }: Setting, script: Script): Situation => ({
  name,
  seed: 1,
  spec,
  policies: [policy],
  calmAtMs: Math.max(...script.steps.map(({ atMs }) => atMs)) + 60_000,
  restWithinMs: 600_000,
  ...script,
});

const six = { web: { size: 6, endsAt: 6 } };

/** From one moment to another nobody may change an Auto Scaling group. */
const unchangeable = (fromMs: number, untilMs: number): FaultInput => ({
  on: 'call',
  kind: 'throttle',
  match: { operation: 'UpdateAutoScalingGroup' },
  fromMs,
  untilMs,
});

/** Situations in which the audit saw a fault, by what goes wrong in them. */
export const holding: Readonly<Record<string, () => Situation>> = {
  'a second raise never comes about': () =>
    of('a second raise never comes about', settingOf('attach', { spot: 12 }), {
      asked: six,
      steps: [interrupt(1_000, 2), interrupt(30_000, 1)],
      faults: [unchangeable(29_000, 240_000)],
      calmAtMs: 250_000,
    }),
};

import type { Situation } from '../situation.ts';
import type { Setting } from '../worlds.ts';

/** What happens in a situation, and what differs from the usual one. */
export type Script = Pick<Situation, 'asked' | 'steps'> & Partial<Situation>;

/** Makes situations of one group that come to rest within this time, a minute after their last step. */
export const scripted =
  (restWithinMs: number) =>
  (name: string, { spec, policy }: Setting, script: Script): Situation => ({
    name,
    seed: 1,
    spec,
    policies: [policy],
    calmAtMs: Math.max(...script.steps.map(({ atMs }) => atMs)) + 60_000,
    restWithinMs,
    ...script,
  });

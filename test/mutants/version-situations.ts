import type { Situation, Step } from '../sim/situation.ts';
import { interrupt } from '../sim/steps.ts';
import { addVersion, makeLatestDefault } from '../sim/template-steps.ts';
import { settingOf } from '../sim/worlds.ts';

const of = (name: string, launchTemplate: string, steps: readonly Step[]): Situation => {
  const { spec, policy } = settingOf('tag', { policy: { defaults: { launchTemplate, instanceTypes: ['m7g.large'] } } });
  return {
    name,
    seed: 1,
    spec,
    policies: [policy],
    asked: { web: { size: 6, endsAt: 6 } },
    steps,
    calmAtMs: 300_000,
    restWithinMs: 600_000,
  };
};

/** Worlds in which the launch template gets a second version before EC2 takes a member. */
export const versionSituations = {
  'a version that is not the default one': (): Situation =>
    of('a version that is not the default one', 'web', [addVersion(1_000), interrupt(10_000, 1)]),
  'another version becomes the default one': (): Situation =>
    of('another version becomes the default one', 'web:1', [addVersion(1_000), makeLatestDefault(2_000), interrupt(10_000, 1)]),
};

import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { noCapacity } from '../sim/capacity-steps.ts';
import { setWeights } from '../sim/operator-steps.ts';
import { setBy } from '../sim/outside-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { interrupt, putPolicy, recommendRebalance } from '../sim/steps.ts';
import { type SettingOptions, settingOf, zones } from '../sim/worlds.ts';

const sized = { size: { from: 'asg', min: 0, max: 20 } };
const asg = 'web-asg';
/** The group launches the second type alone, because nobody sells the first. */
const weights = { 'm6g.large': 2, 'm7g.large': 3 };

const of = (name: string, steps: readonly Step[], options: SettingOptions = {}, faults: readonly FaultInput[] = []): Situation => {
  const { spec, policy } = settingOf('attach', { size: 6, max: 20, policy: sized, market: 'spot', ...options });
  const autoScalingGroups = (spec.autoScalingGroups ?? []).map((group) =>
    group.name === asg ? { ...group, instanceTypes: Object.keys(weights) } : group,
  );
  return {
    name,
    seed: 1,
    spec: { ...spec, autoScalingGroups },
    policies: [policy],
    asked: { web: { size: 6 } },
    steps,
    ...(faults.length > 0 && { faults }),
    calmAtMs: 900_000,
    restWithinMs: 600_000,
  };
};

/** Spot is gone for good, and takes two members with it. Two members on demand run 16 s after the warning, and join. */
const spotIsGone = [noCapacity(500, 840_000, ['spot'], zones), interrupt(1_000, 2)];

/** Auto Scaling refuses changes of the group's numbers so often, because an activity is in progress. */
const busy: FaultInput = {
  on: 'call',
  kind: 'error',
  code: 'ScalingActivityInProgress',
  times: 4,
  match: { operation: 'UpdateAutoScalingGroup' },
};

/** Worlds in which the owner of an Auto Scaling group gives its instance types weights, or takes them away. */
export const weightSituations = {
  'weights come while members are on their way': (): Situation =>
    of('weights come while members are on their way', [...spotIsGone, setWeights(10_000, asg, weights, 3)]),
  'weights come to a group at its maximum': (): Situation =>
    of('weights come to a group at its maximum', [...spotIsGone, setWeights(10_000, asg, weights, 3)], { max: 6 }),
  'weights come while what an attach added stays': (): Situation =>
    of('weights come while what an attach added stays', [...spotIsGone, setWeights(19_500, asg, weights)], {}, [busy]),
  'weights go while what an attach added stays': (): Situation =>
    of('weights go while what an attach added stays', [...spotIsGone, setWeights(10_000, asg, weights, 3), setWeights(19_500, asg, undefined)], {}, [
      busy,
    ]),
  'weights go, and a look comes at once': (): Situation => {
    // The group itself launches what is missing, within 15 s. While there were weights, nobody could say that anything is.
    const steps = [setWeights(5_000, asg, weights, 3), setWeights(300_000, asg, undefined), recommendRebalance(300_500, 1)];
    return of('weights go, and a look comes at once', steps);
  },
  'paused and smaller while members are on their way': (): Situation => {
    const { policy } = settingOf('attach', { size: 6, max: 20, market: 'spot', policy: sized });
    const paused = putPolicy(8_000, { ...policy, mode: 'pause' }, 'the mode becomes pause', 'mode-edited');
    const smaller = setBy(9_000, { kind: 'person', asg, wants: [{ atSeconds: 0, value: 3 }] }, 5_000);
    return of('paused and smaller while members are on their way', [...spotIsGone, paused, smaller]);
  },
};

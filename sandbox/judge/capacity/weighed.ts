import type { InForce } from '../chronicle.ts';
import { asgsOf } from '../policy/policy.ts';
import type { AsgChange, Cloud } from '../world/cloud.ts';

/** Whether the sizes of an Auto Scaling group count weights of instance types, and no instances. */
const isWeighed = ({ unfit = [], isGone }: AsgChange): boolean => isGone !== true && unfit.includes('weights');

/**
 * The policies of a group, and what Holdfast does under them. While a size that the policy names counts weights, nobody can say how many instances are missing
 * or too many: Holdfast does what it does in mode `pause` then (docs/policy.md, sizes that others set), and acts again once the sizes count instances.
 */
export const withWeighed = (policies: readonly InForce[], cloud: Cloud): readonly InForce[] =>
  policies.flatMap((one, index): readonly InForce[] => {
    const { policy, atMs } = one;
    const untilMs = policies[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    const asgs = policy?.mode === 'act' ? asgsOf(policy) : [];
    if (policy === undefined || !asgs.some((asg) => cloud.asgChanges(asg).some(isWeighed))) return [one];
    const changes = asgs.flatMap((asg) => cloud.asgChanges(asg).map((change) => change.atMs));
    const moments = [...new Set([atMs, ...changes.filter((ms) => ms > atMs && ms < untilMs)])].toSorted((a, b) => a - b);
    const parts = moments.map((ms): InForce => {
      const isOn = asgs.some((asg) => cloud.asgAt(asg, ms) !== undefined && isWeighed(cloud.asgAt(asg, ms) as AsgChange));
      return isOn ? { ...one, atMs: ms, policy: { ...policy, mode: 'pause', isWeighed: true } } : { ...one, atMs: ms };
    });
    return parts.filter((part, at) => at === 0 || part.policy?.mode !== parts[at - 1]?.policy?.mode);
  });

import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { asgsOf } from '../../policy/policy.ts';
import { isMap, numberOf } from '../../read-json.ts';

type Broken = Omit<Finding, 'rule'>;

const wrongIn = (chronicle: Chronicle, group: string, state: unknown): readonly Broken[] => {
  const { restAtMs, endedAtMs: atMs } = chronicle.history;
  const policy = chronicle.policyAt(group, atMs);
  if (!isMap(state) || restAtMs === undefined || policy?.mode !== 'observe' || policy.isSizedOutside) return [];
  const asgs = asgsOf(policy).map((asg) => chronicle.cloud.asgAt(asg, atMs));
  const known = asgs.flatMap((asg) => (asg === undefined || asg.isGone || asg.weights !== undefined ? [] : [asg]));
  if (known.length === 0 || known.length < asgs.length) return [];
  const set = known.reduce((sum, { desired }) => sum + desired, 0);
  const { min, max } = policy.size;
  const size = Math.min(max, Math.max(min, set));
  const said = numberOf(state.desired);
  return said === size
    ? []
    : [
        {
          group,
          atMs,
          detail: `at rest, the desired capacity of ${group}, which is observed, is ${set}, and its state says ${said}, expected ${size}`,
        },
      ];
};

export const observedSizesAreFollowed: Rule = {
  name: 'an observed group has the size of its Auto Scaling groups',
  meaning:
    'At rest, the desired size of a group that is observed is the desired capacity of its Auto Scaling groups, within the bounds of the policy. The rule is about Auto Scaling groups that are there and whose sizes count instances.',
  broken: (chronicle) => Object.entries(chronicle.history.stored.states).flatMap(([group, state]) => wrongIn(chronicle, group, state)),
};

import { countedAt } from '../../capacity/launch-limit.ts';
import type { Finding, Rule } from '../../finding.ts';
import { ownLaunches } from '../../members/staying.ts';

type Broken = Omit<Finding, 'rule'>;

export const launchesWithinLimit: Rule = {
  name: 'launches keep to the limit of the policy',
  meaning:
    'Within the time of `launches`, Holdfast launches no more than `atMost` for a group, and one more for each member that EC2 warned about in that time. An instance in standby or in a warm pool is no member. A policy that is written starts the count again.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap(({ life, group, sinceMs }): readonly Broken[] => {
      const policies = chronicle.policiesIn(group, sinceMs, life.launchedAtMs);
      if (policies.length === 0) return [];
      const { launched, most } = countedAt(chronicle, group, life, policies);
      if (launched <= most) return [];
      return [{ group, instance: life.instance, atMs: life.launchedAtMs, detail: `${launched} were launched, and the policy allows ${most}` }];
    }),
};

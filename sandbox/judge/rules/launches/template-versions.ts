import type { Finding, Rule } from '../../finding.ts';
import { ownLaunches } from '../../members/staying.ts';
import type { PolicyPool } from '../../policy/policy.ts';
import { poolOf } from '../../policy/pools.ts';
import type { Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** Whether a launch used this template, in this version. `$Default` and `$Latest` mean what they were when EC2 launched it. */
const isOf = ({ template }: Life, { named, version }: Required<PolicyPool>['template']): boolean => {
  if (template === undefined || (template.name !== named && template.id !== named)) return false;
  if (version === '$Default') return template.isDefault;
  return version === '$Latest' ? template.isLatest : template.version === version;
};

export const versionsAsNamed: Rule = {
  name: 'launches use the version that the policy names',
  meaning:
    'Every launch of Holdfast from a pool with a launch template uses that template, in the version that the policy in force names: a number, `$Latest` or `$Default`. A policy that names none means `$Default`. A pool through an Auto Scaling group launches what that group names.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap(({ life, group, sinceMs }): readonly Broken[] => {
      const atMs = life.launchedAtMs;
      const pools = chronicle.policiesIn(group, sinceMs, atMs).flatMap((policy) => policy.pools[poolOf(life, policy, atMs) ?? ''] ?? []);
      if (pools.length === 0 || pools.some(({ template }) => template === undefined || isOf(life, template))) return [];
      const { name = 'no template', version = 'none' } = life.template ?? {};
      const named = pools.map(({ template }) => `${template?.named}:${template?.version}`);
      const detail = `${life.instance} is of ${name} in version ${version}, and its pool names ${[...new Set(named)].join(' or ')}`;
      return [{ group, instance: life.instance, atMs, detail }];
    }),
};

import type { Group } from '../../core/group.ts';
import type { Path } from '../../core/policy/problem.ts';
import type { Policy } from '../../core/policy/schema.ts';
import type { RegistryEntry } from '../../core/ports.ts';

/** Every Auto Scaling group that a policy names, and where. */
export const asgsOf = (policy: Pick<Policy, 'asg' | 'pools'>): readonly { readonly path: Path; readonly asg: string }[] => [
  ...(policy.asg === undefined ? [] : [{ path: ['asg'], asg: policy.asg }]),
  ...Object.entries(policy.pools).flatMap(([name, { asg }]) => (asg === undefined ? [] : [{ path: ['pools', name, 'asg'], asg }])),
];

export const registryEntryOf = (group: Group): RegistryEntry => ({
  group: group.name,
  policyVersion: group.policyVersion,
  asgs: group.holding.kind === 'attach' ? [group.holding.asg] : Object.values(group.pools).flatMap(({ asg }) => asg ?? []),
  alarms: group.scaling.map(({ alarm }) => alarm),
});

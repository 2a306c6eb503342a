import type { Group } from '../../core/group/group.ts';
import { namedAsgs } from '../../core/group/holders.ts';
import type { Policy } from '../../core/policy/schema.ts';
import type { RegistryEntry } from '../../core/ports/state-store.ts';
import type { NamedAsg } from './claim-asgs.ts';

/** Every Auto Scaling group that a policy names, and where. */
export const asgsOf = (policy: Pick<Policy, 'asg' | 'pools'>): readonly NamedAsg[] => [
  ...(policy.asg === undefined ? [] : [{ path: ['asg'], asg: policy.asg }]),
  ...Object.entries(policy.pools).flatMap(([name, { asg }]) =>
    asg === undefined ? [] : [{ path: ['pools', name, 'asg'], asg }],
  ),
];

/**
 * Auto Scaling groups that may hold members: those in the group's state. If these are lost: those in the registry,
 * unless the group was let go meanwhile, because Holdfast leaves them to their owners then.
 *
 * @param remembered those in the state. Undefined: there is no state, or they cannot be read
 */
export const holdersOf = (
  remembered: readonly string[] | undefined,
  entry: RegistryEntry | undefined,
): readonly string[] => {
  if (remembered !== undefined) return remembered;
  return entry === undefined || entry.letGoUntilMs !== undefined ? [] : [...entry.asgs, ...(entry.former ?? [])];
};

/** @param holders Auto Scaling groups that the group's state remembers, from earlier policies too. */
export const registryEntryOf = (group: Group, holders: readonly string[] = []): RegistryEntry => {
  const asgs = namedAsgs(group);
  const former = holders.filter((asg) => !asgs.includes(asg));
  return {
    group: group.name,
    policyVersion: group.policyVersion,
    asgs,
    ...(former.length > 0 && { former }),
    alarms: group.scaling.map(({ alarm }) => alarm),
  };
};

import { allSettled } from '../../aws/calls/in-parallel.ts';
import type { Group } from '../../core/group/group.ts';
import { namedAsgs } from '../../core/group/holders.ts';
import type { Remembered } from '../../core/policy/ports.ts';
import type { Policy } from '../../core/policy/schema.ts';
import type { RegistryEntry } from '../../core/ports/state-store.ts';
import type { NamedAsg } from './claim-asgs.ts';
import type { AcceptPolicyPorts } from './ports.ts';

/** Every Auto Scaling group that a policy names, and where. */
export const asgsOf = (policy: Pick<Policy, 'asg' | 'pools'>): readonly NamedAsg[] => [
  ...(policy.asg === undefined ? [] : [{ path: ['asg'], asg: policy.asg }]),
  ...Object.entries(policy.pools).flatMap(([name, { asg }]) =>
    asg === undefined ? [] : [{ path: ['pools', name, 'asg'], asg }],
  ),
];

/**
 * Auto Scaling groups that may hold members: those in the group's state. If these are lost, or older than the policy in
 * force because a user restored the table: those in the registry too, unless the group was let go meanwhile, because
 * Holdfast leaves them to their owners then.
 *
 * @param remembered those in the state. Undefined: there is no state, or they cannot be read
 */
export const holdersOf = (remembered: Remembered | undefined, entry: RegistryEntry | undefined): readonly string[] => {
  const { asgs, policyVersion } = remembered ?? { asgs: [], policyVersion: -1 };
  if (entry === undefined || entry.letGoUntilMs !== undefined || policyVersion >= entry.policyVersion) return asgs;
  return [...new Set([...asgs, ...entry.asgs, ...(entry.former ?? [])])];
};

export const heldBy = async (group: string, store: AcceptPolicyPorts['store']): Promise<readonly string[]> => {
  const [remembered, registry] = await allSettled([store.holders(group), store.registry()]);
  return holdersOf(
    remembered,
    registry.find((entry) => entry.group === group),
  );
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

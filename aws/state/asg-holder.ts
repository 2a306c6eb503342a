import type { RegistryEntry, StateStore } from '../../core/ports/state-store.ts';

/**
 * The group that holds an Auto Scaling group: the one whose policy names it. If none does, one whose earlier policy
 * named it, because its members are counted until they have left. A group that was let go holds what no other group has
 * held since. Where several are left, the claim says which of them named it last.
 */
export const holderOf = async (
  asg: string,
  registry: readonly RegistryEntry[],
  claims: Pick<StateStore, 'claimOf'>,
): Promise<string | undefined> => {
  const named = registry.find(({ asgs }) => asgs.includes(asg));
  if (named !== undefined) return named.group;
  const former = registry.filter((entry) => entry.former?.includes(asg) === true);
  const inForce = former.filter(({ letGoUntilMs }) => letGoUntilMs === undefined);
  const left = inForce.length > 0 ? inForce : former;
  if (left.length < 2) return left[0]?.group;
  const last = (await claims.claimOf(asg))?.group;
  return (left.find(({ group }) => group === last) ?? left[0])?.group;
};

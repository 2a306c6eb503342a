import { type Group, held, invalid, type Member } from './group.ts';

type Weighed = Pick<Group, 'weights'>;
type Override = { readonly InstanceType?: string; readonly WeightedCapacity?: string };

/**
 * The units that an instance counts towards the sizes of its group. Without weights each counts as one (User Guide, Configure an Auto Scaling group to use
 * instance weights).
 */
export const weightOf = ({ weights }: Weighed, instanceType: string): number => weights?.get(instanceType) ?? 1;

export const unitsOf = (group: Weighed, members: readonly Member[]): number =>
  members.reduce((sum, { instance }) => sum + weightOf(group, instance.instanceType), 0);

/** Units of the members that count towards the desired capacity. */
export const heldUnits = (group: Group): number => unitsOf(group, held(group));

/** Whether the group has its desired capacity, and no member could leave without being missing. */
export const isAtSize = (group: Group): boolean => {
  const over = heldUnits(group) - group.desired;
  return over === 0 || (over > 0 && held(group).every(({ instance }) => weightOf(group, instance.instanceType) > over));
};

const weightIn = ({ InstanceType = '', WeightedCapacity = '' }: Override): [string, number] => {
  const weight = Number(WeightedCapacity);
  if (!Number.isInteger(weight) || weight < 1 || weight > 999) throw invalid(`Invalid WeightedCapacity '${WeightedCapacity}': expected 1 to 999.`);
  return [InstanceType, weight];
};

/**
 * The weights of a policy: of all of its types, or of none (API Reference, LaunchTemplateOverrides). A type that is no longer in the policy keeps the
 * last weight that it had.
 */
export const weightsIn = (overrides: readonly Override[], before: Group['weights']): Group['weights'] => {
  const weighed = overrides.filter(({ WeightedCapacity }) => WeightedCapacity !== undefined);
  if (weighed.length === 0) return undefined;
  if (weighed.length < overrides.length) throw invalid('You must specify a WeightedCapacity for all of the instance types, or for none.');
  return new Map([...(before ?? []), ...weighed.map(weightIn)]);
};

/** The weights of its types and of its members, where one of them is not 1: then its sizes do not count instances. */
export const weightsShown = (group: Group): Readonly<Record<string, number>> | undefined => {
  const types = new Set([...group.instanceTypes, ...held(group).map(({ instance }) => instance.instanceType)]);
  const found = [...types].map((type): [string, number] => [type, weightOf(group, type)]);
  return found.some(([, weight]) => weight !== 1) ? Object.fromEntries(found) : undefined;
};

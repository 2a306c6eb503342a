import type { Instance } from '@aws-sdk/client-ec2';
import type { Group } from '../../core/group/group.ts';
import { asgsOf } from '../../core/group/holders.ts';
import { howHeld } from '../../core/group/holding.ts';
import type { Holdings } from '../../core/ports/capacity-provider.ts';
import { asgTag, groupOf, isAlive, tagOf } from '../instances.ts';

const idOf = ({ InstanceId = '' }: Instance): string => InstanceId;

/** A group, and the Auto Scaling groups that may hold its members. */
export type Owner = { readonly group: Group; readonly deployment: string; readonly names: readonly string[] };

export const ownerOf = (group: Group, deployment: string): Owner => ({ group, deployment, names: asgsOf(group) });

/** The Auto Scaling group that holds an instance, if it is none of the group's own. */
const foreignAsg = (instance: Instance, { names }: Owner): string | undefined => {
  const asg = tagOf(instance, asgTag);
  return asg === undefined || names.includes(asg) ? undefined : asg;
};

const hasItsTag = (instance: Instance, { group, deployment }: Owner): boolean =>
  groupOf(instance, deployment) === group.name;

const isForeign = (instance: Instance, owner: Owner): boolean =>
  howHeld(owner.group).isInAsgs && foreignAsg(instance, owner) !== undefined;

/**
 * Our instances: tagged for this group, or held by one of its Auto Scaling groups. An instance that a foreign Auto
 * Scaling group holds is not ours.
 */
export const isOurs = (instance: Instance, owner: Owner): boolean =>
  owner.names.includes(tagOf(instance, asgTag) ?? '') || (hasItsTag(instance, owner) && !isForeign(instance, owner));

/** Living instances with the tag of a group that a foreign Auto Scaling group holds. */
export const foreignIn = (instances: readonly Instance[], owner: Owner): Pick<Holdings, 'foreign'> => {
  const foreign = instances.filter(
    (instance) => isAlive(instance) && hasItsTag(instance, owner) && isForeign(instance, owner),
  );
  return foreign.length === 0 ? {} : { foreign: foreign.map(idOf) };
};

/** Members in Auto Scaling groups that the group does not name. */
export const elsewhereOf = (instances: readonly Instance[], owner: Owner): Pick<Holdings, 'elsewhere'> => {
  const found = instances.flatMap((instance) => {
    const asg = foreignAsg(instance, owner);
    return asg === undefined ? [] : [[idOf(instance), asg] as const];
  });
  return found.length === 0 ? {} : { elsewhere: Object.fromEntries(found) };
};

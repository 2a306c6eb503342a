import type { Tags } from './instance.ts';
import type { Parts } from './snapshot.ts';

/** Tags by instance id, or by the ARN of an instance, launch template, Auto Scaling group or target group. */
export const tagsOfResource = ({ instances, templates, scaling, targetBook }: Parts, resource: string): Tags | undefined => {
  const group = /:autoScalingGroupName\/(.+)$/.exec(resource)?.[1];
  if (group !== undefined) {
    const tags = scaling.groups.get(group)?.tags;
    return tags && Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
  }
  if (resource.includes(':targetgroup/')) return targetBook.tagsOf(resource);
  const id = resource.split('/').at(-1) ?? resource;
  return id.startsWith('lt-') ? templates.tagsOf(id) : instances.find(id)?.tags;
};

import type { InstanceRecord, Tags } from './instance.ts';

/** Finds instances by tag. The result may have instances that no longer have the tag. Describes lag behind, so callers check what is shown. */
export type TagIndex = {
  add(instance: InstanceRecord, tags: Tags): void;
  remove(instance: InstanceRecord): void;
  find(key: string, value: string): readonly InstanceRecord[];
};

export const createTagIndex = (): TagIndex => {
  const byTag = new Map<string, Set<InstanceRecord>>();
  const tagsOf = new Map<InstanceRecord, Set<string>>();
  const entry = (key: string, value: string): string => `${key}\n${value}`;
  return {
    add: (instance, tags) => {
      const carried = tagsOf.get(instance) ?? new Set();
      tagsOf.set(instance, carried);
      for (const [key, value] of Object.entries(tags)) {
        const tag = entry(key, value);
        carried.add(tag);
        const known = byTag.get(tag);
        if (known === undefined) byTag.set(tag, new Set([instance]));
        else known.add(instance);
      }
    },
    remove: (instance) => {
      for (const tag of tagsOf.get(instance) ?? []) {
        const tagged = byTag.get(tag);
        tagged?.delete(instance);
        if (tagged?.size === 0) byTag.delete(tag);
      }
      tagsOf.delete(instance);
    },
    find: (key, value) => [...(byTag.get(entry(key, value)) ?? [])].sort((a, b) => a.ordinal - b.ordinal),
  };
};

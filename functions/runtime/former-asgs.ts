import type { StateStore } from '../../core/ports/state-store.ts';

/**
 * Auto Scaling groups of earlier policies of a group, as the registry knew them when its entry was written: when its
 * policy came into force, or when it was let go. They are in the state item too, but that may be lost, or an older one
 * may have been restored.
 */
export const formerAsgs = async (group: string, store: Pick<StateStore, 'registry'>): Promise<readonly string[]> =>
  (await store.registry()).find((entry) => entry.group === group)?.former ?? [];

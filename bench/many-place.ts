import { placedAfterMs, type StormNeed } from './many-need.ts';
import type { LaunchCall } from './many-watch.ts';

/**
 * The longest time from a group's place in the buckets to its first launch call. The place is the time when full buckets have given the calls and
 * instances of all launch calls made before it, and its own, after the fixed path of one group alone. Groups that made no launch call are left out.
 */
export const latestFirstMs = (launches: readonly LaunchCall[], startedAtMs: number, need: Pick<StormNeed, 'fixedMs'>): number | null => {
  const used = { 'create-fleet': 0, 'launch-instances': 0, instances: 0 };
  const met = new Set<string>();
  let latest: number | null = null;
  for (const { group, api, atMs, given } of launches.toSorted((one, other) => one.atMs - other.atMs)) {
    used[api] += 1;
    used.instances += given;
    if (met.has(group)) continue;
    met.add(group);
    const placeMs = need.fixedMs + placedAfterMs(api, used[api], used.instances);
    latest = Math.max(latest ?? Number.NEGATIVE_INFINITY, atMs - startedAtMs - placeMs);
  }
  return latest;
};

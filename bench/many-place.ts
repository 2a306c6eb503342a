import { placedAfterMs, type StormNeed } from './many-need.ts';
import type { LaunchCall } from './many-watch.ts';

/** Launch calls of one decision are made at once, one for each zone. None waits for a response, which takes longer than this. */
const sameRequestMs = 1_000;

/**
 * The longest time from a group's place in the buckets to its first request, which has a call for each zone. The place is the time when full buckets
 * have given the calls and instances of all launch calls made before it, and its own, after the fixed path of one group alone. Its own instances count
 * as requested, also where EC2 refuses them: a request is made when there are tokens for all of it. Groups that made no launch call are left out.
 */
export const latestFirstMs = (launches: readonly LaunchCall[], startedAtMs: number, need: Pick<StormNeed, 'fixedMs'>): number | null => {
  const used = { 'create-fleet': 0, 'launch-instances': 0, instances: 0 };
  const [met, counted] = [new Set<string>(), new Set<LaunchCall>()];
  const count = (call: LaunchCall): void => {
    if (counted.has(call)) return;
    counted.add(call);
    used[call.api] += 1;
    used.instances += call.given;
  };
  const inOrder = launches.toSorted((one, other) => one.atMs - other.atMs);
  const byGroup = Map.groupBy(inOrder, ({ group }) => group);
  let latest: number | null = null;
  for (const call of inOrder) {
    const { group, api, atMs } = call;
    if (!met.has(group)) {
      met.add(group);
      const request = (byGroup.get(group) ?? []).filter((one) => one.atMs - atMs < sameRequestMs);
      const instances = used.instances + request.reduce((sum, { asked }) => sum + asked, 0);
      for (const one of request) count(one);
      const placeMs = need.fixedMs + placedAfterMs(api, used[api], instances);
      latest = Math.max(latest ?? Number.NEGATIVE_INFINITY, atMs - startedAtMs - placeMs);
    }
    count(call);
  }
  return latest;
};

import { placedAfterMs, type StormNeed } from './many-need.ts';
import type { LaunchCall } from './many-watch.ts';

/** Launch calls of one decision are made at once, one for each zone. None waits for a response, which takes longer than this. */
const sameRequestMs = 1_000;

/** Instances of a request that EC2 refuses: they are taken from the bucket until the response. Times count from the warnings. */
type Held = { readonly fromMs: number; readonly untilMs: number; readonly instances: number };

const refusedIn = (calls: readonly LaunchCall[]): number => calls.reduce((sum, { refused }) => sum + refused, 0);

/** Where a group comes that needs so much of full buckets. Instances that others hold at that time delay it until these come back, at the longest. */
const placeBehind = (held: readonly Held[], atMs: (more: number) => number): number => {
  const earliestMs = atMs(0);
  const now = held.filter(({ fromMs, untilMs }) => fromMs <= earliestMs && earliestMs < untilMs);
  const withoutMs = atMs(now.reduce((sum, { instances }) => sum + instances, 0));
  return Math.max(earliestMs, Math.min(withoutMs, ...now.map(({ untilMs }) => untilMs)));
};

/** When the buckets begin to refill, after the warnings: full buckets do not, so not before the first launch call that gets something. */
const refillsFromMs = (inOrder: readonly LaunchCall[], startedAtMs: number, { fixedMs }: Pick<StormNeed, 'fixedMs'>): number =>
  Math.max(fixedMs, (inOrder.find(({ given }) => given > 0)?.atMs ?? startedAtMs) - startedAtMs);

/**
 * The longest time from a group's place in the buckets to its first request, which has a call for each zone. The place is the time when full
 * buckets have given the calls and instances of all launch calls made before it, and its own, after the fixed path of one group alone. Its own
 * instances count as requested, also where EC2 refuses them: a request is made when there are tokens for all of it. What EC2 refused to others counts
 * as taken for as long as the response took, because nobody can know the refusal before. Groups that made no launch call are left out.
 */
export const latestFirstMs = (launches: readonly LaunchCall[], startedAtMs: number, need: Pick<StormNeed, 'fixedMs'>): number | null => {
  const used = { 'create-fleet': 0, 'launch-instances': 0, instances: 0 };
  const [met, counted, held] = [new Set<string>(), new Set<LaunchCall>(), [] as Held[]];
  const count = (call: LaunchCall): void => {
    counted.add(call);
    used[call.api] += 1;
    used.instances += call.given;
  };
  const hold = (calls: readonly LaunchCall[], fromMs: number): void => {
    const longestMs = Math.max(...calls.map(({ tookMs }) => tookMs));
    if (refusedIn(calls) > 0) held.push({ fromMs, untilMs: fromMs + longestMs, instances: refusedIn(calls) });
  };
  const inOrder = launches.toSorted((one, other) => one.atMs - other.atMs);
  const fromMs = refillsFromMs(inOrder, startedAtMs, need);
  const byGroup = Map.groupBy(inOrder, ({ group }) => group);
  let latest: number | null = null;
  for (const call of inOrder) {
    const { group, api, atMs } = call;
    if (!met.has(group)) {
      met.add(group);
      const request = (byGroup.get(group) ?? []).filter((one) => one.atMs - atMs < sameRequestMs);
      const instances = used.instances + request.reduce((sum, { asked }) => sum + asked, 0);
      for (const one of request) count(one);
      const placeMs = placeBehind(held, (more) => fromMs + placedAfterMs(api, used[api], instances + more));
      hold(request, placeMs);
      latest = Math.max(latest ?? Number.NEGATIVE_INFINITY, atMs - startedAtMs - placeMs);
    }
    if (counted.has(call)) continue;
    count(call);
    hold([call], atMs - startedAtMs);
  }
  return latest;
};

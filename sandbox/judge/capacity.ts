import type { Chronicle } from './chronicle.ts';
import type { Policy } from './policy.ts';
import { offeringsOf } from './pools.ts';
import { poolsOf } from './tree.ts';

/** Whether some offering of a policy's whole tree could give one more at a moment, by ground truth. */
export const somethingGives = (chronicle: Chronicle, policy: Policy, atMs: number): boolean =>
  poolsOf(policy, policy.capacity).some((pool) => pool.cap > 0 && offeringsOf(pool).some((offering) => chronicle.cloud.freeAt(offering, atMs) >= 1));

/** The last moment between two at which nothing in the tree could give; the first of them when there was none. */
export const gaveNothingUntil = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): number => {
  const changes = chronicle
    .of('offering')
    .map(({ atMs }) => atMs)
    .filter((atMs) => atMs > fromMs && atMs <= untilMs);
  const launches = chronicle.lives.map(({ launchedAtMs }) => launchedAtMs).filter((atMs) => atMs > fromMs && atMs <= untilMs);
  const moments = [fromMs, ...changes, ...launches].toSorted((a, b) => a - b);
  const last = moments.findLastIndex((atMs) => {
    const policy = chronicle.policyAt(group, atMs);
    return policy !== undefined && !somethingGives(chronicle, policy, atMs);
  });
  return last < 0 ? fromMs : (moments[last + 1] ?? untilMs);
};

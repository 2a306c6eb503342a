import { type OfferingKey, offeringKey } from '../pool/offering.ts';
import { offeringsOf, type Pool } from '../pool/pool.ts';
import type { Refusal } from '../ports/launches.ts';
import { doublingMs } from './back-off.ts';
import {
  isResting,
  type Lesson,
  longestRestMs,
  notSoldRestMs,
  type PoolMemory,
  type SubnetKey,
  subnetKey,
  takenAtOnceCode,
  withoutRefusal,
} from './pool-memory.ts';

/** One response may refuse an offering for several reasons. The last one here is learned last, so its code stays. */
const scopes: readonly Refusal['scope'][] = ['subnet', 'offering', 'market', 'zone-permanent'];

/** Rest after a first refusal. EC2's own fleets request again after minutes, not seconds. */
export const refusedRestMs = 3 * 60_000;

/** The warning that a refusal must keep, because it still counts. */
const keptBy = (lesson: Lesson | undefined, nowMs: number): Pick<Lesson, 'interruptedAtMs'> => {
  const warning = withoutRefusal(lesson);
  return warning?.kind === 'interrupted' && isResting(warning, nowMs) ? { interruptedAtMs: warning.atMs } : {};
};

const restAfter = (scope: Refusal['scope'], streak: number): number =>
  scope === 'zone-permanent' ? notSoldRestMs : doublingMs(refusedRestMs, streak, longestRestMs);

/** A refusal during the rest of another one does not raise the streak: refusals of launches under way count as one. */
const streakAfter = (previous: Lesson | undefined, nowMs: number): number => {
  if (previous === undefined) return 1;
  const isRefused = previous.kind === 'refused' && previous.code !== takenAtOnceCode;
  return isRefused && isResting(previous, nowMs) ? previous.streak : previous.streak + 1;
};

const reachOf = (refusal: Refusal, pools: Readonly<Record<string, Pool>>): readonly (OfferingKey | SubnetKey)[] => {
  if (refusal.scope === 'subnet' && refusal.subnet !== undefined) return [subnetKey(refusal.subnet)];
  const own = offeringKey(refusal.offering);
  if (refusal.scope !== 'market') return [own];
  const below = Object.values(pools).flatMap(offeringsOf);
  return [own, ...below.filter(({ market }) => market === refusal.offering.market).map(offeringKey)];
};

/**
 * Memory after EC2 refused. A first refusal rests {@link refusedRestMs}, each further one twice as long, up to {@link
 * longestRestMs}. Scope `subnet` restricts the subnet alone, or the offering if the subnet is not known. This rest does
 * not grow, because addresses come back with every instance that ends. Scope `market` (an account quota) restricts
 * every offering of that market in `pools`; `zone-permanent` rests {@link notSoldRestMs}. Call this after
 * `rememberSuccess` for the same response: EC2 may grant some of an offering and refuse the rest.
 */
export const rememberRefusals = (
  memory: PoolMemory,
  refusals: readonly Refusal[],
  pools: Readonly<Record<string, Pool>>,
  nowMs: number,
): PoolMemory => {
  const next: Record<OfferingKey | SubnetKey, Lesson> = { ...memory };
  const ordered = refusals.toSorted((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope));
  for (const refusal of ordered) {
    for (const key of new Set(reachOf(refusal, pools))) {
      const streak = refusal.scope === 'subnet' ? 1 : streakAfter(memory[key], nowMs);
      const coolingUntilMs = Math.max(
        nowMs + restAfter(refusal.scope, streak),
        next[key]?.kind === 'refused' ? next[key].coolingUntilMs : 0,
      );
      const kept = keptBy(next[key], nowMs);
      next[key] = { kind: 'refused', code: refusal.code, atMs: nowMs, coolingUntilMs, streak, ...kept };
    }
  }
  return next;
};

import type { Plan, PlanInput } from '../placement/plan-placements.ts';
import { offeringKey } from '../pool/offering.ts';
import { offeringsOf, type Pool } from '../pool/pool.ts';
import { isResting, type Lesson, notSoldRestMs, type PoolMemory, withoutRefusals } from './pool-memory.ts';

/**
 * While members are missing and nothing is eligible, one pool is requested again this long after the last refusal. So
 * returning capacity is found within minutes, however long its offerings rest.
 */
export const askAgainAfterMs = 60_000;

type Refused = { readonly pool: Pool; readonly lesson: Lesson };

const refusedIn = (pools: Readonly<Record<string, Pool>>, memory: PoolMemory): readonly Refused[] =>
  Object.values(pools).flatMap((pool) =>
    offeringsOf(pool).flatMap((offering) => {
      const lesson = memory[offeringKey(offering)];
      return lesson?.kind === 'refused' ? [{ pool, lesson }] : [];
    }),
  );

/** Whether capacity may return within minutes. A zone that does not sell a type will not begin to. */
const mayReturn = ({ coolingUntilMs, atMs }: Lesson): boolean => coolingUntilMs - atMs < notSoldRestMs;

/** A pool whose offerings rest after refusals, and when it may be requested again, epoch milliseconds. */
type Asked = { readonly pool: Pool; readonly fromMs: number };

/**
 * Pools to request again, the one requested longest ago first, because the most may have changed there. Each waits for
 * a minute after the last refusal of EC2, so that one pool is requested each minute. It waits at the longest one minute
 * for each of the pools after its own refusal, so that refusals of the others do not delay it further.
 */
const poolsToAsk = (pools: Readonly<Record<string, Pool>>, memory: PoolMemory, nowMs: number): readonly Asked[] => {
  const refused = refusedIn(pools, memory);
  const lastMs = Math.max(...refused.map(({ lesson }) => lesson.atMs));
  const resting = refused.filter(({ lesson }) => isResting(lesson, nowMs) && mayReturn(lesson));
  const byPool = Map.groupBy(resting, ({ pool }) => pool);
  return [...byPool]
    .map(([pool, lessons]) => ({ pool, atMs: Math.max(...lessons.map(({ lesson }) => lesson.atMs)) }))
    .toSorted((one, other) => one.atMs - other.atMs)
    .map(({ pool, atMs }) => ({
      pool,
      fromMs: Math.min(lastMs + askAgainAfterMs, atMs + askAgainAfterMs * byPool.size),
    }));
};

/** The memory as if no offering of a pool had been refused. */
const withoutRefusalsOf = (memory: PoolMemory, pool: Pool): PoolMemory => {
  const own = new Set<string>(offeringsOf(pool).map(offeringKey));
  return withoutRefusals(memory, (key) => own.has(key));
};

const asLastResort = (plan: Plan, waiting: number): Plan => ({
  ...plan,
  unplaced: plan.unplaced + waiting,
  reasons: plan.reasons.map((reason) => ({ ...reason, lastResort: 'refused' })),
});

/** Whether a repeated request found that the capacity of a pool is back, while more members are missing. */
export const foundCapacity = ({ unplaced, reasons }: Pick<Plan, 'unplaced' | 'reasons'>, granted: number): boolean =>
  unplaced > 0 && granted > 0 && reasons.some(({ lastResort }) => lastResort === 'refused');

/**
 * When the next pool may be requested again although everything rests (epoch ms). A pool that may be requested now does
 * not count. Undefined when no other refused capacity could come back.
 */
export const nextAskMs = (
  pools: Readonly<Record<string, Pool>>,
  memory: PoolMemory,
  nowMs: number,
): number | undefined => poolsToAsk(pools, memory, nowMs).find(({ fromMs }) => fromMs > nowMs)?.fromMs;

/**
 * A plan that requests one member again from a pool whose offerings rest. Its launch shows whether capacity is back,
 * and the others follow it. So a shortage costs few calls, however many members are missing. Of the pools that could
 * give a missing member, it is the one requested longest ago. Undefined when it is too soon for this pool, or when no
 * pool could help. A pool that is due and cannot give the member makes no other pool due.
 *
 * @param plan places these members, with the memory of its input
 */
export const planToAskAgain = (input: PlanInput, plan: (input: PlanInput) => Plan): Plan | undefined => {
  const { pools, memory, nowMs } = input;
  for (const { pool, fromMs } of poolsToAsk(pools, memory, nowMs)) {
    if (nowMs < fromMs) return undefined;
    const asked = plan({ ...input, count: Math.min(1, input.count), memory: withoutRefusalsOf(memory, pool) });
    if (asked.placements.length > 0) return asLastResort(asked, input.count - 1);
  }
  return undefined;
};

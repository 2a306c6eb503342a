import type { Plan, PlanInput } from '../placement/plan-placements.ts';
import { offeringKey } from '../pool/offering.ts';
import { offeringsOf, type Pool } from '../pool/pool.ts';
import { isResting, type Lesson, notSoldRestMs, type PoolMemory } from './pool-memory.ts';

/**
 * While members are missing and nothing is eligible, EC2 is asked again this long after its last refusal. So capacity
 * that comes back is found within minutes, however long its offerings rest.
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

/** A zone that does not sell a type at all will not begin to within minutes. */
const mayReturn = ({ coolingUntilMs, atMs }: Lesson): boolean => coolingUntilMs - atMs < notSoldRestMs;

/** A pool whose offerings rest after refusals, and the latest of these, epoch milliseconds. */
type Asked = { readonly pool: Pool; readonly atMs: number };

/** The pool that was asked longest ago first: there the most may have changed. */
const poolsToAsk = (refused: readonly Refused[], nowMs: number): readonly Asked[] => {
  const resting = refused.filter(({ lesson }) => isResting(lesson, nowMs) && mayReturn(lesson));
  return [...Map.groupBy(resting, ({ pool }) => pool)]
    .map(([pool, lessons]) => ({ pool, atMs: Math.max(...lessons.map(({ lesson }) => lesson.atMs)) }))
    .toSorted((one, other) => one.atMs - other.atMs);
};

/**
 * When the first of these pools may be asked: a minute after EC2 last refused anything, so that something is asked each
 * minute; and after a minute for each of the pools, so that refusals of the others never hold it up for longer.
 */
const mayAskMs = (refused: readonly Refused[], toAsk: readonly Asked[]): number | undefined => {
  const [first] = toAsk;
  if (first === undefined) return undefined;
  const lastMs = Math.max(...refused.map(({ lesson }) => lesson.atMs));
  return Math.min(lastMs + askAgainAfterMs, first.atMs + askAgainAfterMs * toAsk.length);
};

/** The memory as if no offering of a pool had been refused. */
const withoutRefusals = (memory: PoolMemory, pool: Pool): PoolMemory => {
  const own = new Set<string>(offeringsOf(pool).map(offeringKey));
  return Object.fromEntries(
    Object.entries(memory).filter(([key, { kind }]: [string, Lesson]) => !(kind === 'refused' && own.has(key))),
  );
};

const asLastResort = (plan: Plan): Plan => ({
  ...plan,
  reasons: plan.reasons.map((reason) => ({ ...reason, lastResort: 'refused' })),
});

/**
 * When EC2 may be asked again although everything rests (epoch ms). Undefined when nothing was refused that could come
 * back.
 */
export const nextAskMs = (
  pools: Readonly<Record<string, Pool>>,
  memory: PoolMemory,
  nowMs: number,
): number | undefined => {
  const refused = refusedIn(pools, memory);
  return mayAskMs(refused, poolsToAsk(refused, nowMs));
};

/**
 * A plan that asks one pool again although its offerings rest: of those that could give a missing member, the one that
 * was asked longest ago. Undefined when it is too soon, or when no pool could help.
 *
 * @param plan how these members are placed, and with which memory
 */
export const planToAskAgain = (input: PlanInput, plan: (input: PlanInput) => Plan): Plan | undefined => {
  const { pools, memory, nowMs } = input;
  const refused = refusedIn(pools, memory);
  const toAsk = poolsToAsk(refused, nowMs);
  const fromMs = mayAskMs(refused, toAsk);
  if (fromMs === undefined || nowMs < fromMs) return undefined;
  for (const { pool } of toAsk) {
    const asked = plan({ ...input, memory: withoutRefusals(memory, pool) });
    if (asked.placements.length > 0) return asLastResort(asked);
  }
  return undefined;
};

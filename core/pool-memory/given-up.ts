import type { Pool } from '../pool/pool.ts';
import { type WhyIdle, whyIdle } from '../view/unserved.ts';
import type { Member } from '../view/view.ts';
import { doublingMs } from './back-off.ts';
import { type BootMemory, type FailedBoots, neverServedCode } from './boot-memory.ts';

/** Members of one pool that were given up, because they never served. */
export type GivenUp = {
  readonly pool: string;
  readonly why: WhyIdle;
  /** The pool rests until this time. */
  readonly untilMs: number;
  readonly instances: readonly string[];
};

/** Rest of a pool whose member never served. It is long, because each test costs minutes and a paid instance. */
const firstRestMs = 600_000;
const longestRestMs = 4 * 3_600_000;

/** Members that were launched before the last ones were given up belong to the same attempt. */
const streakAfter = (previous: FailedBoots | undefined, members: readonly Member[]): number => {
  if (previous?.code !== neverServedCode) return 1;
  return members.some(({ launchedAtMs }) => launchedAtMs >= previous.atMs) ? previous.streak + 1 : previous.streak;
};

/**
 * Memory after these members were given up: their pools rest, each time twice as long, until a member of one serves
 * that was launched later.
 */
export const learnGivenUp = (
  { failedBoots = {} }: BootMemory,
  givenUp: readonly Member[],
  pools: Readonly<Record<string, Pool>>,
  nowMs: number,
): Pick<BootMemory, 'failedBoots'> & { readonly news: readonly GivenUp[] } => {
  const known: Record<string, FailedBoots> = { ...failedBoots };
  const news: GivenUp[] = [];
  for (const [pool, members] of Map.groupBy(givenUp, (member) => member.pool)) {
    const [first] = members;
    if (pool === undefined || first === undefined) continue;
    const previous = failedBoots[pool];
    const streak = streakAfter(previous, members);
    const why = whyIdle(first);
    const restMs = doublingMs(firstRestMs, streak, longestRestMs);
    const untilMs = Math.max(previous?.restsUntilMs ?? 0, nowMs + restMs);
    known[pool] = {
      template: pools[pool]?.launchTemplate,
      code: neverServedCode,
      message: why,
      atMs: nowMs,
      launchedAtMs: Math.max(previous?.launchedAtMs ?? 0, ...members.map(({ launchedAtMs }) => launchedAtMs)),
      restsUntilMs: untilMs,
      streak,
    };
    news.push({ pool, why, untilMs, instances: members.map(({ instance }) => instance) });
  }
  return { failedBoots: Object.keys(known).length > 0 ? known : undefined, news };
};

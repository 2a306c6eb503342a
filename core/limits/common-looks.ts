import { tickEveryMs } from '../times/times.ts';
import { buckets } from './account-buckets.ts';
import { type AccountBudget, levelAt } from './account-budget.ts';
import type { Waiting } from './need.ts';

/**
 * Groups that wait for a later turn are looked at together, at multiples of this time. The number of members that end
 * meanwhile changes nothing. Groups that an Auto Scaling group refills have their looks at the same times.
 */
const everyMs = 20_000;
/** While Auto Scaling's bucket is short, members that begin to run or have ended are looked at together, so often. */
const joinEveryMs = 5_000;
/** In a shortage that lasts, members of any group that begin to run are looked at together, so often. */
const lastingEveryMs = 10_000;
/** A shortage lasts when a group has waited for its turn to launch for so long. */
const lastsMs = 60_000;
/** Describes show most changes within this time. */
const shownAfterMs = 2_000;

const nextJoinAtMs = (nowMs: number, markMs = joinEveryMs): number => Math.ceil((nowMs + 1) / markMs) * markMs;

/** Whether a group has waited for its turn to launch for so long. */
export const shortageLasts = ({ waiting }: Pick<AccountBudget, 'waiting'>, nowMs: number): boolean =>
  waiting.some(({ instances, sinceMs }) => instances > 0 && nowMs - sinceMs >= lastsMs);

/** When a group is looked at in a shortage that lasts, where nothing of it is due: at the same times as all others. */
export const lastingLookAtMs = (atMs: number): number => nextJoinAtMs(atMs - 1, lastingEveryMs);

/** When the next common look is. */
export const commonLookAtMs = (nowMs: number): number => Math.ceil((nowMs + shownAfterMs) / everyMs) * everyMs;

/**
 * When members that begin to run are looked at. Undefined: at once, because no group waits for a turn after that time
 * that has waited for long, or that launches by Auto Scaling's bucket. In a shortage that lasts, few instances begin to
 * run at a time, and each of them would cost a look at its group. While groups wait for Auto Scaling's bucket, these
 * looks would take its tokens from launches.
 */
export const joinLookAtMs = ({ waiting }: AccountBudget, nowMs: number): number | undefined => {
  const lasts = ({ sinceMs }: Waiting): boolean => nowMs - sinceMs >= lastsMs;
  const waitsAfter = (atMs: number, isMeant: (one: Waiting) => boolean): boolean =>
    waiting.some((one) => one.instances > 0 && one.turnAtMs > atMs && isMeant(one));
  const [soonMs, laterMs] = [nextJoinAtMs(nowMs), nextJoinAtMs(nowMs, lastingEveryMs)];
  if (waitsAfter(laterMs, lasts)) return laterMs;
  return waitsAfter(soonMs, (one) => one.bucket === 'autoScaling' || lasts(one)) ? soonMs : undefined;
};

/**
 * When a group is looked at whose new members come up at this time, and that waited so long for their launch. In a
 * shortage that lasts, members that begin to run are looked at at the same times.
 */
export const comeUpLookAtMs = (atMs: number, waitedMs: number): number =>
  waitedMs < lastsMs ? atMs : nextJoinAtMs(atMs - 1, lastingEveryMs);

/**
 * Whether less than half of Auto Scaling's bucket is there. Then its tokens are for launches, and for calls that end
 * members before EC2 takes them. What can wait waits.
 */
export const isAutoScalingShort = (budget: AccountBudget, nowMs: number): boolean =>
  levelAt(budget, 'autoScaling', nowMs) < buckets.autoScaling.holds / 2;

/**
 * When Auto Scaling groups are looked at whose leaving members have ended. Undefined: at once, because Auto Scaling's
 * bucket is not short. Each of these looks takes a token, and there are ten and more for one group while it lets its
 * members go.
 */
export const endsLookAtMs = (budget: AccountBudget, nowMs: number): number | undefined =>
  isAutoScalingShort(budget, nowMs) ? nextJoinAtMs(nowMs) : undefined;

/** Groups whose turn to launch comes before the next common look of those that wait. They are woken for it. */
export const haveTurnSoon = ({ waiting }: AccountBudget, nowMs: number): ReadonlySet<string> => {
  const soon = waiting.filter(
    ({ instances, turnAtMs }) => instances > 0 && turnAtMs > nowMs && turnAtMs <= commonLookAtMs(nowMs),
  );
  return new Set(soon.map(({ group }) => group));
};

/**
 * A group whose turn is further away is left to the tick: two ticks look at it before its turn. The second one may
 * arrange the look at its turn, if the first is lost.
 */
const farMs = 2 * tickEveryMs;

/** Groups whose turn comes after the next common look. */
export type PutOff = {
  /** When that look is. */
  readonly lookAtMs: number;
  readonly groups: ReadonlySet<string>;
  /** Those of them for which the look has to be arranged. It is not for groups that the tick looks at first. */
  readonly fresh: ReadonlySet<string>;
  /** The budget with a note that the look is arranged. */
  readonly budget: AccountBudget;
};

/**
 * Which of these groups need no look before the next common one, because their turn comes later.
 *
 * @param ticked those of them that the tick leaves to the common look
 */
export const putOffLooks = (
  budget: AccountBudget,
  groups: ReadonlySet<string>,
  ticked: ReadonlySet<string>,
  nowMs: number,
): PutOff => {
  const lookAtMs = commonLookAtMs(nowMs);
  const waiting = budget.waiting.filter(({ group, turnAtMs }) => groups.has(group) && turnAtMs > lookAtMs);
  const needsLook = ({ group, turnAtMs, lookAtMs: atMs = 0 }: Waiting): boolean =>
    atMs <= nowMs && (turnAtMs - nowMs <= farMs || ticked.has(group));
  const fresh = new Set(waiting.filter(needsLook).map(({ group }) => group));
  return {
    lookAtMs,
    groups: new Set(waiting.map(({ group }) => group)),
    fresh,
    budget: {
      ...budget,
      version: budget.version + 1,
      waiting: budget.waiting.map((one) => (fresh.has(one.group) ? { ...one, lookAtMs } : one)),
    },
  };
};

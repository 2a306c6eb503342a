import type { Chronicle } from '../chronicle.ts';
import type { Policy } from '../policy/policy.ts';
import { nameOf, type OfferingName } from '../world/cloud.ts';
import { isExchange, isFunction, type Life, stayAt } from '../world/life.ts';
import { firstTrueWarning } from './first-warnings.ts';

/** If a member is interrupted sooner after its launch, its move did not pay (docs/policy.md, return). */
export const paysAfterMs = 15 * 60_000;
const longestBackOffMs = 4 * 3_600_000;

/**
 * Whether an Auto Scaling group may have undone moves of members a while ago: it launched in exchange for others. The next moves
 * wait for as long as after interruptions (docs/policy.md, return).
 */
export const mayBeUndone = (chronicle: Chronicle, group: string, atMs: number): boolean =>
  chronicle.livesIn(group).some(({ by, launchedAtMs }) => isExchange(by) && launchedAtMs <= atMs && launchedAtMs > atMs - longestBackOffMs);

/** Members that EC2 takes together are one loss. */
export const sameLossMs = 180_000;
const hourMs = 3_600_000;
const mostFlaps = 3;
/** How many losses of an offering are remembered. */
export const mostLosses = 5;

/** An interruption that Holdfast received a warning of, and how long the member had lived. */
export type HeardLoss = { readonly offering: string; readonly atMs: number; readonly livedMs: number };

/** Whether a function that received a warning surely stored the loss. */
const isSure = (chronicle: Chronicle, invocation: string): boolean => {
  const { ended } = chronicle.invocations.get(invocation) ?? {};
  return ended !== undefined && ended.error === undefined && !ended.injected && ended.again.length === 0;
};

/** An instance that its Auto Scaling group has begun to end is no longer a member, so its interruption is not a loss. */
const isEndedByAsg = ({ hooks }: Life, atMs: number): boolean => hooks.some((hook) => hook.atMs < atMs);

/** Neither is one that a user took out of its Auto Scaling group. */
const isTakenOut = (life: Life, atMs: number): boolean =>
  stayAt(life, atMs) === undefined && life.stays.some(({ how, by, untilMs }) => how === 'detached' && !isFunction(by) && untilMs < atMs);

/**
 * The losses that Holdfast may know before a moment. If it is not certain that a loss was stored, it counts only after a long life, which ends a row
 * of short ones.
 */
export const lossesHeard = (chronicle: Chronicle, group: string, beforeMs: number): readonly HeardLoss[] =>
  chronicle
    .livesIn(group)
    .flatMap((life): readonly HeardLoss[] => {
      const told = firstTrueWarning(life, beforeMs);
      if (told === undefined || life.market !== 'spot' || isEndedByAsg(life, told.atMs) || isTakenOut(life, told.atMs)) return [];
      const livedMs = told.atMs - life.launchedAtMs + 2 * chronicle.times.clockMs + 1_000;
      const ended = chronicle.invocations.get(told.invocation)?.ended;
      const isKnown = isSure(chronicle, told.invocation) && ended !== undefined && ended.atMs <= beforeMs;
      return isKnown || livedMs >= paysAfterMs ? [{ offering: nameOf(life), atMs: told.atMs, livedMs }] : [];
    })
    .toSorted((one, other) => one.atMs - other.atMs);

type Merged = HeardLoss & { readonly latestMs: number };

/**
 * Losses of an offering that are close together count as one, with the longest life of them and the time of the first. Pauses count from the latest.
 * `slackMs`: by as much a look may have dated each of them later than its warning was received.
 */
const merged = (losses: readonly HeardLoss[], slackMs: number): readonly Merged[] => {
  const found: Merged[] = [];
  for (const loss of losses) {
    const last = found.at(-1);
    if (last === undefined || loss.atMs - last.atMs >= sameLossMs + slackMs) found.push({ ...loss, latestMs: loss.atMs });
    else found[found.length - 1] = { ...last, livedMs: Math.max(last.livedMs, loss.livedMs), latestMs: loss.atMs };
  }
  return found;
};

/** Until when no member moves to an offering because of these losses of it. */
export const restMs = (own: readonly HeardLoss[], afterMs: number, slackMs = 0): number => {
  const list = merged(own, slackMs);
  const last = list.at(-1);
  if (last === undefined) return 0;
  const streak = Math.min(mostLosses, list.length - 1 - list.findLastIndex(({ livedMs }) => livedMs >= paysAfterMs));
  return last.latestMs + (streak === 0 ? afterMs : Math.min(longestBackOffMs, afterMs * 2 ** streak));
};

/** Whether a loss is of a short life. Losses of one offering at one time are one, with the longest life of them. */
const isShort = (loss: HeardLoss, losses: readonly HeardLoss[], slackMs: number): boolean =>
  losses.every((one) => one.livedMs < paysAfterMs || one.offering !== loss.offering || Math.abs(one.atMs - loss.atMs) >= sameLossMs + slackMs);

/** Whether a loss is one with an earlier loss of its offering that is an hour old: then it is as old as that one. */
const isOfOld = (loss: HeardLoss, losses: readonly HeardLoss[], atMs: number, slackMs: number): boolean =>
  losses.some(
    (one) => one.offering === loss.offering && one.atMs <= loss.atMs && loss.atMs - one.atMs < sameLossMs + slackMs && atMs - one.atMs >= hourMs,
  );

/** Until when no member moves at all, because three moves within an hour did not pay. What follows another loss closely is no further one, wherever it is. */
export const stoppedUntil = (losses: readonly HeardLoss[], atMs: number, slackMs = 0): number => {
  const young = losses.filter((loss) => isShort(loss, losses, slackMs) && !isOfOld(loss, losses, atMs, slackMs));
  const apart = young.filter((loss, index) => loss.atMs - (young[index - 1]?.atMs ?? Number.NEGATIVE_INFINITY) >= sameLossMs + slackMs);
  return apart.length < mostFlaps ? 0 : (apart.at(-mostFlaps)?.atMs ?? 0) + hourMs;
};

/** The `after` of `return` that holds where the policy says `return: false`. */
const usualAfterMs = 600_000;

/**
 * Until when no member that is owed on demand moves to an offering, because an Auto Scaling group may have undone such moves: it launched in exchange
 * soon after Holdfast had launched there.
 */
export const undoneUntil = (chronicle: Chronicle, { group, returning }: Policy, offering: OfferingName, atMs: number): number => {
  const lives = chronicle.livesIn(group).filter(({ launchedAtMs }) => launchedAtMs <= atMs);
  const own = lives.filter((life) => isFunction(life.by) && nameOf(life) === nameOf(offering));
  const slackMs = 2 * chronicle.times.clockMs + 1_000;
  const losses = lives
    .filter(({ by }) => isExchange(by))
    .flatMap(({ launchedAtMs }): readonly HeardLoss[] =>
      own
        .map((move) => launchedAtMs - move.launchedAtMs)
        .filter((livedMs) => livedMs >= 0 && livedMs < paysAfterMs + slackMs)
        .map(() => ({ offering: nameOf(offering), atMs: launchedAtMs, livedMs: 0 })),
    )
    .toSorted((one, other) => one.atMs - other.atMs);
  return losses.length === 0 ? Number.NEGATIVE_INFINITY : restMs(losses, returning?.afterMs ?? usualAfterMs) + slackMs;
};

/** The ends of all these rests. */
export const undoneEnds = (chronicle: Chronicle, policy: Policy, offering: OfferingName): readonly number[] =>
  chronicle
    .livesIn(policy.group)
    .filter(({ by }) => isExchange(by))
    .map(({ launchedAtMs }) => undoneUntil(chronicle, policy, offering, launchedAtMs))
    .filter((untilMs) => untilMs > Number.NEGATIVE_INFINITY);

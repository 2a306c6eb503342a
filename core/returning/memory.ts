import type { Reservation } from '../launch/reservation.ts';
import type { OfferingKey } from '../pool/offering.ts';
import { doublingMs } from '../pool-memory/back-off.ts';

/** Members that leave for a better place, and the launch that replaces them. */
export type Move = {
  /** The reservation of the launch. Its instances carry this id in a tag. */
  readonly reservation: string;
  readonly atMs: number;
  /** Members that leave once its instances serve, in order. Empty once they have left, or when the move is off. */
  readonly leaving: readonly string[];
  /** How many instances were requested, or, after the response of EC2, granted. They count for the budget. */
  readonly count: number;
};

/** An interruption in an offering, and how long the member had lived there. */
export type Loss = {
  readonly offering: OfferingKey;
  readonly atMs: number;
  readonly livedMs: number;
  /** When the latest interruption of this loss was, epoch ms, if several count as one loss. */
  readonly latestMs?: number;
};

/** The stored facts about moves to better places. */
export type Returns = {
  /** Moves under way, and those that still count for the budget. */
  readonly moves: readonly Move[];
  /** Interruptions of the last day, oldest first, the latest of each offering only. */
  readonly losses: readonly Loss[];
  /** When launches in better places were last requested. */
  readonly askedAtMs?: number;
  /** When the desired size or the policy last changed. */
  readonly changedAtMs?: number;
};

export const noReturns: Returns = { moves: [], losses: [] };

/** A member that is interrupted sooner has not paid for its move, because two instances ran for a time. */
export const paysAfterMs = 15 * 60_000;

/** Interruptions are remembered for this time. */
const lossesKeptMs = 24 * 3_600_000;
const lossesOfOffering = 5;
const mostLosses = 60;
/** EC2 warns the members that it takes together within minutes. They count as one loss. */
const sameLossMs = 180_000;

const latestOf = ({ atMs, latestMs = atMs }: Loss): number => latestMs;

/** Two losses as one: it has the time of the first, and pauses after it count from the latest. */
const together = (first: Loss, other: Loss): Loss => {
  const latestMs = Math.max(latestOf(first), latestOf(other));
  return {
    ...first,
    livedMs: Math.max(first.livedMs, other.livedMs),
    ...(latestMs > first.atMs && { latestMs }),
  };
};

const mergeLosses = (losses: readonly Loss[]): readonly Loss[] => {
  const merged: Loss[] = [];
  for (const loss of losses) {
    const index = merged.findLastIndex(
      ({ offering, atMs }) => offering === loss.offering && loss.atMs - atMs < sameLossMs,
    );
    const same = merged[index];
    if (same === undefined) merged.push(loss);
    else merged[index] = together(same, loss);
  }
  return merged;
};

/** The losses that are still remembered, with these added. A warning may be counted minutes after it was received. */
export const rememberLosses = (before: readonly Loss[], fresh: readonly Loss[], nowMs: number): readonly Loss[] => {
  const young = [...before, ...fresh].filter(({ atMs }) => nowMs - atMs < lossesKeptMs);
  const merged = mergeLosses(young.toSorted((one, other) => one.atMs - other.atMs));
  const kept = merged.filter(
    ({ offering }, index) =>
      merged.slice(index + 1).filter((later) => later.offering === offering).length < lossesOfOffering,
  );
  return kept.slice(-mostLosses);
};

const lossesOf = (losses: readonly Loss[], offering: OfferingKey): readonly Loss[] =>
  losses.filter((loss) => loss.offering === offering);

/** The longest rest of an offering whose members were interrupted soon. */
const longestBackOffMs = 4 * 3_600_000;

/**
 * Until when no member moves to an offering, because the last members there were interrupted before their moves had
 * paid. Each such interruption in a row doubles the time.
 */
export const backsOffUntil = (losses: readonly Loss[], offering: OfferingKey, afterMs: number): number => {
  const own = lossesOf(losses, offering);
  const last = own.at(-1);
  const streak = own.length - 1 - own.findLastIndex(({ livedMs }) => livedMs >= paysAfterMs);
  if (last === undefined || streak === 0) return 0;
  return latestOf(last) + doublingMs(afterMs, streak + 1, longestBackOffMs);
};

/** The first loss of each occasion. Losses at one time count as one occasion, whatever their offerings. */
const occasionsOf = (losses: readonly Loss[]): readonly Loss[] => {
  const inTime = losses.toSorted((a, b) => a.atMs - b.atMs);
  return inTime.filter(({ atMs }, index) => atMs - (inTime[index - 1]?.atMs ?? 0) >= sameLossMs);
};

/**
 * Until when members do not even out into an offering because of interruptions, however long the members had lived.
 * Evenness saves no money, so it is worth a launch only after a single loss, such as one zone. Where EC2 took members
 * twice within a day, in whatever offerings, moved members would soon be interrupted as well. Their replacements go to
 * the part with the fewest members anyway, which evens it out.
 */
export const isCalmFrom = (losses: readonly Loss[], offering: OfferingKey, afterMs: number): number => {
  const last = lossesOf(losses, offering).at(-1);
  const before = occasionsOf(losses).at(-2);
  return Math.max(
    last === undefined ? 0 : latestOf(last) + afterMs,
    before === undefined ? 0 : before.atMs + lossesKeptMs,
    backsOffUntil(losses, offering, afterMs),
  );
};

const flapsWithinMs = 3_600_000;
/** This many moves that did not pay within an hour stop all moves until the first of them is an hour old. */
const mostFlaps = 3;

/**
 * Until when no member moves at all. Offerings of one region are often interrupted together, so members that move from
 * one to the next would be interrupted in each.
 */
export const flapsUntil = (losses: readonly Loss[], nowMs: number): number => {
  const young = losses.filter(({ livedMs, atMs }) => livedMs < paysAfterMs && nowMs - atMs < flapsWithinMs);
  const first = occasionsOf(young).at(-mostFlaps);
  return first === undefined ? 0 : first.atMs + flapsWithinMs;
};

/** Where nothing was interrupted within a day, a member is expected to live this long. */
const unknownLifeMs = 4 * 3_600_000;

/** How long a member is expected to live in an offering: the mean of those that were interrupted there. */
export const expectedLifeMs = (losses: readonly Loss[], offering: OfferingKey): number => {
  const own = lossesOf(losses, offering);
  return own.length === 0 ? unknownLifeMs : own.reduce((sum, { livedMs }) => sum + livedMs, 0) / own.length;
};

/** How long both members run: until the replacement serves and the old member has drained. */
const overlapMs = 10 * 60_000;

/**
 * Whether a move saves more than it costs if the replacement lives for the expected time. Two instances run for a while
 * at the move, and again when the replacement is interrupted.
 */
export const pays = (fromUsdPerHour: number, toUsdPerHour: number, lifeMs: number): boolean =>
  (fromUsdPerHour - toUsdPerHour) * lifeMs > (fromUsdPerHour + toUsdPerHour) * overlapMs;

/** Whether a move still counts for a budget of this time. */
export const movedRecently = ({ atMs }: Move, everyMs: number, nowMs: number): boolean => nowMs - atMs < everyMs;

/** How many members moved within the time of the budget. A launch without a response counts in full. */
export const movedWithin = (moves: readonly Move[], everyMs: number, nowMs: number): number =>
  moves.filter((move) => movedRecently(move, everyMs, nowMs)).reduce((sum, { count }) => sum + count, 0);

/**
 * Moves after the responses to these requests. A refused request removes its move. A request that was granted in part
 * keeps that part. A request that is still open keeps its move.
 */
export const answeredMoves = (
  moves: readonly Move[],
  requests: readonly string[],
  after: readonly Reservation[],
): readonly Move[] => {
  const asked = new Set(requests);
  const now = new Map(after.map((reservation) => [reservation.id, reservation]));
  return moves.flatMap((move) => {
    const reservation = now.get(move.reservation);
    const { instances } = reservation ?? { instances: [] };
    if (!asked.has(move.reservation) || instances === undefined) return [move];
    const count = instances.length;
    return count === 0 ? [] : [{ ...move, count, leaving: move.leaving.slice(0, count) }];
  });
};

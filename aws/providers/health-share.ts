import { type Bucket, buckets, type Level, tokensAt } from '../../core/account-budget.ts';
import type { ProviderDeps } from './provider-deps.ts';

/** What this environment may read of the account's ten a second: a few of them read at once. */
const tokens: Bucket = { holds: 10, perSecond: 2.5 };
/**
 * How long nothing that can wait is read after a throttle: the account's bucket is empty, whoever draws on it. Twice as
 * long after each throttle that follows, because many environments wait for the same tokens.
 */
const [shortestPauseMs, longestPauseMs] = [2_000, 16_000];

type Reader = Pick<ProviderDeps, 'elb' | 'now'>;
/** `unsaid`: what was read since it was last said, as a level of the account's bucket: old reads do not count. */
type Share = {
  readonly level: Level;
  readonly unsaid: Level;
  readonly pausedUntilMs: number;
  readonly pauseMs: number;
};

const shares = new WeakMap<ProviderDeps['elb'], Share>();

const shareOf = ({ elb, now }: Reader): Share =>
  shares.get(elb) ?? {
    level: { tokens: tokens.holds, atMs: now() },
    unsaid: { tokens: buckets.health.holds, atMs: now() },
    pausedUntilMs: 0,
    pauseMs: shortestPauseMs,
  };

/** Takes tokens for the health of so many target groups, if there are as many. */
export const takeHealth = (reader: Reader, count: number): boolean => {
  const share = shareOf(reader);
  const nowMs = reader.now();
  const there = tokensAt(tokens, share.level, nowMs);
  const isEnough = mayReadHealth(reader) && there >= Math.min(count, tokens.holds);
  const level = { tokens: isEnough ? Math.max(0, there - count) : there, atMs: nowMs };
  shares.set(reader.elb, { ...share, level });
  return isEnough;
};

/** Whether a while has passed since Elastic Load Balancing throttled a read. */
export const mayReadHealth = (reader: Reader): boolean => reader.now() >= shareOf(reader).pausedUntilMs;

/** Counts reads that were made. Where one was throttled, nothing that can wait is read for a while. */
export const countHealth = (reader: Reader, count: number, isThrottled: boolean): void => {
  const share = shareOf(reader);
  const nowMs = reader.now();
  const pauseMs = isThrottled ? Math.min(longestPauseMs, 2 * share.pauseMs) : shortestPauseMs;
  shares.set(reader.elb, {
    ...share,
    unsaid: { tokens: tokensAt(buckets.health, share.unsaid, nowMs) - count, atMs: nowMs },
    pauseMs,
    ...(isThrottled && { pausedUntilMs: nowMs + share.pauseMs }),
  });
};

/** What the account's bucket lacks for reads of this environment that it has not said yet. They count as said now. */
export const sayHealth = (reader: Reader): number => {
  const share = shareOf(reader);
  const nowMs = reader.now();
  shares.set(reader.elb, { ...share, unsaid: { tokens: buckets.health.holds, atMs: nowMs } });
  return Math.round(buckets.health.holds - tokensAt(buckets.health, share.unsaid, nowMs));
};

import { type Bucket, type Level, tokensAt } from './account-buckets.ts';

/** Instances that turns have given, and when. */
export type UnderWay = readonly { readonly atMs: number; readonly instances: number }[];

/** EC2 takes the instances of a launch from its bucket within this time after the turn. A launch call takes 1.5 s. */
const arrivesWithinMs = 2_000;

/** Those that EC2 may not have taken from its bucket yet. A time of a wrong clock does not count. */
export const underWayNow = (underWay: UnderWay, nowMs: number): UnderWay =>
  underWay.filter(({ atMs }) => Math.abs(nowMs - atMs) < arrivesWithinMs);

const sumOf = (underWay: UnderWay): number => underWay.reduce((sum, { instances }) => sum + instances, 0);

/** Without instances that EC2 refused: it takes them from its bucket no more. The earliest are refused first. */
export const withoutRefused = (underWay: UnderWay, refused: number): UnderWay => {
  let left = refused;
  return underWay.flatMap((one) => {
    const instances = one.instances - Math.min(left, one.instances);
    left -= one.instances - instances;
    return instances === 0 ? [] : [{ ...one, instances }];
  });
};

/**
 * Tokens in a bucket from which turns take their tokens before EC2 does. EC2's bucket still holds what is under way,
 * and no more than it can hold. So while it is full, it does not refill.
 */
export const tokensBeside = (bucket: Bucket, level: Level | undefined, underWay: UnderWay, nowMs: number): number => {
  const start = level ?? { tokens: bucket.holds, atMs: nowMs };
  const arrivals = underWay
    .map(({ atMs }) => atMs + arrivesWithinMs)
    .filter((atMs) => atMs > start.atMs && atMs < nowMs);
  const times = [...new Set(arrivals)].toSorted((a, b) => a - b);
  const refilled = [...times, nowMs].reduce((known, atMs) => {
    const holds = bucket.holds - sumOf(underWayNow(underWay, known.atMs));
    return { tokens: tokensAt({ ...bucket, holds }, known, atMs), atMs };
  }, start);
  return refilled.tokens;
};

import type { WorldClock } from '../clock.ts';

/** A token bucket as AWS publishes them: full at the start, refilled continuously in world time. */
export type TokenBucket = {
  /** Takes all of `count` and returns true, or takes nothing and returns false. */
  take(count?: number): boolean;
  /** Takes as many whole tokens as there are, up to `count`. Returns the number. For resource buckets, which are debited per instance. */
  takeUpTo(count: number): number;
  /** Whole tokens that could be taken now. */
  available(): number;
  /** Makes it full, as it is after a long rest. */
  fill(): void;
};

export type TokenBucketOptions = {
  readonly capacity: number;
  readonly refillPerSecond: number;
  readonly clock: Pick<WorldClock, 'now'>;
};

/** A refill is a product of fractions, so a token that is missing only because of rounding counts as present. */
const rounding = 1e-9;

export const createTokenBucket = ({ capacity, refillPerSecond, clock }: TokenBucketOptions): TokenBucket => {
  let tokens = capacity;
  let filledAtMs = clock.now();
  const available = (): number => {
    const nowMs = clock.now();
    tokens = Math.min(capacity, tokens + (Math.max(0, nowMs - filledAtMs) / 1000) * refillPerSecond);
    filledAtMs = nowMs;
    return Math.floor(tokens + rounding);
  };
  const takeUpTo = (count: number): number => {
    const taken = Math.min(available(), count);
    tokens -= taken;
    return taken;
  };
  return {
    available,
    fill: () => {
      tokens = capacity;
      filledAtMs = clock.now();
    },
    takeUpTo,
    take: (count = 1) => available() >= count && takeUpTo(count) === count,
  };
};

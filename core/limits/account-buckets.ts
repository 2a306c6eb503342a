/** Buckets of the account that a storm empties. */
export type BucketName = 'createFleet' | 'autoScaling' | 'instances' | 'targets' | 'health';

/** How many calls a bucket holds, and how fast it refills. */
export type Bucket = { readonly holds: number; readonly perSecond: number };

/**
 * Their sizes. `createFleet`, and `instances`, which every kind of launch draws from: "Request throttling for the
 * Amazon EC2 API". `targets` for calls that register and deregister, and `health` for calls that describe targets:
 * "Request throttling for the Elastic Load Balancing API". Auto Scaling publishes no sizes, so `autoScaling` is a
 * cautious guess.
 */
export const buckets: Readonly<Record<BucketName, Bucket>> = {
  createFleet: { holds: 50, perSecond: 5 },
  autoScaling: { holds: 20, perSecond: 5 },
  instances: { holds: 1_000, perSecond: 2 },
  targets: { holds: 20, perSecond: 4 },
  health: { holds: 40, perSecond: 10 },
};

export type Level = { readonly tokens: number; readonly atMs: number };

/** Tokens in a bucket that was full at first and refills with time. */
export const tokensAt = ({ holds, perSecond }: Bucket, level: Level | undefined, nowMs: number): number => {
  const { tokens, atMs } = level ?? { tokens: holds, atMs: nowMs };
  return Math.min(holds, tokens + (Math.max(0, nowMs - atMs) / 1_000) * perSecond);
};

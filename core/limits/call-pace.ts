import { type BucketName, buckets } from './account-buckets.ts';

/** Buckets of which every call is counted before it is made. */
export const pacedBuckets = [
  'createFleet',
  'autoScaling',
  'targets',
  'health',
] as const satisfies readonly BucketName[];
export type PacedBucket = (typeof pacedBuckets)[number];

/** When each bucket is full again. Absent, or in the past: it is full. */
export type FullAt = Readonly<Partial<Record<PacedBucket, number>>>;

/**
 * `act` changes something, and waits in line for its token. `decide` reads what launches follow from, for many groups
 * at once, and waits in the same line: else the looks of drains would keep it waiting. `look` reads for one drain, and
 * leaves tokens to the others.
 */
export type CallKind = 'act' | 'decide' | 'look';

/** Calls take different times to arrive: one token stays in the bucket, so that two that come close together fit. */
const spareTokens = 1;
/** What looks leave to the others. */
const keptForOthers: Readonly<Record<PacedBucket, number>> = {
  createFleet: 0,
  autoScaling: 8,
  targets: 0,
  health: 0,
};
/** No line is so long. Who wrote a later time had a clock that was wrong. */
const longestLineMs = 20_000;

/** How long a bucket takes to refill by one token. */
export const tokenMs = (bucket: BucketName): number => 1_000 / buckets[bucket].perSecond;

const capacityMs = (bucket: PacedBucket): number => (buckets[bucket].holds - spareTokens) * tokenMs(bucket);

/** A time that says nothing: the bucket is full, or whoever wrote it had a clock that was wrong. */
export const staleFullAt = (nowMs: number): { readonly beforeMs: number; readonly afterMs: number } => ({
  beforeMs: nowMs,
  afterMs: nowMs + longestLineMs,
});

/** A call of a bucket. `patienceMs`: how long it waits for its token before it fails as if AWS had throttled it. */
export type PacedCall = { readonly bucket: PacedBucket; readonly kind: CallKind; readonly patienceMs: number };

/** The latest time at which a bucket may be full after a call has taken its token. */
export const latestFullAtMs = ({ bucket, kind, patienceMs }: PacedCall, nowMs: number): number =>
  nowMs + capacityMs(bucket) + (kind === 'look' ? -keptForOthers[bucket] * tokenMs(bucket) : patienceMs);

/** When a call may be made that has taken the token before this time. */
export const callAtMs = (bucket: PacedBucket, fullAtMs: number): number => fullAtMs - capacityMs(bucket);

/** When a bucket is full again that AWS found empty now. */
export const fullAfterThrottleMs = (bucket: PacedBucket, nowMs: number): number => nowMs + capacityMs(bucket);

/** Tokens that are left: fewer than none where calls wait in line. */
export const tokensLeft = (bucket: PacedBucket, fullAt: FullAt, nowMs: number): number => {
  const { holds } = buckets[bucket];
  const fullAtMs = fullAt[bucket] ?? nowMs;
  const { beforeMs, afterMs } = staleFullAt(nowMs);
  return fullAtMs <= beforeMs || fullAtMs > afterMs ? holds : holds - (fullAtMs - nowMs) / tokenMs(bucket);
};

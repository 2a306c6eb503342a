import { clocksDifferMs, shortestHookTimeoutMs, startLeadMs } from '../times/times.ts';
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
 * `act` changes something, and waits in line for its token. `decide` reads for launches of many groups at once. It
 * waits in the same line, because otherwise the looks of drains would delay it. `end` reads for the last step of one
 * drain, which acts by it. It waits in the same line while that is short. `look` reads for one drain, and leaves tokens
 * to the other kinds.
 */
export type CallKind = 'act' | 'decide' | 'end' | 'look';

/** One token stays in the bucket, because calls take different times to arrive and two may arrive close together. */
const spareTokens = 1;
/** The tokens that looks leave to the other kinds. */
const keptForOthers: Readonly<Record<PacedBucket, number>> = {
  createFleet: 0,
  autoScaling: 8,
  targets: 0,
  health: 0,
};
/**
 * The longest line that a read for the end of a drain joins. It tries again until its patience is over. Hundreds of
 * drains end at once, and their reads are more patient than those for launches. In a line as long as their patience,
 * these would find no place for as long as drains end.
 */
const longestLineOfEndsMs = 1_000;
/** No call waits longer for its token. */
export const longestPatienceMs = 8_000;
/** A look at a group waits this long for its token. */
export const lookPatienceMs = 3_000;
/** A step of a drain begins at a whole second. */
const wholeSecondMs = 1_000;
/**
 * A heartbeat waits this long for its token. It is due when half of the hook's time-out is left, and the start of its
 * function takes a part of that. A quarter must be left for a heartbeat that fails, also of the shortest hook.
 */
export const heartbeatPatienceMs = shortestHookTimeoutMs / 4 - startLeadMs - wholeSecondMs;

/** How long a bucket takes to refill by one token. */
export const tokenMs = (bucket: BucketName): number => 1_000 / buckets[bucket].perSecond;

const capacityMs = (bucket: PacedBucket): number => (buckets[bucket].holds - spareTokens) * tokenMs(bucket);

/**
 * A time outside these bounds is ignored, because the bucket is full or the time was written with a wrong clock. A call
 * joins no line that is longer than its patience.
 */
export const staleFullAt = (
  bucket: PacedBucket,
  nowMs: number,
): { readonly beforeMs: number; readonly afterMs: number } => ({
  beforeMs: nowMs,
  afterMs: nowMs + capacityMs(bucket) + longestPatienceMs + clocksDifferMs,
});

/**
 * A call of a bucket. `patienceMs`: how long it waits for its token before it fails as if AWS had throttled it.
 * `isLaunch`: it takes seconds, and shares its bucket with calls that do not. `isUrgent`: instead of failing, it is
 * made without a token, and counted afterwards. `untilMs`: it is of no use later, so it waits no longer.
 */
export type PacedCall = {
  readonly bucket: PacedBucket;
  readonly kind: CallKind;
  readonly patienceMs: number;
  readonly isLaunch?: true;
  readonly isUrgent?: true;
  readonly untilMs?: number;
};

/** A launch takes seconds, and its token is not taken before the middle of that time. */
const launchArrivesMs = 800;

/**
 * When a call that is made now takes its token, at the latest. A bucket that is full by then has lost what it would
 * have refilled since now: counted from now, it would seem to hold more than it does until it is full again.
 */
export const arrivesAtMs = ({ isLaunch }: PacedCall, nowMs: number): number =>
  isLaunch ? nowMs + launchArrivesMs : nowMs;

/** The longest line that a call joins. Below 0: it leaves tokens to others. */
const longestLineOf = ({ bucket, kind, patienceMs }: PacedCall): number => {
  if (kind === 'look') return -keptForOthers[bucket] * tokenMs(bucket);
  return kind === 'end' ? Math.min(patienceMs, longestLineOfEndsMs) : patienceMs;
};

/** The latest time at which a bucket may be full after a call has taken its token. */
export const latestFullAtMs = (call: PacedCall, nowMs: number): number =>
  nowMs + capacityMs(call.bucket) + longestLineOf(call);

/** When a call may be made that took the last token before this time. */
export const callAtMs = (bucket: PacedBucket, fullAtMs: number): number => fullAtMs - capacityMs(bucket);

/** When a bucket that AWS found empty now is full again. */
export const fullAfterThrottleMs = (bucket: PacedBucket, nowMs: number): number => nowMs + capacityMs(bucket);

/** Tokens that are left. Negative while calls wait in line. */
export const tokensLeft = (bucket: PacedBucket, fullAt: FullAt, nowMs: number): number => {
  const { holds } = buckets[bucket];
  const fullAtMs = fullAt[bucket] ?? nowMs;
  const { beforeMs, afterMs } = staleFullAt(bucket, nowMs);
  return fullAtMs <= beforeMs || fullAtMs > afterMs ? holds : holds - (fullAtMs - nowMs) / tokenMs(bucket);
};

import {
  arrivesAtMs,
  callAtMs,
  fullAfterThrottleMs,
  latestFullAtMs,
  type PacedBucket,
  type PacedCall,
  tokenMs,
} from '../../core/limits/call-pace.ts';
import type { PaceItem } from '../state/pace-item.ts';
import { isFromAws } from './errors.ts';
import { merging } from './merging.ts';

type PacerDeps = {
  readonly item: PaceItem;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called when the item could not be used. Calls go on without it, because it only paces. */
  readonly unused: (error: unknown) => void;
};

/** What the calls of an invocation have in common. */
export type Beginning = {
  /** Only time has passed. Then looks are counted and not written. The next written call includes them. */
  readonly isQuiet: boolean;
  /** No call waits for its token beyond this time. */
  readonly untilMs: number;
};

/** Makes calls wait for their tokens. */
export type Pacer = {
  /**
   * Waits for a token. False: there is none within the patience of the call, and it must not be made. An urgent call
   * is made then all the same.
   */
  take(call: PacedCall): Promise<boolean>;
  /** Counts attempts that were made beyond the first. */
  spend(bucket: PacedBucket, calls: number): void;
  /** Notes that AWS has throttled a call: others draw on the bucket too, and it is empty. */
  throttled(bucket: PacedBucket): Promise<void>;
  /** An invocation begins. */
  begin(beginning: Beginning): void;
};

/**
 * After a failure of the item, calls go on without it for this many times as long as the failure took. So an outage of
 * the item delays calls by a fifth at most, and a refusal that comes at once leaves only one call without a token.
 */
const withoutItemFor = 5;
/** At most this long. The item may fail after its call has waited in line for seconds. */
const withoutItemMs = 5_000;
/** The most that unwritten looks may take of a bucket, in time to refill. */
const mostUnsaidMs = 2_000;
/** An environment that found the account calm does not read the item again for this long, before a single look. */
const staysCalmForMs = 600_000;
/** The account is calm when every bucket has been full for this long. In a storm, buckets are full only for moments. */
const calmForMs = 10_000;

/** How long to wait for a token that was taken, or when to try again because there is none. */
type Wait = { readonly isTaken: boolean; readonly ms: number };

const repeated = (count: number, wait: Wait): readonly Wait[] => Array.from({ length: count }, () => wait);

/** Calls of this environment that are not written yet. */
const createUnsaid = (now: () => number) => {
  const debts = new Map<PacedBucket, { readonly ms: number; readonly atMs: number }>();
  const owedMs = (bucket: PacedBucket): number => {
    const { ms, atMs } = debts.get(bucket) ?? { ms: 0, atMs: 0 };
    // A clock that was set back makes no debt larger.
    return Math.max(0, ms - Math.max(0, now() - atMs));
  };
  return {
    owedMs,
    add: (bucket: PacedBucket, calls: number): void =>
      void debts.set(bucket, { ms: owedMs(bucket) + calls * tokenMs(bucket), atMs: now() }),
    said: (bucket: PacedBucket): void => void debts.delete(bucket),
  };
};

/** Takes tokens for simultaneous calls, for as many as get a token within their patience. */
const takeTogether = async (
  calls: readonly PacedCall[],
  { item, now, unsaid }: Pick<PacerDeps, 'item' | 'now'> & { readonly unsaid: ReturnType<typeof createUnsaid> },
): Promise<readonly Wait[]> => {
  const [call] = calls;
  if (call === undefined) return [];
  const { bucket } = call;
  const [nowMs, eachMs, owedMs] = [now(), tokenMs(bucket), unsaid.owedMs(bucket)];
  const untilMs = latestFullAtMs(call, nowMs);
  for (let wanted = calls.length; wanted > 0; ) {
    const taking = { bucket, costMs: wanted * eachMs + owedMs, untilMs, nowMs: arrivesAtMs(call, nowMs) };
    const { kind, fullAtMs } = await item.take(taking);
    if (kind === 'taken') {
      unsaid.said(bucket);
      const waits = Array.from({ length: wanted }, (_, index): Wait => {
        const mineMs = fullAtMs - (wanted - 1 - index) * eachMs;
        return { isTaken: true, ms: Math.max(0, callAtMs(bucket, mineMs) - nowMs) };
      });
      const againInMs = Math.max(eachMs, fullAtMs + eachMs - untilMs);
      return [...waits, ...repeated(calls.length - wanted, { isTaken: false, ms: againInMs })];
    }
    const leftMs = untilMs - Math.max(nowMs, fullAtMs) - owedMs;
    if (leftMs < eachMs) return repeated(calls.length, { isTaken: false, ms: eachMs - leftMs });
    wanted = Math.min(wanted - 1, Math.floor(leftMs / eachMs));
  }
  return repeated(calls.length, { isTaken: false, ms: eachMs });
};

/** Runs work on the item. After an error of AWS, it uses `otherwise` for a while, without calls. */
const createGuard = ({ now, unused }: Pick<PacerDeps, 'now' | 'unused'>) => {
  let withoutUntilMs = 0;
  return async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    const beganAtMs = now();
    if (beganAtMs < withoutUntilMs) return otherwise;
    try {
      return await work();
    } catch (error) {
      if (!isFromAws(error)) throw error;
      const failedAtMs = now();
      withoutUntilMs = failedAtMs + Math.min(withoutItemMs, withoutItemFor * (failedAtMs - beganAtMs));
      unused(error);
      return otherwise;
    }
  };
};

/** Finds out whether no paced call was made in the account for `calmForMs`. */
const createCalm = ({ item, now }: Pick<PacerDeps, 'item' | 'now'>) => {
  let asked: Promise<boolean> | undefined;
  let untilMs = 0;
  const ask = async (): Promise<boolean> => {
    const fullAt = await item.read();
    const isCalm = Object.values(fullAt).every((atMs) => atMs <= now() - calmForMs);
    untilMs = isCalm ? now() + staysCalmForMs : 0;
    return isCalm;
  };
  return {
    /** Whether this environment found that within `staysCalmForMs`, and nothing has happened here since. */
    wasFound: (): boolean => now() < untilMs,
    holds: (): Promise<boolean> => {
      asked ??= ask();
      return asked;
    },
    /** Another invocation begins. */
    look: (): void => {
      asked = undefined;
    },
    forget: (): void => {
      asked = undefined;
      untilMs = 0;
    },
  };
};

/** Has calls wait for their tokens, no longer than their patience and the time of their invocation. */
const createLines = ({ item, now, sleep }: PacerDeps, unsaid: ReturnType<typeof createUnsaid>) => {
  const lines = new Map<string, (call: PacedCall) => Promise<Wait>>();

  /** Calls that arrive while a write is under way are written together, where they have as much patience. */
  const lineOf = ({
    bucket,
    kind,
    isLaunch,
    isUrgent,
    patienceMs,
  }: PacedCall): ((call: PacedCall) => Promise<Wait>) => {
    const key = `${bucket} ${kind} ${isLaunch} ${isUrgent} ${Math.floor(patienceMs / 1_000)}`;
    const line = lines.get(key) ?? merging((calls: readonly PacedCall[]) => takeTogether(calls, { item, now, unsaid }));
    lines.set(key, line);
    return line;
  };

  /** The clock may be set while a call waits, so its own pauses count too. */
  return async (one: PacedCall, untilMs: number): Promise<boolean> => {
    const sinceMs = now();
    const leftMs = Math.min(untilMs, one.untilMs ?? Number.POSITIVE_INFINITY) - sinceMs;
    const mostMs = Math.min(one.patienceMs, leftMs);
    for (let pausedMs = 0; ; ) {
      const waitedMs = (): number => Math.max(pausedMs, now() - sinceMs);
      const call = { ...one, patienceMs: Math.max(0, Math.min(one.patienceMs, leftMs - waitedMs())) };
      const { isTaken, ms } = await lineOf(call)(call);
      // An urgent call has no time to wait twice: for a place in line, and there.
      if (!isTaken && (call.isUrgent || waitedMs() + ms > mostMs)) return false;
      if (ms > 0) await sleep(ms);
      if (isTaken) return true;
      pausedMs += ms;
    }
  };
};

export const createPacer = (deps: PacerDeps): Pacer => {
  const { item, now } = deps;
  const unsaid = createUnsaid(now);
  const unlessItemFails = createGuard(deps);
  const inLine = createLines(deps, unsaid);
  const calm = createCalm(deps);
  let present: Beginning = { isQuiet: false, untilMs: Number.POSITIVE_INFINITY };

  const isOnlyCounted = async ({ bucket, kind }: PacedCall): Promise<boolean> =>
    present.isQuiet && kind !== 'act' && unsaid.owedMs(bucket) < mostUnsaidMs && (await calm.holds());

  /** A single unwritten look does no harm. It is counted at once, so that a second one is no longer single. */
  const isOwedAlone = ({ bucket, kind }: PacedCall): boolean => {
    if (!present.isQuiet || kind === 'act' || unsaid.owedMs(bucket) > 0 || !calm.wasFound()) return false;
    unsaid.add(bucket, 1);
    return true;
  };

  return {
    take: (call) =>
      unlessItemFails(async () => {
        if (isOwedAlone(call)) return true;
        if (!(await isOnlyCounted(call))) {
          calm.forget();
          if (await inLine(call, present.untilMs)) return true;
          if (!call.isUrgent) return false;
        }
        unsaid.add(call.bucket, 1);
        return true;
      }, true),
    spend: unsaid.add,
    throttled: (bucket) =>
      unlessItemFails(() => item.fullNoSooner(bucket, fullAfterThrottleMs(bucket, now())), undefined),
    begin: (beginning) => {
      present = beginning;
      (present.isQuiet ? calm.look : calm.forget)();
    },
  };
};

import {
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
  /** Called when the item could not be used. Calls go on without it: it only paces. */
  readonly unused: (error: unknown) => void;
};

/** Makes calls wait for their tokens. */
export type Pacer = {
  /** Waits for a token. False: there is none within the patience of the call, and it must not be made. */
  take(call: PacedCall): Promise<boolean>;
  /** Counts attempts that were made beyond the first. */
  spend(bucket: PacedBucket, calls: number): void;
  /** AWS has throttled a call: somebody else draws on the bucket, and it is empty. */
  throttled(bucket: PacedBucket): Promise<void>;
  /** While nothing happens, looks are only counted: they are written with the next call that is. */
  quiet(isQuiet: boolean): void;
};

/** Where the item fails, calls go on without it for so long, so that its outage costs no call its time. */
const withoutItemMs = 5_000;
/** What looks that are only counted may take of a bucket, in time to refill. */
const mostUnsaidMs = 2_000;
/** Who found that nothing happens does not ask again for so long, before a call that it owes alone. */
const staysCalmForMs = 600_000;
/** Nothing happens in the account while every bucket has been full for so long: in a storm they fill up in between. */
const calmForMs = 10_000;

/** How long to wait for a token that was taken, or when to ask again because there is none. */
type Wait = { readonly isTaken: boolean; readonly ms: number };

const repeated = (count: number, wait: Wait): readonly Wait[] => Array.from({ length: count }, () => wait);

/** Calls of this environment that are not written yet. */
const createUnsaid = (now: () => number) => {
  const debts = new Map<PacedBucket, { readonly ms: number; readonly atMs: number }>();
  const owedMs = (bucket: PacedBucket): number => {
    const { ms, atMs } = debts.get(bucket) ?? { ms: 0, atMs: 0 };
    return Math.max(0, ms - (now() - atMs));
  };
  return {
    owedMs,
    add: (bucket: PacedBucket, calls: number): void =>
      void debts.set(bucket, { ms: owedMs(bucket) + calls * tokenMs(bucket), atMs: now() }),
    said: (bucket: PacedBucket): void => void debts.delete(bucket),
  };
};

/** Takes tokens for calls that ask together: for as many of them as there are tokens within their patience. */
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
    const { kind, fullAtMs } = await item.take({ bucket, costMs: wanted * eachMs + owedMs, untilMs, nowMs });
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

/** Goes on without the item for a while where it fails. */
const createGuard = ({ now, unused }: Pick<PacerDeps, 'now' | 'unused'>) => {
  let withoutUntilMs = 0;
  return async <T>(work: () => Promise<T>, otherwise: T): Promise<T> => {
    if (now() < withoutUntilMs) return otherwise;
    try {
      return await work();
    } catch (error) {
      if (!isFromAws(error)) throw error;
      withoutUntilMs = now() + withoutItemMs;
      unused(error);
      return otherwise;
    }
  };
};

/** Whether nobody in the account has made a call for a while. */
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
    /** Whether this environment found it so a while ago, and nothing has happened here since. */
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

export const createPacer = (deps: PacerDeps): Pacer => {
  const { item, now, sleep } = deps;
  const unsaid = createUnsaid(now);
  const unlessItemFails = createGuard(deps);
  const lines = new Map<string, (call: PacedCall) => Promise<Wait>>();
  const calm = createCalm(deps);
  let isQuiet = false;

  /** Calls that ask while a write is under way are written together. */
  const lineOf = ({ bucket, kind }: PacedCall): ((call: PacedCall) => Promise<Wait>) => {
    const key = `${bucket} ${kind}`;
    const line = lines.get(key) ?? merging((calls: readonly PacedCall[]) => takeTogether(calls, { item, now, unsaid }));
    lines.set(key, line);
    return line;
  };

  const inLine = async (call: PacedCall): Promise<boolean> => {
    const sinceMs = now();
    for (;;) {
      const { isTaken, ms } = await lineOf(call)(call);
      if (!isTaken && now() + ms - sinceMs > call.patienceMs) return false;
      if (ms > 0) await sleep(ms);
      if (isTaken) return true;
    }
  };

  const isOnlyCounted = async ({ bucket, kind }: PacedCall): Promise<boolean> =>
    isQuiet && kind !== 'act' && unsaid.owedMs(bucket) < mostUnsaidMs && (await calm.holds());

  /** One look that is owed alone does no harm. It is counted at once, so that those beside it are not alone. */
  const isOwedAlone = ({ bucket, kind }: PacedCall): boolean => {
    if (!isQuiet || kind === 'act' || unsaid.owedMs(bucket) > 0 || !calm.wasFound()) return false;
    unsaid.add(bucket, 1);
    return true;
  };

  return {
    take: (call) =>
      unlessItemFails(async () => {
        if (isOwedAlone(call)) return true;
        if (!(await isOnlyCounted(call))) {
          calm.forget();
          return inLine(call);
        }
        unsaid.add(call.bucket, 1);
        return true;
      }, true),
    spend: unsaid.add,
    throttled: (bucket) =>
      unlessItemFails(() => item.fullNoSooner(bucket, fullAfterThrottleMs(bucket, now())), undefined),
    quiet: (is) => {
      isQuiet = is;
      if (is) calm.look();
      else calm.forget();
    },
  };
};

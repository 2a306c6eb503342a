import { isDeepStrictEqual } from 'node:util';
import { eachInParallel, type Failed, inParallel } from '../../../aws/calls/in-parallel.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import {
  beginsAnew,
  type Claiming,
  claimedBy,
  isNewWarning,
  type LeavingFact,
  tightened,
} from '../../../core/swap/claim.ts';
import type { Swap } from '../../../core/swap/swap.ts';

/**
 * Conditional writes under way at once. DynamoDB takes 1,000 a second on one partition (Developer Guide, partition key
 * design).
 */
export const writesAtOnce = 100;

/** The result of claims. Claims that were made stand. Their events are sent before a failure is thrown. */
export type Claimed = Failed & {
  readonly swaps: readonly Swap[];
  /** Claimed in this run, for events and counts. */
  readonly fresh: readonly Swap[];
  /** Members that EC2 has just warned about, with any claim. */
  readonly warned: readonly Swap[];
};

/** Makes claims side by side. One that fails loses none of the others. */
export const claimEach = <T>(items: readonly T[], claim: (item: T) => Promise<void>): Promise<Failed> =>
  eachInParallel(items, writesAtOnce, claim);

type ClaimContext = Claiming & { readonly store: StateStore };

/**
 * Tightens a swap. Undefined if it was withdrawn or lost meanwhile, or is over while its member serves on: the fact
 * makes a new one then.
 */
const tighten = async (swap: Swap, fact: LeavingFact, context: ClaimContext): Promise<Swap | undefined> => {
  if (beginsAnew(swap, fact) && (await context.store.retire(swap)) === 'done') return undefined;
  const set = tightened(swap, fact, context);
  if (set === undefined) return swap;
  const seen = set.hooks === undefined ? {} : { hooksSeen: swap.hooks ?? [] };
  const written = await context.store.advance(swap, { from: [swap.state], set, ...seen });
  if (written === 'done') return { ...swap, ...set };
  const now = await context.store.swapNow(swap);
  if (now === undefined || now.state === 'withdrawn') return undefined;
  return now.state === swap.state && isDeepStrictEqual(now.hooks, swap.hooks) ? swap : tighten(now, fact, context);
};

/**
 * What a fact adds about an instance that has ended, where a swap says already how it ended. Undefined where none does,
 * so that the fact makes a new swap. Without a swap the fact adds nothing:
 *
 * - Another group claimed the instance because of the same warning. The message may come again after this group has
 *   taken over its Auto Scaling group.
 * - The message came so late that the swap of this group is history. A new swap would know nothing of its drain. Where
 *   the message adds something, that swap is no history for another while.
 */
const addedAfterEnd = async (
  fact: LeavingFact,
  context: ClaimContext,
): Promise<{ readonly swap?: Swap } | undefined> => {
  const { store, group, ended } = context;
  const past = ended.has(fact.instance) ? await store.swapOf(fact.instance) : undefined;
  if (past === undefined) return undefined;
  if (past.group !== group) return past.warnedAtMs === fact.atMs ? {} : undefined;
  // Since then it may have been started again.
  if (past.state !== 'gone' || past.goneAtMs === undefined || past.goneAtMs < fact.atMs) return undefined;
  if (tightened(past, fact, context) === undefined) return {};
  await store.claim(past);
  return tighten(past, fact, context).then((swap) => swap && { swap });
};

/**
 * Creates the swap item of every leaving instance, or tightens the existing one. The first signal about an instance
 * claims it. Every later signal finds that claim. No claim is made for an end that a swap tells already.
 */
export const claimAll = async (
  facts: readonly LeavingFact[],
  known: readonly Swap[],
  context: ClaimContext,
): Promise<Claimed> => {
  const byInstance = new Map(known.map((swap) => [swap.instance, swap]));
  const fresh: Swap[] = [];
  const warned: Swap[] = [];
  const factsOf = Map.groupBy(facts, ({ instance }) => instance);
  const claimOne = async (fact: LeavingFact): Promise<Swap | undefined> => {
    const added = await addedAfterEnd(fact, context);
    if (added !== undefined) return added.swap;
    const wanted = claimedBy(fact, context);
    const claim = await context.store.claim(wanted);
    if (claim.kind === 'exists') return (await tighten(claim.swap, fact, context)) ?? claimOne(fact);
    fresh.push(wanted);
    return wanted;
  };
  const claimAllOf = async ([instance, list]: readonly [string, readonly LeavingFact[]]): Promise<void> => {
    for (const fact of list) {
      const before = byInstance.get(instance);
      const swap = (before && (await tighten(before, fact, context))) ?? (await claimOne(fact));
      if (swap === undefined) continue;
      byInstance.set(instance, swap);
      // Pool memory counted it when the observed group received it.
      if (fact.heardAtMs === undefined && isNewWarning(fact, swap, before))
        warned.push({ ...swap, warnedAtMs: fact.atMs });
    }
  };
  const failed = await claimEach([...factsOf], claimAllOf);
  return { swaps: [...byInstance.values()], fresh, warned, ...failed };
};

/** Claims again, of swaps that are not in the table any more, those that are not history either. Returns these. */
export const claimLost = async (
  missing: readonly Swap[],
  store: Pick<StateStore, 'swapNow' | 'claim'>,
): Promise<readonly Swap[]> => {
  const found = await inParallel(missing, writesAtOnce, async (swap): Promise<readonly Swap[]> => {
    if ((await store.swapNow(swap)) !== undefined) return [];
    const claim = await store.claim(swap);
    return [claim.kind === 'exists' ? claim.swap : swap];
  });
  return found.flat();
};

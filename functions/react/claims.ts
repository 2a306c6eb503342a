import { inParallel } from '../../aws/in-parallel.ts';
import { tighter } from '../../core/deadline.ts';
import { traitsOf } from '../../core/leave-reason.ts';
import { offeringKey } from '../../core/offering.ts';
import type { StateStore } from '../../core/ports.ts';
import type { Swap } from '../../core/swap.ts';
import type { Member } from '../../core/view.ts';
import { type DrainKind, kindOf, type NameDrain } from './drain-names.ts';
import type { LeavingFact } from './facts.ts';

/**
 * Conditional writes under way at once. DynamoDB takes 1,000 a second on one partition (Developer Guide, partition key
 * design).
 */
export const writesAtOnce = 100;

/** The result of claiming. */
export type Claimed = {
  readonly swaps: readonly Swap[];
  /** Claimed in this run, for events and counts. */
  readonly fresh: readonly Swap[];
  /** Those that EC2 has just warned about, whatever claimed them. */
  readonly warned: readonly Swap[];
};

type ClaimContext = {
  readonly store: StateStore;
  readonly group: string;
  readonly nowMs: number;
  readonly decision: string;
  readonly drainFor: NameDrain;
  readonly members: ReadonlyMap<string, Member>;
  /** Auto Scaling groups that may hold members. */
  readonly asgs: ReadonlySet<string>;
  /** Instances that EC2 shows as ended. */
  readonly ended: ReadonlySet<string>;
};

const newSwap = (fact: LeavingFact, context: ClaimContext): Swap => {
  const member = context.members.get(fact.instance);
  const offering = member?.offering ?? fact.owner?.offering;
  const { waitsForSurge, isAnnounced } = traitsOf(fact);
  const asg = member?.asg ?? fact.owner?.asg;
  return {
    group: context.group,
    instance: fact.instance,
    reason: fact.reason,
    state: waitsForSurge ? 'waiting' : 'leaving',
    pool: member?.pool ?? fact.owner?.pool ?? 'unknown',
    offering: offering === undefined ? 'unknown' : offeringKey(offering),
    ...(asg !== undefined && context.asgs.has(asg) && { asg }),
    claimedAtMs: context.nowMs,
    ...(isAnnounced && { warnedAtMs: fact.atMs }),
    ...(fact.deadlineMs === undefined ? {} : { deadlineMs: fact.deadlineMs }),
    ...(fact.hook === undefined ? {} : { hooks: [fact.hook] }),
    // An instance that ended before its first signal needs no drain. Its Auto Scaling group, if any, replaces it.
    ...(waitsForSurge || context.ended.has(fact.instance)
      ? {}
      : {
          drain: context.drainFor(kindOf(fact), fact.deadlineMs),
          drainOrderedAtMs: context.nowMs,
        }),
    decision: context.decision,
  };
};

const withHook = (swap: Swap, fact: LeavingFact, { drainFor, nowMs }: ClaimContext): Partial<Swap> | undefined => {
  const { hooks = [] } = swap;
  if (fact.hook === undefined || hooks.some(({ token }) => token === fact.hook?.token)) return undefined;
  // Its drain may have read the swap without this hook, and might look again only after the hook has expired. So
  // another drain takes over.
  const order = { drain: drainFor('hook', swap.deadlineMs), drainOrderedAtMs: nowMs };
  return { hooks: [...hooks, fact.hook], ...(swap.state === 'waiting' ? { state: 'leaving' } : {}), ...order };
};

/** A swap that drains already cannot wait for its replacement, so it does not join a drain that waits. */
const kindOnceWarned = (swap: Swap, warning: LeavingFact): DrainKind => {
  if (traitsOf(swap).endedBy === 'auto-scaling') return kindOf(swap);
  return swap.state === 'waiting' || swap.state === 'leaving' ? kindOf(warning) : 'swap';
};

const withDeadline = (swap: Swap, fact: LeavingFact, { drainFor, nowMs }: ClaimContext): Partial<Swap> | undefined => {
  const deadlineMs = tighter(swap.deadlineMs, fact.deadlineMs);
  if (deadlineMs === swap.deadlineMs || deadlineMs === undefined) return undefined;
  if (swap.state === 'drained') return { deadlineMs };
  return {
    reason: traitsOf(swap).endedBy === 'auto-scaling' ? swap.reason : fact.reason,
    deadlineMs,
    warnedAtMs: fact.atMs,
    drain: drainFor(kindOnceWarned(swap, fact), deadlineMs),
    drainOrderedAtMs: nowMs,
    ...(swap.state === 'waiting' ? { state: 'leaving' } : {}),
  };
};

/**
 * What a later signal changes in an existing swap: it may only tighten the deadline or add a hook. Undefined when it
 * changes nothing.
 */
const tightened = (swap: Swap, fact: LeavingFact, context: ClaimContext): Partial<Swap> | undefined => {
  if (swap.state === 'gone' || traitsOf(fact).waitsForSurge) return undefined;
  return traitsOf(fact).endedBy === 'auto-scaling' ? withHook(swap, fact, context) : withDeadline(swap, fact, context);
};

/** Undefined where the swap was withdrawn meanwhile: then the fact makes another. */
const tighten = async (swap: Swap, fact: LeavingFact, context: ClaimContext): Promise<Swap | undefined> => {
  const set = tightened(swap, fact, context);
  if (set === undefined) return swap;
  const seen = set.hooks === undefined ? {} : { hooksSeen: swap.hooks?.length ?? 0 };
  const written = await context.store.advance(swap, { from: [swap.state], set, ...seen });
  if (written === 'done') return { ...swap, ...set };
  const now = await context.store.swapOf(swap.instance);
  if (now?.state === 'withdrawn') return undefined;
  return now === undefined || (now.state === swap.state && now.hooks?.length === swap.hooks?.length)
    ? swap
    : tighten(now, fact, context);
};

/**
 * Creates the swap item of every leaving instance, or tightens the existing one. The first signal about an instance
 * claims it. Every later signal finds that claim.
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
  const claimOne = async (fact: LeavingFact): Promise<Swap> => {
    const wanted = newSwap(fact, context);
    const claim = await context.store.claim(wanted);
    if (claim.kind === 'exists') return (await tighten(claim.swap, fact, context)) ?? claimOne(fact);
    fresh.push(wanted);
    return wanted;
  };
  await inParallel([...factsOf], writesAtOnce, async ([instance, list]) => {
    for (const fact of list) {
      const before = byInstance.get(instance);
      const swap = (before && (await tighten(before, fact, context))) ?? (await claimOne(fact));
      byInstance.set(instance, swap);
      // Advice may bear the very time of the warning: only the deadline tells that this one is new.
      if (
        traitsOf(fact).endedBy === 'ec2' &&
        swap.deadlineMs === fact.deadlineMs &&
        before?.deadlineMs !== fact.deadlineMs
      )
        warned.push(swap);
    }
  });
  return { swaps: [...byInstance.values()], fresh, warned };
};

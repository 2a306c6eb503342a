import type { Group } from '../group/group.ts';
import type { Reservation } from '../launch/reservation.ts';
import type { Holdings } from '../ports/capacity-provider.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { Swap } from '../swap/swap.ts';
import { mayBeServing } from '../view/ready.ts';
import { type DrainBudget, lastCallsMsOf, latestDrainStart } from './drain.ts';
import { growingStepMs, shortestStepMs } from './steps.ts';

/** Why a drain begins. */
export type BeginReason =
  /** There is nothing to wait for: drain-first, or no replacement is launched. */
  | 'at-once'
  /** Some instances of the batch are out of service already. */
  | 'begun'
  /** The latest start has come. */
  | 'latest-start'
  /** As many members serve as the desired size, not counting those that leave. */
  | 'enough-serving';

/**
 * When a drain was first wanted. A drain that takes over from an earlier one was ordered later, and has no more time
 * for that. A swap that the table lost is claimed later than its drain was ordered, and has no more time either. A
 * member that was claimed before its warning stayed in service until the warning ordered a drain.
 */
export const wantedAtMs = (swap: Swap): number => {
  const { claimedAtMs, warnedAtMs = Number.POSITIVE_INFINITY, drainOrderedAtMs = claimedAtMs } = swap;
  return warnedAtMs <= claimedAtMs ? Math.min(claimedAtMs, drainOrderedAtMs) : drainOrderedAtMs;
};

/** When the drain of a member must begin, so that it ends before its deadline. */
export const beginsByMs = (
  { timeoutMs, deregistrationDelayMs }: Pick<DrainBudget, 'timeoutMs' | 'deregistrationDelayMs'>,
  swap: Swap,
  deadlineMs: number,
): number =>
  latestDrainStart({
    nowMs: wantedAtMs(swap),
    deadlineMs,
    timeoutMs,
    deregistrationDelayMs,
    lastCallsMs: lastCallsMsOf(swap),
  });

/** When a batch was ordered: the earliest time of its members. Instances that join it later do not change its times. */
export const orderedAtMs = (own: readonly Swap[]): number => Math.min(...own.map(wantedAtMs));

/**
 * Latest start of a batch (epoch ms), from its earliest deadline. Undefined when it begins at once. Only instances that
 * EC2 takes have time to wait. Every other removal begins while enough members serve, or is already under way.
 *
 * @param deregistrationDelayMs of the target groups that the batch is in; unknown: the load balancer's default is
 *   assumed.
 */
export const latestStartOf = (
  group: Pick<Group, 'swap' | 'drain'>,
  own: readonly Swap[],
  deregistrationDelayMs?: number,
): number | undefined => {
  const deadlines = own.flatMap(({ reason, deadlineMs }) =>
    traitsOf({ reason }).endedBy === 'ec2' && deadlineMs !== undefined ? [deadlineMs] : [],
  );
  if (group.swap.order !== 'launch-first' || deadlines.length < own.length) return undefined;
  return latestDrainStart({
    nowMs: orderedAtMs(own),
    deadlineMs: Math.min(...deadlines),
    timeoutMs: group.drain.timeoutMs,
    lastCallsMs: Math.max(...own.map(lastCallsMsOf)),
    deregistrationDelayMs,
  });
};

/**
 * Whether the swaps alone decide that the drain begins now. Undefined when it depends on how many members serve.
 */
export const beginsRegardless = (
  latestStartMs: number | undefined,
  own: readonly Swap[],
  nowMs: number,
): BeginReason | undefined => {
  if (latestStartMs === undefined) return 'at-once';
  if (nowMs >= latestStartMs) return 'latest-start';
  return own.some(({ state }) => state !== 'leaving') ? 'begun' : undefined;
};

/** The members that stay. Instances of `waiting` swaps still count as members, those of later states do not. */
const staying = (holdings: Holdings, swaps: readonly Swap[]) => {
  const leaving = new Set(swaps.filter(({ state }) => state !== 'waiting').map(({ instance }) => instance));
  return holdings.members.filter(({ instance }) => !leaving.has(instance));
};

/** How many members serve and stay. */
export const servingCount = (holdings: Holdings, swaps: readonly Swap[]): number =>
  staying(holdings, swaps).filter(({ serving }) => serving).length;

/** How many members serve and stay, with those whose health could not be read. */
export const mostServing = (holdings: Holdings, swaps: readonly Swap[]): number =>
  staying(holdings, swaps).filter(mayBeServing).length;

/**
 * An instance takes about this long from its launch until it passes health checks: 5 to 17 s to `running`, and the
 * image's own start. A look before that would only cost transitions.
 */
const expectedBootMs = 20_000;

/**
 * Until when the latest replacements of a batch certainly still boot. Before that, too few members serve. Undefined
 * when none was requested.
 */
export const bootsUntilMs = (
  reservations: readonly Pick<Reservation, 'atMs' | 'replaces'>[],
  own: readonly Swap[],
): number | undefined => {
  const leaving = new Set(own.map(({ instance }) => instance));
  const requested = reservations.filter(({ replaces }) => replaces.some((instance) => leaving.has(instance)));
  return requested.length === 0 ? undefined : Math.max(...requested.map(({ atMs }) => atMs)) + expectedBootMs;
};

/**
 * When to look again whether replacements serve: first when the youngest one is expected to, then after steps that grow
 * with its age; never past the latest start.
 */
export const nextServingLookMs = (
  latestStartMs: number,
  look: {
    readonly holdings: Holdings;
    readonly swaps: readonly Swap[];
    readonly orderedAtMs: number;
    readonly nowMs: number;
  },
): number => {
  const launches = staying(look.holdings, look.swaps)
    .filter(({ serving }) => !serving)
    .map(({ launchedAtMs }) => launchedAtMs);
  const sinceMs = Math.max(look.orderedAtMs, ...launches);
  const ageMs = look.nowMs - sinceMs;
  // The first look is due as long after the request. An instance is launched a moment after its request, so that look
  // may come a moment before the expected time.
  const expectedMs =
    ageMs < expectedBootMs
      ? Math.max(sinceMs + expectedBootMs, look.nowMs + shortestStepMs)
      : look.nowMs + growingStepMs(ageMs);
  return Math.min(expectedMs, latestStartMs);
};

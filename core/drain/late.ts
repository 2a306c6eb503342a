import type { Group } from '../group/group.ts';
import { type Denials, isDeniedIn } from '../pool-memory/denials.ts';
import type { Holdings } from '../ports/capacity-provider.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import { mayStay } from '../swap/kept-in-service.ts';
import { hasOutlived } from '../swap/outlived.ts';
import type { Swap } from '../swap/swap.ts';
import { drainAgainAtMs } from '../times/again.ts';
import { deadlineMarginMs, startSlackMs } from '../times/times.ts';
import { mayBeServing } from '../view/ready.ts';
import { mostServing, servingCount } from './begin.ts';

/** When a decision chose it to leave, by the members that served then. */
const chosenAtMs = (swap: Swap): number => swap.chosenAtMs ?? swap.claimedAtMs;

/**
 * Whether a choice of ours is older than the start of a drain may take. Others may have ended since, or the size may
 * have grown. A choice in the future was stored with another clock, so its age is unknown. A deadline does not count:
 * the member has outlived it.
 */
const isChosenLongAgo = (swap: Swap, nowMs: number): boolean =>
  traitsOf(swap).endedBy === 'holdfast' && Math.abs(nowMs - chosenAtMs(swap)) > startSlackMs;

/**
 * Whether a member that leaves is compared with the members that serve now, before it is taken out of service: nothing
 * but this drain takes it out. Its end is our choice alone, or EC2 announced it and has not taken it in time.
 */
export const asksAgain = (swap: Swap, nowMs: number): boolean =>
  swap.state === 'leaving' &&
  (isChosenLongAgo(swap, nowMs) || hasOutlived(swap, nowMs, deadlineMarginMs)) &&
  swap.releaseAskedAtMs === undefined &&
  (swap.hooks ?? []).length === 0;

/** The members whose drain begins late, by what happens to them. Every swap is in exactly one list. */
export type Late = {
  readonly goes: readonly Swap[];
  /** They leave when enough others serve: they are to be replaced, or the health of the others could not be read. */
  readonly waits: readonly Swap[];
  /** Not to be replaced. They stay, and the group is decided anew. */
  readonly stays: readonly Swap[];
};

/** A look at the group: its members, all of its swaps, and its size now. */
type Look = {
  readonly group: Pick<Group, 'swap' | 'capacity'>;
  readonly holdings: Holdings;
  readonly swaps: readonly Swap[];
  readonly desired: number;
  readonly denials?: Denials | undefined;
};

/**
 * Sorts members whose drain begins late by the rule of every decision: a member that serves leaves while as many others
 * serve as the group wants, or with drain-first `maxSurge` fewer where it is replaced and launches are not denied. Of
 * members that are not replaced, as many stay as are needed. A later step decides again where that depends on members
 * whose health could not be read. A member that does not serve always goes.
 */
export const sortLate = (late: readonly Swap[], { group, holdings, swaps, desired, denials }: Look): Late => {
  const works = new Map(holdings.members.map((member) => [member.instance, mayBeServing(member)]));
  const { order, maxSurge } = group.swap;
  const fewer = order === 'drain-first' && !isDeniedIn(denials, group.capacity) ? maxSurge : 0;
  const [ours, replaced] = [late.filter(mayStay), late.filter((swap) => !mayStay(swap))];
  const working = (list: readonly Swap[]): readonly Swap[] => list.filter(({ instance }) => works.get(instance));
  const [others, most] = [servingCount(holdings, swaps), mostServing(holdings, swaps)];
  const needed = working(ours).slice(0, Math.max(0, desired - others));
  const stays = needed.slice(0, Math.max(0, desired - most));
  const unsure = needed.slice(stays.length);
  const waits = [...unsure, ...(others + needed.length < desired - fewer ? working(replaced) : [])];
  return { goes: late.filter((swap) => !stays.includes(swap) && !waits.includes(swap)), waits, stays };
};

/** When to look again whether enough others serve for these members to leave. */
export const asksAgainAtMs = (waits: readonly Swap[], nowMs: number): number =>
  drainAgainAtMs(nowMs, { sinceMs: Math.max(...waits.map(chosenAtMs)) });

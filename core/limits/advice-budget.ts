import { stillChosen } from '../decision/chosen-members.ts';
import type { Group } from '../group/group.ts';
import type { Deaths } from '../pool-memory/boot-memory.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { Swap } from '../swap/swap.ts';
import type { GroupState } from '../view/view.ts';

/** `atMostPerHour` of a policy's `rebalance` is for this time. */
const hourMs = 3_600_000;
/** The hour is counted in this many parts. */
const partMs = hourMs / 30;

type Budgeted = {
  readonly group: Pick<Group, 'rebalance'>;
  readonly state: Pick<GroupState, 'advised' | 'chosen'>;
  readonly nowMs: number;
};

const within = (tallies: readonly Deaths[] | undefined, nowMs: number): readonly Deaths[] =>
  (tallies ?? []).filter(({ atMs }) => nowMs - atMs < hourMs);

/** How many members may still begin to leave for advice now. */
export const adviceLeft = ({ group, state, nowMs }: Budgeted): number => {
  const { atMostPerHour = Number.POSITIVE_INFINITY } = group.rebalance;
  return Math.max(0, atMostPerHour - within(state.advised, nowMs).reduce((sum, { count }) => sum + count, 0));
};

const isAdvised = (swap: Swap): boolean => traitsOf(swap).isAdvice;

/** The order in which waiting swaps begin. */
export const inTurn = (a: Swap, b: Swap): number => a.claimedAtMs - b.claimedAtMs || (a.instance < b.instance ? -1 : 1);

/** The waiting swaps that the budget lets begin, in their order. Swaps for other reasons than advice may all begin. */
export const withinAdvice = (waiting: readonly Swap[], budgeted: Budgeted): readonly Swap[] => {
  let left = adviceLeft(budgeted);
  return waiting.filter((swap) => {
    if (!isAdvised(swap)) return true;
    left -= 1;
    return left >= 0;
  });
};

/**
 * The swaps that wait, without those that another decision has just let begin. The budget counts these already, and
 * their swaps are about to be written.
 */
const stillWaiting = (swaps: readonly Swap[], { state, nowMs }: Budgeted): readonly Swap[] => {
  const begun = new Set(stillChosen(state, swaps, nowMs).flatMap(({ instances }) => instances));
  return swaps.filter((swap) => swap.state === 'waiting' && !begun.has(swap.instance));
};

/** Waiting swaps for advice that are too many for the budget: other functions claimed members at the same moment. */
export const beyondAdvice = (swaps: readonly Swap[], budgeted: Budgeted): ReadonlySet<Swap> => {
  const waiting = stillWaiting(swaps, budgeted).toSorted(inTurn);
  const within = new Set(withinAdvice(waiting, budgeted));
  return new Set(waiting.filter((swap) => !within.has(swap)));
};

/** How many more members may be claimed for advice. */
export const claimsLeft = (budgeted: Budgeted & { readonly swaps: readonly Swap[] }): number => {
  const waiting = stillWaiting(budgeted.swaps, budgeted).filter(isAdvised).length;
  return Math.max(0, adviceLeft(budgeted) - waiting);
};

/** The memory of the state once these swaps begin. A part of the hour counts from its last swap. */
export const rememberAdvised = (
  { group, state, nowMs }: Budgeted,
  begun: readonly Swap[],
): Pick<GroupState, 'advised'> => {
  const count = begun.filter(isAdvised).length;
  if (count === 0 || group.rebalance.atMostPerHour === undefined) return {};
  const young = within(state.advised, nowMs);
  const last = young.at(-1);
  const isSame = last !== undefined && Math.floor(last.atMs / partMs) === Math.floor(nowMs / partMs);
  const tally = { atMs: Math.max(nowMs, last?.atMs ?? 0), count: count + (isSame ? last.count : 0) };
  return { advised: [...(isSame ? young.slice(0, -1) : young), tally] };
};

/** What began to leave, without swaps that the last decision counted and that do not begin after all. */
export const withoutAdvised = (
  { advised = [] }: Pick<GroupState, 'advised'>,
  held: readonly Swap[],
): readonly Deaths[] => {
  const last = advised.at(-1);
  if (last === undefined) return advised;
  const left = last.count - held.filter(isAdvised).length;
  return [...advised.slice(0, -1), ...(left > 0 ? [{ ...last, count: left }] : [])];
};

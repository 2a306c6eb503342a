import { isHeldBack } from '../launch/reservation-life.ts';
import { launchRoom } from '../limits/launch-limit.ts';
import { launchable, movable } from '../pool-memory/boot-memory.ts';
import { isDeniedIn } from '../pool-memory/denials.ts';
import { movesLeft } from '../returning/rule.ts';
import type { Headcount } from '../view/headcount.ts';
import { sizeNow } from '../view/size-now.ts';
import { hopelessIn } from '../view/unserved.ts';
import type { Member, View } from '../view/view.ts';
import { type AboveMinimum, aboveMinimum } from './above-minimum.ts';
import { beyondFloor } from './beyond-floor.ts';
import { type Account, type RemovalAccount, releasableFor } from './releasable.ts';

/** A number of things that rules compete for. The rule that asks first gets them first. */
export type Budget = {
  readonly left: () => number;
  /** Takes as many of the wanted ones as are left, and returns their number. */
  readonly take: (wanted: number) => number;
};

/** A budget of this size. */
export const budgetOf = (size: number): Budget => {
  let left = size;
  return {
    left: () => left,
    take: (wanted) => {
      const taken = Math.max(0, Math.min(wanted, left));
      left -= taken;
      return taken;
    },
  };
};

/** Launches that were taken count against every later request, whatever number of missing members it names. */
const forMissing = (view: View): Arbiter['forMissing'] => {
  let taken = 0;
  return (missing) => {
    const left = (): number => Math.max(0, launchable(view.state, missing, view) - taken);
    return {
      left,
      take: (wanted) => {
        const granted = Math.max(0, Math.min(wanted, left()));
        taken += granted;
        return granted;
      },
    };
  };
};

/**
 * Grants what rules compete for, in the order in which they ask: the order of the list of rules. There is one for each
 * decision.
 */
export type Arbiter = {
  /** Members that may be launched beyond the desired size, so that others can leave without a gap. */
  readonly surge: Budget;
  /**
   * The same for members that never served. Other members may be waiting for exactly these. With `drain-first` it is
   * the same launch: one tests for all members whether launches are still denied.
   */
  readonly surgeForUnserved: Budget;
  /** Instances that may be launched now: within the policy's limit, and none while EC2 throttles launches. */
  readonly launches: Budget;
  /**
   * Launches for this many missing members, within the bound on launches that end before they serve. Launches that were
   * taken for some of them count for all.
   */
  readonly forMissing: (missing: number) => Budget;
  /**
   * Members that may move to on-demand now because the policy asks for it: within the surge, in either order, and
   * within the bound on launches that end before they serve.
   */
  readonly toOnDemand: Budget;
  /** Members that may move to better places now: within the same bounds, and within the policy's budget for a time. */
  readonly returns: Budget;
  /**
   * Members that may stop serving. An account spends nothing until `leave` names the members, so a rule may try several
   * orders.
   */
  readonly releasable: {
    /** Members that serve beyond the desired size. Negative when too few serve. */
    readonly left: () => number;
    /** For waiting swaps: after them, at most `below` members fewer than the desired size serve. */
    readonly forSwaps: (below: number) => Account;
    /** For members that are not replaced. It leaves the waiting swaps what they need. */
    readonly forRemovals: () => RemovalAccount;
  };
  /** Members that may leave without taking an Auto Scaling group below its minimum size. */
  readonly aboveMinimum: () => AboveMinimum;
  /** Members that stay and that no waiting swap and no earlier rule claims. */
  readonly unclaimed: () => readonly Member[];
  /** Members that may leave while the group keeps as many on demand as its policy asks for. */
  readonly beyondFloor: () => Account;
  /** These members leave. Their parts of the budgets are spent. */
  readonly leave: (instances: readonly string[]) => void;
};

/** The arbiter of a decision, with all budgets full. */
export const arbiterFor = (view: View, headcount: Headcount): Arbiter => {
  const { order, maxSurge } = view.group.swap;
  const most = view.mayLaunch ?? Number.POSITIVE_INFINITY;
  const moves = movable(view.state, view);
  const going = new Set<string>();
  const waiting = new Set(headcount.waiting.map(({ instance }) => instance));
  const releasable = releasableFor(headcount, sizeNow(view), going, hopelessIn(view));
  const unclaimed = (): readonly Member[] =>
    headcount.staying.filter(({ instance }) => !waiting.has(instance) && !going.has(instance));
  const isLaunchFirst = order === 'launch-first';
  // With `drain-first`, one launch ahead of its swap tests whether launches are still denied.
  const surge = budgetOf(isLaunchFirst ? maxSurge : Number(isDeniedIn(view.state.denials, view.group.capacity)));
  return {
    surge,
    surgeForUnserved: isLaunchFirst ? budgetOf(maxSurge) : surge,
    launches: budgetOf(isHeldBack(view.state, view.nowMs) ? 0 : Math.min(most, launchRoom(view).left)),
    forMissing: forMissing(view),
    toOnDemand: budgetOf(Math.min(moves, maxSurge - headcount.waiting.length - headcount.holdingPlace.length)),
    returns: budgetOf(Math.max(0, Math.min(moves, maxSurge, movesLeft(view)))),
    releasable,
    aboveMinimum: () => aboveMinimum(view.asgs, unclaimed()),
    beyondFloor: () => beyondFloor(view, unclaimed()),
    unclaimed,
    leave: (instances) => {
      for (const instance of instances) going.add(instance);
    },
  };
};

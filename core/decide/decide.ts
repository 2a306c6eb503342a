import type { Decision } from '../decision/decision.ts';
import type { Swap } from '../swap/swap.ts';
import { takeHeadcount } from '../view/headcount.ts';
import type { GroupState, View } from '../view/view.ts';
import { admissions } from './admissions.ts';
import { arbiterFor } from './arbiter.ts';
import { emptyDraft, withProposal } from './draft.ts';
import { goneAsgs } from './gone-asgs.ts';
import { addedSizes, heldProcesses } from './held-processes.ts';
import { maximumSizes } from './maximum-sizes.ts';
import { missingMembers } from './missing-members.ts';
import { nextLook } from './next-look.ts';
import { onDemandFloor } from './on-demand-floor.ts';
import { remarks } from './remarks.ts';
import { replaced, returns } from './returns.ts';
import type { Rule } from './rule.ts';
import { strays } from './strays.ts';
import { surplus } from './surplus.ts';
import { takeOver } from './take-over.ts';
import { unnoticed } from './unnoticed.ts';
import { waitingSwaps } from './waiting-swaps.ts';

/**
 * The rules of a look, in order. A rule sees what earlier rules propose, and earlier rules draw first on the budgets of
 * the arbiter.
 */
export const rules: readonly Rule[] = [
  missingMembers,
  waitingSwaps,
  strays,
  replaced,
  surplus,
  addedSizes,
  onDemandFloor,
  returns,
  admissions,
  maximumSizes,
  heldProcesses,
  takeOver,
  unnoticed,
  goneAsgs,
  remarks,
  nextLook,
];

/** A view in which these ended members are left to their Auto Scaling groups, which replace them. */
const withLeft = (view: View, left: readonly string[]): View => {
  const isLeft = new Set(left);
  const noted = (swap: Swap): Swap => (isLeft.has(swap.instance) ? { ...swap, leftToGroup: true } : swap);
  return { ...view, swaps: view.swaps.map(noted) };
};

/**
 * What these rules decide about a view. A decision that leaves members to their groups and launches is made once more:
 * what the groups will launch then counts like their other refills, so that nothing is launched twice.
 */
export const decideBy = (inOrder: readonly Rule[], view: View): Decision => {
  const headcount = takeHeadcount(view);
  const situation = { view, headcount, arbiter: arbiterFor(view, headcount) };
  const { lack: _lack, ...decided } = inOrder.reduce(
    (soFar, rule) => withProposal(soFar, rule.propose(situation, soFar)),
    emptyDraft,
  );
  const { leftToGroups: left = [], placements } = decided;
  if (left.length > 0 && placements.length > 0) {
    const again = decideBy(inOrder, withLeft(view, left));
    return { ...again, leftToGroups: [...left, ...(again.leftToGroups ?? [])] };
  }
  return {
    group: view.group.name,
    desired: view.state.desired,
    staying: headcount.staying.length + headcount.inFlightCount,
    ...decided,
  };
};

/**
 * Looks at a view once and returns everything that should be done about it. Pure: the same view gives the same
 * decision.
 */
export const decide = (view: View): Decision => decideBy(rules, view);

/** Whether acting on a decision would change anything. A look that changes nothing writes nothing. */
export const isQuiet = (decision: Decision): boolean =>
  [
    decision.placements,
    decision.removals,
    decision.drains,
    decision.admissions,
    decision.raise,
    decision.restore,
    decision.lower ?? [],
    decision.suspend ?? [],
    decision.resume ?? [],
    decision.takeDown ?? [],
    decision.takeOver,
    decision.unnoticed,
    decision.leftToGroups ?? [],
    decision.remarks ?? [],
  ].every((list) => list.length === 0) && decision.unplaced === 0;

/**
 * Whether a decision leaves the group as short as the last one did, and does nothing else. Its shortage was stored and
 * reported then.
 */
export const isKnownShortage = (decision: Decision, { uncovered }: Pick<GroupState, 'uncovered'>): boolean =>
  uncovered !== undefined && decision.uncovered === uncovered && isQuiet({ ...decision, unplaced: 0 });

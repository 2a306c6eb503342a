import { admissions } from './decide/admissions.ts';
import { arbiterFor } from './decide/arbiter.ts';
import { emptyDraft, withProposal } from './decide/draft.ts';
import { addedSizes, heldProcesses } from './decide/held-processes.ts';
import { maximumSizes } from './decide/maximum-sizes.ts';
import { missingMembers } from './decide/missing-members.ts';
import { nextLook } from './decide/next-look.ts';
import { onDemandFloor } from './decide/on-demand-floor.ts';
import { remarks } from './decide/remarks.ts';
import { replaced, returns } from './decide/returns.ts';
import type { Rule } from './decide/rule.ts';
import { strays } from './decide/strays.ts';
import { surplus } from './decide/surplus.ts';
import { takeOver } from './decide/take-over.ts';
import { unnoticed } from './decide/unnoticed.ts';
import { waitingSwaps } from './decide/waiting-swaps.ts';
import type { Decision } from './decision.ts';
import { takeHeadcount } from './headcount.ts';
import type { View } from './view.ts';

/**
 * Everything that a look decides, in order: a rule sees what earlier ones propose, and earlier ones are first to draw
 * on the budgets of the arbiter.
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
  remarks,
  nextLook,
];

/** What these rules decide about a view. */
export const decideBy = (inOrder: readonly Rule[], view: View): Decision => {
  const headcount = takeHeadcount(view);
  const situation = { view, headcount, arbiter: arbiterFor(view, headcount) };
  const { lack: _lack, ...decided } = inOrder.reduce(
    (soFar, rule) => withProposal(soFar, rule.propose(situation, soFar)),
    emptyDraft,
  );
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
    decision.suspend ?? [],
    decision.resume ?? [],
    decision.takeDown ?? [],
    decision.takeOver,
    decision.unnoticed,
    decision.leftToGroups ?? [],
    decision.remarks ?? [],
  ].every((list) => list.length === 0) && decision.unplaced === 0;

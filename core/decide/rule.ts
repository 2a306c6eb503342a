import type { Decision } from '../decision/decision.ts';
import type { Remark } from '../decision/remark.ts';
import type { Headcount } from '../view/headcount.ts';
import type { View } from '../view/view.ts';
import type { Arbiter } from './arbiter.ts';

/** The input of a rule, and the arbiter that grants what several rules compete for. */
export type Situation = { readonly view: View; readonly headcount: Headcount; readonly arbiter: Arbiter };

/** What the rules have proposed so far. */
export type Draft = Omit<Decision, 'group' | 'desired' | 'staying' | 'remarks'> & {
  readonly remarks: readonly Remark[];
  /**
   * How many members the group lacks, less what its Auto Scaling groups are about to launch by themselves. Negative
   * when they launch more than it lacks. Missing spares are not counted.
   */
  readonly lack: number;
};

/**
 * What one rule adds to a decision. Its lists are added to those of earlier rules. Of several times to look again, the
 * earliest is kept. Any other field replaces the earlier value.
 */
export type Proposal = Partial<Draft>;

/**
 * One thing that a look decides. It is pure: what it proposes follows from the situation and from what earlier rules
 * proposed.
 */
export type Rule = {
  readonly name: string;
  readonly propose: (situation: Situation, soFar: Draft) => Proposal;
};

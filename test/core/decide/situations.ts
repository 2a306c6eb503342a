import { arbiterFor } from '../../../core/decide/arbiter.ts';
import { emptyDraft } from '../../../core/decide/draft.ts';
import type { Draft, Proposal, Rule, Situation } from '../../../core/decide/rule.ts';
import { takeHeadcount } from '../../../core/view/headcount.ts';
import type { View } from '../../../core/view/view.ts';
import { view } from '../views.ts';

/** What a rule may look at, in a group at rest with these changes. */
export const situationOf = (rest: Partial<View> = {}): Situation => {
  const look = view(rest);
  const headcount = takeHeadcount(look);
  return { view: look, headcount, arbiter: arbiterFor(look, headcount) };
};

/** What one rule proposes, after earlier ones proposed so much. */
export const proposed = (rule: Rule, rest: Partial<View> = {}, soFar: Partial<Draft> = {}): Proposal =>
  rule.propose(situationOf(rest), { ...emptyDraft, ...soFar });

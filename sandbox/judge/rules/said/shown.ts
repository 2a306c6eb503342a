import type { Rule } from '../../finding.ts';
import { decisionsAreShown } from './shown-decisions.ts';
import { explainTellsTruth } from './shown-explained.ts';
import { statusIsShown } from './shown-status.ts';
import { shownWhole } from './shown-whole.ts';

/** What must hold of what the commands print. */
export const shownRules: readonly Rule[] = [shownWhole, decisionsAreShown, explainTellsTruth, statusIsShown];

import type { Rule } from './finding.ts';
import { desiredAsAsked } from './rules/desired.ts';
import { needlessLaunch } from './rules/needless-launch.ts';
import { needlessRemoval, protectedStay, successorServes } from './rules/needless-removal.ts';

/** Everything that must hold in every run, each with one meaning. */
export const rules: readonly Rule[] = [needlessLaunch, needlessRemoval, protectedStay, successorServes, desiredAsAsked];

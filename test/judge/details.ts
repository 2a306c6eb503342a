import type { Finding, Rule } from '../../sandbox/judge/finding.ts';
import type { History } from '../../sandbox/judge/history.ts';
import { judge } from '../../sandbox/judge/judge.ts';
import { historyOf, type Script } from './histories.ts';

/** What breaks one rule in a history that is written here, with nothing allowed for. */
export const details = (rule: Rule, write: (script: Script) => void, changes: Partial<History> = {}): readonly string[] =>
  findings(rule, write, changes).map(({ detail }) => detail);

const findings = (rule: Rule, write: (script: Script) => void, changes: Partial<History> = {}): readonly Finding[] =>
  judge(historyOf(write, changes), { rules: [rule], allowances: [] }).broken;

import type { Finding, Rule } from '../../sandbox/judge/finding.ts';
import type { History } from '../../sandbox/judge/history.ts';
import { judge } from '../../sandbox/judge/judge.ts';
import { historyOf, type Script } from './histories.ts';

/** A fault that is in force from one second to another. */
export const faultOf = (fault: object, fromSecond = 0, untilSecond = 10_000): Pick<History, 'faults'> => ({
  faults: [{ fault, fromMs: 1_000 * fromSecond, untilMs: 1_000 * untilSecond }] as unknown as History['faults'],
});
/** One that throttles calls, by their operation. */
export const throttled = (operation: string): Pick<History, 'faults'> => faultOf({ on: 'call', kind: 'throttle', match: { operation } });

/** What breaks one rule in a history that is written here, with nothing allowed for. */
export const details = (rule: Rule, write: (script: Script) => void, changes: Partial<History> = {}): readonly string[] =>
  findings(rule, write, changes).map(({ detail }) => detail);

const findings = (rule: Rule, write: (script: Script) => void, changes: Partial<History> = {}): readonly Finding[] =>
  judge(historyOf(write, changes), { rules: [rule], allowances: [] }).broken;

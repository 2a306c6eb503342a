import { allowances } from './allowances.ts';
import { type Chronicle, chronicleOf } from './chronicle.ts';
import type { Allowance, Finding, Rule } from './finding.ts';
import type { History } from './history.ts';
import { rules } from './rules.ts';

/** The findings, and those that an allowance excuses. */
export type Judgement = {
  readonly broken: readonly Finding[];
  readonly excused: readonly { readonly finding: Finding; readonly allowance: string }[];
};

/** The rules and allowances to judge by. All of them, unless a test leaves some out. */
export type Law = { readonly rules: readonly Rule[]; readonly allowances: readonly Allowance[] };

const everyLaw: Law = { rules, allowances };

const judgeBy = (rule: Rule, chronicle: Chronicle, allowances: readonly Allowance[]): Judgement => {
  const found = rule.broken(chronicle).map((broken) => {
    const finding: Finding = { rule: rule.name, ...broken };
    return { finding, allowance: allowances.find((one) => one.excuses === finding.rule && one.covers(finding, chronicle))?.name };
  });
  return {
    broken: found.flatMap(({ finding, allowance }) => (allowance === undefined ? [finding] : [])),
    excused: found.flatMap(({ finding, allowance }) => (allowance === undefined ? [] : [{ finding, allowance }])),
  };
};

/** What each rule makes of a history, one after another. Who needs no more of them works out no more. */
export function* judgements(history: History, law: Law = everyLaw): Generator<Judgement & { readonly rule: string }> {
  const chronicle = chronicleOf(history);
  for (const rule of law.rules) yield { rule: rule.name, ...judgeBy(rule, chronicle, law.allowances) };
}

/** Judges a run by its history. Pure: the same history gives the same findings. */
export const judge = (history: History, law: Law = everyLaw): Judgement => {
  const all = [...judgements(history, law)];
  return { broken: all.flatMap(({ broken }) => broken), excused: all.flatMap(({ excused }) => excused) };
};

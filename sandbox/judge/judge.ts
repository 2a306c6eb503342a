import { allowances } from './allowances.ts';
import { chronicleOf } from './chronicle.ts';
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

/** Judges a run by its history. Pure: the same history gives the same findings. */
export const judge = (history: History, law: Law = { rules, allowances }): Judgement => {
  const chronicle = chronicleOf(history);
  const found = law.rules.flatMap((rule) => rule.broken(chronicle).map((broken): Finding => ({ rule: rule.name, ...broken })));
  const broken: Finding[] = [];
  const excused: { finding: Finding; allowance: string }[] = [];
  for (const finding of found) {
    const row = law.allowances.find((one) => one.excuses === finding.rule && one.covers(finding, chronicle));
    if (row === undefined) broken.push(finding);
    else excused.push({ finding, allowance: row.name });
  }
  return { broken, excused };
};

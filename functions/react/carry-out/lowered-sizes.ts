import { missingAfter } from '../../../core/group-state/answers.ts';
import { owedAfterDenial } from '../../../core/launch/give-back.ts';
import type { Round, Run } from '../run.ts';

/**
 * Raises desired capacities again that were lowered for launches that failed, in this run or before it. Their Auto
 * Scaling groups then launch by themselves.
 */
export const giveBack = async ({ provider }: Run, rounds: readonly Round[]): Promise<void> => {
  const last = rounds.at(-1);
  if (last === undefined) return;
  let missing = last.decision.unplaced + missingAfter(last.launched);
  const lowered = rounds.flatMap(({ decision, view }) =>
    decision.takeOver.map(({ asg, desired }) => ({
      asg,
      from: desired,
      before: view.asgs.find(({ name }) => name === asg)?.desired ?? desired,
    })),
  );
  for (const { asg, from, before } of new Map(lowered.map((one) => [one.asg, one])).values()) {
    const to = Math.min(before, from + missing);
    if (to > from) await provider.giveBack(asg, { from, to });
    missing -= to - from;
  }
  const untouched = { ...last.view, state: last.state };
  for (const { asg, from, to } of owedAfterDenial(untouched, missing, new Set(lowered.map((one) => one.asg))))
    await provider.giveBack(asg, { from, to });
};

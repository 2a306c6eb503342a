import { outsideAsgOf } from '../../../core/group/outside-size.ts';
import { isPutBack, type MaximaLearned, type RaisedMax } from '../../../core/view/raised-max.ts';
import type { Round, Run } from '../run.ts';
import type { AllTakenDown } from './outside-size.ts';
import { lowerMax, putMaxBack } from './put-back.ts';

/**
 * Puts maximum sizes back. A maximum that its owner changed meanwhile stays, and only our record of it is removed. A
 * maximum that cannot be lowered yet is tried again later.
 */
const restore = async (run: Run, raises: readonly RaisedMax[]): Promise<Pick<MaximaLearned, 'putBack' | 'changed'>> => {
  const learned = { putBack: [] as string[], changed: [] as string[] };
  for (const raised of new Set(raises)) {
    const result = await putMaxBack(run, raised, outsideAsgOf(run.group));
    if (result === 'done') learned.putBack.push(raised.asg);
    if (result === 'changed-by-others') learned.changed.push(raised.asg);
  }
  return learned;
};

/** Lowers raised maxima. Returns the Auto Scaling groups of which AWS has answered the call. */
const lowerAll = async (run: Run, lower: readonly RaisedMax[] = []): Promise<readonly string[]> => {
  const answered: string[] = [];
  for (const one of lower) if ((await lowerMax(run, one)) !== 'refused') answered.push(one.asg);
  return answered;
};

/** The Auto Scaling groups of which AWS has answered each raise. A call that AWS refused may take effect later. */
const answeredIn = (rounds: readonly Round[]): readonly string[] => {
  const refused = new Set(
    rounds.flatMap(({ decision, raised = [] }) =>
      decision.raise.flatMap(({ asg }) => (raised.includes(asg) ? [] : [asg])),
    ),
  );
  return rounds.flatMap(({ raised = [] }) => raised.filter((asg) => !refused.has(asg)));
};

/**
 * Puts maxima back and lowers others, as the first decision says. A maximum that was raised for an attach whose
 * addition is taken off goes back too: others must not write beyond a maximum that is raised for a moment.
 */
export const settleMaxima = async (
  run: Run,
  rounds: readonly [Round, ...Round[]],
  { takenDown, maxPutBack }: AllTakenDown,
): Promise<MaximaLearned> => {
  const [{ decision }] = rounds;
  const isOver = (asg: string): boolean => takenDown.done.some((one) => one.asg === asg);
  const noLonger = rounds.at(-1)?.state.raised.filter((raised) => !isPutBack(raised) && isOver(raised.asg)) ?? [];
  const toRestore = [...decision.restore, ...noLonger].filter(({ asg }) => !maxPutBack.includes(asg));
  const { putBack, changed } = await restore(run, toRestore);
  const lowered = await lowerAll(run, decision.lower);
  const answered = [...answeredIn(rounds), ...lowered];
  return { answered, putBack: [...maxPutBack, ...putBack], changed, withSize: maxPutBack };
};

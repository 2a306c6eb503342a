import type { Decision } from '../../../core/decision/decision.ts';
import { type Suspension, withAnswered } from '../../../core/view/suspension.ts';
import type { GroupState, View } from '../../../core/view/view.ts';
import type { Round, Run } from '../run.ts';
import { unlessRefused } from './unless-refused.ts';

/**
 * Suspends processes of the Auto Scaling group while members join or are replaced. They were noted before, for a crash.
 * All rounds of a run have one look, which shows none of what an earlier round suspended. A refusal holds up no launch:
 * the group may then launch or end a member too many, which is better than members that stay missing.
 *
 * @returns what AWS denied to suspend, and what it suspended in this run
 */
export const suspendAll = async (
  run: Run,
  { suspend = [] }: Decision,
  earlier: readonly Round[],
): Promise<Required<Pick<Round, 'denied' | 'suspended'>>> => {
  const keyOf = ({ asg, processes }: Suspension): string => [asg, ...processes].join(' ');
  const asked = new Set(earlier.flatMap(({ decision }) => decision.suspend ?? []).map(keyOf));
  const answered = new Set(earlier.flatMap((round) => round.suspended ?? []).map(keyOf));
  const problem = 'Processes of an Auto Scaling group could not be suspended: it may launch or end a member meanwhile.';
  const denied: Suspension[] = [];
  const suspended = suspend.filter((one) => answered.has(keyOf(one)));
  for (const one of suspend.filter((suspension) => !asked.has(keyOf(suspension)))) {
    const result = await unlessRefused(run, { problem, about: one }, run.provider.suspend(one), 'refused', 'denied');
    if (result === 'denied') denied.push(one);
    if (result === undefined) suspended.push(one);
  }
  return { denied, suspended };
};

/** The state with a mark at the notes of processes that AWS has suspended. */
export const markAnswered = (
  { state: before }: View,
  state: GroupState,
  answered: readonly Suspension[],
): GroupState =>
  state.suspended === undefined || answered.length === 0
    ? state
    : { ...state, suspended: withAnswered(state.suspended, answered, before.suspended) };

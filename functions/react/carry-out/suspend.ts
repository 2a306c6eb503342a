import type { Decision } from '../../../core/decision/decision.ts';
import type { Admitted } from '../../../core/ports/capacity-provider.ts';
import { type Suspension, withAnswered } from '../../../core/view/suspension.ts';
import type { GroupState } from '../../../core/view/view.ts';
import type { Round, Run } from '../run.ts';
import { unlessRefused } from './unless-refused.ts';

/** What AWS denied to suspend, and what it suspended. */
export type Suspending = Required<Pick<Round, 'denied' | 'suspended'>>;

const problem = 'Processes of an Auto Scaling group could not be suspended: it may launch or end a member meanwhile.';

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
): Promise<Suspending> => {
  const keyOf = ({ asg, processes }: Suspension): string => [asg, ...processes].join(' ');
  const asked = new Set(earlier.flatMap(({ decision }) => decision.suspend ?? []).map(keyOf));
  const answered = new Set(earlier.flatMap((round) => round.suspended ?? []).map(keyOf));
  const denied: Suspension[] = [];
  const suspended = suspend.filter((one) => answered.has(keyOf(one)));
  for (const one of suspend.filter((suspension) => !asked.has(keyOf(suspension)) && !suspension.opensForAttach)) {
    const result = await unlessRefused(run, { problem, about: one }, run.provider.suspend(one), 'refused', 'denied');
    if (result === 'denied') denied.push(one);
    if (result === undefined) suspended.push(one);
  }
  return { denied, suspended };
};

/**
 * Attaches members while `Launch` runs, and suspends it again. If this function dies in between, the next look suspends
 * it. Where it cannot be resumed now, nobody is attached.
 *
 * @param attach attaches the members
 * @returns undefined where `Launch` could not be resumed
 */
export const attachOpen = async (
  run: Run,
  note: Suspension,
  attach: () => Promise<Admitted>,
): Promise<(Admitted & Suspending) | undefined> => {
  const { asg } = note;
  const closed = 'Launch of an Auto Scaling group could not be resumed: no member can be attached meanwhile.';
  const opened = await unlessRefused(run, { problem: closed, about: { asg } }, run.provider.open(asg), 'refused');
  if (opened === 'refused') return undefined;
  const attached = await attach();
  const result = await unlessRefused(run, { problem, about: note }, run.provider.suspend(note), 'refused', 'denied');
  return {
    ...attached,
    denied: result === 'denied' ? [note] : [],
    suspended: result === undefined ? [note] : [],
  };
};

/** The state with a mark at the notes of processes that AWS has suspended. */
export const markAnswered = (state: GroupState, answered: readonly Suspension[]): GroupState =>
  state.suspended === undefined || answered.length === 0
    ? state
    : { ...state, suspended: withAnswered(state.suspended, answered) };

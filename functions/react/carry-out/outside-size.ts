import { metrics } from '../../../core/contract.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import type { TakenDown } from '../../../core/group/attached-number.ts';
import type { Group } from '../../../core/group/group.ts';
import { mayBeAdded, outsideAsgOf, takenDownAgain } from '../../../core/group/outside-size.ts';
import type { Added } from '../../../core/view/added.ts';
import { isPutBack, type RaisedMax } from '../../../core/view/raised-max.ts';
import { type Suspension, withAnswered } from '../../../core/view/suspension.ts';
import type { GroupState, View } from '../../../core/view/view.ts';
import type { Round, Run } from '../run.ts';
import type { Admissions } from './admit.ts';
import { resume, takeDown } from './put-back.ts';
import type { Suspending } from './suspend.ts';

/** A look so long after an attach finds what it added, if the function that attached died. Scalers look each 10 s. */
const lookAfterAttachMs = 5_000;

/**
 * Arranges the look that takes off what an attach adds, if this function dies after the attach. Otherwise only its
 * messages would lead to that look, when they are delivered again.
 */
export const wakeForAttach = async ({ group, ports }: Run): Promise<void> =>
  ports.wakes.wake([group.name], ports.clock.now() + lookAfterAttachMs, 'ahead');

/**
 * The same for a look at additions that are still there: its next attempt is arranged before this one begins. If this
 * one fails, it wants that same look, so looks do not become more.
 */
export const wakeForAdded = async ({ group, ports }: Run, state: GroupState | undefined): Promise<void> => {
  const { wakeAtMs } = takenDownAgain(state?.added, ports.clock.now());
  if (wakeAtMs !== undefined) await ports.wakes.wake([group.name], wakeAtMs, 'ahead');
};

/** What was taken down, and the Auto Scaling groups whose maxima the same calls have put back. */
export type AllTakenDown = { readonly takenDown: TakenDown; readonly maxPutBack: readonly string[] };

/**
 * Lowers desired capacities by what attaching added, and with the same calls maxima that were raised for it. The next
 * look repeats those that could not be lowered now.
 */
export const takeDownAll = async (
  run: Run,
  notes: readonly Added[],
  raised: readonly RaisedMax[],
): Promise<AllTakenDown> => {
  const results = {
    done: [] as Added[],
    unseen: [] as Added[],
    'changed-by-others': [] as Added[],
    'not-yet': [] as Added[],
    refused: [] as Added[],
  };
  const maxPutBack: string[] = [];
  for (const one of notes) {
    const about = raised.find((raise) => raise.asg === one.asg && !isPutBack(raise));
    const lowered = await takeDown(run, one, about);
    results[lowered.kind].push(one);
    if ('isMaxPutBack' in lowered) maxPutBack.push(one.asg);
  }
  const { done, unseen, 'changed-by-others': overwritten } = results;
  return { takenDown: { done, unseen, overwritten }, maxPutBack };
};

/** Resumes processes that we suspended. Returns the Auto Scaling groups in which all of them run again. */
export const resumeAll = async (run: Run, notes: readonly Suspension[] = []): Promise<readonly string[]> => {
  const resumed: string[] = [];
  for (const one of notes) if ((await resume(run, one)) !== 'refused') resumed.push(one.asg);
  return resumed;
};

export const triedIn = (rounds: readonly Partial<Suspending>[]): Suspending => ({
  denied: rounds.flatMap(({ denied = [] }) => denied),
  suspended: rounds.flatMap(({ suspended = [] }) => suspended),
});

type Changed = Suspending & { readonly resumed: readonly string[]; readonly nowMs: number };

/**
 * Notes of processes, with the time at which some were resumed. Where AWS denied to suspend some, the note has what it
 * had before: its owner may suspend them meanwhile, and then they are not ours to resume.
 */
export const suspendedAfter = (
  { asgs, state }: Pick<View, 'asgs' | 'state'>,
  found: readonly Suspension[] | undefined,
  { resumed, denied, suspended, nowMs }: Changed,
): readonly Suspension[] | undefined => {
  const noted = found && withAnswered(found, suspended);
  if (resumed.length + denied.length === 0) return noted;
  const refused = new Set(denied.map(({ asg }) => asg));
  const ours = (asg: string): readonly string[] => {
    const shown = asgs.find(({ name }) => name === asg)?.suspended ?? [];
    const before = state.suspended?.find((one) => one.asg === asg)?.processes ?? [];
    return before.filter((process) => shown.includes(process));
  };
  const left = (noted ?? [])
    .map((one) => (resumed.includes(one.asg) ? { ...one, resumedAtMs: nowMs } : one))
    .map((one) => (refused.has(one.asg) ? { ...one, processes: ours(one.asg) } : one))
    .filter(({ processes }) => processes.length > 0);
  return left.length > 0 ? left : undefined;
};

/** The note under which all these members are attached, where others set the size. */
export const noteOf = (
  group: Pick<Group, 'size' | 'holding'>,
  { added = [] }: Pick<GroupState, 'added'>,
  { admissions }: Decision,
): Added | undefined =>
  added.find(
    ({ asg, takenDownAtMs, instances }) =>
      asg === outsideAsgOf(group) && takenDownAtMs === undefined && admissions.every((id) => instances.includes(id)),
  );

export type Attached = Pick<Admissions, 'admitted' | 'mayBeDone'>;

/**
 * Whether members were to be attached under this note, and certainly nobody was. Then the note does not stay, because a
 * maximum is put back only while no note is open. A note from before may be about an attach of another function.
 */
export const isUnused = (
  { view, decision }: Round,
  note: Added | undefined,
  { admitted, mayBeDone }: Attached,
): boolean => {
  const isTried = note !== undefined && decision.admissions.length > 0 && !mayBeAdded(view.state, note.asg);
  return isTried && admitted.length === 0 && mayBeDone !== true;
};

/** Logs that others set the size while members joined. Their number counts, and may include the members that joined. */
export const tellOverwritten = ({ group, ports }: Run, overwritten: readonly Added[]): void => {
  if (overwritten.length === 0) return;
  ports.telemetry.count(metrics.conflicts);
  ports.telemetry.logger.warn(
    'Others set the desired capacity while Holdfast attached members. The new value stays. It may count these ' +
      'members twice until it is set again.',
    { group: group.name, added: overwritten },
  );
};

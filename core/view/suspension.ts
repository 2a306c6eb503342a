import { leaseMs, loweredShownMs } from '../times/times.ts';
import type { AsgView, View } from './view.ts';

/** Processes of an Auto Scaling group that we suspend, and must resume. It is written before they are, at `atMs`. */
export type Suspension = {
  readonly asg: string;
  readonly processes: readonly string[];
  readonly atMs?: number;
  /** AWS has answered the calls of this note, so none of these takes effect later. */
  readonly isAnswered?: true;
  /** When the last note before this one was written whose function may not have had its response yet. */
  readonly beforeMs?: number;
  /**
   * `Launch` is resumed for an attach of this decision, and suspended again after it: an Auto Scaling group takes no
   * instance in while its `Launch` is suspended (User Guide, "How suspended processes affect other processes"). Only a
   * decision has this.
   */
  readonly opensForAttach?: true;
  /** When they were resumed. The note stays while their function may still suspend them, or a describe may be older. */
  readonly resumedAtMs?: number;
};

/** When the last note was written for which AWS has not answered the calls. */
const openSinceMs = ({ atMs, isAnswered, beforeMs }: Suspension): number | undefined => (isAnswered ? beforeMs : atMs);

/**
 * Whether the function that noted this may still suspend the processes, or has done so and no describe shows it yet.
 * The note stays that long, because without it nobody would resume them. It also stands for the function of an earlier
 * note.
 */
export const mayBeSuspendedYet = (suspension: Suspension, nowMs: number): boolean => {
  const atMs = openSinceMs(suspension);
  return atMs !== undefined && nowMs - atMs < leaseMs + loweredShownMs;
};

/** What is suspended as it is noted now. The function of the note that this one replaces may still call AWS. */
export const suspendedFrom = (
  { opensForAttach: _, ...suspension }: Suspension,
  notes: readonly Suspension[],
  nowMs: number,
): Suspension => {
  const before = notes.find(({ asg }) => asg === suspension.asg);
  const beforeMs = before && openSinceMs(before);
  const mayOverlap = beforeMs !== undefined && nowMs - beforeMs < leaseMs;
  return { ...suspension, atMs: nowMs, ...(mayOverlap && { beforeMs }) };
};

/** The call may have taken effect after others had resumed the processes, so they are resumed once more. */
const asAnswered = ({ resumedAtMs: _before, ...note }: Suspension): Suspension => ({ ...note, isAnswered: true });

/**
 * Notes after AWS answered the calls of these ones. A note that another function wrote since then no longer stands for
 * them, and is not answered itself.
 *
 * @returns `notes` itself where nothing changes
 */
export const withAnswered = (notes: readonly Suspension[], answered: readonly Suspension[]): readonly Suspension[] => {
  const isAnswer = (asg: string, atMs: number | undefined): boolean =>
    answered.some((one) => one.asg === asg && one.atMs === atMs);
  const now = notes.map((note) => {
    const { beforeMs, ...rest } = note;
    const left = beforeMs !== undefined && isAnswer(note.asg, beforeMs) ? rest : note;
    return !note.isAnswered && isAnswer(note.asg, note.atMs) ? asAnswered(left) : left;
  });
  return now.some((note, index) => note !== notes[index]) ? now : notes;
};

/** Whether they were resumed when no function could suspend them any more. */
export const isResumedForGood = (suspension: Suspension): boolean =>
  suspension.resumedAtMs !== undefined && !mayBeSuspendedYet(suspension, suspension.resumedAtMs);

/** Whether a describe may still show processes as suspended that were resumed. */
const mayBeShownYet = ({ resumedAtMs }: Suspension, nowMs: number): boolean =>
  resumedAtMs !== undefined && nowMs - resumedAtMs < loweredShownMs;

/**
 * Notes without those of processes that run again, which every describe shows. What is suspended now, their owner has
 * suspended.
 */
export const openSuspensions = (all: readonly Suspension[], nowMs: number): readonly Suspension[] =>
  all.filter((one) => !isResumedForGood(one) || mayBeShownYet(one, nowMs));

/**
 * Whether to resume these processes now. Once they are resumed, they are resumed again if a look shows one suspended,
 * and for the last time when no function can suspend them any more.
 */
export const isToResume = (suspension: Suspension, asgs: readonly AsgView[], nowMs: number): boolean => {
  if (isResumedForGood(suspension)) return false;
  if (suspension.resumedAtMs === undefined || !mayBeSuspendedYet(suspension, nowMs)) return true;
  const { suspended = [] } = asgs.find(({ name }) => name === suspension.asg) ?? {};
  return suspension.processes.some((process) => suspended.includes(process));
};

/**
 * When processes that were resumed while a function might still suspend them are resumed for the last time. A look at
 * that time finds what this function suspended. What a later look finds, their owner has suspended.
 */
export const lastResumesAtMs = (notes: readonly Suspension[], nowMs: number): readonly number[] =>
  notes.flatMap((note) => {
    const openMs = openSinceMs(note);
    const isOpen = note.resumedAtMs !== undefined && openMs !== undefined && mayBeSuspendedYet(note, nowMs);
    return isOpen ? [openMs + leaseMs + loweredShownMs] : [];
  });

/** The processes that are suspended. A describe may be older than the moment when we resumed some. */
export const suspendedNow = (
  { name, suspended }: Pick<AsgView, 'name' | 'suspended'>,
  notes: readonly Suspension[],
  nowMs: number,
): readonly string[] => {
  const resumed = notes.filter((one) => one.asg === name && mayBeShownYet(one, nowMs));
  return suspended.filter((process) => !resumed.some(({ processes }) => processes.includes(process)));
};

/**
 * The times from which describes count that show processes as suspended although we resumed them. Before, the describe
 * may be old. Later, their owner has suspended them since.
 */
export const suspendedAgainAtMs = ({ state, asgs, nowMs }: Pick<View, 'state' | 'asgs' | 'nowMs'>): readonly number[] =>
  (state.suspended ?? []).flatMap((note) => {
    const { suspended = [] } = asgs.find(({ name }) => name === note.asg) ?? {};
    const isShown = suspended.some((process) => note.processes.includes(process));
    const { resumedAtMs } = note;
    return isShown && resumedAtMs !== undefined && mayBeShownYet(note, nowMs) ? [resumedAtMs + loweredShownMs] : [];
  });

/**
 * Whether its owner suspended `Launch` of an Auto Scaling group: it takes no instance in meanwhile (User Guide, "How
 * suspended processes affect other processes"), and only its owner may resume it.
 */
export const isClosedByOwner = (
  asg: Pick<AsgView, 'name' | 'suspended'>,
  notes: readonly Suspension[],
  nowMs: number,
): boolean =>
  suspendedNow(asg, notes, nowMs).includes('Launch') &&
  !notes.some((one) => one.asg === asg.name && one.resumedAtMs === undefined && one.processes.includes('Launch'));

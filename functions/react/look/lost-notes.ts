import { mayBeShown } from '../../../core/group/attached-number.ts';
import { type Notes, notedAsgs, withNotes } from '../../../core/view/notes.ts';
import { isGiven, openRaises, type RaisedMax } from '../../../core/view/raised-max.ts';
import { openSuspensions } from '../../../core/view/suspension.ts';
import type { GroupState } from '../../../core/view/view.ts';

/** The notes of a group in the item that was read or written last. */
type Known = {
  readonly notes: Required<Notes>;
  /** When the item was last found to be lost or restored. An item with another time may lack what this one had. */
  readonly renewedAtMs: number;
  /** Whether a look was given these notes since the item was read. What it writes then knows them. */
  readonly isGiven: boolean;
};

const renewedOf = ({ renewedAtMs = 0 }: GroupState): number => renewedAtMs;

const openNotes = ({ raised, added = [], suspended = [] }: Notes, nowMs: number): Required<Notes> => ({
  raised: openRaises(raised, nowMs),
  added: added.filter((one) => one.takenDownAtMs === undefined || mayBeShown(one, nowMs)),
  suspended: openSuspensions(suspended, nowMs),
});

/** Notes with those that they lack, or the same list. Each look expects the one that counts first. */
const joined = <T extends { readonly asg: string }, Own extends readonly T[] | undefined>(
  own: Own,
  known: readonly T[],
  open: readonly T[],
): Own | readonly T[] => {
  const asgs = new Set(open.map(({ asg }) => asg));
  const lost = known.filter(({ asg }) => !asgs.has(asg));
  return lost.length === 0 ? own : [...lost, ...(own ?? [])];
};

/**
 * One note of two: all their values are ours. Another environment may have taken our value for the owner's, so the
 * known one has the owner's.
 */
const ofBoth = (known: RaisedMax, note: RaisedMax): RaisedMax => {
  const last = (note.atMs ?? 0) >= (known.atMs ?? 0) ? note : known;
  const given = [known, note].flatMap(({ toMax, earlier = [] }) => [...earlier, toMax]);
  return { ...last, fromMax: known.fromMax, earlier: [...new Set(given)].filter((max) => max !== last.toMax) };
};

/** Raises with the values that they lack, or the same list. */
const withValues = (own: readonly RaisedMax[], known: readonly RaisedMax[]): readonly RaisedMax[] => {
  const whole = own.map((note) => {
    const before = known.find(({ asg }) => asg === note.asg);
    return before === undefined || isGiven(note, before.toMax) ? note : ofBoth(before, note);
  });
  return whole.every((note, index) => note === own[index]) ? own : whole;
};

/**
 * Remembers what Holdfast changed in Auto Scaling groups and must put back. Auto Scaling does not show who set a size
 * or suspended a process, so a table that is restored or emptied would make ours the owner's for good.
 */
export const rememberingNotes = (now: () => number) => {
  const known = new Map<string, Known>();
  const remember = (group: string, state: GroupState): void => {
    const notes = openNotes(state, now());
    if (notedAsgs(notes).size === 0) known.delete(group);
    else known.set(group, { notes, renewedAtMs: renewedOf(state), isGiven: false });
  };
  const isSuccessor = (group: string, state: GroupState): boolean =>
    (known.get(group)?.renewedAtMs ?? renewedOf(state)) === renewedOf(state);
  return {
    /**
     * An item that was read.
     *
     * @param isOlder whether this environment has seen a newer one
     */
    read: (group: string, state: GroupState | undefined, isOlder: boolean): void => {
      const before = known.get(group);
      if (state !== undefined && !isOlder && isSuccessor(group, state)) remember(group, state);
      else if (before !== undefined) known.set(group, { ...before, isGiven: false });
    },
    /** An item that this environment has written. */
    wrote: (group: string, state: GroupState): void => {
      if (isSuccessor(group, state) || known.get(group)?.isGiven) remember(group, state);
    },
    /** The state with the notes, and the values of raises, that it lacks. `state` itself where it lacks none. */
    withLost: (group: string, state: GroupState): GroupState => {
      const before = known.get(group);
      if (before === undefined) return state;
      known.set(group, { ...before, isGiven: true });
      const open = openNotes(state, now());
      const raised = withValues(joined(state.raised, before.notes.raised, open.raised), before.notes.raised);
      const added = joined(state.added, before.notes.added, open.added);
      const suspended = joined(state.suspended, before.notes.suspended, open.suspended);
      const lacksNone = raised === state.raised && added === state.added && suspended === state.suspended;
      return lacksNone ? state : withNotes(state, { raised, added, suspended });
    },
  };
};

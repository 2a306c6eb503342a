import { isGiven, openRaises, type RaisedMax } from '../../../core/view/raised-max.ts';
import type { GroupState } from '../../../core/view/view.ts';

/** The raises of a group in the item that was read or written last. */
type Known = {
  readonly raised: readonly RaisedMax[];
  /** When the item was last found to be lost or restored. An item with another time may lack what this one had. */
  readonly renewedAtMs: number;
  /** Whether a look was given these raises since the item was read. What it writes then knows them. */
  readonly isGiven: boolean;
};

const renewedOf = ({ renewedAtMs = 0 }: GroupState): number => renewedAtMs;

/**
 * One note of two: all their values are ours. Another environment may have taken our value for the owner's, so the
 * known one has the owner's.
 */
const joined = (known: RaisedMax, note: RaisedMax): RaisedMax => {
  const last = (note.atMs ?? 0) >= (known.atMs ?? 0) ? note : known;
  const given = [known, note].flatMap(({ toMax, earlier = [] }) => [...earlier, toMax]);
  return { ...last, fromMax: known.fromMax, earlier: [...new Set(given)].filter((max) => max !== last.toMax) };
};

/**
 * Remembers the maximum sizes that are raised. Auto Scaling does not show who set a maximum, so a table that is
 * restored or emptied would make ours the owner's for good.
 */
export const rememberingRaises = (now: () => number) => {
  const known = new Map<string, Known>();
  const remember = (group: string, state: GroupState): void => {
    const raised = openRaises(state.raised, now());
    if (raised.length === 0) known.delete(group);
    else known.set(group, { raised, renewedAtMs: renewedOf(state), isGiven: false });
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
    /** The state with the raises and the values of raises that it lacks. `state` itself where it lacks none. */
    withLost: (group: string, state: GroupState): GroupState => {
      const before = known.get(group);
      if (before === undefined) return state;
      known.set(group, { ...before, isGiven: true });
      const lost = before.raised.flatMap((raise) => {
        const note = state.raised.find(({ asg }) => asg === raise.asg);
        if (note === undefined) return [raise];
        return isGiven(note, raise.toMax) ? [] : [joined(raise, note)];
      });
      const left = state.raised.filter((one) => !lost.some(({ asg }) => asg === one.asg));
      return lost.length === 0 ? state : { ...state, raised: [...left, ...lost] };
    },
  };
};

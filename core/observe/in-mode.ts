import { joiningNow } from '../decide/admissions.ts';
import { decide } from '../decide/decide.ts';
import { processesFor } from '../decide/held-processes.ts';
import { raisedToJoin } from '../decide/maximum-sizes.ts';
import type { Decision } from '../decision/decision.ts';
import type { Remark } from '../decision/remark.ts';
import { modeOf } from '../group/mode.ts';
import { countsOtherUnits } from '../group/unfit.ts';
import { isHard } from '../swap/swap.ts';
import { type Headcount, takeHeadcount } from '../view/headcount.ts';
import { isToResume } from '../view/suspension.ts';
import type { View } from '../view/view.ts';
import { announcedForLater } from './heard.ts';
import type { Heard, NotDone } from './not-done.ts';
import { lackIn, type Observation, observe } from './observe.ts';

/** Facts besides the view, for a look at a group that does not act. */
export type Watching = {
  readonly heard: readonly Heard[];
  readonly desired: number;
  /** The id under which an observed decision is stored. */
  readonly id: string;
};

/** A decision in the mode of its group, and the view with notes about actions that were left out. */
export type InMode = { readonly view: View; readonly decision: Decision; readonly observed?: Observation };

const withNotDone = (view: View, notDone: NotDone | undefined): View => ({
  ...view,
  state: { ...view.state, notDone },
});

/** Remarks on what is missing: nothing is launched for it in these modes. */
const aboutLaunches: ReadonlySet<Remark['code']> = new Set([
  'kept-by-minimum',
  'deaths-bounded',
  'launches-bounded',
  'shares-full',
  'breaker-overridden',
  'on-demand-short',
  'spares-missing',
]);

const found = ({ remarks = [] }: Decision): readonly Remark[] => remarks.filter(({ code }) => !aboutLaunches.has(code));

/** Nothing that launches or removes, and no look before the next tick. */
const idle = (wanted: Decision, view: View): Decision => {
  const {
    wakeAtMs: _wake,
    keptByMinimum: _kept,
    onDemandShort: _short,
    spares: _spares,
    moves: _moves,
    notMoved: _notMoved,
    ...decision
  } = wanted;
  return {
    ...decision,
    placements: [],
    unplaced: 0,
    reasons: [],
    rejected: [],
    removals: [],
    drains: [],
    takeOver: [],
    cheapest: view.state.cheapest,
    remarks: found(decision),
  };
};

/**
 * Earlier launches still join. One that is above the size by now joins too: nobody is removed, and outside its Auto
 * Scaling group it would wait without end.
 */
const joinsOf = (view: View, headcount: Headcount, wanted: Decision): Pick<Decision, 'admissions' | 'wakeAtMs'> => {
  const { admissions = [], wakeAtMs: joinsAtMs = Number.POSITIVE_INFINITY } = joiningNow(
    { view, headcount },
    { removals: [] },
  );
  const isComing = view.state.reservations.length > 0 || view.members.some(({ admitted }) => !admitted);
  const atMs = Math.min(joinsAtMs, wanted.wakeAtMs ?? Number.POSITIVE_INFINITY);
  return { admissions, wakeAtMs: isComing && atMs < Number.POSITIVE_INFINITY ? atMs : undefined };
};

/**
 * The decision of a paused group. Earlier launches still join, maximum sizes are put back, and members that EC2 or Auto
 * Scaling takes leave their Auto Scaling groups. What these do not let go is looked at again. A remark reports missing
 * and surplus members once.
 */
const paused = (view: View, { heard }: Watching): InMode => {
  const { countsUnits } = view.group;
  const wanted = decide(view);
  const before = view.state.notDone ?? { missing: 0, surplus: 0 };
  const now = countsUnits ? { missing: 0, surplus: 0 } : lackIn(wanted);
  const isNews = now.missing > before.missing || now.surplus > before.surplus;
  const headcount = takeHeadcount(view);
  const joins = joinsOf(view, headcount, wanted);
  const taken = new Set(view.swaps.filter(isHard).map(({ instance }) => instance));
  const unnoticed = wanted.unnoticed.filter((instance) => taken.has(instance));
  const decision: Decision = {
    ...idle(wanted, view),
    ...joins,
    raise: raisedToJoin(view, joins.admissions),
    suspend: [],
    ...processesFor({ view, headcount }, { placements: [], admissions: joins.admissions }),
    // Its Auto Scaling group replaces them, unless its desired capacity falls with them.
    unnoticed: countsUnits ? [] : unnoticed,
    remarks: [...found(wanted), ...(isNews ? [{ code: 'paused' as const, ...now }] : [])],
  };
  const later = announcedForLater(heard, view);
  const isNoted = now.missing + now.surplus > 0 || later !== undefined;
  return { view: withNotDone(view, isNoted ? { ...now, heard: later } : undefined), decision };
};

/** The decision of an observed group: it only puts back what Holdfast had changed before. */
const watched = (view: View, watching: Watching): InMode => {
  // Nobody can say what is missing from a size that counts no instances.
  const acts = (one: View): Decision => (countsOtherUnits(one.group, one.asgs) ? idle(decide(one), one) : decide(one));
  const observed = observe({ view, ...watching, decide: acts });
  const decision: Decision = {
    ...idle(decide(view), view),
    admissions: [],
    raise: [],
    suspend: [],
    resume: (view.state.suspended ?? []).filter((one) => isToResume(one, view.asgs, view.nowMs)),
    unnoticed: [],
    remarks: [...found(observed.decision), ...observed.remarks],
  };
  return { view: withNotDone(view, observed.notDone), decision, observed };
};

/**
 * Decides about a group in its mode, as its look treats it (`asCounted`). Notes of an earlier mode are dropped, so a
 * group that acts again begins from its present members.
 */
export const decideInMode = (view: View, watching: Watching): InMode => {
  switch (modeOf(view.group)) {
    case 'act':
      return { view: withNotDone(view, undefined), decision: decide(view) };
    case 'pause':
      return paused(view, watching);
    case 'observe':
      return watched(view, watching);
  }
};

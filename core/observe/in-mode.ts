import { decide } from '../decide/decide.ts';
import { processesFor } from '../decide/held-processes.ts';
import type { Decision } from '../decision/decision.ts';
import type { Remark } from '../decision/remark.ts';
import { howHeld } from '../group/holding.ts';
import { modeOf } from '../group/mode.ts';
import { countsOtherUnits } from '../group/unfit.ts';
import { isHard } from '../swap/swap.ts';
import { takeHeadcount } from '../view/headcount.ts';
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

/** Maximum sizes are raised for members that join now, and for no launches. */
const raisesOf = ({ raise, admissions }: Decision, { group, asgs }: View): Decision['raise'] =>
  howHeld(group).joins === undefined
    ? []
    : raise.map((raised) => {
        const { desired = 0 } = asgs.find(({ name }) => name === raised.asg) ?? {};
        return { ...raised, toMax: Math.min(raised.toMax, desired + admissions.length) };
      });

/**
 * The decision of a paused group. Earlier launches still join, maximum sizes are put back, and members that EC2 or Auto
 * Scaling takes leave their Auto Scaling groups. What these do not let go is looked at again. A remark reports missing
 * and surplus members once.
 */
const paused = (view: View, { heard }: Watching): InMode => {
  const isMode = modeOf(view.group) === 'pause';
  const wanted = decide(view);
  const before = view.state.notDone ?? { missing: 0, surplus: 0 };
  const now = lackIn(wanted);
  const isNews = isMode && (now.missing > before.missing || now.surplus > before.surplus);
  const isComing = view.state.reservations.length > 0 || view.members.some(({ admitted }) => !admitted);
  const taken = new Set(view.swaps.filter(isHard).map(({ instance }) => instance));
  const unnoticed = wanted.unnoticed.filter((instance) => taken.has(instance));
  const decision: Decision = {
    ...idle(wanted, view),
    wakeAtMs: isComing ? wanted.wakeAtMs : undefined,
    raise: raisesOf(wanted, view),
    suspend: [],
    ...processesFor({ view, headcount: takeHeadcount(view) }, { placements: [], admissions: wanted.admissions }),
    unnoticed,
    remarks: [...found(wanted), ...(isNews ? [{ code: 'paused' as const, ...now }] : [])],
  };
  const later = announcedForLater(heard, view);
  const isNoted = now.missing + now.surplus > 0 || later !== undefined;
  return { view: withNotDone(view, isNoted ? { ...now, heard: later } : undefined), decision };
};

/** The decision of an observed group: it only puts back what Holdfast had changed before. */
const watched = (view: View, watching: Watching): InMode => {
  const observed = observe({ view, ...watching, decide });
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
 * Decides about a group in its mode. Notes of an earlier mode are dropped, so a group that acts again begins from its
 * present members. A group whose size counts no instances is treated as paused: what it counts is neither missing nor
 * too much of anything that Holdfast could launch or remove.
 */
export const decideInMode = (view: View, watching: Watching): InMode => {
  if (modeOf(view.group) === 'act' && countsOtherUnits(view.group, view.asgs)) return paused(view, watching);
  switch (modeOf(view.group)) {
    case 'act':
      return { view: withNotDone(view, undefined), decision: decide(view) };
    case 'pause':
      return paused(view, watching);
    case 'observe':
      return watched(view, watching);
  }
};

import { modeOf } from '../group/mode.ts';
import { mayBeAdded, outsideAsgOf, takenDownAgain, toTakeDownNow } from '../group/outside-size.ts';
import { repeatAfterMs } from '../launch/reservation-life.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import { movesUnderWay } from '../returning/under-way.ts';
import type { Swap } from '../swap/swap.ts';
import { ownRefill } from '../view/asg-ledger.ts';
import { unitsOf } from '../view/asg-units.ts';
import { isClosedByOwner, isToResume, type Suspension, suspendedNow } from '../view/suspension.ts';
import type { AsgView } from '../view/view.ts';
import type { Draft, Proposal, Rule, Situation } from './rule.ts';

/**
 * While both are suspended, a group does not compete with our launches, and ends neither a member nor its replacement.
 */
const held = ['Launch', 'Terminate'];

type Look = Pick<Situation, 'view' | 'headcount'>;
type Joining = Pick<Draft, 'placements' | 'admissions'>;

/** Launches on their way. A move without a response may be refused, and its group has nothing to hold until then. */
const comingNow = ({ view, headcount }: Look): Look['headcount']['inFlight'] => {
  const moves = view.state.returns?.moves ?? [];
  return headcount.inFlight.filter(
    (launch) => !launch.isOpen || moves.every(({ reservation }) => reservation !== launch.reservation),
  );
};

/** Whether members of ours are on their way into the group. A move that is only requested may be refused. */
const isJoined = (situation: Look, { placements, admissions }: Joining, { name }: AsgView): boolean =>
  placements.some(({ moves }) => moves === undefined) ||
  admissions.length + comingNow(situation).length > 0 ||
  situation.headcount.staying.some(({ asg, admitted, unshown }) => asg === undefined && !admitted && !unshown) ||
  mayBeAdded(situation.view.state, name);

const idsOf = (swaps: readonly Swap[]): readonly string[] => swaps.map(({ instance }) => instance);
const isOver = ({ state }: Swap): boolean => state === 'gone' || state === 'withdrawn';

/**
 * Members that are being replaced: by swaps, or by moves whose swaps begin once the replacements serve. In a group that
 * does not act, only members that have begun to leave count, because the others may wait without end.
 */
const replacedNow = ({ view, headcount }: Look): readonly string[] => {
  const swaps = view.swaps.filter((swap) => traitsOf(swap).endedBy !== 'auto-scaling' && !isOver(swap));
  if (modeOf(view.group) !== 'act') return idsOf(swaps.filter(({ state }) => state !== 'waiting'));
  return [...idsOf(swaps), ...movesUnderWay(view, headcount).flatMap(({ leaving }) => leaving)];
};

/**
 * Whether the group holds more than its size while members are being replaced. It would choose one to end by itself.
 */
const isDoubled = (situation: Look, asg: AsgView): boolean => {
  const inside = new Set(asg.holds);
  return unitsOf(asg, asg.holds) > asg.desired && replacedNow(situation).some((instance) => inside.has(instance));
};

/** What this decision suspends. Where members join, `Launch` is resumed meanwhile, unless its owner suspended it. */
const toSuspend = ({ view }: Look, { admissions }: Joining, asg: AsgView): readonly Suspension[] => {
  const { suspended = [] } = view.state;
  const now = suspendedNow(asg, suspended, view.nowMs);
  const missing = held.filter((process) => !now.includes(process));
  const opens = admissions.length > 0 && !isClosedByOwner(asg, suspended, view.nowMs);
  if (missing.length === 0 && !opens) return [];
  const before = suspended.find((one) => one.asg === asg.name)?.processes ?? [];
  const processes = [...new Set([...before, ...missing])];
  return [{ asg: asg.name, processes, atMs: view.nowMs, ...(opens && { opensForAttach: true }) }];
};

/**
 * Processes that an Auto Scaling group may not run while we add or replace members in it and others set its size. Only
 * processes that we suspended are resumed. Those that its owner suspended stay suspended.
 */
export const processesFor = (situation: Look, soFar: Joining): Pick<Proposal, 'suspend' | 'resume'> => {
  const { view } = situation;
  const noted = view.state.suspended ?? [];
  // A group whose desired capacity is still too high would launch.
  const free = noted.filter((one) => !mayBeAdded(view.state, one.asg) && isToResume(one, view.asgs, view.nowMs));
  const name = outsideAsgOf(view.group);
  const asg = view.asgs.find((one) => one.name === name);
  if (asg === undefined || !(isJoined(situation, soFar, asg) || isDoubled(situation, asg))) return { resume: free };
  return { suspend: toSuspend(situation, soFar, asg), resume: free.filter((one) => one.asg !== name) };
};

/**
 * Processes to suspend and to resume. A group that was about to launch does not launch once it is suspended. The next
 * look comes at once then, and requests these launches itself.
 */
export const heldProcesses: Rule = {
  name: 'held processes',
  propose: (situation, soFar) => {
    const { view } = situation;
    const processes = processesFor(situation, soFar);
    const isCutOff = (processes.suspend ?? []).length > 0 && ownRefill(view) > 0;
    return { ...processes, ...(isCutOff && { wakeAtMs: view.nowMs + repeatAfterMs }) };
  },
};

/**
 * Takes off what our attaches added to a desired capacity that others set. No further member joins before that. Where
 * no describe shows the members yet, the next look comes soon.
 */
export const addedSizes: Rule = {
  name: 'added sizes',
  propose: ({ view }) => {
    const takeDown = toTakeDownNow(view);
    return { ...(takeDown.length > 0 && { takeDown }), ...takenDownAgain(view.state.added, view.nowMs) };
  },
};

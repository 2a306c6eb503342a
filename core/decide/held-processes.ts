import { outsideAsgOf, toTakeDown } from '../group/outside-size.ts';
import { repeatAfterMs } from '../launch/reservation-life.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import type { AsgView, Suspension, View } from '../view/view.ts';
import type { Draft, Proposal, Rule, Situation } from './rule.ts';

/** While both are suspended, a group neither competes with our launches nor ends one of two members for a place. */
const held = ['Launch', 'Terminate'];

type Look = Pick<Situation, 'view' | 'headcount'>;
type Joining = Pick<Draft, 'placements' | 'admissions'>;

/** Whether members of ours are on their way into the group. */
const isJoined = ({ view, headcount }: Look, { placements, admissions }: Joining): boolean =>
  placements.length + admissions.length + headcount.inFlight.length > 0 ||
  headcount.staying.some(({ asg, admitted, unshown }) => asg === undefined && !admitted && !unshown) ||
  (view.state.added ?? []).some(({ takenDownAtMs }) => takenDownAtMs === undefined);

/** Whether the group holds more than its size while members of it are being replaced: it would choose by itself. */
const isDoubled = ({ swaps }: View, { desired, holds }: AsgView): boolean => {
  const inside = new Set(holds);
  const leaving = swaps.filter(
    (swap) =>
      inside.has(swap.instance) &&
      traitsOf(swap).endedBy !== 'auto-scaling' &&
      swap.state !== 'gone' &&
      swap.state !== 'withdrawn',
  );
  return holds.length > desired && leaving.length > 0;
};

const toSuspend = ({ view }: Look, asg: AsgView): readonly Suspension[] => {
  const missing = held.filter((process) => !asg.suspended.includes(process));
  if (missing.length === 0) return [];
  const before = view.state.suspended?.find((one) => one.asg === asg.name)?.processes ?? [];
  return [{ asg: asg.name, processes: [...new Set([...before, ...missing])] }];
};

/**
 * What an Auto Scaling group whose size others set may not do by itself while we add or replace members in it. What its
 * owner suspended is not ours to resume, and what is resumed is only what we suspended.
 */
export const processesFor = (situation: Look, soFar: Joining): Pick<Proposal, 'suspend' | 'resume'> => {
  const { view } = situation;
  const noted = view.state.suspended ?? [];
  const name = outsideAsgOf(view.group);
  const asg = view.asgs.find((one) => one.name === name);
  if (asg === undefined || !(isJoined(situation, soFar) || isDoubled(view, asg))) return { resume: noted };
  return { suspend: toSuspend(situation, asg), resume: noted.filter((one) => one.asg !== name) };
};

/** Processes to suspend and to resume. */
export const heldProcesses: Rule = { name: 'held processes', propose: processesFor };

/** What our attaches added to a desired capacity that others set. Nobody joins before it is taken down. */
export const addedSizes: Rule = {
  name: 'added sizes',
  propose: ({ view }) => {
    const takeDown = toTakeDown(view);
    return takeDown.length === 0 ? {} : { takeDown, wakeAtMs: view.nowMs + repeatAfterMs };
  },
};

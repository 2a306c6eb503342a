import { namedAsgs } from '../group/holders.ts';
import { howHeld } from '../group/holding.ts';
import { isBeyondMaximum, mayBeAdded, outsideAsgOf } from '../group/outside-size.ts';
import { describeLagMs } from '../times/times.ts';
import { unitsJoining } from '../view/asg-units.ts';
import type { Headcount } from '../view/headcount.ts';
import { isGiven, isPutBack, mayBeRaisedYet, ownersMax, type RaisedMax, raisedTo } from '../view/raised-max.ts';
import type { AsgView, View } from '../view/view.ts';
import type { Draft, Rule, Situation } from './rule.ts';

/** What members that join an Auto Scaling group now count, and how many join when they are running. */
type Joining = { readonly now: number; readonly soon: number };

/** Members that are to come or to be admitted. */
const comingTo = ({ inFlightCount, staying }: Headcount): number =>
  inFlightCount + staying.filter(({ admitted }) => !admitted).length;

const unitsOfJoining = ({ asgs, members }: View, joins: string, admissions: readonly string[]): number => {
  const joining = new Set(admissions);
  const asg = asgs.find(({ name }) => name === joins) ?? {};
  return unitsJoining(
    asg,
    members.filter(({ instance }) => joining.has(instance)),
  );
};

const joiningByAsg = (
  { view, headcount }: Situation,
  { placements, admissions }: Draft,
): ReadonlyMap<string, Joining> => {
  const { joins } = howHeld(view.group);
  if (joins !== undefined) {
    const launched = placements.reduce((sum, { count }) => sum + count, 0);
    const now = unitsOfJoining(view, joins, admissions);
    return new Map([[joins, { now, soon: comingTo(headcount) - admissions.length + launched }]]);
  }
  const joining = new Map<string, Joining>();
  for (const { pool, count } of placements) {
    const asg = view.group.pools[pool]?.asg;
    if (asg !== undefined) joining.set(asg, { now: (joining.get(asg)?.now ?? 0) + count, soon: 0 });
  }
  return joining;
};

/**
 * How many instances were requested for an Auto Scaling group and are not in it by this look. Earlier rounds of a run
 * launched since the look, and other functions may have open requests.
 */
const underWayInto = ({ name, holds }: AsgView, { group, state, swaps, ended, nowMs }: View): number => {
  const over = new Set([
    ...holds,
    ...ended,
    ...swaps.flatMap((swap) => (swap.state === 'waiting' ? [] : swap.instance)),
  ]);
  return state.reservations
    .filter(({ placement }) => group.pools[placement.pool]?.asg === name)
    .reduce((sum, { instances, placement, forgetAtMs }) => {
      if (instances === undefined) return sum + placement.count;
      return nowMs < forgetAtMs ? sum + instances.filter((instance) => !over.has(instance)).length : sum;
    }, 0);
};

/**
 * Auto Scaling groups whose maximum size is too small for the members that join. A maximum is raised once for all that
 * are on their way, and no further: a thousand new members need one change, and not one for each batch.
 */
const toRaise = (view: View, joining: ReadonlyMap<string, Joining>): readonly RaisedMax[] =>
  view.asgs.flatMap((asg) => {
    const { now, soon } = joining.get(asg.name) ?? { now: 0, soon: 0 };
    const size = asg.desired + underWayInto(asg, view) + now;
    return now === 0 || size <= asg.max ? [] : [raisedTo(view.state.raised, asg, size + soon)];
  });

/** Maximum sizes that are raised for members that join now, and for no others. */
export const raisedToJoin = (view: View, admissions: readonly string[]): readonly RaisedMax[] => {
  const { joins } = howHeld(view.group);
  if (joins === undefined) return [];
  return toRaise(view, new Map([[joins, { now: unitsOfJoining(view, joins, admissions), soon: 0 }]]));
};

/**
 * Maximum sizes to put back: the group fits again, with all that is on its way. Members may wait long to join, for
 * example while Auto Scaling fails. Where others set the size, the addition of an attach is taken off first: a lower
 * maximum would cut the desired capacity to a number that nobody set. A maximum that its owner has changed since has
 * room for any desired capacity: there the call finds that nothing is to be put back, and the note is dropped.
 */
const toPutBack = (
  { view, headcount }: Situation,
  joining: ReadonlyMap<string, Joining>,
  raising: readonly RaisedMax[],
): readonly RaisedMax[] => {
  const { joins } = howHeld(view.group);
  const onTheWay = comingTo(headcount);
  const named = new Set(namedAsgs(view.group));
  const takenOff = view.state.raised.filter(({ asg }) => !mayBeAdded(view.state, asg));
  const open = takenOff.filter((raised) => !isPutBack(raised));
  return open.filter((raised) => {
    // New members join the Auto Scaling group that the policy names. When no describe shows that group any more, there
    // is nothing left to wait for.
    const asg = view.asgs.find(({ name }) => name === raised.asg);
    const isBeyond = asg !== undefined && isBeyondMaximum(view.state, asg);
    const { now, soon } = joining.get(raised.asg) ?? { now: 0, soon: 0 };
    const coming = joins === raised.asg ? now + soon : onTheWay + now;
    const fits = coming === 0 || (asg !== undefined && asg.desired + coming <= raised.fromMax);
    if (!fits && named.has(raised.asg) && !isBeyond) return false;
    if (asg?.max === raised.fromMax && mayBeRaisedYet(raised, view.nowMs)) return false;
    return (
      (asg === undefined || asg.desired <= ownersMax(view.state.raised, asg)) &&
      !raising.some(({ asg: name }) => name === raised.asg)
    );
  });
};

/**
 * Raised maximum sizes that are larger than what has to fit for good: the size of the group has outgrown the owner's
 * value, and has become smaller since. Describes must show the members that the last raise was for, because Auto
 * Scaling ends members above a new maximum.
 */
const toLower = (
  { view, headcount }: Situation,
  joining: ReadonlyMap<string, Joining>,
  putBack: readonly RaisedMax[],
): readonly RaisedMax[] => {
  const { group, state, nowMs } = view;
  if (comingTo(headcount) + [...joining.values()].reduce((sum, { now, soon }) => sum + now + soon, 0) > 0) return [];
  const named = namedAsgs(group).filter((name) => name !== outsideAsgOf(group));
  const { joins } = howHeld(group);
  return view.asgs.flatMap((asg) => {
    const raised = state.raised.find((one) => one.asg === asg.name);
    if (raised === undefined || isPutBack(raised) || !named.includes(asg.name) || putBack.includes(raised)) return [];
    const needed = Math.max(raised.fromMax, asg.desired, joins === asg.name ? state.desired : 0);
    const isSettled = nowMs - (raised.atMs ?? 0) >= describeLagMs;
    return isSettled && isGiven(raised, asg.max) && needed < asg.max ? [raisedTo(state.raised, asg, needed)] : [];
  });
};

/**
 * Maximum sizes that are raised for members that join, lowered to what still has to fit, and put back when they are no
 * longer needed.
 */
export const maximumSizes: Rule = {
  name: 'maximum sizes',
  propose: (situation, soFar) => {
    const joining = joiningByAsg(situation, soFar);
    const raise = toRaise(situation.view, joining);
    const restore = toPutBack(situation, joining, raise);
    const lower = toLower(situation, joining, restore);
    return { raise, restore, ...(lower.length > 0 && { lower }) };
  },
};

import type { Headcount } from './headcount.ts';
import { namedAsgs } from './holders.ts';
import { raisedTo } from './raised-max.ts';
import type { Member, RaisedMax, View } from './view.ts';

/** A member that has been coming for this long is no longer waited for by the others of its batch. */
const batchPatienceMs = 20_000;
/** AttachInstances takes at most 20 ids (EC2 Auto Scaling quotas). */
const attachBatch = 20;

const isReady = (member: Member): boolean => member.state === 'running' && !member.admitted;

/**
 * Running members to attach or register now. They are admitted together where that costs no time: calls should grow
 * with batches, not with instances.
 * Nobody waits once all have come, or once somebody has been coming for long.
 */
export const chooseAdmissions = (view: View, headcount: Headcount): readonly string[] => {
  const ready = headcount.staying.filter(isReady);
  if (ready.length === 0) return [];
  const stillComing = headcount.inFlightCount + headcount.staying.filter(({ state }) => state === 'pending').length;
  const impatient = ready.some(({ launchedAtMs }) => view.nowMs - launchedAtMs >= batchPatienceMs);
  const ids = ready.map(({ instance }) => instance).sort();
  if (stillComing === 0 || impatient) return ids;
  return view.group.holding.kind === 'attach' ? ids.slice(0, Math.floor(ids.length / attachBatch) * attachBatch) : [];
};

/** What is about to join an Auto Scaling group: at once, and while those that are on their way come up. */
export type Joining = { readonly now: number; readonly soon: number };

/**
 * Maximum sizes that stand in the way of what is about to join, by group. Once one must be raised, it is raised for all
 * that is on its way and no further: a thousand newcomers take one change, not one a batch.
 */
export const chooseRaises = (view: View, joining: ReadonlyMap<string, Joining>): readonly RaisedMax[] =>
  view.asgs.flatMap((asg) => {
    const { now, soon } = joining.get(asg.name) ?? { now: 0, soon: 0 };
    if (now === 0 || asg.desired + now <= asg.max) return [];
    return [raisedTo(view.state.raised, asg, asg.desired + now + soon)];
  });

/** Maximum sizes to put back: the group fits again and nothing more is on its way into it. */
export const chooseRestores = (
  view: View,
  headcount: Headcount,
  raising: readonly RaisedMax[],
): readonly RaisedMax[] => {
  const coming = headcount.inFlightCount + headcount.staying.filter(({ admitted }) => !admitted).length;
  const named = new Set(namedAsgs(view.group));
  return view.state.raised.filter((raised) => {
    // What comes joins what the policy names. Of an Auto Scaling group that no describe shows there is nothing left to
    // wait for.
    if (coming > 0 && named.has(raised.asg)) return false;
    const asg = view.asgs.find(({ name }) => name === raised.asg);
    return (
      (asg === undefined || asg.desired <= raised.fromMax) && !raising.some(({ asg: name }) => name === raised.asg)
    );
  });
};

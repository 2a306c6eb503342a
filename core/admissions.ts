import type { Headcount } from './headcount.ts';
import { namedAsgs } from './holders.ts';
import { raisedTo } from './raised-max.ts';
import type { Member, RaisedMax, View } from './view.ts';

/** Once a member has been coming for this long, the others of its batch no longer wait for it. */
const batchPatienceMs = 20_000;
/** AttachInstances takes at most 20 ids (EC2 Auto Scaling quotas). */
const attachBatch = 20;

const isReady = (member: Member): boolean => member.state === 'running' && !member.admitted;

/**
 * Running members to attach or register now. They are admitted together where that costs no time, so that calls grow
 * with batches and not with instances. They wait for each other until all have come, or until one of them has been
 * coming for too long.
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

/** What joins an Auto Scaling group: the members that join now, and those that join when they are running. */
export type Joining = { readonly now: number; readonly soon: number };

/**
 * Auto Scaling groups whose maximum size is too small for what joins them. Where one must be raised, it is raised for
 * everything on its way and no further: a thousand new members need one change, not one a batch.
 */
export const chooseRaises = (view: View, joining: ReadonlyMap<string, Joining>): readonly RaisedMax[] =>
  view.asgs.flatMap((asg) => {
    const { now, soon } = joining.get(asg.name) ?? { now: 0, soon: 0 };
    if (now === 0 || asg.desired + now <= asg.max) return [];
    return [raisedTo(view.state.raised, asg, asg.desired + now + soon)];
  });

/** Maximum sizes to put back: the group fits again, and nothing more is on its way into it. */
export const chooseRestores = (
  view: View,
  headcount: Headcount,
  raising: readonly RaisedMax[],
): readonly RaisedMax[] => {
  const coming = headcount.inFlightCount + headcount.staying.filter(({ admitted }) => !admitted).length;
  const named = new Set(namedAsgs(view.group));
  return view.state.raised.filter((raised) => {
    // New members join the Auto Scaling group that the policy names. When no describe shows that group any more, there
    // is nothing left to wait for.
    if (coming > 0 && named.has(raised.asg)) return false;
    const asg = view.asgs.find(({ name }) => name === raised.asg);
    return (
      (asg === undefined || asg.desired <= raised.fromMax) && !raising.some(({ asg: name }) => name === raised.asg)
    );
  });
};

import { namedAsgs } from '../group/holders.ts';
import { outsideAsgOf } from '../group/outside-size.ts';
import { isDeniedIn } from '../pool-memory/denials.ts';
import { takeHeadcount } from '../view/headcount.ts';
import type { AsgView, View } from '../view/view.ts';

/** A desired capacity that is raised again. */
export type GivenBack = { readonly asg: string; readonly from: number; readonly to: number };

/** How far an Auto Scaling group may be raised: by its maximum size and by the cap of its pool. */
const roomOf = ({ name, max, desired }: AsgView, { group }: View): number => {
  const caps = Object.values(group.pools).flatMap(({ asg, cap }) => (asg === name && cap !== undefined ? [cap] : []));
  return Math.max(0, Math.min(max, ...caps) - desired);
};

/** All present and expected members: those that Auto Scaling groups hold or will hold, those outside, and launches. */
const provided = (view: View): number => {
  const { staying, inFlight } = takeHeadcount(view);
  const held = new Set(view.asgs.flatMap(({ holds }) => holds));
  const loose = staying.filter(({ instance }) => !held.has(instance)).length;
  const coming = inFlight.reduce((sum, { count }) => sum + count, 0);
  return view.asgs.reduce((sum, { desired }) => sum + desired, 0) + loose + coming;
};

/**
 * Desired capacities that were lowered for members whose replacements were denied afterwards. They rise again by the
 * number of missing members, so that the Auto Scaling groups replace these members themselves. A size that others set
 * is not changed.
 *
 * @param missing how many members the last decision could not place.
 * @param lowered groups whose desired capacity this look has set already.
 */
export const owedAfterDenial = (view: View, missing: number, lowered: ReadonlySet<string>): readonly GivenBack[] => {
  const { group, state, asgs } = view;
  if (outsideAsgOf(group) !== undefined || !isDeniedIn(state.denials, group.capacity)) return [];
  const named = new Set(namedAsgs(group));
  let owed = Math.min(missing, state.desired - provided(view));
  return asgs
    .filter(({ name }) => named.has(name) && !lowered.has(name))
    .toSorted((a, b) => a.desired - b.desired)
    .flatMap((asg): readonly GivenBack[] => {
      const by = Math.max(0, Math.min(owed, roomOf(asg, view)));
      owed -= by;
      return by === 0 ? [] : [{ asg: asg.name, from: asg.desired, to: asg.desired + by }];
    });
};

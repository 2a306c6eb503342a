import type { Headcount, InFlight } from './headcount.ts';
import type { View } from './view.ts';

/** EC2 reports launch times in whole seconds, and clocks differ by up to three seconds. */
const launchedEarlierMs = 4_000;

type Launches = Pick<Headcount, 'inFlight' | 'unseen'>;

/**
 * Launches in flight, without instances that the look may count as members already. `LaunchInstances` takes no tags:
 * until its response is stored, nothing says which new instances of its Auto Scaling group it launched. So the new ones
 * without tags count for its open requests, the oldest request first.
 *
 * This is for the choice of places. An Auto Scaling group may also have launched a new instance by itself, so limits
 * are kept without it: how many members are missing, what shares and caps leave room for.
 */
export const notShown = (
  { group: { pools }, members }: Pick<View, 'group' | 'members'>,
  { inFlight, unseen }: Launches,
): readonly InFlight[] => {
  const counted = new Set<string>();
  const hidden = new Map(unseen.map(({ asg, count }) => [asg, count]));
  return inFlight.map((launch) => {
    const { asg, cap } = pools[launch.pool] ?? {};
    if (asg === undefined || cap !== undefined || launch.isOpen !== true) return launch;
    const shown = members
      .filter((one) => one.asg === asg && one.reservation === undefined && !counted.has(one.instance))
      .filter(({ launchedAtMs }) => launchedAtMs >= launch.atMs - launchedEarlierMs)
      .slice(0, launch.count);
    for (const { instance } of shown) counted.add(instance);
    const left = launch.count - shown.length;
    const held = Math.min(left, hidden.get(asg) ?? 0);
    hidden.set(asg, (hidden.get(asg) ?? 0) - held);
    return { ...launch, count: left - held };
  });
};

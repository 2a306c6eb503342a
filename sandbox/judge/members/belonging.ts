import type { Chronicle, GroupTimeline } from '../chronicle.ts';
import { latest } from '../policy/in-force.ts';
import { asgsOf, type Policy } from '../policy/policy.ts';
import { remembered, rememberedBy } from '../remembered.ts';
import { type Life, stayAt, tagsAt } from '../world/life.ts';
import { presentRuns } from '../world/runs.ts';

const groupTag = 'holdfast:group';

/** After each change of a group's policy: the policies since it was last taken up, oldest first; none while it is let go. */
const takenUpTimes = remembered(({ policies }: GroupTimeline) => {
  let since: readonly Policy[] = [];
  return policies.map(({ atMs, policy }) => {
    since = policy === undefined ? [] : [...since, policy];
    return { atMs, since };
  });
});

const sinceTakenUp = (timeline: GroupTimeline, atMs: number): readonly Policy[] => latest(takenUpTimes(timeline), atMs)?.since ?? [];

/**
 * The group that holds an Auto Scaling group: the one whose policy in force names it. If no policy names it any more, the group that named it before
 * still holds it, because its members count until they have left.
 */
const holderOf = (groups: ReadonlyMap<string, GroupTimeline>, asg: string, atMs: number): string | undefined => {
  const inForce = [...groups.values()].map((timeline) => ({ group: timeline.group, policies: sinceTakenUp(timeline, atMs) }));
  const now = inForce.find(({ policies }) => policies.slice(-1).some((policy) => asgsOf(policy).includes(asg)));
  return (now ?? inForce.find(({ policies }) => policies.some((policy) => asgsOf(policy).includes(asg))))?.group;
};

/**
 * Whether a group holds its members in Auto Scaling groups. Then a member in an Auto Scaling group that no policy has named since the group was taken
 * up belongs to its owner, whatever its tag says. Letting the group go released it.
 */
const livesInAsgs = (timeline: GroupTimeline | undefined, atMs: number): boolean => {
  const policy = timeline && latest(timeline.policies, atMs)?.policy;
  return policy !== undefined && asgsOf(policy).length > 0;
};

export const groupFinder =
  (groups: ReadonlyMap<string, GroupTimeline>): Chronicle['groupAt'] =>
  (life, atMs) => {
    const stay = stayAt(life, atMs) ?? life.stays.findLast(({ how, untilMs }) => how === 'terminating' && untilMs <= atMs);
    const holder = stay === undefined ? undefined : holderOf(groups, stay.asg, atMs);
    if (holder !== undefined) return holder;
    // An instance that its user took out of its Auto Scaling group is not a member until it is put back.
    if (life.stays.some(({ how, untilMs, by }) => (how === 'detached' || how === 'standby') && by?.kind === 'user' && untilMs <= atMs))
      return undefined;
    const named = tagsAt(life, atMs)[groupTag]?.split('/')[1];
    return named !== undefined && stayAt(life, atMs) !== undefined && livesInAsgs(groups.get(named), atMs) ? undefined : named;
  };

/** A group and all instances that ever belonged to it. */
type Belonging = { readonly group: string; readonly lives: readonly Life[] };

export const memberFinder = (lives: readonly Life[], groups: ReadonlyMap<string, GroupTimeline>, groupAt: Chronicle['groupAt']) => {
  const presentAt = presentRuns(lives);
  const among = ({ group, lives: some }: Belonging, atMs: number): readonly Life[] => {
    // An instance that was stopped, and that its Auto Scaling group does not hold any more, does not join one again.
    const isLeftOut = (life: Life): boolean =>
      life.runsAgainMs !== undefined && livesInAsgs(groups.get(group), atMs) && stayAt(life, atMs) === undefined;
    const present = some.flatMap((life) => presentAt(life, atMs));
    return present.filter((life) => groupAt(life, atMs) === group && !isLeftOut(life));
  };
  return { among, all: rememberedBy(among) };
};

/** When whether it belongs to a group may change, while all policies stay the same: what `memberFinder` compares with a moment. */
const turningPoints = remembered(({ launchedAtMs, tags, stays, ending, ended, restarts, historyAtMs }: Life): readonly number[] => {
  const ends = [{ ending, ended }, ...restarts].flatMap((run) => [run.ending?.atMs ?? [], run.ended?.atMs ?? []].flat());
  const spans = stays.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]);
  return [
    launchedAtMs,
    ...tags.map(({ atMs }) => atMs),
    ...spans,
    ...ends,
    ...restarts.map(({ atMs }) => atMs),
    ...(restarts.length > 0 ? historyAtMs : []),
  ];
});

/** Those of a group's instances that may begin or cease to belong to it after the first and until the second moment. */
export const mayTurn = ({ groups, livesIn }: Chronicle, group: string, fromMs: number, untilMs: number): readonly Life[] => {
  const isBetween = (atMs: number): boolean => atMs > fromMs && atMs <= untilMs;
  const isEdited = [...groups.values()].some(({ policies }) => policies.some(({ atMs }) => isBetween(atMs)));
  return isEdited ? livesIn(group) : livesIn(group).filter((life) => turningPoints(life).some(isBetween));
};

/** All instances that ever belonged to each group, checked at every change that may decide about it. */
export const belongings = (
  lives: readonly Life[],
  groups: ReadonlyMap<string, GroupTimeline>,
  groupAt: Chronicle['groupAt'],
): ReadonlyMap<string, Belonging> => {
  const changes = [...groups.values()].flatMap(({ policies }) => policies.map(({ atMs }) => atMs));
  const byGroup = new Map<string, Life[]>();
  for (const life of lives) {
    const moments = [life.launchedAtMs, ...life.tags.map(({ atMs }) => atMs), ...life.stays.flatMap(({ fromMs }) => fromMs), ...changes];
    const names = new Set(moments.filter((atMs) => atMs >= life.launchedAtMs).map((atMs) => groupAt(life, atMs)));
    for (const name of names) if (name !== undefined) byGroup.set(name, [...(byGroup.get(name) ?? []), life]);
  }
  return new Map([...byGroup].map(([group, own]) => [group, { group, lives: own }]));
};

import type { Chronicle, GroupTimeline } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Policy } from '../../policy/policy.ts';
import { type DueSize, dueIn } from '../../policy/scheduled.ts';
import { times } from '../../times.ts';
import { isHindered, look } from '../../told/hindrance.ts';
import { heardBy, newestEach, outcomesOf } from '../../told/sizes-of-alarms.ts';
import { wasRestored } from '../../world/restores.ts';

type Broken = Omit<Finding, 'rule'>;
/** A size of a schedule, and when looks must have set it. */
type Due = { readonly size: number; readonly fromMs: number; readonly untilMs: number };

/** A tick finds it, or the next tick if the first lost a race. */
const followedWithinMs = 2 * times.tickMs + times.messageAgainMs + times.reactMs;

/** Nothing else sets the size meanwhile, and no fault hinders a look. */
const isPlain = (chronicle: Chronicle, { group, lostAtMs }: GroupTimeline, fromMs: number, untilMs: number): boolean =>
  !isHindered(chronicle, look, fromMs, untilMs) &&
  chronicle.policiesIn(group, fromMs - followedWithinMs, untilMs).length === 1 &&
  !lostAtMs.some((atMs) => atMs <= untilMs && atMs >= fromMs - followedWithinMs) &&
  !wasRestored(chronicle, untilMs) &&
  !chronicle.of('delivered').some(({ told, atMs }) => told.about === 'alarm' && atMs >= fromMs - followedWithinMs && atMs <= untilMs);

/** Whether a look set this size, or what an alarm that lasts made of it in the same look. */
const isSet = (chronicle: Chronicle, { written }: GroupTimeline, policy: Policy, due: Due): boolean =>
  written
    .filter(({ atMs }) => atMs >= due.fromMs && atMs <= due.untilMs)
    .some((one) => outcomesOf(due.size, newestEach(heardBy(chronicle, one, policy)), policy).some(({ size }) => size === one.desired));

const unfollowed = (chronicle: Chronicle, timeline: GroupTimeline): readonly Broken[] => {
  const { group, policies } = timeline;
  const { endedAtMs } = chronicle.history;
  return policies.flatMap(({ policy, atMs: fromMs }, index) => {
    if (policy === undefined || policy.mode === 'observe' || policy.isSizedOutside) return [];
    const overMs = policies[index + 1]?.atMs ?? endedAtMs;
    // A schedule counts from the look that finds it.
    const due = dueIn(policy, fromMs + followedWithinMs, Math.min(overMs, endedAtMs));
    return due.flatMap(({ atMs, size }: DueSize, nth): readonly Broken[] => {
      const byMs = atMs + followedWithinMs + 2 * chronicle.times.clockMs;
      const isNext = (due[nth + 1]?.atMs ?? overMs) < byMs;
      if (isNext || byMs > endedAtMs || !isPlain(chronicle, timeline, atMs, byMs)) return [];
      const sizes = chronicle.desiredIn(group, atMs - chronicle.times.clockMs, byMs);
      const isFollowed = sizes.includes(size) || isSet(chronicle, timeline, policy, { size, fromMs: atMs - chronicle.times.clockMs, untilMs: byMs });
      return isFollowed ? [] : [{ group, atMs: byMs, detail: `the schedule set ${size}, and the desired size was ${sizes.join(', ')}` }];
    });
  });
};

export const schedulesAreFollowed: Rule = {
  name: 'a schedule that is due sets the size',
  meaning:
    'When a time of the schedule in force comes, the next looks set the size that it names, unless another time, an alarm or a policy sets the size then. An alarm that lasts may change that size in the same look.',
  broken: (chronicle) => [...chronicle.groups.values()].flatMap((timeline) => unfollowed(chronicle, timeline)),
};

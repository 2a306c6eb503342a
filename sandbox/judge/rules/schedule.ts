import type { Chronicle, GroupTimeline } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import { isHindered, look } from '../hindrance.ts';
import { type DueSize, dueIn } from '../scheduled.ts';
import { times } from '../times.ts';

type Broken = Omit<Finding, 'rule'>;

/** A tick finds it, or the next tick if the first lost a race. */
const followedWithinMs = 2 * times.tickMs + times.messageAgainMs + times.reactMs;

/** Nothing else sets the size meanwhile, and no fault hinders a look. */
const isPlain = (chronicle: Chronicle, { group, lostAtMs }: GroupTimeline, fromMs: number, untilMs: number): boolean =>
  !isHindered(chronicle, look, fromMs, untilMs) &&
  chronicle.policiesIn(group, fromMs - followedWithinMs, untilMs).length === 1 &&
  !lostAtMs.some((atMs) => atMs <= untilMs && atMs >= fromMs - followedWithinMs) &&
  !chronicle.of('step').some(({ step, atMs }) => step === 'state-restored' && atMs <= untilMs) &&
  !chronicle.of('delivered').some(({ told, atMs }) => told.about === 'alarm' && atMs >= fromMs - followedWithinMs && atMs <= untilMs);

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
      return sizes.includes(size) ? [] : [{ group, atMs: byMs, detail: `the schedule set ${size}, and the desired size was ${sizes.join(', ')}` }];
    });
  });
};

export const schedulesAreFollowed: Rule = {
  name: 'a schedule that is due sets the size',
  meaning:
    'When a time of the schedule in force comes, the next looks set the size that it names, unless another time, an alarm or a policy sets the size then.',
  broken: (chronicle) => [...chronicle.groups.values()].flatMap((timeline) => unfollowed(chronicle, timeline)),
};

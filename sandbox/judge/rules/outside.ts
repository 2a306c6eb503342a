import type { Chronicle } from '../chronicle.ts';
import type { Finding, Rule } from '../finding.ts';
import { goneAtMs, isFunction, type Life } from '../life.ts';
import type { Word } from '../outside.ts';
import type { Policy } from '../policy.ts';
import { times } from '../times.ts';

type Broken = Omit<Finding, 'rule'>;

/** A group whose size others set at the end, the Auto Scaling group that it comes from, and what was said of it. */
type Outside = { readonly group: string; readonly policy: Policy; readonly asg: string; readonly words: readonly Word[] };

const outsideOnes = (chronicle: Chronicle): readonly Outside[] =>
  [...chronicle.groups.keys()].flatMap((group) => {
    const { endedAtMs } = chronicle.history;
    const [policy, words] = [chronicle.policyAt(group, endedAtMs), chronicle.wordsFor(group, endedAtMs)];
    return policy?.asg === undefined || words === undefined ? [] : [{ group, policy, asg: policy.asg, words }];
  });

/** A time in which the desired capacity was not what others had set last. */
type Span = { readonly fromMs: number; readonly untilMs: number; readonly word: Word; readonly desired: number };

const isHigher = ({ desired, word }: Span): boolean => desired > word.size;

/** What follows without a break is one time, as long as it is about one word, and on one side of it. */
const withoutBreaks = (spans: readonly Span[]): readonly Span[] => {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last?.untilMs === span.fromMs && last.word === span.word && isHigher(last) === isHigher(span))
      joined.splice(-1, 1, { ...last, untilMs: span.untilMs });
    else joined.push(span);
  }
  return joined;
};

const otherSizes = ({ cloud, history }: Chronicle, { asg, words }: Outside): readonly Span[] => {
  const beganAtMs = words[0]?.atMs ?? history.beganAtMs;
  const changes = cloud.asgChanges(asg);
  const moments = [...new Set([...words, ...changes].map(({ atMs }) => atMs))].filter((atMs) => atMs >= beganAtMs).toSorted((a, b) => a - b);
  const all = moments.flatMap((fromMs, index): readonly Span[] => {
    const word = words.findLast(({ atMs }) => atMs <= fromMs);
    const desired = cloud.asgAt(asg, fromMs)?.desired;
    if (word === undefined || desired === undefined || desired === word.size) return [];
    return [{ fromMs, untilMs: moments[index + 1] ?? history.endedAtMs, word, desired }];
  });
  return withoutBreaks(all);
};

/** Whoever attaches may die before the size is taken down; then the next look does it, or the tick's. */
const takenDownWithinMs = times.leaseMs + times.messageAgainMs + times.tickMs;

/** When the last fault was over that was in force in that time. */
const freeSince = ({ history }: Chronicle, { fromMs, untilMs }: Span): number =>
  Math.max(fromMs, ...history.faults.filter((one) => one.fromMs < untilMs && one.untilMs > fromMs).map((one) => Math.min(one.untilMs, untilMs)));

const wrongSizes = (chronicle: Chronicle, one: Outside): readonly Broken[] =>
  otherSizes(chronicle, one).flatMap((span): readonly Broken[] => {
    const { word, desired, untilMs } = span;
    if (word.isBetween) return [];
    const about = { group: one.group, asg: one.asg };
    if (desired < word.size)
      return [
        {
          ...about,
          atMs: span.fromMs,
          detail: `the desired capacity became ${desired}; ${word.size} was set, and no look of Holdfast’s was under way`,
        },
      ];
    const lateMs = untilMs - freeSince(chronicle, span) - takenDownWithinMs;
    return lateMs > 0
      ? [
          {
            ...about,
            atMs: untilMs,
            detail: `the desired capacity was ${desired} for ${Math.round((untilMs - span.fromMs) / 1_000)} s; ${word.size} was set`,
          },
        ]
      : [];
  });

const atTheEnd = ({ history, cloud }: Chronicle, { group, asg, words }: Outside): readonly Broken[] => {
  const [word, desired] = [words.at(-1), cloud.asgAt(asg, history.endedAtMs)?.desired];
  return word === undefined || desired === undefined || desired === word.size || word.isBetween
    ? []
    : [{ group, asg, atMs: history.endedAtMs, detail: `the desired capacity is ${desired} at the end; ${word.size} was set` }];
};

export const outsideSizesStand: Rule = {
  name: 'a size that others set stands',
  meaning:
    'Where others set the size, the desired capacity is what they set last: at rest always, never less, and more only while members join, for no longer than a look that failed takes to be made good. A write that falls between a look of Holdfast’s and the write that follows from it counts from the next write on.',
  broken: (chronicle) => outsideOnes(chronicle).flatMap((one) => [...wrongSizes(chronicle, one), ...atTheEnd(chronicle, one)]),
};

/** Why a member need not be wanted any more: EC2 takes it or advises to, it has ended, or it is unhealthy or in the wrong place. */
const mustLeave = (chronicle: Chronicle, { policy, asg }: Outside, life: Life, atMs: number): boolean =>
  life.warnings.some((warning) => warning.atMs <= atMs) ||
  (policy.actsOnAdvice && life.advisedAtMs.some((advisedAtMs) => advisedAtMs <= atMs)) ||
  goneAtMs(life) < atMs ||
  life.hooks.some((hook) => hook.atMs <= atMs) ||
  !life.stays.some((stay) => stay.asg === asg && stay.untilMs === atMs) ||
  chronicle.policiesIn(policy.group, life.launchedAtMs, atMs).some((other) => other.asg !== asg || !other.isSizedOutside);

export const wantedStay: Rule = {
  name: 'members that others want stay',
  meaning:
    'Where others set the size, Holdfast takes no member out of their Auto Scaling group that EC2 neither takes nor advises to replace: which members leave with a smaller size is the group’s own choice.',
  broken: (chronicle) =>
    outsideOnes(chronicle).flatMap((one) =>
      chronicle.livesIn(one.group).flatMap((life) =>
        life.stays
          .filter(({ asg, by, untilMs }) => asg === one.asg && isFunction(by) && !mustLeave(chronicle, one, life, untilMs))
          .map(({ untilMs }) => ({
            group: one.group,
            instance: life.instance,
            atMs: untilMs,
            detail: `${life.instance} was taken out of ${one.asg}`,
          })),
      ),
    ),
};

import { movesIn } from '../../capacity/returning.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Policy } from '../../policy/policy.ts';
import { times } from '../../times.ts';
import { hindrances, joining, look, ways } from '../../told/hindrance.ts';
import { goneAtMs, isFunction, type Life } from '../../world/life.ts';
import { joinedBeside, seeingOf, type Word } from '../../world/outside.ts';

type Broken = Omit<Finding, 'rule'>;

/** A group whose size others set at the end, its Auto Scaling group, and the sizes that they set. */
export type Outside = { readonly group: string; readonly policy: Policy; readonly asg: string; readonly words: readonly Word[] };

export const outsideOnes = (chronicle: Chronicle): readonly Outside[] =>
  [...chronicle.groups.keys()].flatMap((group) => {
    const { endedAtMs } = chronicle.history;
    const [policy, words] = [chronicle.policyAt(group, endedAtMs), chronicle.wordsFor(group, endedAtMs)];
    return policy?.asg === undefined || words === undefined ? [] : [{ group, policy, asg: policy.asg, words }];
  });

/** A time in which the desired capacity was not what others had set last. */
type Span = { readonly fromMs: number; readonly untilMs: number; readonly word: Word; readonly desired: number };

const isHigher = ({ desired, word }: Span): boolean => desired > word.size;

/** Joins times that follow without a break, if they are about the same set size and on the same side of it. */
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

export const otherSizes = ({ cloud, history }: Chronicle, { asg, words }: Outside): readonly Span[] => {
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

/** A function that attaches may die before it lowers the size again. Then the next look does, or the tick. */
const takenDownWithinMs = times.leaseMs + times.messageAgainMs + times.tickMs;

/** Looks, attaches, and the updates that take off again what these added. */
const wayOfSizes = ways(look, joining);

/** When the last fault was over that was in force in that time and meets these. */
const freeSince = (chronicle: Chronicle, { fromMs, untilMs }: Span): number =>
  Math.max(fromMs, ...hindrances(chronicle, wayOfSizes, fromMs, untilMs).map((one) => Math.min(one.untilMs, untilMs)));

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
          detail: `the desired capacity became ${desired}, expected ${word.size}, and no look of Holdfast’s was under way`,
        },
      ];
    const lateMs = untilMs - freeSince(chronicle, span) - takenDownWithinMs;
    return lateMs > 0
      ? [
          {
            ...about,
            atMs: untilMs,
            detail: `the desired capacity was ${desired} for ${Math.round((untilMs - span.fromMs) / 1_000)} s, expected ${word.size}`,
          },
        ]
      : [];
  });

const atTheEnd = ({ history, cloud }: Chronicle, { group, asg, words }: Outside): readonly Broken[] => {
  const [word, desired] = [words.at(-1), cloud.asgAt(asg, history.endedAtMs)?.desired];
  return word === undefined || desired === undefined || desired === word.size || word.isBetween
    ? []
    : [{ group, asg, atMs: history.endedAtMs, detail: `the desired capacity is ${desired} at the end, expected ${word.size}` }];
};

/** Whether somebody lost or replaced the state item of a group, and with it the notes of attaches. */
const hasLostNotes = ({ of }: Chronicle, group: string): boolean =>
  of('state-deleted').some((event) => event.group === group) ||
  of('state-written').some((event) => event.group === group && event.by.kind === 'user');

/** Members that joined beside an earlier attach whose addition a look could see. */
const besideOthers = (chronicle: Chronicle, { group, asg, words }: Outside): readonly Broken[] => {
  if (hasLostNotes(chronicle, group)) return [];
  return joinedBeside(seeingOf(chronicle), asg, words[0]?.atMs ?? chronicle.history.beganAtMs).map((atMs) => ({
    group,
    asg,
    atMs,
    detail: 'members joined while what an earlier attach had added was still there',
  }));
};

export const outsideSizesStand: Rule = {
  name: 'a size that others set stands',
  meaning:
    'Where others set the size, the desired capacity is the size that they set last. At rest it always is. It is never less, and it is more only while members join, for no longer than the next look needs to repeat a failed one. No member joins while a look can see what an earlier attach added. It cannot where others changed the number between the look before that attach and the attach. What attaches for an earlier policy added is no size that others set. A size that others write between a look of Holdfast and the write that follows from this look may be lost: then the rule counts from their next write on. After an attach, only the number that the attach made may be lost, until its addition is taken off, because Holdfast takes it for its own.',
  broken: (chronicle) =>
    outsideOnes(chronicle).flatMap((one) => [...wrongSizes(chronicle, one), ...atTheEnd(chronicle, one), ...besideOthers(chronicle, one)]),
};

/** Why a member need not be wanted any more: EC2 takes it or advises to, it has ended, or it is unhealthy or in the wrong place. */
const mustLeave = (chronicle: Chronicle, { policy, asg }: Outside, life: Life, atMs: number): boolean =>
  life.warnings.some((warning) => warning.atMs <= atMs) ||
  (policy.actsOnAdvice && life.advisedAtMs.some((advisedAtMs) => advisedAtMs <= atMs)) ||
  goneAtMs(life) < atMs ||
  life.hooks.some((hook) => hook.atMs <= atMs) ||
  !life.stays.some((stay) => stay.asg === asg && stay.untilMs === atMs) ||
  chronicle.policiesIn(policy.group, life.launchedAtMs, atMs).some((other) => other.asg !== asg || !other.isSizedOutside);

/** A member that was taken out of its Auto Scaling group, although nothing but a move says that it leaves. */
type TakenOut = { readonly life: Life; readonly atMs: number };

const takenOut = (chronicle: Chronicle, one: Outside): readonly TakenOut[] =>
  chronicle
    .livesIn(one.group)
    .flatMap((life) =>
      life.stays
        .filter(({ asg, by, untilMs }) => asg === one.asg && isFunction(by) && !mustLeave(chronicle, one, life, untilMs))
        .map(({ untilMs }) => ({ life, atMs: untilMs })),
    )
    .toSorted((a, b) => a.atMs - b.atMs);

/** New members that joined for this member or another one that moves, and served before it left. */
const standIns = (chronicle: Chronicle, { asg }: Outside, { life, atMs }: TakenOut): readonly Life[] => {
  const chosenAtMs = life.claims.find((claim) => claim.state !== 'waiting')?.atMs ?? atMs;
  return [...movesIn(chronicle).values()]
    .filter(({ policies }) => policies.some(({ returning }) => returning !== undefined))
    .filter(({ worse, life: newcomer }) => worse.includes(life) && newcomer.stays.some((stay) => stay.asg === asg && stay.fromMs <= chosenAtMs))
    .map(({ life: newcomer }) => newcomer)
    .filter((newcomer) => chronicle.isReadyAt(newcomer, chosenAtMs));
};

/** Members that should not have been taken out. Each new member allows one member to move. */
const wanted = (chronicle: Chronicle, one: Outside): readonly TakenOut[] => {
  const used = new Set<Life>();
  return takenOut(chronicle, one).filter((taken) => {
    const standIn = standIns(chronicle, one, taken).find((newcomer) => !used.has(newcomer));
    if (standIn !== undefined) used.add(standIn);
    return standIn === undefined;
  });
};

export const wantedStay: Rule = {
  name: 'members that others want stay',
  meaning:
    'Where others set the size, their Auto Scaling group chooses which members leave when the size shrinks. Holdfast takes a member out of it only if EC2 takes this member or advises to replace it, or if Holdfast launched it on demand itself and a new member serves in a better place. Each new member is counted for one member that leaves.',
  broken: (chronicle) =>
    outsideOnes(chronicle).flatMap((one) =>
      wanted(chronicle, one).map(({ life, atMs }) => ({
        group: one.group,
        instance: life.instance,
        atMs,
        detail: `${life.instance} was taken out of ${one.asg}`,
      })),
    ),
};

import { deathsMayBound } from '../../capacity/boots.ts';
import { gaveNothingUntil } from '../../capacity/capacity.ts';
import { givesSome } from '../../capacity/giving.ts';
import { limitMayBound } from '../../capacity/launch-limit.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { afterChange, type Debt, type Debts, type Look, renewed } from '../../members/debts.ts';
import { holdsPlace } from '../../members/holds-place.ts';
import { servesAgainMsIn } from '../../members/serves-again.ts';
import { headcountAt } from '../../members/staying.ts';
import { actsSince, wasIdle } from '../../policy/modes.ts';
import { remembered } from '../../remembered.ts';
import { times } from '../../times.ts';
import {
  couldLaunchAtMs,
  followsFromMs,
  hasDied,
  heardAtMs,
  heardOfEndAtMs,
  isFailed,
  isForgotten,
  isHealthy,
  isTooYoung,
  isUnshown,
  tellsEnd,
} from '../../told/leaving.ts';
import { isReplacedByItsGroup, mayShowAsReplaced, refillNow, suspensionToldMs } from '../../told/refill.ts';
import { type Delivery, endless, goneAtMs, isAlive, isFunction, type Life, leavesAtMs, warnedAtMs } from '../../world/life.ts';
import { seeingOf, sizeShownAt } from '../../world/outside.ts';
import { sizesTakenForOwn } from '../../world/own-numbers.ts';
import { closedUntilMs } from '../../world/owners.ts';

type Broken = Omit<Finding, 'rule'>;

const momentsOf = (chronicle: Chronicle, group: string): readonly number[] => {
  const { readyAtMs, endedAtMs } = chronicle.history;
  const lives = chronicle.livesIn(group);
  const all = [
    readyAtMs,
    ...lives.flatMap((life) => [
      ...life.services.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
      ...life.stays.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
      life.bootedAtMs ?? endless,
      goneAtMs(life),
    ]),
    ...(chronicle.groups.get(group)?.written ?? []).map(({ atMs }) => atMs),
    ...(chronicle.groups.get(group)?.policies ?? []).map(({ atMs }) => atMs),
    ...sizeMoments(chronicle, group, endedAtMs).map(({ atMs }) => atMs),
  ];
  return [...new Set(all)].filter((atMs) => atMs >= readyAtMs && atMs <= endedAtMs).sort((a, b) => a - b);
};

/** The size that an Auto Scaling group shows, if others set it and a write of theirs may be lost between a look of Holdfast and its write. */
const shownBesideLost = (chronicle: Chronicle, group: string, atMs: number): number | undefined => {
  const policy = chronicle.policyAt(group, atMs);
  const word = chronicle.wordsFor(group, atMs)?.findLast((one) => one.atMs <= atMs);
  if (policy?.asg === undefined || !word?.isBetween) return undefined;
  return Math.min(policy.size.max, sizeShownAt(seeingOf(chronicle), policy.asg, atMs));
};

/** How many members have to serve. If a write of others may be lost, the size counts that their Auto Scaling group shows. */
export const dueAt = (chronicle: Chronicle, group: string, atMs: number): number => {
  if (chronicle.policyAt(group, atMs) === undefined) return 0;
  const [size = 0] = chronicle.desiredIn(group, atMs, atMs);
  return shownBesideLost(chronicle, group, atMs) ?? size;
};

/** When the size changes that is due where others set it: with what they say, and with what their Auto Scaling group shows. */
const sizeMoments = (chronicle: Chronicle, group: string, atMs: number): readonly { readonly atMs: number }[] => {
  const words = chronicle.wordsFor(group, atMs);
  const asg = chronicle.policyAt(group, atMs)?.asg;
  return words === undefined || asg === undefined ? [] : [...words, ...chronicle.cloud.asgChanges(asg)];
};

const looksAt = (chronicle: Chronicle, group: string, due: Owed['due']): readonly Look[] =>
  momentsOf(chronicle, group).map((atMs) => ({
    atMs,
    serving: new Set(chronicle.membersAt(group, atMs).filter((life) => chronicle.servesAt(life, atMs))),
    desired: due(chronicle, group, atMs),
  }));

/** How many members have to serve at a moment, since when there was capacity for them, and within which time they must serve. */
type Owed = {
  readonly due: (chronicle: Chronicle, group: string, atMs: number) => number;
  readonly gaveNothing: (chronicle: Chronicle, group: string, fromMs: number, untilMs: number) => number;
  readonly withinMs: number;
};

/** Reads that only improve a decision. Whether they fail changes nothing for a member that is known to leave. */
const improvingReads = new Set(['DescribeTargetHealth', 'DescribeSpotPriceHistory', 'DescribeTargetGroupAttributes']);

const isOfImprovingReads = ({ fault }: Chronicle['history']['faults'][number]): boolean =>
  fault.on === 'call' &&
  (fault.kind === 'throttle' || fault.kind === 'error') &&
  fault.match?.operation !== undefined &&
  [fault.match.operation].flat().every((operation) => improvingReads.has(operation));

/**
 * When the last general hindrance was over: a fault, a mode that launches nothing, a tree in which nothing could give, or an owner who lets nobody join.
 */
const freeSince = (chronicle: Chronicle, group: string, debt: Debt, untilMs: number, { gaveNothing }: Owed): number => {
  const faulty = chronicle.history.faults
    .filter(({ fromMs, untilMs: endMs }) => fromMs < untilMs && endMs > debt.sinceMs)
    .filter((fault) => debt.isByHealth === true || !isOfImprovingReads(fault))
    .map(({ untilMs: endMs }) => Math.min(endMs, untilMs));
  const asg = chronicle.policyAt(group, untilMs)?.asg ?? '';
  const openMs = closedUntilMs(chronicle.cloud.asgChanges(asg), debt.sinceMs, untilMs);
  return Math.max(openMs, actsSince(chronicle, group, untilMs), gaveNothing(chronicle, group, debt.sinceMs, untilMs), ...faulty);
};

/** Members that serve too late, by what is owed. */
export const lateIn = (chronicle: Chronicle, group: string, owed: Owed): readonly Broken[] => {
  const looks = looksAt(chronicle, group, owed.due);
  const found: Broken[] = [];
  let debts: Debts = { open: [], behind: new Map() };
  looks.forEach((look, index) => {
    const untilMs = looks[index + 1]?.atMs ?? chronicle.history.endedAtMs;
    const changed = afterChange(chronicle, group, debts, { before: looks[index - 1], now: look, withinMs: owed.withinMs });
    debts = { ...changed, open: renewed(chronicle, group, changed.open, untilMs) };
    const [oldest] = debts.open;
    if (oldest === undefined || untilMs - oldest.sinceMs <= owed.withinMs) return;
    const lateMs = untilMs - freeSince(chronicle, group, oldest, untilMs, owed) - owed.withinMs;
    if (lateMs > 0) {
      found.push({
        group,
        atMs: untilMs,
        members: debts.open.filter(({ sinceMs }) => untilMs - sinceMs > owed.withinMs).length,
        detail: `${look.serving.size} serve, expected ${look.desired}, ${Math.round((untilMs - oldest.sinceMs) / 1_000)} s after ${oldest.because}`,
      });
      debts = { ...debts, open: [] };
    }
  });
  return found;
};

export const servesAgain: Rule = {
  name: 'whatever is lost serves again in time',
  meaning:
    'Every member that is lost, and every member by which the size grows, has a serving replacement within the bound of docs/architecture.md. The time counts from the trouble of that member itself. A new member replaces the oldest trouble. That may be the warning of a member that still serves, if the new member comes within the bound from it. The time of a younger loss then goes on, and counts once the warned member stops serving. The time begins anew when EC2 takes an unhealthy member, or this member ends. An end by Holdfast begins no new time. Only members at risk that drain first by the policy do, within `maxSurge`, once no other member is missing. The time also begins anew when a pool gives again after none did. A pool at its cap gives nothing. The time also begins anew when the owner of the Auto Scaling group that members join resumes `Launch`: nobody can join before. Faults of reads that only improve a decision give no more time, unless such a read alone shows the loss.',
  broken: (chronicle) =>
    [...chronicle.groups.keys()].flatMap((group) =>
      lateIn(chronicle, group, { due: dueAt, gaveNothing: gaveNothingUntil, withinMs: servesAgainMsIn(chronicle, group) }),
    ),
};

/** The time from receiving a warning to the request for a replacement: one look, and a launch call for each refusal. */
const requestMs = 10_000;

/**
 * Whether a message about a member that is not claimed does not count as a warning yet. If the function that received the warning died, failed by a fault, or
 * found no describe that shows the member, the warning is unknown until its message comes again. Advice does not count either, because the policy may not
 * follow it. A swap that only waits for its replacement is no such claim: its member stays for as long as it waits.
 */
const saysNothingYet = (chronicle: Chronicle, life: Life, delivery: Delivery, byMs: number): boolean => {
  const { told, invocation } = delivery;
  const claim = life.claims.findLast(({ atMs }) => atMs <= byMs);
  const isUnknown =
    told.about === 'warning' && (hasDied(chronicle, invocation) || isFailed(chronicle, delivery) || isTooYoung(chronicle, life, delivery));
  return (told.about === 'advice' || isUnknown) && (claim === undefined || claim.state === 'waiting');
};

/** An event of an end that is so old when it arrives that its instance lives: describes had to show that end long ago. */
const isOutOfDate = ({ atMs, happenedAtMs }: Delivery): boolean => atMs - happenedAtMs > times.describeLagMs;

/** Whether a message had reported by then that it leaves. */
const wasTold = (chronicle: Chronicle, life: Life, byMs: number): boolean =>
  life.deliveries.some(
    (one) =>
      one.atMs <= byMs &&
      (one.told.about !== 'state' || (tellsEnd(one) && !isUnshown(chronicle, life, one) && !isOutOfDate(one))) &&
      !saysNothingYet(chronicle, life, one, byMs) &&
      !isForgotten(chronicle, one, byMs),
  );

/** Holdfast requested it after the warning was heard, and others ended it since: it counts as requested. Its own loss is judged separately. */
const isLostSince = (life: Life, heardMs: number, atMs: number): boolean =>
  isFunction(life.by) && life.launchedAtMs > heardMs && life.launchedAtMs <= atMs && goneAtMs(life) <= atMs && !isFunction(life.ending?.by);

/** Holdfast requested it, and no describe has to show it yet. It ended since, and no message that Holdfast could place had reported that. */
const isEndedUnshown = (chronicle: Chronicle, life: Life, { heardMs, sinceMs, atMs }: { heardMs: number; sinceMs: number; atMs: number }): boolean =>
  isFunction(life.by) &&
  life.launchedAtMs > sinceMs &&
  life.launchedAtMs <= heardMs &&
  goneAtMs(life) <= atMs &&
  !isFunction(life.ending?.by) &&
  !wasTold(chronicle, life, heardMs);

/**
 * Its Auto Scaling group shows it, or the response to its launch names it, and no describe showed whose it is when its warning was received. Its own warning is
 * judged when it comes again.
 */
const isWarnedUnshown = (chronicle: Chronicle, life: Life, heardMs: number): boolean =>
  life.deliveries.some((one) => one.told.about === 'warning' && one.atMs <= heardMs && isTooYoung(chronicle, life, one)) &&
  !wasTold(chronicle, life, heardMs);

/** Whether nobody has begun to end it by then. */
const runsOn = ({ ending }: Life, atMs: number): boolean => (ending?.atMs ?? endless) > atMs;

/** It joined so late that an earlier look did not have to show it, was warned since, and no message had reported that. It runs, so looks show it as a member. */
const isWarnedUnheard = (chronicle: Chronicle, life: Life, { heardMs, sinceMs, atMs }: { heardMs: number; sinceMs: number; atMs: number }): boolean =>
  life.launchedAtMs > sinceMs && warnedAtMs(life) <= atMs && runsOn(life, atMs) && !wasTold(chronicle, life, heardMs);

/** Its user detached it so soon after it had joined that describes may be about to show it there: a look cannot tell the one from the other. */
const isDetachedYoung = ({ stays }: Life, atMs: number): boolean =>
  stays.some(({ how, by, fromMs, untilMs }) => how === 'detached' && by?.kind === 'user' && untilMs <= atMs && atMs <= fromMs + times.bothLagMs);

/** How many members count: present and coming ones, and leaving ones that no message had reported by then. */
const countAt = (chronicle: Chronicle, group: string, heardMs: number, atMs: number): number => {
  const { staying, waiting } = headcountAt(chronicle, group, atMs);
  const counted = new Set([...staying, ...waiting]);
  const sinceMs = heardMs - chronicle.times.lagMs - times.batchMs;
  // EC2 reports a warning once, and describes say nothing about it.
  const runsWarned = (life: Life): boolean => warnedAtMs(life) <= sinceMs && runsOn(life, atMs);
  const untold = chronicle
    .membersAt(group, sinceMs)
    .filter(
      (life) => !counted.has(life) && (leavesAtMs(life, sinceMs) > sinceMs - times.reactMs || runsWarned(life)) && !wasTold(chronicle, life, heardMs),
    );
  const joined = new Set(chronicle.membersAt(group, atMs));
  const others = chronicle
    .livesIn(group)
    .filter(
      (life) =>
        !counted.has(life) &&
        !untold.includes(life) &&
        (isReplacedByItsGroup(chronicle, life, atMs) ||
          mayShowAsReplaced(chronicle, life, { lookedMs: heardMs, atMs }) ||
          isLostSince(life, heardMs, atMs) ||
          isEndedUnshown(chronicle, life, { heardMs, sinceMs, atMs }) ||
          holdsPlace(chronicle, life, heardMs, atMs) ||
          (joined.has(life) && isWarnedUnheard(chronicle, life, { heardMs, sinceMs, atMs })) ||
          isWarnedUnshown(chronicle, life, heardMs) ||
          (isAlive(life, atMs) && isDetachedYoung(life, atMs))),
    );
  return counted.size + untold.length + others.length + refillNow(chronicle, group, atMs);
};

const counts = remembered((_: Chronicle) => new Map<string, number>());

/** Members that were warned together are looked at for the same moments. */
const countedAt = (chronicle: Chronicle, group: string, heardMs: number, atMs: number): number => {
  const known = counts(chronicle);
  const name = `${group} ${heardMs} ${atMs}`;
  const count = known.get(name) ?? countAt(chronicle, group, heardMs, atMs);
  known.set(name, count);
  return count;
};

/** What Holdfast received first about the end of a member, and when the member belonged to the group that needs a replacement. */
type News = { readonly what: 'warning' | 'end'; readonly toldMs: number; readonly memberMs: number };

/** The function without an injected fault that a message about a member reached at a moment. It knows whom it claims. */
const hearerOf = (chronicle: Chronicle, life: Life, heardMs: number): string | undefined =>
  life.deliveries.find(({ atMs, invocation }) => atMs === heardMs && isHealthy(chronicle, invocation))?.invocation;

const newsOf = (chronicle: Chronicle, life: Life): readonly News[] => {
  const warnedMs = heardAtMs(chronicle, life, 'warning');
  // After a warning that was heard, the replacement is requested by then.
  return warnedMs < endless
    ? [{ what: 'warning', toldMs: warnedMs, memberMs: warnedMs }]
    : [{ what: 'end', toldMs: heardOfEndAtMs(chronicle, life), memberMs: goneAtMs(life) - 1 }];
};

/** How many members the desired size is short of at each moment from a message until a time, at the least. */
export const unrequestedUntil = (chronicle: Chronicle, group: string, heardMs: number, untilMs: number): number => {
  const launches = chronicle.livesIn(group).map(({ launchedAtMs }) => launchedAtMs);
  const moments = [heardMs, ...launches.filter((atMs) => atMs > heardMs && atMs < untilMs), untilMs];
  const shownAt = (atMs: number): readonly number[] => [
    ...chronicle.desiredShownIn(group, heardMs, atMs),
    ...sizesTakenForOwn(chronicle, group, { sinceMs: heardMs, atMs }),
  ];
  const leastAt = (atMs: number): number => Math.min(...shownAt(atMs), shownBesideLost(chronicle, group, atMs) ?? Number.POSITIVE_INFINITY);
  return Math.min(...moments.map((atMs) => leastAt(atMs) - countedAt(chronicle, group, heardMs, atMs)));
};

/**
 * When a change of the policy in this time begins it anew. The group may be let go: then a function could launch for its next policy. Or its launches
 * are at their limit, or no pool of the policy before could give: then a function could launch once it received the new policy.
 */
const begunAnewMs = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): number | undefined => {
  const changes = (chronicle.groups.get(group)?.policies ?? []).filter(({ atMs }) => atMs > fromMs && atMs <= untilMs);
  const letGo = changes.findLast(({ policy }) => policy === undefined);
  if (letGo !== undefined) return couldLaunchAtMs(chronicle, group, letGo.atMs);
  const gaveNothing = (atMs: number): boolean => {
    const before = chronicle.policyAt(group, atMs - 1);
    return before !== undefined && !givesSome(chronicle, before, { group, sinceMs: fromMs, atMs: atMs - 1, besideUntilMs: atMs - 1 });
  };
  const lifting = changes.findLast(({ atMs }) => limitMayBound(chronicle, group, atMs) || gaveNothing(atMs));
  return lifting === undefined ? undefined : followsFromMs(chronicle, group, lifting.atMs);
};

/** The time for a request. It begins once a look can tell that its owner suspended an Auto Scaling group that would replace the member. */
export const requestTime = (chronicle: Chronicle, group: string, toldMs: number): { readonly heardMs: number; readonly untilMs: number } => {
  const heardMs = couldLaunchAtMs(chronicle, group, toldMs);
  const fromMs = suspensionToldMs(chronicle, group, heardMs);
  const refusals = chronicle.of('refused').filter(({ atMs }) => atMs >= heardMs && atMs <= fromMs + times.reactMs).length;
  const untilMs = fromMs + requestMs + (1 + refusals) * chronicle.times.launchCallMs;
  const anewMs = begunAnewMs(chronicle, group, heardMs, untilMs);
  return anewMs === undefined ? { heardMs, untilMs } : requestTime(chronicle, group, anewMs);
};

const requestedLate = (chronicle: Chronicle, life: Life, { what, toldMs, memberMs }: News): readonly Broken[] => {
  const group = toldMs === endless ? undefined : chronicle.groupAt(life, memberMs);
  if (group === undefined || toldMs < chronicle.history.readyAtMs) return [];
  const { heardMs, untilMs } = requestTime(chronicle, group, toldMs);
  if (heardMs === endless) return [];
  const isBound = deathsMayBound(chronicle, group, heardMs) || limitMayBound(chronicle, group, untilMs);
  if (wasIdle(chronicle, group, heardMs, untilMs) || isBound) return [];
  const shortBy = unrequestedUntil(chronicle, group, heardMs, untilMs);
  const policy = chronicle.policyAt(group, untilMs);
  if (shortBy <= 0 || policy === undefined) return [];
  const placedBy = hearerOf(chronicle, life, heardMs);
  // What is requested later fills no place that was free.
  const moment = { group, sinceMs: heardMs, atMs: untilMs, besideUntilMs: untilMs, ...(placedBy !== undefined && { placedBy }) };
  if (!givesSome(chronicle, policy, moment)) return [];
  const detail = `${((untilMs - heardMs) / 1_000).toFixed(1)} s after the ${what} of ${life.instance} was heard, ${shortBy} are still not requested`;
  return [{ group, instance: life.instance, atMs: untilMs, heardAtMs: toldMs, members: shortBy, detail }];
};

export const requestedSoon: Rule = {
  name: 'replacements are requested soon',
  meaning:
    'As many members are there or on their way as are desired, ten seconds and the time of the launch calls after an invocation without an injected fault received a warning, or the event of an end that no such warning announced and that Holdfast did not cause. A warned member counts as there until such an invocation received its warning, and while it runs if its swap was lost with the state table since, and a member that its user detached until 45 seconds after it joined. A member that ended after its user took it out of its Auto Scaling group counts as replaced by this group, if a late describe may still show it there. An event of an end that is older than three minutes tells nothing about a member that lives. A pool below a child of weight 0 gives nothing. If the group was let go then, or is let go in these ten seconds, they begin when such an invocation received its next policy or a tick. So they do if its launches were at their limit or no pool could give, and a policy is written in these ten seconds. If Holdfast had resumed a process of the Auto Scaling group that would replace the member, and its owner suspended it again, they begin 20 seconds after that resume. A size that others set counts once no late describe of the Auto Scaling group can show the one before. If it may be lost, because it is the number that an attach had made, what the Auto Scaling group shows without that attach counts.',
  broken: (chronicle) => chronicle.lives.flatMap((life) => newsOf(chronicle, life).flatMap((news) => requestedLate(chronicle, life, news))),
};

import { deathsMayBound } from '../../capacity/boots.ts';
import { givesSome } from '../../capacity/giving.ts';
import { limitMayBound } from '../../capacity/launch-limit.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { holdsPlace } from '../../members/holds-place.ts';
import { headcountAt } from '../../members/staying.ts';
import { wasIdle } from '../../policy/modes.ts';
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
import { sizesTakenForOwn } from '../../world/own-numbers.ts';
import { shownBesideLost } from './serving.ts';

type Broken = Omit<Finding, 'rule'>;

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

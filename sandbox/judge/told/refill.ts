import type { Chronicle } from '../chronicle.ts';
import { asgsOf } from '../policy/policy.ts';
import { times } from '../times.ts';
import { failsForLong } from '../world/failing-refills.ts';
import { endless, goneAtMs, isAlive, isExchange, isFunction, type Life, stayAt } from '../world/life.ts';
import { tellsEnd } from './leaving.ts';

/** The least that an Auto Scaling group wanted to hold between two moments. */
const desiredIn = ({ cloud }: Chronicle, asg: string, fromMs: number, untilMs: number): number => {
  const changes = cloud.asgChanges(asg).filter(({ atMs }) => atMs <= untilMs);
  const first = Math.max(
    0,
    changes.findLastIndex(({ atMs }) => atMs <= fromMs),
  );
  return Math.min(...changes.slice(first).map(({ desired }) => desired));
};

const heldAt = (lives: readonly Life[], asg: string, atMs: number): number =>
  lives.filter((life) => stayAt(life, atMs)?.asg === asg && isAlive(life, atMs)).length;

/** How many it has lacked at every moment for as long as Holdfast waits for a refill. */
const longOpen = (chronicle: Chronicle, lives: readonly Life[], asg: string, untilMs: number): number => {
  const fromMs = untilMs - times.asgRefillMs;
  const changes = [
    ...lives.flatMap((life) => [goneAtMs(life), ...life.stays.flatMap((stay) => [stay.fromMs, stay.untilMs])]),
    ...chronicle.cloud.asgChanges(asg).map(({ atMs }) => atMs),
  ];
  const moments = [fromMs, ...changes.filter((atMs) => atMs > fromMs && atMs < untilMs)];
  return Math.max(0, Math.min(...moments.map((atMs) => desiredIn(chronicle, asg, atMs, atMs) - heldAt(lives, asg, atMs))));
};

/** Whether Holdfast had received that the group failed to launch. Then Holdfast does not wait for it. */
const isToldToFail = ({ of }: Chronicle, asg: string, sinceMs: number, atMs: number): boolean =>
  of('delivered').some((one) => one.told.about === 'launch-unsuccessful' && one.told.asg === asg && one.atMs > sinceMs && one.atMs <= atMs);

/** A group that may not launch at the time of the look is not about to launch. */
const isSuspended = ({ cloud }: Chronicle, asg: string, atMs: number): boolean => cloud.asgAt(asg, atMs)?.suspended.includes('Launch') ?? false;

/** Whether Holdfast itself had forbidden the group to launch between its look and its own launch: then it launches in place of the group. */
const isTakenOver = ({ cloud }: Chronicle, asg: string, sinceMs: number, atMs: number): boolean => {
  const last = cloud.asgChanges(asg).findLast((change) => change.atMs > sinceMs && change.atMs <= atMs);
  return last !== undefined && isFunction(last.by) && last.suspended.includes('Launch');
};

/** Processes without which a group does not replace members that ended (User Guide, How suspended processes affect other processes). */
const replacing = ['HealthCheck', 'ReplaceUnhealthy', 'Terminate'];

const mayNotReplace = ({ cloud }: Chronicle, asg: string, atMs: number): boolean =>
  cloud.asgAt(asg, atMs)?.suspended.some((process) => replacing.includes(process)) ?? false;

/**
 * From when a look can tell that an owner has suspended what an Auto Scaling group of a group replaces its members by. Holdfast resumed it shortly before, and
 * until then a describe that shows it as suspended may be older than that resume. Otherwise the moment itself.
 */
export const suspensionToldMs = (chronicle: Chronicle, group: string, atMs: number): number => {
  const policy = chronicle.policyAt(group, atMs);
  const resumes = chronicle.of('called').filter((call) => call.operation === 'ResumeProcesses' && call.applied && call.atMs <= atMs);
  const told = (policy === undefined ? [] : asgsOf(policy)).flatMap((asg) => {
    const needed = ['Launch', ...replacing].filter((process) => chronicle.cloud.asgAt(asg, atMs)?.suspended.includes(process));
    return resumes
      .filter(({ processes, atMs: resumedMs }) => {
        const since = chronicle.cloud.asgChanges(asg).filter((change) => change.atMs > resumedMs && change.atMs <= atMs);
        const again = needed.filter((process) => processes?.asg === asg && processes.names.includes(process));
        return again.some((process) => !isFunction(since.find(({ suspended }) => suspended.includes(process))?.by));
      })
      .map((call) => call.atMs + times.loweredShownMs + chronicle.times.clockMs);
  });
  return Math.max(atMs, ...told);
};

/** Members that ended and that the group still holds, while it may not replace such members: nobody comes for them. */
const notReplaced = (chronicle: Chronicle, lives: readonly Life[], asg: string, atMs: number): number =>
  mayNotReplace(chronicle, asg, atMs) ? lives.filter((life) => stayAt(life, atMs)?.asg === asg && !isAlive(life, atMs)).length : 0;

/**
 * Gone, and still held by an Auto Scaling group, which replaces it one for one as soon as it looks: a second request would be one more than needed.
 */
export const isReplacedByItsGroup = (chronicle: Chronicle, life: Life, atMs: number): boolean => {
  const asg = goneAtMs(life) <= atMs && !isFunction(life.ending?.by) ? stayAt(life, atMs)?.asg : undefined;
  return asg !== undefined && !isSuspended(chronicle, asg, atMs) && !mayNotReplace(chronicle, asg, atMs);
};

/**
 * Gone, and taken out of its Auto Scaling group by its user, with the size, so shortly before a look that a describe may still show it there: as a member that
 * ended and that the group replaces.
 */
export const mayShowAsReplaced = (chronicle: Chronicle, life: Life, { lookedMs, atMs }: { lookedMs: number; atMs: number }): boolean => {
  if (goneAtMs(life) > atMs || isFunction(life.ending?.by)) return false;
  const { asgAt } = chronicle.cloud;
  return life.stays.some(({ asg, how, by, untilMs }) => {
    const isTakenOut = (how === 'standby' || how === 'detached') && by?.kind === 'user';
    if (!isTakenOut || untilMs > lookedMs || untilMs <= lookedMs - chronicle.times.asgLagMs) return false;
    const fell = (asgAt(asg, untilMs)?.desired ?? 0) < (asgAt(asg, untilMs - 1)?.desired ?? 0);
    return fell && !isSuspended(chronicle, asg, atMs) && !mayNotReplace(chronicle, asg, atMs);
  });
};

/**
 * Whether a function had written the swap of an ended member before it knew of its end: before it looked, or in a look whose describes may still show the
 * member alive, where no message had reported the end.
 */
const isClaimedUnaware = (
  life: Life,
  { sinceMs, atMs, lagMs }: { readonly sinceMs: number; readonly atMs: number; readonly lagMs: number },
): boolean => {
  const isToldBy = (untilMs: number): boolean => life.deliveries.some((one) => tellsEnd(one) && one.atMs <= untilMs);
  const isShown = goneAtMs(life) <= sinceMs - lagMs;
  return life.claims.some(
    (claim) => claim.state === 'leaving' && (claim.atMs <= sinceMs || (claim.atMs <= atMs && !isShown && !isToldBy(claim.atMs))),
  );
};

/**
 * Ended members with a swap that the group noticed while the function launched for them. Holdfast lets them go once their replacements are launched, so
 * that the group does not replace them too. Here the group came first.
 */
const noticedFirst = (
  { times: { launchCallMs, lagMs } }: Chronicle,
  lives: readonly Life[],
  asg: string,
  { sinceMs, atMs }: { readonly sinceMs: number; readonly atMs: number },
): number =>
  lives.filter((life) => {
    const stay = stayAt(life, sinceMs);
    const isNoticed = stay?.how === 'terminating' && stay.by?.kind === 'asg' && stay.untilMs <= atMs + launchCallMs;
    return isNoticed && stay.asg === asg && !isAlive(life, sinceMs) && isClaimedUnaware(life, { sinceMs, atMs, lagMs });
  }).length;

/**
 * The most that a group held as far as a look could know. If the group does not replace members that ended, a describe that lags does not tell whether
 * it terminates an ended member itself, and replaces that one.
 */
const heldAsKnown = (chronicle: Chronicle, lives: readonly Life[], asg: string, sinceMs: number): number => {
  const fromMs = mayNotReplace(chronicle, asg, sinceMs) ? sinceMs - chronicle.times.asgLagMs : sinceMs;
  return Math.max(heldAt(lives, asg, fromMs), heldAt(lives, asg, sinceMs));
};

/** By how much others than Holdfast raised what an Auto Scaling group wants, after one moment and until another. It launches for that, not for a gap of before. */
const raisedSince = ({ cloud }: Chronicle, asg: string, fromMs: number, untilMs: number): number =>
  cloud
    .asgChanges(asg)
    .map(({ atMs, by, desired }, index, changes) => ({ atMs, by, more: desired - (changes[index - 1]?.desired ?? desired) }))
    .filter(({ atMs, by, more }) => atMs > fromMs && atMs <= untilMs && !isFunction(by) && more > 0)
    .reduce((sum, { more }) => sum + more, 0);

type Coming = { readonly asg: string; readonly launchedAtMs: number };

/**
 * The most of the launches of an Auto Scaling group that fill what it lacked at a moment. If Holdfast closes that gap before them, because it lets an
 * ended member go and lowers the desired capacity, nobody comes for that gap. Then the launches are for members that ended since.
 */
const openUntil = ({ cloud }: Chronicle, lives: readonly Life[], asg: string, atMs: number, launched: readonly Coming[]): number => {
  const lastMs = Math.max(...launched.map(({ launchedAtMs }) => launchedAtMs));
  const filledBy = (one: number): number => launched.filter(({ launchedAtMs }) => launchedAtMs <= one).length;
  const changes = cloud.asgChanges(asg).filter((change) => isFunction(change.by) && change.atMs > atMs && change.atMs < lastMs);
  return Math.min(...changes.map((one) => one.desired - heldAt(lives, asg, one.atMs) + filledBy(one.atMs)));
};

/**
 * How many instances Auto Scaling groups of a group were about to launch by themselves between two moments, by what they did launch afterwards. Gaps
 * count that Holdfast had not taken over, that it did not close before these launches, and that were not open for longer than it waits for a refill. Gaps
 * of a group whose own launches kept ending for so long do not count. Whoever launches for a member that ended knows of its end, and that the group
 * replaces it, unless it may not replace such members; a change of the desired capacity is known once a describe must show it. `unseen`: members that
 * ended and that count as held, because the look need not show their end.
 */
export const refillAt = (
  chronicle: Chronicle,
  group: string,
  { sinceMs, atMs, unseen = [] }: { readonly sinceMs: number; readonly atMs: number; readonly unseen?: readonly Life[] },
): number => {
  const lives = chronicle.livesIn(group);
  const coming = lives.flatMap(({ by, launchedAtMs }): readonly Coming[] =>
    by.kind === 'asg' && !isExchange(by) && launchedAtMs > atMs && launchedAtMs <= atMs + times.asgRefillMs ? [{ asg: by.asg, launchedAtMs }] : [],
  );
  const lagMs = Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
  return [...Map.groupBy(coming, ({ asg }) => asg)].reduce((sum, [asg, launched]) => {
    if (
      isSuspended(chronicle, asg, sinceMs) ||
      isTakenOver(chronicle, asg, sinceMs, atMs) ||
      failsForLong(chronicle, asg, { group, sinceMs, atMs }) ||
      isToldToFail(chronicle, asg, atMs - times.asgRefillMs, atMs)
    )
      return sum;
    const shown = unseen.filter((life) => stayAt(life, goneAtMs(life) - 1)?.asg === asg).length;
    const held = shown + Math.max(heldAsKnown(chronicle, lives, asg, sinceMs), heldAt(lives, asg, atMs));
    const replacedByUs = notReplaced(chronicle, lives, asg, sinceMs) + noticedFirst(chronicle, lives, asg, { sinceMs, atMs });
    const lacked = desiredIn(chronicle, asg, sinceMs - lagMs, atMs) - held - replacedByUs;
    const forLater = raisedSince(chronicle, asg, atMs, Math.max(...launched.map(({ launchedAtMs }) => launchedAtMs)));
    const open = openUntil(chronicle, lives, asg, atMs, launched);
    return sum + Math.max(0, Math.min(launched.length - forLater, open, lacked - longOpen(chronicle, lives, asg, sinceMs)));
  }, 0);
};

/** How many an Auto Scaling group lacks of its desired capacity; whom it still holds counts as held. One that may not launch lacks none. */
const gapAt = (chronicle: Chronicle, asg: string, atMs: number): number => {
  const { desired = 0, suspended = [] } = chronicle.cloud.asgAt(asg, atMs) ?? {};
  const held = chronicle.lives.filter((life) => stayAt(life, atMs)?.asg === asg).length;
  return suspended.includes('Launch') ? 0 : Math.max(0, desired - held);
};

const gapsAt = (chronicle: Chronicle, group: string, atMs: number) => {
  const policy = chronicle.policyAt(group, atMs);
  return (policy === undefined ? [] : asgsOf(policy)).map((asg) => ({ asg, gap: gapAt(chronicle, asg, atMs) }));
};

/**
 * How many the Auto Scaling groups of a group are about to launch by themselves at a moment, up to their desired capacity; whom they still hold counts as
 * held. Other than `refillAt` it does not read what they launched afterwards.
 */
export const refillNow = (chronicle: Chronicle, group: string, atMs: number): number =>
  gapsAt(chronicle, group, atMs).reduce((sum, { gap }) => sum + gap, 0);

/** Since when an Auto Scaling group has lacked members. A launch of its own begins this time anew. */
const gapSinceMs = (chronicle: Chronicle, asg: string, atMs: number): number => {
  const own = chronicle.lives.filter(({ by }) => by.kind === 'asg' && by.asg === asg).map(({ launchedAtMs }) => launchedAtMs);
  const changes = [
    ...chronicle.lives.flatMap(({ stays }) => stays.filter((stay) => stay.asg === asg).flatMap(({ fromMs, untilMs }) => [fromMs, untilMs])),
    ...chronicle.cloud.asgChanges(asg).map((change) => change.atMs),
  ];
  const moments = [...new Set([...own, ...changes])].filter((one) => one <= atMs).sort((a, b) => a - b);
  const whole = moments.findLastIndex((one) => own.includes(one) || gapAt(chronicle, asg, one) === 0);
  return (own.includes(moments[whole] ?? atMs) ? moments[whole] : moments[whole + 1]) ?? atMs;
};

/**
 * The same as `refillNow` for Auto Scaling groups that Holdfast still waits for: the gap is not older than it waits for a refill, counted from the first
 * look that could show the gap, and no message has told since then that the group failed to launch.
 */
export const refillExpected = (chronicle: Chronicle, group: string, atMs: number): number =>
  gapsAt(chronicle, group, atMs)
    .filter(({ asg, gap }) => {
      const sinceMs = gap > 0 ? gapSinceMs(chronicle, asg, atMs) : endless;
      const shownMs = sinceMs + chronicle.times.asgLagMs + times.tickMs + times.reactMs + 2 * chronicle.times.clockMs;
      return atMs <= shownMs + times.asgRefillMs && !isToldToFail(chronicle, asg, sinceMs, atMs);
    })
    .reduce((sum, { gap }) => sum + gap, 0);

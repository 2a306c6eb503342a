import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { lookedSince } from '../../members/staying.ts';
import { lastObservedMs, wasObserved } from '../../policy/modes.ts';
import { times } from '../../times.ts';
import { isHindered, look } from '../../told/hindrance.ts';
import {
  deadlineFrom,
  deadlineOf,
  drainStartsMs,
  isTakenOut,
  knewAtMs,
  lastServices,
  looksFrom,
  policyFor,
  takenOutByUs,
} from '../../told/leaving.ts';
import { endless, goneAtMs, isAlive, isFunction, type Life, lastBackMs, lastRefusalMs, type Service, warnedAtMs } from '../../world/life.ts';
import { chaptersOf, runsOf } from '../../world/runs.ts';

type Broken = Omit<Finding, 'rule'>;

/** Warned members of groups in force. Each run of an instance that was stopped meanwhile is judged by its own warnings. */
const warned = (chronicle: Chronicle): readonly { readonly life: Life; readonly group: string }[] =>
  chronicle.lives
    .flatMap(runsOf)
    .flatMap(chaptersOf)
    .flatMap((life) => {
      const atMs = warnedAtMs(life);
      if (atMs === endless) return [];
      const group = chronicle.groupAt(life, atMs);
      return group === undefined || policyFor(chronicle, life, Math.min(goneAtMs(life), deadlineOf(life)) - 1) === undefined ? [] : [{ life, group }];
    });

/** The time from receiving a warning to the call to the load balancer, if the drain has to begin at once. */
export const actsWithinMs = 15_000;
/** What a workflow takes to wake up and call. */
const stepMs = 3_000;

/** When a warned member that Holdfast knows of is taken out of service at the latest. */
export const outByMs = (chronicle: Chronicle, life: Life, heardMs: number): number =>
  Math.max(drainStartsMs(chronicle, life, heardMs).latestMs, heardMs + actsWithinMs) + stepMs + chronicle.times.clockMs;

/** It belonged to an observed group when it had to be taken out of service, and that did not act again in time. */
const isLeftAlone = (chronicle: Chronicle, group: string, life: Life): boolean => {
  const dueMs = outByMs(chronicle, life, knewAtMs(chronicle, life));
  const sinceMs = Math.max(warnedAtMs(life), Math.min(goneAtMs(life) - times.takesUpMs, dueMs));
  return wasObserved(chronicle, group, sinceMs, Math.min(goneAtMs(life), dueMs));
};

export const warnedTakenOut: Rule = {
  name: 'a warned member is taken out of service before its deadline',
  meaning: 'Every member that was warned and serves is taken out of each of its target groups before it is gone.',
  broken: (chronicle) =>
    warned(chronicle).flatMap(({ life, group }): readonly Broken[] =>
      lastServices(life)
        .filter((service) => !isTakenOut(service, life) && goneAtMs(life) < endless && !isLeftAlone(chronicle, group, life))
        .map(({ targetGroup }) => ({
          group,
          instance: life.instance,
          atMs: goneAtMs(life),
          detail: `${life.instance} was warned, and ended while ${targetGroup} still sent it requests`,
        })),
    ),
};

/** When a function without an injected fault learned of a policy, by its message or a tick, if a fault held that up. Otherwise it counts at once. */
const toldMs = (chronicle: Chronicle, group: string, inForceMs: number): number => {
  const looks = looksFrom(chronicle, group, inForceMs).filter(({ injected }) => !injected);
  const firstMs = looks[0]?.atMs ?? inForceMs;
  return isHindered(chronicle, look, inForceMs, firstMs) ? firstMs : inForceMs;
};

/**
 * From when on Holdfast acts on a warning: at once, or when a deleted policy is written again. If that policy leaves the Auto Scaling group of the member
 * to its owner, this is when a policy names that Auto Scaling group again.
 */
const actsFromMs = (chronicle: Chronicle, { life, group }: { readonly life: Life; readonly group: string }, heardMs: number): number => {
  if (heardMs === endless || chronicle.policyAt(group, heardMs) !== undefined) return heardMs;
  const later = (chronicle.groups.get(group)?.policies ?? []).filter(({ policy, atMs }) => policy !== undefined && atMs > heardMs);
  const first = later.find(({ atMs }) => chronicle.groupAt(life, atMs) === group) ?? later[0];
  return first === undefined ? endless : toldMs(chronicle, group, first.atMs);
};

/**
 * From when on Holdfast had to act on a warning that it knows of. If the group is observed until its drain has to begin, this is when a function without
 * an injected fault receives its next policy, or a tick.
 */
const dueFromMs = (chronicle: Chronicle, group: string, life: Life, knownMs: number): number => {
  let fromMs = knownMs;
  while (fromMs < goneAtMs(life)) {
    const untilMs = Math.min(goneAtMs(life), outByMs(chronicle, life, fromMs));
    const observedUntilMs = lastObservedMs(chronicle, group, untilMs);
    if (observedUntilMs <= fromMs) return fromMs;
    const looks = looksFrom(chronicle, group, observedUntilMs).filter(
      ({ atMs, injected }) => !injected && !(chronicle.policyAt(group, atMs)?.mode === 'observe'),
    );
    fromMs = Math.min(endless, ...looks.map(({ atMs }) => atMs));
  }
  return endless;
};

/** From when on Holdfast had to act on the warning of a member, whatever its group was in between. Endless where it never had to. */
const actsOnMs = (chronicle: Chronicle, group: string, life: Life): number =>
  dueFromMs(chronicle, group, life, actsFromMs(chronicle, { life, group }, knewAtMs(chronicle, life)));

/**
 * Whether EC2 has not taken a member by the time at which Holdfast may first act: then its drain need not begin. Function clocks are wrong by up to
 * `errorMs`.
 */
const isOutlived = (life: Life, actsMs: number, errorMs: number): boolean =>
  actsMs < endless && actsMs + errorMs >= deadlineFrom(life, actsMs) + times.deadlineMarginMs;

export const drainBeginsInTime: Rule = {
  name: 'a drain begins early enough to end',
  meaning:
    'A warned member that serves is taken out of service early enough for its deregistration delay to end before its deadline. Where the notice is too short for that, it is taken out at half of the time left. A member that never served has no connections that could end. For one that first comes to serve after its warning, the time counts from then. An instance that was stopped and runs again is judged by the warnings since it runs again. Where the policy was deleted, the time counts from the next policy that names the Auto Scaling group of the member. If a fault holds up its message, it counts from when a function without an injected fault receives that, or a tick. Where the group was observed, the time counts from when a function without an injected fault receives its next policy, or a tick. A deadline that has passed by then does not count: the member serves until enough others do.',
  broken: (chronicle) =>
    warned(chronicle).flatMap(({ life, group }): readonly Broken[] => {
      const heardMs = actsOnMs(chronicle, group, life);
      if (heardMs === endless || isOutlived(life, heardMs, actsWithinMs)) return [];
      // Nobody takes out of service what has not served yet.
      const firstMs = (of: string): number => Math.min(...life.services.flatMap(({ targetGroup, fromMs }) => (targetGroup === of ? [fromMs] : [])));
      const late = ({ targetGroup, untilMs }: Service): number => untilMs - outByMs(chronicle, life, Math.max(heardMs, firstMs(targetGroup)));
      return lastServices(life)
        .filter((service) => takenOutByUs(service) && service.fromMs < service.untilMs && late(service) > 0)
        .map((service) => ({
          group,
          instance: life.instance,
          atMs: service.untilMs,
          detail: `${life.instance} was taken out of ${service.targetGroup} ${(late(service) / 1_000).toFixed(1)} s after the latest time at which its drain could end`,
        }));
    }),
};

/** When a member was taken out of service, and from when on the function could look that did so. */
type Moment = { readonly atMs: number; readonly lookedMs: number };

const isKnownToLeave = (chronicle: Chronicle, life: Life, atMs: number): boolean =>
  chaptersOf(life).some((chapter) => warnedAtMs(chapter, lastBackMs(life, atMs)) < endless && knewAtMs(chronicle, chapter) <= atMs);

/** Ended by nobody's choice since describes were last sure to be true, and ready until then: nothing shows that to the function that looked. */
const diedUnseen = (chronicle: Chronicle, life: Life, { atMs, lookedMs }: Moment): boolean => {
  const goneMs = goneAtMs(life);
  const sinceMs = lookedMs - chronicle.times.lagMs;
  return goneMs > sinceMs && goneMs <= atMs && !isFunction(life.ending?.by) && chronicle.isReadyAt(life, goneMs - 1);
};

/** Ready when the function looked, and unhealthy since: nothing shows that to this function. */
const failedUnseen = (chronicle: Chronicle, life: Life, { atMs, lookedMs }: Moment): boolean =>
  chronicle.isReadyAt(life, lookedMs) &&
  isAlive(life, atMs) &&
  !chronicle.isReadyAt(life, atMs) &&
  life.services.some(({ untilMs, why }) => why === 'unhealthy' && untilMs > lookedMs && untilMs <= atMs);

/** A look at the group notices a size that others set: the tick's, or one before. A step of a drain reads the size that this look stored. */
const sizeNoticedMs = times.tickMs + times.reactMs;

/** How many members a step of a drain has to find: as many as are desired, or as were, as far as the group's state shows. */
const leastDesired = (chronicle: Chronicle, group: string, { atMs, lookedMs }: Moment): number => {
  const least = Math.min(...chronicle.desiredIn(group, atMs - times.drainStartMs, atMs));
  if (chronicle.wordsFor(group, atMs) === undefined) return least;
  const stored = chronicle.groups.get(group)?.written.findLast((one) => one.atMs <= lookedMs)?.desired;
  const isOfLate = stored !== undefined && chronicle.desiredIn(group, lookedMs - sizeNoticedMs - chronicle.times.asgLagMs, atMs).includes(stored);
  return isOfLate ? Math.min(least, stored) : least;
};

/**
 * Others count until the function that looked could know that they ended or became unhealthy, or that EC2 takes them. A warning does not count as known if no function received it,
 * if its function died, or if another function received it after this one had begun.
 */
const servesEnough = (chronicle: Chronicle, group: string, life: Life, moment: Moment): boolean => {
  const { atMs, lookedMs } = moment;
  const serving = chronicle.membersAt(group, atMs).filter((one) => chronicle.isReadyAt(one, atMs));
  const unseen = chronicle.livesIn(group).filter((one) => diedUnseen(chronicle, one, moment) || failedUnseen(chronicle, one, moment));
  const others = [...serving, ...unseen].filter((one) => one.instance !== life.instance && !isKnownToLeave(chronicle, one, lookedMs));
  return others.length >= leastDesired(chronicle, group, moment);
};

/**
 * When its drain may have to begin by any clock within the drawn error. Where the notice is about as long as the delay, the clock of the function that
 * heard the warning decides whether the delay fits or the time left is halved.
 */
const earliestDueMs = (chronicle: Chronicle, life: Life, heardMs: number): number => {
  const { clockMs } = chronicle.times;
  return Math.min(...[heardMs - clockMs, heardMs].map((atMs) => drainStartsMs(chronicle, life, atMs).earliestMs));
};

/** Whether it began to leave for another reason. Then its drain begins against the members that serve, which another rule compares. */
const leftByChoice = ({ claims }: Life): boolean => claims.some(({ state, reason }) => state !== 'waiting' && reason !== 'interruption');

export const servesUntilReplaced: Rule = {
  name: 'a warned member works until its replacement does, or its drain must begin',
  meaning:
    'With launch-first, a warned member stays in service until as many other members serve as are desired, or until the latest start of its drain. A size that others set counts once a look stored it, and at the latest after a tick. That also holds for one that EC2 had advised to leave, or that AWS will retire, and that had not begun to leave when the warning came. Where its deadline had passed for ten seconds when Holdfast could first act, no drain must begin.',
  broken: (chronicle) =>
    warned(chronicle).flatMap(({ life, group: warnedIn }): readonly Broken[] => {
      const out = lastServices(life).filter(takenOutByUs);
      const atMs = Math.min(endless, ...out.map(({ untilMs }) => untilMs));
      // Its group may have been renamed meanwhile: those of the new name take its place.
      const group = chronicle.groupAt(life, atMs) ?? warnedIn;
      const heardMs = Math.min(endless, ...life.deliveries.filter(({ told }) => told.about === 'warning').map((one) => one.atMs));
      if (atMs === endless || heardMs >= atMs || life.hooks.length > 0 || leftByChoice(life)) return [];
      const isDrainFirst = chronicle.policiesIn(group, heardMs, atMs).some(({ order }) => order === 'drain-first');
      const isOver = isOutlived(life, actsOnMs(chronicle, warnedIn, life), -chronicle.times.clockMs);
      const dueMs = earliestDueMs(chronicle, life, heardMs) - times.drainStartMs - times.drainShareMs - stepMs - chronicle.times.clockMs;
      const latestMs = isOver ? endless : dueMs;
      const by = out.find(({ untilMs }) => untilMs === atMs)?.by;
      const lookedMs = by === undefined ? atMs : lookedSince(chronicle, by, atMs);
      if (isDrainFirst || atMs >= latestMs || servesEnough(chronicle, group, life, { atMs, lookedMs })) return [];
      return [
        {
          group,
          instance: life.instance,
          atMs,
          detail: `${life.instance} was taken out of service ${isOver ? 'after its deadline' : `${((latestMs - atMs) / 1_000).toFixed(1)} s before its drain had to begin`}, and too few others serve`,
        },
      ];
    }),
};

/** When it was taken out of each target group. Each refusal, and each warning that does not come true, puts it back to work and begins a new list. */
export const takenOutAgain = (life: Life): readonly (readonly Service[])[] => [
  ...Map.groupBy(
    life.services.filter(takenOutByUs),
    (out) => `${out.targetGroup} ${Math.max(lastRefusalMs(life, out.untilMs), lastBackMs(life, out.untilMs))}`,
  ).values(),
];

export const takenOutOnce: Rule = {
  name: 'work is taken off once',
  meaning:
    'Holdfast takes a member out of the same target group only once. It may do so again after EC2 refused to end the member, or did not take it as announced.',
  broken: (chronicle) =>
    chronicle.lives.flatMap((life) =>
      takenOutAgain(life).flatMap(([first, ...again]): readonly Broken[] => {
        const last = again.at(-1);
        return first === undefined || last === undefined
          ? []
          : [
              {
                instance: life.instance,
                atMs: last.untilMs,
                detail: `${life.instance} was taken out of ${first.targetGroup} ${again.length + 1} times`,
              },
            ];
      }),
    ),
};

import { announcements } from '../../../../core/contract.ts';
import { neverServedUntil } from '../../capacity/boots.ts';
import { givesAtAll } from '../../capacity/giving-well.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { ownLaunches } from '../../members/staying.ts';
import { within } from '../../policy/in-force.ts';
import { wasIdle } from '../../policy/modes.ts';
import type { Policy } from '../../policy/policy.ts';
import { poolOf } from '../../policy/pools.ts';
import { times } from '../../times.ts';
import { health, isHindered, launching, look, ways } from '../../told/hindrance.ts';
import { goneAtMs, isAlive, isFunction, isProtected, type Life, lastRefusalMs, leavesAtMs, tagsAt } from '../../world/life.ts';
import { wasRestored } from '../../world/restores.ts';
import { givenUpAtMs, mayBeGivenUp, othersServe } from '../../world/unserved.ts';

type Broken = Omit<Finding, 'rule'>;

/** A tick finds it, or the next tick if the first lost a race. */
const foundWithinMs = 2 * times.tickMs + times.messageAgainMs + times.reactMs;

/** A look that shows who serves, and launches that are not denied. */
const wayOfGivingUp = ways(look, health, launching);

/** Nothing else happened to it, and no fault hindered that. */
const isPlain = (chronicle: Chronicle, group: string, life: Life, untilMs: number): boolean => {
  const { endedAtMs, readyAtMs } = chronicle.history;
  const policies = chronicle.groups.get(group)?.policies ?? [];
  return (
    untilMs <= endedAtMs &&
    life.launchedAtMs >= readyAtMs &&
    isAlive(life, untilMs) &&
    leavesAtMs(life, untilMs) > untilMs &&
    !isProtected(life, untilMs) &&
    untilMs - lastRefusalMs(life, untilMs) >= times.keptForMs &&
    life.warnings.length + life.advisedAtMs.length + life.hooks.length === 0 &&
    life.stays.every(({ how }) => how === undefined) &&
    !isHindered(chronicle, wayOfGivingUp, life.launchedAtMs, untilMs) &&
    !policies.some(({ atMs }) => atMs > life.launchedAtMs && atMs <= untilMs) &&
    !wasRestored(chronicle, untilMs) &&
    !wasIdle(chronicle, group, life.launchedAtMs, untilMs)
  );
};

/** It has to be given up from its time until so long later. */
const isDue = (chronicle: Chronicle, life: Life, fromMs: number, untilMs: number): boolean =>
  [fromMs, untilMs].every((atMs) => mayBeGivenUp(chronicle, life, atMs));

/** Whether it was given up by then, and that was not called off since, because it serves at last. */
const isGivenUp = (chronicle: Chronicle, life: Life, atMs: number): boolean => {
  const givenUpMs = givenUpAtMs(chronicle, life);
  return givenUpMs <= atMs && !life.calledOffAtMs.some((offMs) => offMs > givenUpMs && offMs <= atMs);
};

/** Members that are given up and still there. */
const underWay = (chronicle: Chronicle, group: string, atMs: number): readonly Life[] =>
  chronicle.livesIn(group).filter((life) => isAlive(life, atMs) && isGivenUp(chronicle, life, atMs));

/** Whether a function has received that EC2 takes it. Then it leaves for that, and takes no turn from others. */
const isTaken = ({ deliveries }: Life, atMs: number): boolean => deliveries.some((one) => one.told.about === 'warning' && one.atMs <= atMs);

/** When members that were given up were gone, and how many were under way until then. */
const endsOfGivenUpIn = (chronicle: Chronicle, group: string): readonly { readonly atMs: number; readonly held: number }[] =>
  chronicle
    .livesIn(group)
    .filter((life) => isGivenUp(chronicle, life, goneAtMs(life)))
    .map((life) => ({ atMs: goneAtMs(life), held: underWay(chronicle, group, goneAtMs(life) - 1).length }))
    .toSorted((a, b) => a.atMs - b.atMs);

/**
 * When a member is due that must be given up by `untilMs`, if its turn comes. Each place that another one held until it
 * was gone is found by a tick, like a member whose time has come.
 */
const turnMs = (endsOfGivenUp: ReturnType<typeof endsOfGivenUpIn>, most: number, untilMs: number): number =>
  endsOfGivenUp
    .filter(({ held }) => held >= most)
    .reduce((dueMs, { atMs }) => (atMs <= dueMs ? Math.max(dueMs, atMs + foundWithinMs) : dueMs), untilMs);

const dueIn = (chronicle: Chronicle, group: string) => {
  const endsOfGivenUp = endsOfGivenUpIn(chronicle, group);
  return chronicle.livesIn(group).flatMap((life) => {
    const policy = chronicle.policyAt(group, life.launchedAtMs);
    const slackMs = 2 * chronicle.times.clockMs + chronicle.times.lagMs + foundWithinMs;
    if (policy === undefined || !isFunction(life.by)) return [];
    const fromMs = life.launchedAtMs + policy.ready.withinMs + chronicle.times.clockMs + times.batchMs;
    const serves = [fromMs, fromMs + slackMs].every((atMs) => othersServe(chronicle, life, [atMs]));
    const most = serves ? policy.maxSurge : Math.min(1, policy.maxSurge);
    const untilMs = turnMs(endsOfGivenUp, most, fromMs + slackMs);
    const isBound = isPlain(chronicle, group, life, untilMs) && isDue(chronicle, life, fromMs, untilMs);
    return isBound ? [{ life, untilMs, most }] : [];
  });
};

/** From a look to the claim that follows from it. */
const lookMs = 1_000;

/** Members that were given up, when, and how many their policy gives up at a time. */
const claimedIn = (chronicle: Chronicle, group: string) =>
  chronicle.livesIn(group).flatMap((life) => {
    const atMs = givenUpAtMs(chronicle, life);
    if (atMs === Number.POSITIVE_INFINITY) return [];
    const surge = Math.max(0, ...chronicle.policiesIn(group, atMs - times.reactMs, atMs).map(({ maxSurge }) => maxSurge));
    const looks = [atMs, atMs - chronicle.times.lagMs - lookMs];
    const most = othersServe(chronicle, life, looks) ? surge : Math.min(1, surge);
    return life.warnings.length + life.advisedAtMs.length > 0 ? [] : [{ instance: life.instance, atMs, most }];
  });

export const neverServedIsGivenUp: Rule = {
  name: 'a new member that never serves is given up',
  meaning:
    'A new member must serve by the age that the policy sets (`ready.within`). Within three minutes after that age, Holdfast claims a member of its own that never was ready, so that it is replaced. It does so for no more than maxSurge members at a time, and for one at a time while no other member serves. Who waits for one of these to be gone has as long again from then on. A member that leaves already is not claimed, and neither is one that EC2 refused to end within the hour. A member that leaves as a surplus takes no turn from them, and neither does one that EC2 warned about since.',
  broken: (chronicle) =>
    [...chronicle.groups.keys()].flatMap((group): readonly Broken[] => {
      const due = dueIn(chronicle, group);
      const late = due.filter(({ life, untilMs }) => givenUpAtMs(chronicle, life) > untilMs);
      const over = claimedIn(chronicle, group).flatMap(({ instance, atMs, most }): readonly Broken[] => {
        const open = underWay(chronicle, group, atMs).filter((life) => !isTaken(life, atMs)).length;
        return open <= most ? [] : [{ group, instance, atMs, detail: `${instance} is given up, and ${open} are under way: ${most} at a time` }];
      });
      const missed = late
        .filter(({ untilMs, most }) => underWay(chronicle, group, untilMs).length < most)
        .map(({ life: { instance }, untilMs }) => ({
          group,
          instance,
          atMs: untilMs,
          detail: `${instance} has never served, and it is not given up`,
        }));
      return [...missed, ...over];
    }),
};

export const neverServingComesLast: Rule = {
  name: 'a pool whose members never serve comes last',
  meaning:
    'After Holdfast reported on the event bus that it gave up members of a pool, it launches nothing in that pool while another pool of the policy would give the launch. This lasts ten minutes, and twice as long each further time, four hours at most. Members that were launched before the last report, and are given up after it, are no further time. It ends early when a member of that pool serves that was launched after those that were given up, or when the policy is written.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap(({ life, group, sinceMs }): readonly Broken[] => {
      const atMs = life.launchedAtMs;
      const [policy, ...others] = chronicle.policiesIn(group, sinceMs, atMs);
      const pool = policy && poolOf(life, policy, atMs);
      if (policy === undefined || others.length > 0 || pool === undefined) return [];
      const untilMs =
        neverServedUntil(chronicle, group, pool, sinceMs, sinceMs, tagsAt(life, Number.POSITIVE_INFINITY)['holdfast:reservation']) -
        times.reactMs -
        2 * chronicle.times.clockMs;
      if (untilMs <= atMs || servesSince(chronicle, group, { policy, pool, atMs })) return [];
      if (!givesAtAll({ chronicle, policy, moment: { group, sinceMs, atMs } }, policy.capacity)) return [];
      const detail = `${life.instance} was launched from ${pool}, whose members never served, while other pools would give`;
      return [{ group, instance: life.instance, atMs, detail }];
    }),
};

/** Whether something of a pool serves that was launched after its members that were given up. */
const servesSince = (chronicle: Chronicle, group: string, { policy, pool, atMs }: { policy: Policy; pool: string; atMs: number }): boolean => {
  const told = chronicle.of('announced').filter((one) => one.detailType === announcements.givenUp && one.detail.pool === pool && one.atMs <= atMs);
  const givenUp = new Set(told.flatMap(({ detail }): unknown[] => (Array.isArray(detail.instances) ? detail.instances : [])));
  const lives = chronicle.livesIn(group);
  const lastMs = Math.max(Number.NEGATIVE_INFINITY, ...lives.filter(({ instance }) => givenUp.has(instance)).map((one) => one.launchedAtMs));
  return lives.some(
    (one) => one.launchedAtMs > lastMs && one.launchedAtMs < atMs && poolOf(one, policy, atMs) === pool && chronicle.isReadyAt(one, atMs),
  );
};

/** The Auto Scaling group that a member was to join, if every look that may have led to this claim showed it without room. */
const fullAsg = (chronicle: Chronicle, group: string, life: Life, atMs: number): string | undefined => {
  const sinceMs = atMs - times.reactMs - chronicle.times.lagMs - chronicle.times.asgLagMs;
  const [asg, ...others] = [...new Set(chronicle.policiesIn(group, sinceMs, atMs).map((policy) => policy.asg))];
  const hasJoined = life.stays.some((stay) => stay.asg === asg && stay.fromMs <= atMs);
  if (asg === undefined || others.length > 0 || hasJoined || (life.runningAtMs ?? atMs) >= sinceMs) return undefined;
  const shown = within(chronicle.cloud.asgChanges(asg), sinceMs, atMs);
  return shown.length > 0 && shown.every(({ desired, max }) => desired >= max) ? asg : undefined;
};

export const roomIsWaitedFor: Rule = {
  name: 'who waits for room is not given up',
  meaning:
    'A member that runs and cannot join, because the Auto Scaling group of its policy is at its maximum, waits. Holdfast does not give it up because it never served. This holds where no look before the claim may have shown room.',
  broken: (chronicle) =>
    [...chronicle.groups.keys()].flatMap((group) =>
      chronicle.livesIn(group).flatMap((life): readonly Broken[] => {
        const [atMs, { instance }] = [givenUpAtMs(chronicle, life), life];
        const asg = atMs === Number.POSITIVE_INFINITY ? undefined : fullAsg(chronicle, group, life, atMs);
        return asg === undefined ? [] : [{ group, instance, atMs, detail: `${instance} is given up, and it waits for room in ${asg}` }];
      }),
    ),
};

export const unservedRules: readonly Rule[] = [neverServedIsGivenUp, neverServingComesLast, roomIsWaitedFor];

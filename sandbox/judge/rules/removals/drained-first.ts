import { movesIn } from '../../capacity/returning.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { couldBeKnown, headcountAt, ownLaunches } from '../../members/staying.ts';
import { draining, health, hindrances, look, type Way, ways } from '../../told/hindrance.ts';
import { takenOutByUs } from '../../told/leaving.ts';
import { wasDeniedLately } from '../../world/denied.ts';
import { endless, goneAtMs, type Life, warnedAtMs } from '../../world/life.ts';
import { closedAtMs } from '../drains/endings.ts';

type Broken = Omit<Finding, 'rule'>;

/** A drain is seen to be over by a clock that may be ahead, and its last call takes a moment. */
const toleranceMs = 2_000;

/** Whether nothing but advice makes this member leave. */
const isAdvisedAlone = (life: Life, atMs: number): boolean =>
  life.claims.findLast((claim) => claim.atMs <= atMs)?.reason === 'rebalance' &&
  warnedAtMs(life) === endless &&
  life.scheduled.length + life.hooks.length + life.backAtMs.length === 0;

/** Whether a member surely drains at a moment: Holdfast took it out of service, and its connections have time left. */
const drainsAt = (chronicle: Chronicle, group: string, life: Life, atMs: number): boolean => {
  if (goneAtMs(life) <= atMs || !isAdvisedAlone(life, atMs)) return false;
  const timeoutMs = Math.min(...chronicle.policiesIn(group, life.launchedAtMs, atMs).map(({ drainTimeoutMs }) => drainTimeoutMs));
  const slackMs = toleranceMs + 2 * chronicle.times.clockMs;
  return life.services.some(
    (service) =>
      takenOutByUs(service) &&
      service.untilMs <= atMs &&
      atMs < Math.min(closedAtMs(chronicle, life, service), service.untilMs + timeoutMs) - slackMs,
  );
};

/** Drains, the reads that they look by, and events about their members. */
const wayOfDrains: Way = { ...ways(look, health, draining), events: 'needed' };

/** Whether a fault acted that meets drains, or a user did something to the tables or to drains, so that a drain may have ended early. */
const isDisturbed = (chronicle: Chronicle, fromMs: number, untilMs: number): boolean =>
  hindrances(chronicle, wayOfDrains, fromMs, untilMs).some((one) => one.fromMs < untilMs && one.untilMs > fromMs);

/** How many of these drains hold no place: the desired size fell by so many after they had begun. */
const unreplaced = (chronicle: Chronicle, group: string, draining: readonly Life[], untilMs: number): number => {
  const written = (chronicle.groups.get(group)?.written ?? []).filter(({ atMs }) => atMs <= untilMs);
  const beganAt = draining.map(({ claims }) => claims.find(({ state }) => state === 'leaving')?.atMs ?? endless);
  return written.reduce((freed, { atMs, desired }, index) => {
    const fellBy = (written[index - 1]?.desired ?? desired) - desired;
    return fellBy <= 0 ? freed : Math.min(freed + fellBy, beganAt.filter((beganMs) => beganMs < atMs).length);
  }, 0);
};

export const drainedFirst: Rule = {
  name: 'with drain-first, a replacement comes after the drain',
  meaning:
    'With drain-first, a member that drains because of advice alone counts until its connections had their time. Together with the members that stay, these are no more than the desired size after a launch of Holdfast. As many of them as the size fell by meanwhile do not count. Neither do spares, launches for returns, launches soon after a denied one, and drains that met a fault.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap(({ life, group, sinceMs }): readonly Broken[] => {
      const atMs = life.launchedAtMs;
      const draining = chronicle.livesIn(group).filter((one) => drainsAt(chronicle, group, one, atMs));
      if (draining.length === 0 || movesIn(chronicle).has(life) || wasDeniedLately(chronicle, group, atMs)) return [];
      const beganMs = Math.min(...draining.flatMap(({ claims }) => claims.map((claim) => claim.atMs)));
      const policies = chronicle.policiesIn(group, beganMs, atMs);
      const isPlain = policies.every(({ order, spare, isSizedOutside }) => order === 'drain-first' && spare === 0 && !isSizedOutside);
      if (!isPlain || isDisturbed(chronicle, beganMs, atMs)) return [];
      const { staying, waiting } = headcountAt(chronicle, group, atMs, { order: life.order, sinceMs });
      const known = [...staying, ...waiting].filter((one) => couldBeKnown(chronicle, one, { sinceMs, atMs }));
      const desired = Math.max(0, ...chronicle.desiredIn(group, sinceMs, atMs));
      const held = draining.length - unreplaced(chronicle, group, draining, atMs);
      if (known.length + held <= desired) return [];
      const detail = `with this launch, ${known.length} members stay and ${held} drain, expected at most ${desired}`;
      return [{ group, instance: life.instance, atMs, detail }];
    }),
};

import { sparesKept } from '../../capacity/spares.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { type Choice, choicesOf, outByUs } from '../../members/choices.ts';
import { headcountAt, isStray } from '../../members/staying.ts';
import { times } from '../../times.ts';
import { isHealthy, knewAtMs } from '../../told/leaving.ts';
import { endless, forcedOutAtMs, goneAtMs, isProtected, type Life, lastBackMs, lastRefusalMs, stayAt } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** When Holdfast could first know that this one leaves without its choice: of a warning by its message, of an end by a message or a describe. */
const learnedAtMs = (chronicle: Chronicle, life: Life): number => {
  const { lagMs, asgLagMs } = chronicle.times;
  const told = life.deliveries.filter(
    ({ told: { about }, atMs, invocation }) => about === 'state' && atMs >= goneAtMs(life) && isHealthy(chronicle, invocation),
  );
  return Math.min(
    knewAtMs(chronicle, life),
    goneAtMs(life) + lagMs,
    ...told.map(({ atMs }) => atMs),
    ...life.hooks.map(({ atMs }) => atMs),
    ...life.stays.filter(({ how }) => how === 'terminating').map(({ untilMs }) => untilMs + asgLagMs),
  );
};

/** Members that leave, which the function that looked could not know: they count for it as before. */
const unseenAt = (chronicle: Chronicle, { group, chosenAtMs, lookedSinceMs }: Choice): readonly Life[] =>
  chronicle
    .livesIn(group)
    .filter(
      (life) =>
        life.launchedAtMs < chosenAtMs &&
        chronicle.groupAt(life, Math.min(chosenAtMs, goneAtMs(life) - 1)) === group &&
        forcedOutAtMs(life, lastBackMs(life, chosenAtMs)) <= chosenAtMs &&
        learnedAtMs(chronicle, life) > lookedSinceMs &&
        !life.claims.some(({ atMs }) => atMs < chosenAtMs) &&
        outByUs(life) >= chosenAtMs &&
        !isStray(chronicle, life, chosenAtMs),
    );

/** Whether its user put it into standby or detached it since a moment. It may serve on, and is no member any more. */
const isSetAside = (life: Life, sinceMs: number, atMs: number): boolean =>
  stayAt(life, atMs) === undefined &&
  life.stays.some(({ how, by, untilMs }) => (how === 'standby' || how === 'detached') && by?.kind === 'user' && untilMs > sinceMs && untilMs <= atMs);

/** Members that their user set aside so late that the function that looked could not know: they count for it as before. */
const setAsideSince = (chronicle: Chronicle, { group, chosenAtMs, lookedSinceMs }: Choice): readonly Life[] =>
  chronicle
    .livesIn(group)
    .filter((life) => isSetAside(life, lookedSinceMs - chronicle.times.asgLagMs, chosenAtMs) && !life.claims.some(({ atMs }) => atMs <= chosenAtMs));

const unasked = (chronicle: Chronicle, choices: readonly Choice[]): readonly Broken[] =>
  choices.flatMap((choice, index) => {
    const { life, group, chosenAtMs, lookedSinceMs, isAdvised, isMoved } = choice;
    if (isAdvised || isMoved || isStray(chronicle, life, chosenAtMs)) return [];
    const { staying, waiting } = headcountAt(chronicle, group, chosenAtMs);
    // Of several that were chosen at one moment, each leaves the others one fewer.
    const sameMoment = choices.slice(index).filter((one) => one.group === group && one.chosenAtMs === chosenAtMs && !one.isAdvised && !one.isMoved);
    const unknown = [...unseenAt(chronicle, choice), ...setAsideSince(chronicle, choice)];
    const before = [...new Set([...staying, ...waiting, ...sameMoment.map((one) => one.life), ...unknown])];
    const desired = Math.min(...chronicle.desiredShownIn(group, lookedSinceMs, chosenAtMs));
    const policies = chronicle.policiesIn(group, lookedSinceMs, chosenAtMs);
    const wanted = desired + sparesKept(policies, { life, atMs: chosenAtMs }, before, desired);
    if (before.length > wanted) return [];
    return [
      {
        group,
        instance: life.instance,
        atMs: chosenAtMs,
        detail: `${life.instance} is removed where ${before.length} stay and ${wanted} are wanted`,
      },
    ];
  });

export const needlessRemoval: Rule = {
  name: 'nobody is removed without need',
  meaning:
    'Holdfast chooses a member to leave only if at least one of these is true: a warning, advice or a hook takes the member; more members stay, as far as Holdfast can know, than the desired size (and, for members on spot, the spares that the policy wants, also where those above the size are on demand); the policy in force holds its members elsewhere; the member was given up because it never served. An instance that was stopped and runs again stays, if no swap of it was written before, or that swap is history. A size that others set counts for as long as a late describe of the Auto Scaling group may show it.',
  broken: (chronicle) => unasked(chronicle, choicesOf(chronicle)),
};

/** Why a member was not to be chosen: its Auto Scaling group showed it as protected, or EC2 had refused to end it within the hour. */
const protectionOf = (chronicle: Chronicle, { life, chosenAtMs, lookedSinceMs, isAdvised }: Choice): string | undefined => {
  if (chosenAtMs - lastRefusalMs(life, chosenAtMs - 1) < times.keptForMs - chronicle.times.clockMs) return 'EC2 refused to end it within the hour';
  const lagMs = Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
  const wasProtected = isProtected(life, chosenAtMs) && isProtected(life, lookedSinceMs - lagMs);
  return isAdvised || !wasProtected ? undefined : 'it is protected from scale-in';
};

export const protectedStay: Rule = {
  name: 'protected members stay',
  meaning:
    'Holdfast does not choose a member that its Auto Scaling group protects from scale-in, unless EC2 says that the member is at risk. For an hour after EC2 refused to Holdfast to end a member, Holdfast does not choose it again.',
  broken: (chronicle) =>
    choicesOf(chronicle).flatMap((choice) => {
      const why = protectionOf(chronicle, choice);
      const { life, group, chosenAtMs } = choice;
      return why === undefined ? [] : [{ group, instance: life.instance, atMs: chosenAtMs, detail: `${life.instance} was chosen to leave: ${why}` }];
    }),
};

/** Before this age, the reservation of an instance may only have been lost. */
const strayMinimumAgeMs = 300_000;

export const straysGetTime: Rule = {
  name: 'strays are given time',
  meaning:
    'Holdfast chooses an instance that carries the tag of a group, and that no pool, no reservation and no Auto Scaling group explains, to leave no sooner than five minutes after its launch.',
  broken: (chronicle) =>
    choicesOf(chronicle).flatMap(({ life, group, chosenAtMs }) => {
      const { instance, claims, launchedAtMs, warnings } = life;
      const isUnwanted = claims.some(({ atMs, reason }) => atMs === chosenAtMs && reason === 'unwanted');
      const ageMs = chosenAtMs - launchedAtMs;
      const isTold = isUnwanted && warnings.length === 0 && isStray(chronicle, life, chosenAtMs);
      if (!isTold || ageMs >= strayMinimumAgeMs - 2 * chronicle.times.clockMs) return [];
      return [{ group, instance, atMs: chosenAtMs, detail: `${instance} was chosen to leave ${Math.round(ageMs / 1_000)} s after its launch` }];
    }),
};

/** How many members stopped serving lately, or were set aside, without Holdfast's doing. No function could know of them yet. */
const lostLately = (chronicle: Chronicle, group: string, sinceMs: number, atMs: number): number =>
  chronicle.livesIn(group).filter((life) => {
    const wasMember = !isSetAside(life, Number.NEGATIVE_INFINITY, sinceMs);
    const began = [life.bootedAtMs ?? endless, ...life.services.map(({ fromMs }) => fromMs)].filter((fromMs) => fromMs > sinceMs && fromMs < atMs);
    const served = (wasMember && chronicle.servesAt(life, sinceMs)) || began.some((fromMs) => chronicle.servesAt(life, fromMs));
    return served && (!chronicle.servesAt(life, atMs) || isSetAside(life, sinceMs, atMs)) && !(outByUs(life) <= atMs);
  }).length;

const lookBackMs = 10_000;
/** Launch times have whole seconds, and checks that have just passed may be shown as waiting. */
const readySlackMs = 2_000;

/** Whether it was ready by the policy before the look that chose it. A member that is not ready needs no replacement that serves. */
const wasReady = (chronicle: Chronicle, { life, lookedSinceMs }: Choice): boolean =>
  chronicle.isReadyAt(life, lookedSinceMs - readySlackMs - 2 * chronicle.times.clockMs);

/**
 * Members at the moment when one is taken out of service. A group that was let go since it was chosen has the members that it had until then: nobody holds
 * its Auto Scaling group any more.
 */
const membersBeside = (
  chronicle: Chronicle,
  { group, chosenAtMs, outAtMs }: Choice,
): { readonly heldAtMs: number; readonly members: readonly Life[] } => {
  const last = chronicle.groups.get(group)?.policies.findLast(({ atMs }) => atMs <= outAtMs);
  const isLetGo = last !== undefined && last.policy === undefined && last.atMs > chosenAtMs;
  const heldAtMs = isLetGo ? last.atMs - 1 : outAtMs;
  return { heldAtMs, members: chronicle.membersAt(group, heldAtMs).filter((life) => !isLetGo || chronicle.servesAt(life, outAtMs)) };
};

export const successorServes: Rule = {
  name: 'a member whose end is ours to choose leaves only against a replacement that serves',
  meaning:
    'Holdfast takes a working member that need not leave out of service only while enough other members serve and are ready by the policy. With launch-first, that is the desired size. With drain-first, it may be up to maxSurge fewer for members at risk. If the group is let go after the choice, the members that it had until then count.',
  broken: (chronicle) =>
    choicesOf(chronicle).flatMap((choice) => {
      const { life, group, outAtMs, isAdvised, isMoved } = choice;
      if (!chronicle.servesAt(life, outAtMs - 1) || goneAtMs(life) < outAtMs || !wasReady(chronicle, choice)) return [];
      const sinceMs = outAtMs - lookBackMs - chronicle.times.lagMs;
      const policies = chronicle.policiesIn(group, sinceMs, outAtMs);
      const fewer = isAdvised || isMoved ? Math.max(0, ...policies.map(({ order, maxSurge }) => (order === 'drain-first' ? maxSurge : 0))) : 0;
      const { heldAtMs, members } = membersBeside(chronicle, choice);
      const readyBy = (byMs: number): number => members.filter((one) => one !== life && chronicle.isReadyAt(one, heldAtMs, byMs)).length;
      // A policy that comes into force while a member is taken out did not decide that.
      const others = Math.max(readyBy(heldAtMs), readyBy(Math.max(choice.lookedSinceMs, heldAtMs - lookBackMs)));
      const after = others + lostLately(chronicle, group, sinceMs, outAtMs);
      const wanted = Math.min(...chronicle.desiredIn(group, sinceMs, outAtMs)) - fewer;
      if (after >= wanted) return [];
      return [
        {
          group,
          instance: life.instance,
          atMs: outAtMs,
          detail: `${after} serve after ${life.instance} was taken out of service, ${wanted} are wanted`,
        },
      ];
    }),
};

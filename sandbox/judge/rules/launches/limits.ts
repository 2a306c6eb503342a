import { gaveNothingUntil, onDemandGives } from '../../capacity/capacity.ts';
import { givingOf } from '../../capacity/giving.ts';
import { hasShares, isOnDemand, mayBeOwed, overShares, owedBy, sharesOne, stayingWith } from '../../capacity/limits.ts';
import { leavingForOnDemand, movesIn } from '../../capacity/returning.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { choicesOf } from '../../members/choices.ts';
import { servesAgainMsIn } from '../../members/serves-again.ts';
import { headcountAt, isStray, ownLaunches } from '../../members/staying.ts';
import { actsSince } from '../../policy/modes.ts';
import type { Policy } from '../../policy/policy.ts';
import { usedPools } from '../../policy/tree.ts';
import { times } from '../../times.ts';
import { draining, health, hindrances, launching, look, ways } from '../../told/hindrance.ts';
import { refillNow } from '../../told/refill.ts';
import { goneAtMs, isFunction, isProtected, type Life, leavesAtMs } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type OwnLaunch = ReturnType<typeof ownLaunches>[number];

/** Policies that may have been followed, if all of them keep so many on demand. */
const flooredIn = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): readonly Policy[] => {
  const policies = chronicle.policiesIn(group, fromMs, untilMs);
  return policies.every(({ onDemand }) => onDemand !== undefined) ? policies : [];
};

/** The least that these policies want on demand at these sizes. */
const leastOwed = (policies: readonly Policy[], sizes: readonly number[]): number =>
  policies.length === 0 || sizes.length === 0 ? 0 : Math.min(...policies.map((policy) => owedBy(policy, Math.min(...sizes))));

/** Whether the group had its size without a launch, as far as its function could know, and its policy wants spares. Those are on spot alone. */
const isSpare = (chronicle: Chronicle, launch: OwnLaunch): boolean => {
  const { life, group, sinceMs } = launch;
  const atMs = life.launchedAtMs;
  const hasSpares = chronicle.policiesIn(group, sinceMs, atMs).some(({ spare }) => spare > 0);
  const coming = refillNow(chronicle, group, atMs);
  return hasSpares && stayingWith(chronicle, launch).length + coming > Math.max(0, ...chronicle.desiredIn(group, sinceMs, atMs));
};

/** On demand, and a member for all that the function of a launch could know: decided before it, and not known to have ended. */
const perhapsOnDemand = (chronicle: Chronicle, { life: { launchedAtMs: atMs }, group, sinceMs }: OwnLaunch): readonly Life[] => {
  const decidedAtMs = new Map(ownLaunches(chronicle).map((one) => [one.life, one.sinceMs]));
  const { lagMs, asgLagMs, launchCallMs } = chronicle.times;
  return chronicle
    .livesIn(group)
    .filter(
      (life) =>
        isOnDemand(life) &&
        life.launchedAtMs <= atMs + launchCallMs + times.reactMs &&
        (decidedAtMs.get(life) ?? life.launchedAtMs) <= atMs &&
        goneAtMs(life) > sinceMs - Math.max(lagMs, asgLagMs) - times.messageAgainMs,
    );
};

/** What Auto Scaling groups were about to launch: beside that, one launched on spot may be a spare. */
const comingByThemselves = (chronicle: Chronicle, group: string, atMs: number): number =>
  chronicle.livesIn(group).filter(({ by, launchedAtMs }) => by.kind === 'asg' && launchedAtMs > atMs && launchedAtMs <= atMs + times.asgRefillMs)
    .length;

export const floorFirst: Rule = {
  name: 'what is owed on demand is launched first',
  meaning:
    'While a group has less on demand than its policy asks for, and an on-demand pool of the tree would give a member, no missing member of the size is launched on spot.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap((launch): readonly Broken[] => {
      const { life, group, sinceMs } = launch;
      const atMs = life.launchedAtMs;
      if (isOnDemand(life) || movesIn(chronicle).has(life) || isSpare(chronicle, launch)) return [];
      const policies = flooredIn(chronicle, group, sinceMs, atMs);
      const sizes = chronicle.desiredIn(group, sinceMs, atMs);
      // What is launched beyond the size is a spare, or for members that leave.
      const coming = policies.some(({ spare }) => spare > 0) ? comingByThemselves(chronicle, group, atMs) : 0;
      if (stayingWith(chronicle, launch).length + coming > Math.max(0, ...sizes)) return [];
      const owed = leastOwed(policies, sizes);
      const held = perhapsOnDemand(chronicle, launch).length;
      if (held >= owed) return [];
      const moment = { group, sinceMs, atMs, ...(isFunction(life.by) && { invocation: life.by.invocation }) };
      const gives = policies.every((policy) =>
        usedPools(policy).some((pool) => pool.market === 'on-demand' && givingOf(chronicle, policy, pool, moment).length > 0),
      );
      if (!gives) return [];
      return [{ group, instance: life.instance, atMs, detail: `${life.instance} is on spot, ${held} are on demand and ${owed} are owed` }];
    }),
};

export const floorLeft: Rule = {
  name: 'nobody on demand is let go who is owed',
  meaning: 'When Holdfast chooses a member on demand to leave, as many stay on demand as the policy asks for at the desired size in force.',
  broken: (chronicle) => {
    const choices = choicesOf(chronicle);
    return choices.flatMap(({ life, group, chosenAtMs, lookedSinceMs, isAdvised, isMoved }): readonly Broken[] => {
      if (!isOnDemand(life) || isAdvised || isMoved || isStray(chronicle, life, chosenAtMs)) return [];
      const owed = leastOwed(flooredIn(chronicle, group, lookedSinceMs, chosenAtMs), chronicle.desiredIn(group, lookedSinceMs, chosenAtMs));
      // Members that were chosen later, or whose end Holdfast could not know, counted for this choice.
      const goes = new Set(choices.filter((one) => one.group === group && one.chosenAtMs <= chosenAtMs).map((one) => one.life));
      const lagMs = Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs) + times.messageAgainMs;
      const left = chronicle
        .livesIn(group)
        .filter((one) => isOnDemand(one) && !goes.has(one) && one.launchedAtMs <= chosenAtMs && goneAtMs(one) > lookedSinceMs - lagMs).length;
      if (left >= owed) return [];
      return [{ group, instance: life.instance, atMs: chosenAtMs, detail: `${left} are on demand without ${life.instance}, and ${owed} are owed` }];
    });
  },
};

/** A time in which a group had less on demand than it owes. */
type Short = { readonly fromMs: number; readonly untilMs: number; readonly by: number };

const shortAt = (chronicle: Chronicle, group: string, atMs: number): number => {
  const policy = chronicle.policyAt(group, atMs);
  const sizes = chronicle.desiredIn(group, atMs, atMs);
  if (policy?.onDemand === undefined || sizes.length === 0) return 0;
  const { staying, waiting } = headcountAt(chronicle, group, atMs);
  return owedBy(policy, Math.min(...sizes)) - [...staying, ...waiting].filter(isOnDemand).length;
};

const shortagesOf = (chronicle: Chronicle, group: string): readonly Short[] => {
  const { readyAtMs, endedAtMs } = chronicle.history;
  const { policies = [], written = [] } = chronicle.groups.get(group) ?? {};
  if (!policies.some(({ policy }) => policy?.onDemand !== undefined)) return [];
  const moments = [
    readyAtMs,
    ...policies.map(({ atMs }) => atMs),
    ...written.map(({ atMs }) => atMs),
    ...chronicle.livesIn(group).flatMap((life) => [life.launchedAtMs, goneAtMs(life), ...life.backAtMs, leavesAtMs(life, Number.POSITIVE_INFINITY)]),
  ].filter((atMs) => atMs >= readyAtMs && atMs <= endedAtMs);
  const found: Short[] = [];
  let open: { readonly fromMs: number; by: number } | undefined;
  for (const atMs of [...new Set(moments)].sort((a, b) => a - b)) {
    const by = shortAt(chronicle, group, atMs);
    if (by > 0) open = { fromMs: open?.fromMs ?? atMs, by: Math.max(open?.by ?? 0, by) };
    if (by <= 0 && open !== undefined) {
      found.push({ ...open, untilMs: atMs });
      open = undefined;
    }
  }
  return open === undefined ? found : [...found, { ...open, untilMs: endedAtMs }];
};

/** Whether a member on spot may leave for one on demand, at the end of a shortage. */
const someMayLeave = (chronicle: Chronicle, group: string, atMs: number): boolean =>
  headcountAt(chronicle, group, atMs).staying.some((life) => !isOnDemand(life) && !isProtected(life, atMs));

/** Looks, launches that serve, and the drains of whom they replace. */
const wayOfMoves = ways(look, health, launching, draining);

/**
 * When nothing more prevented the launches that are owed. These prevent them: a fault of a call that they need, a mode that launches nothing, another policy or size, lost members, and
 * on-demand pools without capacity.
 */
const freeFrom = (chronicle: Chronicle, group: string, { fromMs, untilMs }: Short): number => {
  const { policies = [], written = [] } = chronicle.groups.get(group) ?? {};
  const within = (atMs: number): boolean => atMs > fromMs && atMs < untilMs;
  const faults = hindrances(chronicle, wayOfMoves, fromMs, untilMs).map((fault) => Math.min(fault.untilMs, untilMs));
  const changes = [...policies, ...written].map(({ atMs }) => atMs).filter(within);
  const losses = chronicle.livesIn(group).flatMap((life) => [goneAtMs(life), ...life.warnings.map(({ atMs }) => atMs)].filter(within));
  const openedMs = gaveNothingUntil(chronicle, group, fromMs, untilMs, onDemandGives);
  return Math.max(fromMs, actsSince(chronicle, group, untilMs), openedMs, ...faults, ...changes, ...losses);
};

/** As many move at once as the surge allows, and each move takes a look, a launch, its boot, and the drain of who leaves. */
const boundMs = (chronicle: Chronicle, group: string, { maxSurge, drainTimeoutMs }: Policy, by: number): number =>
  (1 + Math.ceil(by / maxSurge)) * (servesAgainMsIn(chronicle, group) + drainTimeoutMs + times.servesAgainMs + times.tickMs);

export const floorHeld: Rule = {
  name: 'as many are on demand as are owed, soon after on-demand gives them',
  meaning:
    'A group has as many members on demand as its policy asks for. It may have fewer for as long as the missing moves take, `maxSurge` at a time. The time counts from the last trouble, and from when an on-demand pool gives. One to which an Auto Scaling group undid moves gives none for as long as the policy says.',
  broken: (chronicle) =>
    [...chronicle.groups.keys()].flatMap((group) =>
      shortagesOf(chronicle, group).flatMap((short): readonly Broken[] => {
        const policy = chronicle.policyAt(group, short.untilMs - 1);
        if (policy === undefined || !someMayLeave(chronicle, group, short.untilMs - 1)) return [];
        const freeMs = freeFrom(chronicle, group, short);
        if (short.untilMs - freeMs <= boundMs(chronicle, group, policy, short.by)) return [];
        const detail = `${short.by} fewer than owed were on demand for ${Math.round((short.untilMs - freeMs) / 1_000)} s`;
        return [{ group, atMs: short.untilMs, detail }];
      }),
    ),
};

/** Whom a launch beyond the size may replace: members in worse places, or on spot where so many are owed on demand. */
const replacedBy = (chronicle: Chronicle, policy: Policy, launch: OwnLaunch, held: readonly Life[]): readonly Life[] => {
  const { life } = launch;
  const worse = movesIn(chronicle).get(life)?.worse ?? [];
  const onSpot = mayBeOwed(chronicle, policy, launch) ? leavingForOnDemand(life, held) : [];
  return [...worse, ...onSpot];
};

/** What a launch puts over its share, among these members. A launch beyond the size is for members that leave it: as many may be of the share. */
const exceededAmong = (chronicle: Chronicle, policy: Policy, launch: OwnLaunch, held: readonly Life[]): string | undefined => {
  const { life, group, sinceMs } = launch;
  const size = Math.max(0, ...chronicle.desiredIn(group, sinceMs, life.launchedAtMs));
  const beyond = Math.max(0, held.length - size);
  const leaving = replacedBy(chronicle, policy, launch, held);
  const over = overShares(policy, life, held, size).find((share) => {
    const ofShare = leaving.filter((one) => sharesOne(share, one, life)).length;
    return share.held - Math.min(beyond, ofShare) > share.most;
  });
  return over && `${over.name} holds ${over.held} with ${life.instance}, and its share is ${over.most}`;
};

/** What a launch puts over its share by this policy, whether or not its function knew already who left since its look. */
const exceeded = (chronicle: Chronicle, policy: Policy, launch: OwnLaunch): string | undefined => {
  const held = stayingWith(chronicle, launch);
  const left = headcountAt(chronicle, launch.group, launch.sinceMs).staying.filter((one) => !held.includes(one));
  const details = [held, [...left, ...held]].map((members) => exceededAmong(chronicle, policy, launch, members));
  return details.includes(undefined) ? undefined : details[0];
};

export const sharesHold: Rule = {
  name: 'shares hold',
  meaning:
    'At every launch of Holdfast, its instance type, its zone and its offering each hold no more members than `maxShare` allows of the size. Members that a launch beyond the size replaces do not count.',
  broken: (chronicle) =>
    ownLaunches(chronicle).flatMap((launch): readonly Broken[] => {
      const { life, group, sinceMs } = launch;
      const policies = chronicle.policiesIn(group, sinceMs, life.launchedAtMs);
      if (policies.length === 0 || !policies.every(hasShares)) return [];
      const details = policies.map((policy) => exceeded(chronicle, policy, launch));
      const [first] = details;
      return first === undefined || details.includes(undefined) ? [] : [{ group, instance: life.instance, atMs: life.launchedAtMs, detail: first }];
    }),
};

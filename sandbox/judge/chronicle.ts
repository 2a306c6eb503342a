import { withWeighed } from './capacity/weighed.ts';
import type { History, HistoryEvent } from './history.ts';
import { belongings, groupFinder, memberFinder } from './members/belonging.ts';
import { latest, within } from './policy/in-force.ts';
import { asgsOf, type Policy, readPolicy, targetGroupName } from './policy/policy.ts';
import { rememberedBy } from './remembered.ts';
import { type Times, timesOf } from './times.ts';
import { type Cloud, cloudOf } from './world/cloud.ts';
import { covers, isAlive, isWarmAt, type Life, leavesAtMs, stayAt } from './world/life.ts';
import { livesOf } from './world/lives.ts';
import { type Since, type Word, wordsOf } from './world/outside.ts';

/** A policy, and when it came into force. Without a policy, the group was let go. */
export type InForce = { readonly atMs: number; readonly version?: number; readonly policy?: Policy };
export type Written = Extract<HistoryEvent, { readonly kind: 'state-written' }>;

/** What was in force for a group over time. */
export type GroupTimeline = {
  readonly group: string;
  readonly policies: readonly InForce[];
  /** The same, parted where a size of an Auto Scaling group begins or ceases to count weights. */
  readonly modes: readonly InForce[];
  readonly written: readonly Written[];
  /** When a user deleted its state item. */
  readonly lostAtMs: readonly number[];
};

export type Invocation = {
  readonly id: string;
  readonly function: string;
  readonly beganAtMs: number;
  readonly ended?: Extract<HistoryEvent, { readonly kind: 'invocation-ended' }>;
  readonly deliveries: readonly Extract<HistoryEvent, { readonly kind: 'delivered' }>[];
  /** The drain of whose workflow it is a step. */
  readonly drain?: string;
};

/** What rules read: the events of a run as lives of instances and timelines of groups. */
export type Chronicle = {
  readonly history: History;
  readonly times: Times;
  readonly lives: readonly Life[];
  readonly life: (instance: string) => Life | undefined;
  readonly groups: ReadonlyMap<string, GroupTimeline>;
  readonly cloud: Cloud;
  readonly invocations: ReadonlyMap<string, Invocation>;
  readonly of: <Kind extends HistoryEvent['kind']>(kind: Kind) => readonly Extract<HistoryEvent, { readonly kind: Kind }>[];
  /** The policy in force for a group. */
  readonly policyAt: (group: string, atMs: number) => Policy | undefined;
  /** Every policy that was in force at some time between the two. */
  readonly policiesIn: (group: string, fromMs: number, untilMs: number) => readonly Policy[];
  /** Sizes that others set on the Auto Scaling group whose size the group has, in order. Undefined where the policy sets the size. */
  readonly wordsFor: (group: string, atMs: number) => readonly Word[] | undefined;
  /** Desired sizes that were in force at some time between the two: where others set the size, by what they wrote. */
  readonly desiredIn: (group: string, fromMs: number, untilMs: number) => readonly number[];
  /**
   * The same, each size beyond the maximum of the policy as others wrote it. Their Auto Scaling group launches what is beyond that maximum, and Holdfast does
   * not.
   */
  readonly wantedIn: (group: string, fromMs: number, untilMs: number) => readonly number[];
  /**
   * The same, as a look that began at the first of the two may have shown it. Describes of Auto Scaling groups may be late, so a size that others set counts
   * for that much longer. A size that the policy sets is read from the state, which is never late.
   */
  readonly desiredShownIn: (group: string, sinceMs: number, untilMs: number) => readonly number[];
  /** The group that an instance belongs to: its Auto Scaling group's, or else the one that its tag names. */
  readonly groupAt: (life: Life, atMs: number) => string | undefined;
  /** All instances that ever belonged to a group. */
  readonly livesIn: (group: string) => readonly Life[];
  /** Instances of this group that have not ended, including those that leave. One that was stopped and runs again is there by its present run. */
  readonly membersAt: (group: string, atMs: number) => readonly Life[];
  /** Those of these instances that are members of this group. */
  readonly membersAmong: (some: readonly Life[], group: string, atMs: number) => readonly Life[];
  /**
   * Whether every target group that it should serve sends it requests. Without a target group, whether it has booted. One that an earlier policy left outside
   * of the Auto Scaling groups of its pools should serve none: it serves where a target group of this or an earlier policy sends it requests.
   */
  readonly servesAt: (life: Life, atMs: number) => boolean;
  /**
   * Whether it serves, and counts as ready by the policy of its group: warmed up, or past the status checks. `byMs`: when that policy was in force, if not
   * at this moment.
   */
  readonly isReadyAt: (life: Life, atMs: number, byMs?: number) => boolean;
  /** Target groups that an instance should serve. */
  readonly targetsOf: (life: Life, atMs: number) => readonly string[];
};

const timelinesOf = (history: History, cloud: Cloud): ReadonlyMap<string, GroupTimeline> => {
  const groups = new Map<string, { group: string; policies: InForce[]; written: Written[]; lostAtMs: number[] }>();
  const of = (group: string) => {
    const found = groups.get(group) ?? { group, policies: [], written: [], lostAtMs: [] };
    groups.set(group, found);
    return found;
  };
  for (const event of history.events) {
    if (event.kind === 'state-written') of(event.group).written.push(event);
    if (event.kind === 'state-deleted' && event.by.kind === 'user') of(event.group).lostAtMs.push(event.atMs);
    if (event.kind !== 'policy-in-force') continue;
    const { atMs, version, document } = event;
    of(event.group).policies.push({
      atMs,
      ...(version === undefined ? {} : { version }),
      ...(document === undefined ? {} : { policy: readPolicy(document, history.spec) }),
    });
  }
  return new Map([...groups].map(([name, one]) => [name, { ...one, modes: withWeighed(one.policies, cloud) }]));
};

const invocationsOf = ({ events }: History): ReadonlyMap<string, Invocation> => {
  type Draft = { -readonly [Key in keyof Invocation]: Invocation[Key] } & { deliveries: Invocation['deliveries'][number][] };
  const found = new Map<string, Draft>();
  const of = (id: string, name: string, atMs: number): Draft => {
    const one = found.get(id) ?? { id, function: name, beganAtMs: atMs, deliveries: [] };
    found.set(id, one);
    return one;
  };
  const note = (one: Draft, { drain }: { readonly drain?: string }): Draft => Object.assign(one, drain !== undefined && { drain });
  for (const event of events) {
    if (event.kind === 'invocation-began') note(of(event.invocation, event.function, event.atMs), event);
    if (event.kind === 'delivered') of(event.invocation, event.function, event.atMs).deliveries.push(event);
    if (event.kind === 'invocation-ended') note(of(event.invocation, event.function, event.startedAtMs), event).ended = event;
  }
  return found;
};

const serviceLooks = (
  history: History,
  { policyAt, policiesIn, groupAt, times }: Pick<Chronicle, 'policyAt' | 'policiesIn' | 'groupAt' | 'times'>,
): Pick<Chronicle, 'servesAt' | 'isReadyAt' | 'targetsOf'> => {
  const targetsOfAsg = new Map(history.spec.autoScalingGroups.map(({ name, targetGroups = [] }) => [name, targetGroups.map(targetGroupName)]));
  const targetsBy = (life: Life, atMs: number, byMs: number): readonly string[] => {
    const group = groupAt(life, atMs);
    const policy = group === undefined ? undefined : policyAt(group, byMs);
    const asg = stayAt(life, atMs)?.asg ?? policy?.asg;
    return [...new Set([...(policy?.targetGroups ?? []), ...(asg === undefined ? [] : (targetsOfAsg.get(asg) ?? []))])];
  };
  // An earlier policy may leave a member outside of the Auto Scaling groups that hold members now. No policy registers it any more.
  const knownOutside = (life: Life, atMs: number, byMs: number): readonly string[] => {
    const group = groupAt(life, atMs) ?? '';
    const policy = policyAt(group, byMs);
    if (stayAt(life, atMs) !== undefined || policy === undefined || policy.asg !== undefined || asgsOf(policy).length === 0) return [];
    const policies = policiesIn(group, Number.NEGATIVE_INFINITY, byMs);
    return policies.flatMap((one) => [...one.targetGroups, ...asgsOf(one).flatMap((asg) => targetsOfAsg.get(asg) ?? [])]);
  };
  const servesBy = (life: Life, atMs: number, byMs: number): boolean => {
    if (!isAlive(life, atMs)) return false;
    const wanted = targetsBy(life, atMs, byMs);
    const isIn = (targetGroup: string): boolean => life.services.some((service) => service.targetGroup === targetGroup && covers(service, atMs));
    if (wanted.length > 0) return wanted.every(isIn);
    const known = knownOutside(life, atMs, byMs);
    return known.length > 0 ? known.some(isIn) : (life.bootedAtMs ?? Number.POSITIVE_INFINITY) <= atMs;
  };
  const isReadyAt: Chronicle['isReadyAt'] = (life, atMs, byMs = atMs) => {
    const { ready } = policyAt(groupAt(life, atMs) ?? '', byMs) ?? {};
    const isWarm = isWarmAt(life, ready?.afterMs ?? 0, atMs, times);
    return servesBy(life, atMs, byMs) && isWarm && (ready?.isChecked !== true || (life.passedAtMs ?? Number.POSITIVE_INFINITY) <= atMs);
  };
  return {
    servesAt: (life, atMs) => servesBy(life, atMs, atMs),
    isReadyAt,
    targetsOf: (life, atMs) => targetsBy(life, atMs, atMs),
  };
};

const indexOf = ({ events }: History): Chronicle['of'] => {
  const byKind = Map.groupBy(events, ({ kind }) => kind);
  return (kind) => (byKind.get(kind) ?? []) as never;
};

/** The time since which all policies of a group have taken its size from this Auto Scaling group. */
const sizedOutsideSince = (policies: readonly InForce[], atMs: number): Pick<Since, 'asg' | 'sinceMs'> | undefined => {
  const past = policies.filter((one) => one.atMs <= atMs);
  const now = past.at(-1)?.policy;
  if (now?.asg === undefined || !now.isSizedOutside) return undefined;
  const { asg } = now;
  const other = past.findLastIndex(({ policy }) => policy?.asg !== asg || !policy.isSizedOutside);
  return { asg, sinceMs: past[other + 1]?.atMs ?? atMs };
};

/** The same of the policy, of any group, that was in force there before. Undefined where that policy set the size itself. */
const sizedOutsideBefore = (groups: ReadonlyMap<string, GroupTimeline>, { asg, sinceMs }: Pick<Since, 'asg' | 'sinceMs'>): number | undefined => {
  const named = [...groups.values()].flatMap(({ policies }) =>
    policies.filter((one) => one.policy?.asg === asg && one.atMs < sinceMs).map(({ atMs }) => ({ atMs, policies })),
  );
  const last = named.toSorted((a, b) => a.atMs - b.atMs).at(-1);
  return last && sizedOutsideSince(last.policies, last.atMs)?.sinceMs;
};

const sizeLooks = (
  history: History,
  cloud: Cloud,
  groups: ReadonlyMap<string, GroupTimeline>,
  { asgLagMs }: Times,
): Pick<Chronicle, 'wordsFor' | 'desiredIn' | 'wantedIn' | 'desiredShownIn'> => {
  const known = new Map<string, readonly Word[]>();
  const wordsFor: Chronicle['wordsFor'] = (group, atMs) => {
    const since = sizedOutsideSince(groups.get(group)?.policies ?? [], atMs);
    if (since === undefined) return undefined;
    const key = `${since.asg} ${since.sinceMs}`;
    const words = known.get(key) ?? wordsOf(history, cloud, { ...since, beforeMs: sizedOutsideBefore(groups, since) }, asgLagMs);
    known.set(key, words);
    return words;
  };
  const outsideIn = (group: string, words: readonly Word[], fromMs: number, untilMs: number): readonly number[] => {
    const policy = latest(groups.get(group)?.policies ?? [], untilMs)?.policy;
    const heard = within(words, fromMs, untilMs);
    const shown = heard.some(({ isBetween }) => isBetween) ? within(cloud.asgChanges(policy?.asg ?? ''), fromMs, untilMs) : [];
    return [...heard.map(({ size }) => size), ...shown.map(({ desired }) => desired)];
  };
  const asgOf = (group: string, atMs: number) => cloud.asgChanges(latest(groups.get(group)?.policies ?? [], atMs)?.policy?.asg ?? '');
  const wantedIn: Chronicle['wantedIn'] = (group, fromMs, untilMs) => {
    const words = wordsFor(group, untilMs);
    if (words !== undefined) return outsideIn(group, words, fromMs, untilMs);
    const sizes = within(groups.get(group)?.written ?? [], fromMs, untilMs).map(({ desired }) => desired);
    // Members cannot join an Auto Scaling group that was deleted.
    const found = within(asgOf(group, untilMs), fromMs, untilMs);
    const gone = found.filter(({ isGone }) => isGone).length;
    return gone === 0 ? sizes : [...(gone < found.length ? sizes : []), 0];
  };
  const desiredIn: Chronicle['desiredIn'] = (group, fromMs, untilMs) => {
    const wanted = wantedIn(group, fromMs, untilMs);
    const most = latest(groups.get(group)?.policies ?? [], untilMs)?.policy?.size.max;
    return most === undefined || wordsFor(group, untilMs) === undefined ? wanted : wanted.map((size) => Math.min(size, most));
  };
  return {
    wordsFor,
    desiredIn,
    wantedIn,
    desiredShownIn: (group, sinceMs, untilMs) => {
      const isRead = wordsFor(group, untilMs) === undefined && !asgOf(group, untilMs).some(({ isGone }) => isGone);
      return desiredIn(group, isRead ? sinceMs : sinceMs - asgLagMs, untilMs);
    },
  };
};

/** Folds a history. */
export const chronicleOf = (history: History): Chronicle => {
  const lives = livesOf(history);
  const byId = new Map(lives.map((life) => [life.instance, life]));
  const cloud = cloudOf(history, lives);
  const groups = timelinesOf(history, cloud);
  const groupAt = rememberedBy(groupFinder(groups));
  const groupsOf = belongings(lives, groups, groupAt);
  const members = memberFinder(lives, groups, groupAt);
  const times = timesOf(history);
  const policyAt: Chronicle['policyAt'] = (group, atMs) => latest(groups.get(group)?.modes ?? [], atMs)?.policy;
  const policiesIn: Chronicle['policiesIn'] = (group, fromMs, untilMs) =>
    within(groups.get(group)?.modes ?? [], fromMs, untilMs).flatMap(({ policy }) => policy ?? []);
  return {
    history,
    times,
    lives,
    life: (instance) => byId.get(instance),
    groups,
    cloud,
    invocations: invocationsOf(history),
    of: indexOf(history),
    policyAt,
    policiesIn,
    ...sizeLooks(history, cloud, groups, times),
    groupAt,
    livesIn: (group) => groupsOf.get(group)?.lives ?? [],
    membersAt: (group, atMs) => members.all(groupsOf.get(group) ?? { group, lives: [] }, atMs),
    membersAmong: (some, group, atMs) => members.among({ group, lives: some }, atMs),
    ...serviceLooks(history, { policyAt, policiesIn, groupAt, times }),
  };
};

/** Whether it stays a member, in the world's own record. Advice does not count. */
export const stays = (life: Life, atMs: number): boolean => leavesAtMs(life, atMs) > atMs;

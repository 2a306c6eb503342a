import { allSettled } from '../../../aws/calls/in-parallel.ts';
import { holderOf } from '../../../aws/state/asg-holder.ts';
import type { Owner, Owners } from '../../../core/ports/owners.ts';
import type { RegistryEntry, StateStore } from '../../../core/ports/state-store.ts';
import { type Signal, signalKindOf } from '../../../core/signals/signal.ts';
import type { News, Subject } from '../../../core/signals/signal-kind.ts';
import { unshownAgainAtMs } from '../../../core/times/again.ts';
import { unknownPatienceMs } from '../../../core/times/times.ts';
import { createFactsByGroup, type Facts } from './facts.ts';
import type { SeenMembers } from './seen-members.ts';
import { isMadeUpFor, isSurelyStrange, type Strangers } from './strangers.ts';

/** A signal and the message that brought it. */
export type Received = { readonly message: string; readonly signal: Signal };

/** Signals sorted by the groups that they concern. */
export type Routed = {
  readonly facts: readonly Facts[];
  /** Messages about instances, alarms or Auto Scaling groups that are not ours. */
  readonly strangers: number;
  /** Messages to be delivered again. */
  readonly again: readonly string[];
  /** When those of them come again that are about an instance that EC2 does not show yet. */
  readonly soon: ReadonlyMap<string, number>;
};

type Claims = Pick<StateStore, 'claimOf'>;

const subjectOf = (signal: Signal): Subject => signalKindOf(signal).about(signal);

const instanceOf = (signal: Signal): string | undefined => {
  const subject = subjectOf(signal);
  return 'instance' in subject ? subject.instance : undefined;
};

/** The Auto Scaling group that a signal is about: by the signal, or else that of its instance. */
const asgOf = (signal: Signal, owner: Owner | undefined): string | undefined => {
  const subject = subjectOf(signal);
  return ('asg' in subject ? subject.asg : undefined) ?? owner?.asg;
};

/** Groups by the Auto Scaling groups that signals are about, and by the alarms that they name. */
const indexRegistry = async (registry: readonly RegistryEntry[], asgs: ReadonlySet<string>, claims: Claims) => ({
  byAsg: new Map(await allSettled([...asgs].map(async (asg) => [asg, await holderOf(asg, registry, claims)] as const))),
  byAlarm: Map.groupBy(
    registry.flatMap(({ group, alarms }) => alarms.map((alarm) => ({ alarm, group }))),
    ({ alarm }) => alarm,
  ),
});

type Index = Awaited<ReturnType<typeof indexRegistry>>;

/** The event names an Auto Scaling group that does not hold the instance. */
const isMisplaced = (subject: Subject, owner: Owner | undefined): boolean =>
  'instance' in subject && subject.asg !== undefined && owner?.asg !== undefined && owner.asg !== subject.asg;

const groupsOf = (signal: Signal, owner: Owner | undefined, index: Index): readonly string[] => {
  const subject = subjectOf(signal);
  if ('groups' in subject) return subject.groups;
  if ('alarm' in subject) return (index.byAlarm.get(subject.alarm) ?? []).map(({ group }) => group);
  if (isMisplaced(subject, owner)) return [];
  // Facts belong to the instance. The present holder of its Auto Scaling group takes precedence over its tag, whose
  // group may have another name by now.
  const group = index.byAsg.get(subject.asg ?? owner?.asg ?? '') ?? owner?.group;
  return group === undefined ? [] : [group];
};

/** Whether a signal is a minute tick, which only says that time has passed. Wakes of Holdfast are not. */
export const isMinuteTick = (signal: Signal): boolean => signal.kind === 'tick' && signal.isScheduled;

/** Whether the signal itself names its groups. */
export const namesGroup = (signal: Signal): boolean => 'groups' in subjectOf(signal);

const newsOf = (signal: Signal, owner: Owner | undefined, nowMs: number): Partial<News> => {
  const kind = signalKindOf(signal);
  return kind.isOver(signal, owner, nowMs) ? {} : kind.adds(signal, owner);
};

/**
 * An instance that no describe shows yet: its signal is delivered again while it is young, where its kind asks
 * for that.
 */
const notShownYet = (signal: Signal, owner: Owner | undefined, nowMs: number): boolean =>
  instanceOf(signal) !== undefined &&
  owner === undefined &&
  signalKindOf(signal).comesAgain === 'always' &&
  nowMs - signal.atMs < unknownPatienceMs;

/** Changes of state come of every instance of the account: those of known strangers are not looked up again. */
const ofStrangers = (received: readonly Received[], strangers: Strangers, nowMs: number): readonly Received[] => {
  return received.filter(({ signal }) => isMadeUpFor(signal) && strangers.has(instanceOf(signal) ?? '', nowMs));
};

/** Owners of instances: as earlier looks showed them where that is enough, of all others as EC2 shows them now. */
const findOwners = async (
  received: readonly Received[],
  { owners, seen }: Pick<Directory, 'owners' | 'seen'>,
  nowMs: number,
): Promise<ReadonlyMap<string, Owner>> => {
  const remembered = new Map<string, Owner>();
  const asked = new Set<string>();
  for (const { signal } of received) {
    const instance = instanceOf(signal);
    const owner = seen.ownerOf(signal, nowMs);
    if (instance === undefined) continue;
    if (owner === undefined) asked.add(instance);
    else remembered.set(instance, owner);
  }
  return asked.size === 0 ? remembered : new Map([...remembered, ...(await owners.ownersOf([...asked]))]);
};

/** Where the groups of instances are found. */
type Directory = {
  readonly owners: Owners;
  readonly strangers: Strangers;
  readonly seen: SeenMembers;
  readonly claims: Claims;
};

/**
 * Finds the group of every signal. Instances are looked up together, whatever their number. The registry is read once,
 * and only when a signal does not name its group.
 */
export const route = async (
  all: readonly Received[],
  { owners, strangers, seen, claims }: Directory,
  readRegistry: () => Promise<readonly RegistryEntry[]>,
  nowMs: number,
): Promise<Routed> => {
  if (all.some(({ signal }) => signal.kind === 'policy-change')) for (const known of [strangers, seen]) known.forget();
  const passedOver = ofStrangers(all, strangers, nowMs);
  const received = all.filter((one) => !passedOver.includes(one));
  const known = await findOwners(received, { owners, seen }, nowMs);
  const ownerOf = (signal: Signal): Owner | undefined => known.get(instanceOf(signal) ?? '');
  const needsNames = received.some(({ signal }) => !namesGroup(signal));
  const asgs = new Set(received.flatMap(({ signal }) => asgOf(signal, ownerOf(signal)) ?? []));
  const index = await indexRegistry(needsNames ? await readRegistry() : [], asgs, claims);
  const byGroup = createFactsByGroup();
  const homeless: Received[] = [];
  for (const one of received) {
    const owner = ownerOf(one.signal);
    const groups = groupsOf(one.signal, owner, index);
    for (const group of groups) byGroup.add(group, one.message, one.signal, newsOf(one.signal, owner, nowMs));
    if (groups.length > 0) continue;
    homeless.push(one);
    const instance = instanceOf(one.signal);
    if (instance !== undefined && isSurelyStrange(owner, nowMs)) strangers.add(instance, nowMs);
  }
  const unshown = homeless.filter(({ signal }) => notShownYet(signal, ownerOf(signal), nowMs));
  return {
    facts: byGroup.all(),
    strangers: homeless.length + passedOver.length - unshown.length,
    again: unshown.map(({ message }) => message),
    soon: new Map(unshown.map(({ message, signal }) => [message, unshownAgainAtMs(nowMs, signal.atMs)])),
  };
};

import { spotNoticeMs } from '../../core/deadline.ts';
import type { AlarmFact } from '../../core/lasting-alarms.ts';
import type { Owner, Owners, RegistryEntry } from '../../core/ports.ts';
import type { Signal } from '../../core/signal.ts';
import { isOver } from '../../core/signal-age.ts';
import type { LeavingFact } from '../../core/swap-life/claim.ts';
import { createFactsByGroup, type Facts } from './facts.ts';

/** A signal and the message that brought it. */
export type Received = { readonly message: string; readonly signal: Signal };

/** Signals sorted by the groups that they concern. */
export type Routed = {
  readonly facts: readonly Facts[];
  /** Messages about instances, alarms or Auto Scaling groups that are not ours. */
  readonly strangers: number;
  /** Messages to be delivered again: about an instance that EC2 does not show yet. */
  readonly again: readonly string[];
};

/**
 * A signal about an instance that no describe shows is delivered again while it is younger than this: describes lag
 * behind launches.
 */
const unknownPatienceMs = 120_000;

const instanceOf = (signal: Signal): string | undefined => ('instance' in signal ? signal.instance : undefined);

const leavingFact = (signal: Signal, owner: Owner | undefined): LeavingFact | undefined => {
  const known = owner === undefined ? {} : { owner };
  switch (signal.kind) {
    case 'interruption': {
      // A hibernation begins at once: the two minutes apply to stop and terminate only.
      const noticeMs = signal.action === 'hibernate' ? 0 : spotNoticeMs;
      return {
        instance: signal.instance,
        reason: 'interruption',
        atMs: signal.atMs,
        deadlineMs: signal.atMs + noticeMs,
        ...known,
      };
    }
    case 'rebalance':
      return { instance: signal.instance, reason: 'rebalance', atMs: signal.atMs, ...known };
    case 'terminate-hook':
      return { instance: signal.instance, reason: 'hook', atMs: signal.atMs, hook: signal.hook, ...known };
    default:
      return undefined;
  }
};

/**
 * Which group holds which Auto Scaling group: the one that names it now, or else the one that named it and still has
 * members there.
 */
const holdersIn = (registry: readonly RegistryEntry[]): ReadonlyMap<string, string> =>
  new Map([
    ...registry.flatMap(({ group, former = [] }) => former.map((asg) => [asg, group] as const)),
    ...registry.flatMap(({ group, asgs }) => asgs.map((asg) => [asg, group] as const)),
  ]);

/** Groups by the Auto Scaling groups and alarms that they name. */
const indexRegistry = (registry: readonly RegistryEntry[]) => ({
  byAsg: holdersIn(registry),
  byAlarm: Map.groupBy(
    registry.flatMap(({ group, alarms }) => alarms.map((alarm) => ({ alarm, group }))),
    ({ alarm }) => alarm,
  ),
});

type Index = ReturnType<typeof indexRegistry>;

const asgOf = (signal: Signal, owner: Owner | undefined): string | undefined => {
  if (signal.kind === 'launch-unsuccessful') return signal.asg;
  return signal.kind === 'terminate-hook' ? signal.hook.asg : owner?.asg;
};

/** A lifecycle action of an Auto Scaling group that does not hold the instance. */
const isMisplaced = (signal: Signal, owner: Owner | undefined): boolean =>
  signal.kind === 'terminate-hook' && owner?.asg !== undefined && owner.asg !== signal.hook.asg;

const groupsOf = (signal: Signal, owner: Owner | undefined, index: Index): readonly string[] => {
  if (signal.kind === 'tick') return signal.groups;
  if (signal.kind === 'policy-change' || signal.kind === 'drain-stopped') return [signal.group];
  if (signal.kind === 'alarm') return (index.byAlarm.get(signal.alarm) ?? []).map(({ group }) => group);
  if (isMisplaced(signal, owner)) return [];
  // Facts belong to the instance. The present holder of its Auto Scaling group takes precedence over its tag, whose
  // group may have another name by now.
  const group = index.byAsg.get(asgOf(signal, owner) ?? '') ?? owner?.group;
  return group === undefined ? [] : [group];
};

/** About the group itself, and not about what happened in it: a group may have been let go until now. */
export const namesGroup = (signal: Signal): boolean => signal.kind === 'tick' || signal.kind === 'policy-change';

const alarmFact = ({
  alarm,
  atMs,
  state,
  quiet,
  fromThreshold,
}: Extract<Signal, { readonly kind: 'alarm' }>): AlarmFact => ({
  alarm,
  atMs,
  isOn: state === 'ALARM',
  ...(quiet && { quiet }),
  ...(fromThreshold !== undefined && { fromThreshold }),
});

const newsOf = (signal: Signal, owner: Owner | undefined, nowMs: number) => {
  if (isOver(signal, owner, nowMs)) return {};
  const leaving = leavingFact(signal, owner);
  if (leaving) return { leaving: [leaving] };
  if (signal.kind === 'state-change') {
    if (signal.state === 'pending') return {};
    if (signal.state === 'running') return { ran: [signal.instance] };
    const stops = signal.state === 'stopping' || signal.state === 'stopped';
    return { ended: [signal.instance], ...(stops && { stopped: [signal.instance] }) };
  }
  if (signal.kind === 'alarm') return { alarms: [alarmFact(signal)] };
  if (signal.kind === 'drain-stopped') return { stoppedDrains: [signal.drain] };
  if (signal.kind === 'launch-unsuccessful') return { refusedAsgs: [signal.asg] };
  return { isTick: namesGroup(signal) };
};

/**
 * An instance that no describe shows yet: its signal is delivered again while it is young. A state change needs no
 * repeat, because the tick sees the end.
 */
const notShownYet = (signal: Signal, owner: Owner | undefined, nowMs: number): boolean =>
  instanceOf(signal) !== undefined &&
  owner === undefined &&
  signal.kind !== 'state-change' &&
  nowMs - signal.atMs < unknownPatienceMs;

/**
 * Finds the group of every signal. Instances are looked up together, whatever their number. The registry is read once,
 * and only when a signal does not name its group.
 */
export const route = async (
  received: readonly Received[],
  owners: Owners,
  readRegistry: () => Promise<readonly RegistryEntry[]>,
  nowMs: number,
): Promise<Routed> => {
  const instances = [...new Set(received.flatMap(({ signal }) => instanceOf(signal) ?? []))];
  const known = instances.length === 0 ? new Map<string, Owner>() : await owners.ownersOf(instances);
  const ownerOf = (signal: Signal): Owner | undefined => known.get(instanceOf(signal) ?? '');
  const needsNames = received.some(({ signal }) => !namesGroup(signal));
  const index = indexRegistry(needsNames ? await readRegistry() : []);
  const byGroup = createFactsByGroup();
  const homeless: Received[] = [];
  for (const one of received) {
    const owner = ownerOf(one.signal);
    const groups = groupsOf(one.signal, owner, index);
    for (const group of groups) byGroup.add(group, one.message, one.signal, newsOf(one.signal, owner, nowMs));
    if (groups.length === 0) homeless.push(one);
  }
  const again = homeless
    .filter(({ signal }) => notShownYet(signal, ownerOf(signal), nowMs))
    .map(({ message }) => message);
  return { facts: byGroup.all(), strangers: homeless.length - again.length, again };
};

import { offeringKey } from '../../core/pool/offering.ts';
import type { Base } from './base.ts';
import { type BootFate, createBootFates } from './boot-fates.ts';
import { type InstanceRecord, type InstanceState, type LaunchedVersion, reasons, type StateReason, type Tags } from './instance.ts';
import { createInstanceFacts } from './instance-facts.ts';
import { createLagging } from './lagging.ts';
import type { Subnet } from './network.ts';
import type { OfferingBook, OfferingRecord } from './offerings.ts';
import type { TimingSpec } from './spec.ts';
import { createTagIndex } from './tag-index.ts';
import type { OwnAccord } from './world.ts';

export type LaunchOrder = {
  readonly offering: OfferingRecord;
  readonly subnet: Subnet;
  readonly tags: Tags;
  readonly imageId: string;
  readonly template?: LaunchedVersion;
  readonly clientToken?: string;
  readonly ownAccord?: OwnAccord;
  /** The Auto Scaling group that it is launched into. */
  readonly asg?: string;
};

/** Subscribers to events of instances. Called in the order of subscription, before the next event. */
type InstanceListener = {
  readonly running?: (instance: InstanceRecord) => void;
  /** Answers health checks from now on. */
  readonly booted?: (instance: InstanceRecord) => void;
  /** It fails its health checks from now on, or passes them again. */
  readonly health?: (instance: InstanceRecord) => void;
  /** EC2 advises to replace it. */
  readonly advised?: (instance: InstanceRecord) => void;
  /** EC2 gives notice that it takes it. */
  readonly warned?: (instance: InstanceRecord) => void;
  /** No longer serves: it is shutting down or stopping. */
  readonly leaving?: (instance: InstanceRecord) => void;
  /** Terminated or stopped. */
  readonly ended?: (instance: InstanceRecord) => void;
  /** No describe shows it any more. */
  readonly forgotten?: (instance: InstanceRecord) => void;
};

export type Instances = {
  launch(order: LaunchOrder): InstanceRecord;
  find(id: string): InstanceRecord | undefined;
  /** In launch order. */
  list(): readonly InstanceRecord[];
  /** Instances that have this tag or had it, in launch order. */
  tagged(key: string, value: string): readonly InstanceRecord[];
  setTags(instance: InstanceRecord, tags: Tags): void;
  terminate(instance: InstanceRecord, why: StateReason): void;
  stop(instance: InstanceRecord, why: StateReason): void;
  /** Gone at once, without a shutdown. */
  fail(instance: InstanceRecord): void;
  /** Lets one that is stopped run again, where it was; it boots anew. */
  start(instance: InstanceRecord): void;
  /** Its software stops answering health checks, or answers them again. */
  setFailing(instance: InstanceRecord, isFailing: boolean): void;
  /** EC2 advises to replace it, or gives notice that it takes it. */
  tellRisk(instance: InstanceRecord, how: 'advised' | 'warned'): void;
  subscribe(listener: InstanceListener): void;
};

/** Terminated instances stay visible for about an hour. */
const visibleAfterEndMs = 3_600_000;
const defaultShutdownSeconds = [2, 10] as const;
/** EC2's checks run each minute (EC2 User Guide, status checks). */
const defaultCheckSeconds = [60, 120] as const;

type Making = { readonly base: Base; readonly timing: TimingSpec; readonly keptMs: number; readonly ordinal: number };

const build = ({ base, timing, keptMs, ordinal }: Making, { ownAccord: _, ...order }: LaunchOrder): InstanceRecord => {
  const { clock, ids } = base;
  const { instanceType, zone, market } = order.offering;
  const number = order.subnet.addresses - order.subnet.free;
  return {
    ...order,
    id: ids.resource('i'),
    ordinal,
    instanceType,
    zone,
    market,
    launchedAtMs: clock.now(),
    reservationId: ids.resource('r'),
    privateIp: order.subnet.block.replace('0.0/16', `${(number >> 8) % 256}.${number % 256}`),
    ...(market === 'spot' ? { spotRequestId: `sir-${ids.hex(8)}` } : {}),
    state: 'pending',
    shown: createLagging(clock.now, () => base.drawMs(timing.lagSeconds), keptMs),
  };
};

const show = ({ shown, state, tags, reason }: InstanceRecord): void => shown.write({ state, tags, ...(reason === undefined ? {} : { reason }) });

const startAnew = (instance: InstanceRecord, nowMs: number): void => {
  delete instance.takenAtMs;
  delete instance.bootedAtMs;
  delete instance.checks;
  delete instance.reason;
  instance.startedAtMs = nowMs;
};

const checksMs = ({ ordinal }: InstanceRecord, base: Base, { statusCheckSeconds = defaultCheckSeconds }: TimingSpec): number =>
  base.drawOwnMs(statusCheckSeconds, `checks ${ordinal}`);

const check = (instance: InstanceRecord, fate: BootFate, facts: ReturnType<typeof createInstanceFacts>): void => {
  if (instance.state !== 'running') return;
  instance.checks = fate === 'impaired' ? 'failed' : 'passed';
  facts.checked(instance, instance.checks === 'passed');
};

/** @param keptMs how far back describes may have to look. */
export const createInstances = (base: Base, book: OfferingBook, timing: TimingSpec, keptMs = 0, fates = createBootFates()): Instances => {
  const { clock, place } = base;
  const records = new Map<string, InstanceRecord>();
  const index = createTagIndex();
  const listeners: InstanceListener[] = [];
  let ordinal = 0;

  const notify = (what: keyof InstanceListener, instance: InstanceRecord): void => {
    for (const listener of listeners) listener[what]?.(instance);
  };
  const enter = (instance: InstanceRecord, state: InstanceState): void => {
    instance.state = state;
    show(instance);
    base.emit({
      'detail-type': 'EC2 Instance State-change Notification',
      source: 'aws.ec2',
      resources: [`arn:aws:ec2:${place.region}:${place.accountId}:instance/${instance.id}`],
      detail: { 'instance-id': instance.id, state },
    });
  };
  const facts = createInstanceFacts(base);

  const boot = (instance: InstanceRecord): void => {
    if (instance.state !== 'running') return;
    instance.bootedAtMs = clock.now();
    facts.booted(instance);
    notify('booted', instance);
  };
  const run = (instance: InstanceRecord, fate: BootFate): void => {
    if (instance.state !== 'pending') return;
    book.bill(instance.offering, 1);
    enter(instance, 'running');
    facts.running(instance);
    const bootMs = base.drawOwnMs(timing.bootSeconds, `boot ${instance.ordinal}`);
    if (fate === 'well') clock.after(bootMs, () => boot(instance));
    clock.after(bootMs + checksMs(instance, base, timing), () => check(instance, fate, facts));
    notify('running', instance);
  };
  /** Pending until its time is over. Then it runs, or ends because it cannot run. An instance that shuts itself down has run. */
  const comeUp = (instance: InstanceRecord): void => {
    const { fate, reason } = fates.of(instance);
    clock.after(base.drawOwnMs(timing.pendingSeconds, `pending ${instance.ordinal} ${offeringKey(instance.offering)}`), () => {
      if (fate !== 'dies' || reason.Code === reasons.shutdown.Code) run(instance, fate);
      if (fate === 'dies') base.acting.as({ by: { kind: 'script' } }, () => terminateIn(instance, shutdownMs(), reason));
    });
  };
  const launch = (order: LaunchOrder): InstanceRecord => {
    order.offering.used += 1;
    order.subnet.free -= 1;
    ordinal += 1;
    const instance = build({ base, timing, keptMs, ordinal }, order);
    records.set(instance.id, instance);
    index.add(instance, instance.tags);
    enter(instance, 'pending');
    facts.launched(instance, order.ownAccord);
    comeUp(instance);
    return instance;
  };

  const end = (instance: InstanceRecord, state: 'terminated' | 'stopped'): void => {
    instance.offering.used -= 1;
    if (state === 'terminated') instance.subnet.free += 1;
    enter(instance, state);
    facts.ended(instance, state);
    notify('ended', instance);
    if (state === 'terminated') clock.after(visibleAfterEndMs, () => forget(instance));
  };
  const forget = (instance: InstanceRecord): void => {
    records.delete(instance.id);
    index.remove(instance);
    notify('forgotten', instance);
  };
  const leave = (instance: InstanceRecord, state: 'shutting-down' | 'stopping', why: StateReason): void => {
    if (instance.state === 'running') book.bill(instance.offering, -1);
    instance.reason = why;
    instance.takeTimer?.cancel();
    enter(instance, state);
    facts.ending(instance);
    notify('leaving', instance);
  };
  const terminateIn = (instance: InstanceRecord, delayMs: number, why: StateReason): void => {
    if (instance.state === 'shutting-down' || instance.state === 'terminated') return;
    if (instance.state === 'stopped') instance.offering.used += 1;
    leave(instance, 'shutting-down', why);
    if (delayMs === 0) end(instance, 'terminated');
    else clock.after(delayMs, () => end(instance, 'terminated'));
  };
  const shutdownMs = (): number => Math.max(1, base.drawMs(timing.shutdownSeconds ?? defaultShutdownSeconds));

  return {
    launch,
    find: (id) => records.get(id),
    list: () => [...records.values()],
    tagged: (key, value) => index.find(key, value),
    setTags: (instance, tags) => {
      instance.tags = tags;
      index.add(instance, tags);
      show(instance);
      facts.tagged(instance);
    },
    terminate: (instance, why) => terminateIn(instance, shutdownMs(), why),
    stop: (instance, why) => {
      if (instance.state !== 'running') return;
      leave(instance, 'stopping', why);
      clock.after(shutdownMs(), () => {
        if (instance.state === 'stopping') end(instance, 'stopped');
      });
    },
    start: (instance) => {
      if (instance.state !== 'stopped') return;
      instance.offering.used += 1;
      startAnew(instance, clock.now());
      enter(instance, 'pending');
      comeUp(instance);
    },
    setFailing: (instance, isFailing) => {
      instance.isFailing = isFailing;
      facts.answering(instance, !isFailing);
      notify('health', instance);
    },
    fail: (instance) => terminateIn(instance, 0, instance.state === 'pending' ? reasons.failure : reasons.shutdown),
    tellRisk: (instance, how) => notify(how, instance),
    subscribe: (listener) => void listeners.push(listener),
  };
};

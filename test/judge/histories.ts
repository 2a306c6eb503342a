import type { LeaveReason } from '../../core/removal/leave-reason.ts';
import type { Actor, History, HistoryEvent } from '../../sandbox/judge/history.ts';
import { nothingRemembered, type StateMemory } from '../../sandbox/judge/said/state-memory.ts';
import type { Told } from '../../sandbox/judge/world/message.ts';
import type { LaunchedVersion } from '../../sandbox/world/instance.ts';
import type { WorldSpec } from '../../sandbox/world/spec.ts';

/** Two zones with spot and on-demand capacity, one target group, one Auto Scaling group. */
export const spec: WorldSpec = {
  zones: ['z-a', 'z-b'],
  subnets: [
    { id: 'subnet-a', zone: 'z-a' },
    { id: 'subnet-b', zone: 'z-b' },
  ],
  offerings: ['z-a', 'z-b'].flatMap((zone) => [
    { instanceType: 't', zone, market: 'spot' as const, capacity: 10, priceUsdPerHour: 0.03 },
    { instanceType: 't', zone, market: 'on-demand' as const, capacity: null, priceUsdPerHour: 0.08 },
  ]),
  launchTemplates: [{ name: 'web' }],
  autoScalingGroups: [
    {
      name: 'web-asg',
      launchTemplate: 'web',
      subnets: ['subnet-a', 'subnet-b'],
      instanceTypes: ['t'],
      market: 'mixed',
      min: 1,
      max: 4,
      desired: 2,
      targetGroups: ['web'],
      rebalancesZones: true,
    },
  ],
  targetGroups: [{ name: 'web', deregistrationDelaySeconds: 20, healthCheckIntervalSeconds: 5, healthyThreshold: 2 }],
  timing: { pendingSeconds: [5, 10], bootSeconds: [5, 10], lagSeconds: [0, 1], asgPeriodSeconds: 15, latencyMs: { '*': [20, 80] } },
};

export const policy = {
  group: 'web',
  size: { min: 1, max: 6, desired: 2 },
  capacity: { tiered: [{ spread: ['spot-a', 'spot-b'] }, 'od-b'] },
  defaults: { launchTemplate: 'web', instanceTypes: ['t'] },
  pools: {
    'spot-a': { market: 'spot', subnets: ['subnet-a'] },
    'spot-b': { market: 'spot', subnets: ['subnet-b'] },
    'od-b': { market: 'on-demand', subnets: ['subnet-b'] },
  },
  rebalance: { act: true },
  drain: { timeout: '30s', loadBalancers: ['arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/web/0123456789abcdef'] },
  scaling: [
    { alarm: 'high', adjust: '+2', cooldown: '1m' },
    { alarm: 'low', adjust: '-1', cooldown: '1m' },
  ],
  tags: { team: 'web' },
};
type Document = Readonly<Record<string, unknown>>;

/** Without the time: the script says it. */
type Untimed<Event> = Event extends HistoryEvent ? Omit<Event, 'atMs'> : never;

const pools: Readonly<Record<string, { readonly zone: string; readonly market: 'spot' | 'on-demand'; readonly subnet: string }>> = {
  'spot-a': { zone: 'z-a', market: 'spot', subnet: 'subnet-a' },
  'spot-b': { zone: 'z-b', market: 'spot', subnet: 'subnet-b' },
  'od-b': { zone: 'z-b', market: 'on-demand', subnet: 'subnet-b' },
};

export const react = (invocation: string): Actor => ({ kind: 'function', function: 'react', invocation });
export const user: Actor = { kind: 'user' };

/** The version that launches use while the template has no other. */
export const onlyVersion: LaunchedVersion = { id: 'lt-0123456789abcdef0', name: 'web', version: '1', isDefault: true, isLatest: true };

export type LaunchOptions = {
  readonly pool?: string;
  readonly group?: string;
  readonly by?: Actor;
  readonly asg?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** `t` unless it is named. */
  readonly instanceType?: string;
  /** When the call arrived that launched it, in seconds. */
  readonly askedS?: number;
  /** The first and only version of `web` unless it is named. */
  readonly template?: LaunchedVersion;
};

/** Writes a small history, with times in seconds since it began. */
export type Script = {
  at(second: number, ...events: readonly Untimed<HistoryEvent>[]): void;
  policy(second: number, version: number, document?: Document, group?: string): void;
  letGo(second: number, group?: string): void;
  /** The state is written, with what it remembers, by an invocation. */
  remembers(second: number, memory: Partial<StateMemory>, policyVersion?: number, invocation?: string): void;
  /** The desired size is written, by an invocation. */
  desired(second: number, desired: number, policyVersion?: number, by?: Actor, lastReservation?: string, leasedUntilSecond?: number): void;
  launch(second: number, instance: string, options?: LaunchOptions): void;
  /** Launched long ago, and in service. */
  member(instance: string, options?: LaunchOptions): void;
  serves(second: number, instance: string): void;
  warn(second: number, instance: string, noticeSeconds?: number): void;
  advise(second: number, instance: string): void;
  /** An invocation that receives these messages. */
  react(fromSecond: number, untilSecond: number, invocation: string, told?: readonly Told[], injected?: boolean, again?: readonly string[]): void;
  claim(second: number, instance: string, invocation: string, state?: string, reason?: LeaveReason): void;
  /** EC2 refuses to end it, and it takes work again. */
  refuse(second: number, instance: string): void;
  /** EC2 has no capacity for what this invocation requests for web. */
  refuseCapacity(second: number, invocation: string): void;
  takeOut(second: number, instance: string, by?: Actor): void;
  end(second: number, instance: string, by?: Actor): void;
};

const ms = (second: number): number => 1_000 * second;
/** World time at which histories begin. */
const beganAtMs = 0;

export const historyOf = (write: (script: Script) => void, changes: Partial<History> = {}): History => {
  const events: HistoryEvent[] = [];
  const at: Script['at'] = (second, ...list) => {
    for (const event of list) events.push({ ...event, atMs: ms(second) } as HistoryEvent);
  };
  const launch: Script['launch'] = (
    second,
    instance,
    { pool = 'spot-a', group = 'web', by = react('i-0'), asg, tags = {}, askedS, instanceType = 't', template = onlyVersion } = {},
  ) => {
    const own: Readonly<Record<string, string>> =
      by.kind === 'function'
        ? { 'holdfast:group': `holdfast/${group}`, 'holdfast:pool': pool, 'holdfast:reservation': `r-${instance}`, team: 'web' }
        : {};
    const { zone, market, subnet } = pools[pool] ?? { zone: 'z-a', market: 'spot' as const, subnet: 'subnet-a' };
    const price = market === 'spot' ? 0.03 : 0.08;
    at(second, {
      kind: 'launched',
      instance,
      instanceType,
      zone,
      subnet,
      market,
      priceUsdPerHour: price,
      template,
      tags: { ...own, ...tags },
      by,
      ...(asg === undefined ? {} : { asg }),
      ...(askedS === undefined ? {} : { askedAtMs: ms(askedS) }),
    });
  };
  const serves: Script['serves'] = (second, instance) =>
    at(second, { kind: 'running', instance }, { kind: 'booted', instance }, { kind: 'in-service', instance, targetGroup: 'web' });
  /** A warning is received a while after it was sent. */
  const happenedMs = (told: Told, from: number): number => {
    const isOf = (event: HistoryEvent): boolean => event.kind === 'warned' && 'instance' in told && event.instance === told.instance;
    const sent = told.about === 'warning' ? events.findLast((event) => isOf(event) && event.atMs <= ms(from)) : undefined;
    return sent?.atMs ?? ms(from);
  };
  const script: Script = {
    at,
    launch,
    serves,
    policy: (second, version, document = policy, group = 'web') => at(second, { kind: 'policy-in-force', group, version, document }),
    letGo: (second, group = 'web') => at(second, { kind: 'policy-in-force', group }),
    desired: (second, desired, policyVersion = 1, by = react('i-0'), lastReservation = undefined, leasedUntilSecond = undefined) =>
      at(second, {
        ...{ kind: 'state-written', group: 'web', version: events.length, policyVersion, desired, bytes: 1_000, by },
        ...(lastReservation !== undefined && { lastReservation }),
        ...(leasedUntilSecond !== undefined && { leasedUntilMs: ms(leasedUntilSecond) }),
      }),
    remembers: (second, memory, policyVersion = 1, invocation = 'i-0') =>
      at(second, {
        ...{ kind: 'state-written', group: 'web', version: events.length, policyVersion, desired: 2, bytes: 1_000, by: react(invocation) },
        memory: { ...nothingRemembered, ...memory },
      }),
    member: (instance, options) => {
      launch(1, instance, options);
      serves(30, instance);
    },
    warn: (second, instance, noticeSeconds = 120) =>
      at(second, { kind: 'warned', instance, takenAtMs: ms(second + noticeSeconds), action: 'terminate', silent: false }),
    advise: (second, instance) => at(second, { kind: 'advised', instance }),
    react: (from, until, invocation, told = [], injected = false, again = []) => {
      at(from, { kind: 'invocation-began', invocation, function: 'react' });
      for (const [index, one] of told.entries())
        at(from, {
          kind: 'delivered',
          invocation,
          function: 'react',
          message: `${invocation}-${index}`,
          told: one,
          happenedAtMs: happenedMs(one, from),
        });
      at(until, { kind: 'invocation-ended', invocation, function: 'react', startedAtMs: ms(from), timeoutMs: 30_000, again, injected });
    },
    claim: (second, instance, invocation, state = 'leaving', reason = 'scale-in') =>
      at(second, {
        kind: 'item-written',
        table: 'state',
        group: 'web',
        item: `swap#${instance}`,
        bytes: 500,
        by: react(invocation),
        swap: { reason, state },
      }),
    refuse: (second, instance) =>
      at(second, { kind: 'end-refused', instance, by: react('drain') }, { kind: 'in-service', instance, targetGroup: 'web' }),
    refuseCapacity: (second, invocation) =>
      at(second, {
        ...{ kind: 'refused', invocation, group: 'web', instanceType: 't', zone: 'z-a', market: 'spot' },
        code: 'InsufficientInstanceCapacity',
      }),
    takeOut: (second, instance, by = react('drain')) => at(second, { kind: 'out-of-service', instance, targetGroup: 'web', why: 'deregistered', by }),
    end: (second, instance, by = { kind: 'ec2' }) => {
      at(second, { kind: 'ending', instance, by });
      at(second + 5, { kind: 'ended', instance, state: 'terminated' });
    },
  };
  write(script);
  return {
    name: 'built by hand',
    seed: 1,
    spec,
    faults: [],
    clockErrorMs: 0,
    beganAtMs,
    readyAtMs: ms(60),
    calmAtMs: ms(200),
    restAtMs: ms(600),
    endedAtMs: ms(700),
    stored: { states: {}, swaps: [], decisions: [], deadLetters: 0, staleMessages: 0 },
    ...changes,
    events: events.toSorted((a, b) => a.atMs - b.atMs),
  };
};

/** Two members serve under a policy of size two. */
export const twoServe = (script: Script): void => {
  script.policy(0, 1);
  script.desired(0, 2);
  script.member('i-1', { pool: 'spot-a' });
  script.member('i-2', { pool: 'spot-b' });
};

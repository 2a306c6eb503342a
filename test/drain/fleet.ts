import { isDeepStrictEqual } from 'node:util';
import type { Group } from '../../core/group/group.ts';
import { howHeld } from '../../core/group/holding.ts';
import { emptyBudget } from '../../core/limits/account-budget.ts';
import type { ActionResult, CapacityProvider } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Announcement } from '../../core/ports/surroundings.ts';
import type { Swap, SwapState } from '../../core/swap/swap.ts';
import type { Member } from '../../core/view/view.ts';
import type { EndDrainPorts } from '../../functions/end-drain/ports.ts';

/** 12:00:00 UTC. */
export const noonMs = 1_768_824_000_000;

export const group = (changes: Partial<Group> = {}): Group => ({
  name: 'web',
  policyVersion: 1,
  size: { min: 0, max: 100, desired: 2 },
  capacity: { kind: 'pool', pool: 'spot-a' },
  pools: {},
  holding: { kind: 'tag' },
  removal: { order: 'dearest-first' },
  swap: { order: 'launch-first', maxSurge: 1 },
  rebalance: { act: true },
  drain: { timeoutMs: 300_000, loadBalancers: 'auto' },
  scaling: [],
  tags: {},
  ...changes,
});

export const swap = (instance: string, changes: Partial<Swap> = {}): Swap => ({
  group: 'web',
  instance,
  reason: 'interruption',
  state: 'leaving',
  pool: 'spot-a',
  offering: 'm7g.large/eu-west-1a/spot',
  claimedAtMs: noonMs,
  drain: 'd-1',
  drainOrderedAtMs: noonMs,
  decision: 'decision-1',
  ...changes,
});

export const member = (instance: string, changes: Partial<Member> = {}): Member => ({
  instance,
  pool: 'spot-a',
  offering: { instanceType: 'm7g.large', zone: 'eu-west-1b', market: 'spot' },
  state: 'running',
  launchedAtMs: noonMs - 3_600_000,
  admitted: true,
  serving: true,
  protected: false,
  unhealthy: false,
  ...changes,
});

export const order = (changes: Partial<DrainOrder> = {}): DrainOrder => ({ group: 'web', drain: 'd-1', ...changes });

const states: readonly SwapState[] = ['waiting', 'leaving', 'draining', 'drained', 'gone'];

/** Thrown by a port that was told to crash: the function died there. */
export class Crash extends Error {}

type Failing = { readonly code: string; readonly retry: 'later' | 'never'; times: number };

/** A small fleet in memory: instances behind one target group, swaps, hooks, the bus, and a clock that the test moves. */
export type Fleet = {
  readonly ports: EndDrainPorts;
  /** Heartbeat time-outs by hook name. */
  readonly timeouts: Map<string, number>;
  readonly provider: CapacityProvider;
  /** When the group was asked to look at itself. */
  readonly wakes: number[];
  /** How each of these was woken. */
  readonly wokenHow: (string | undefined)[];
  nowMs: number;
  group: Group | undefined;
  desired: number | undefined;
  /** Launches that the state item knows of. */
  reservations: readonly { readonly atMs: number; readonly replaces: readonly string[] }[];
  members: Member[];
  deregistrationDelayMs: number;
  readonly swaps: Map<string, Swap>;
  /** Swaps that looks have moved into history. */
  readonly history: Swap[];
  /** When each instance was taken out of service, by instance. */
  readonly releasedAtMs: Map<string, number>;
  readonly goneAtMs: Map<string, number>;
  readonly stopped: Set<string>;
  /** Stopped at their deadline, and started again since. */
  readonly restarted: Set<string>;
  readonly ended: Set<string>;
  readonly completed: Set<string>;
  /** Each completed hook, as instance and token. */
  readonly completedHooks: Set<string>;
  readonly beats: { readonly instance: string; readonly token?: string; readonly atMs: number }[];
  readonly told: Announcement[];
  /** Reads without which the work went on, and why. */
  readonly missed: string[];
  /** Calls of every port, in order. */
  readonly calls: string[];
  readonly failRelease: Map<string, Failing>;
  readonly failEnd: Map<string, Failing>;
  /** Instances whose owner protects them from termination. */
  readonly protectedFromEnd: Set<string>;
  /** Dies at the n-th call from now, before or after it took effect. */
  crashAt(n: number, when: 'before' | 'after'): void;
  stateOf(instance: string): Swap;
};

const act = (instances: readonly string[], failing: Map<string, Failing>, doIt: (instance: string) => void): ActionResult => {
  const done: string[] = [];
  const failed: ActionResult['failed'][number][] = [];
  for (const instance of instances) {
    const failure = failing.get(instance);
    if (failure && failure.times > 0) {
      failure.times -= 1;
      failed.push({ instance, code: failure.code, retry: failure.retry });
    } else {
      doIt(instance);
      done.push(instance);
    }
  }
  return { done, failed };
};

export const createFleet = (swaps: readonly Swap[], deregistrationDelayMs = 30_000): Fleet => {
  let crash: { left: number; readonly when: 'before' | 'after' } | undefined;
  /** Runs one port call: counted, and where the test wants it, the last one of its function. */
  const call = async <T>(name: string, work: () => T): Promise<T> => {
    fleet.calls.push(name);
    if (crash) crash.left -= 1;
    const dies = crash?.left === 0 ? crash.when : undefined;
    if (dies) crash = undefined;
    if (dies === 'before') throw new Crash(name);
    const result = work();
    if (dies === 'after') throw new Crash(name);
    return result;
  };
  const isGone = (instance: string) => fleet.ended.has(instance) || (fleet.goneAtMs.get(instance) ?? Number.POSITIVE_INFINITY) <= fleet.nowMs;
  const none = async (): Promise<never> => {
    throw new Error('A drain has no business with this port');
  };
  const store: StateStore = {
    group: () => call('group', () => fleet.group),
    lastGroup: () => call('group', () => fleet.group ?? group()),
    registry: none,
    claimOf: async () => undefined,
    budget: async () => emptyBudget,
    putBudget: async () => 'done',
    state: () =>
      call('state', () => (fleet.desired === undefined ? undefined : ({ desired: fleet.desired, reservations: fleet.reservations } as never))),
    putState: none,
    putRequest: none,
    request: none,
    swaps: () => call('swaps', () => [...fleet.swaps.values()]),
    stateAndSwaps: async (name) => ({ state: await store.state(name), swaps: await store.swaps(name) }),
    historyOf: (_, drain) => call('history', () => fleet.history.filter((swap) => swap.drain === drain)),
    swapOf: none,
    swapNow: none,
    claim: none,
    advance: ({ instance }, { from, drain, set, hooksSeen, clear = [] }) =>
      call('advance', () => {
        const stored = fleet.swaps.get(instance);
        if (!stored || !from.includes(stored.state) || (drain !== undefined && stored.drain !== drain)) return 'conflict';
        if (hooksSeen !== undefined && !isDeepStrictEqual(hooksSeen, stored.hooks ?? [])) return 'conflict';
        if (set.state && states.indexOf(set.state) < states.indexOf(stored.state)) throw new Error(`${instance} would go back to ${set.state}`);
        const kept = Object.fromEntries(Object.entries(stored).filter(([field]) => !clear.some((gone) => gone === field)));
        fleet.swaps.set(instance, { ...(kept as Swap), ...set });
        return 'done';
      }),
    retire: none,
    putDecision: none,
    putChecks: none,
  };
  const ids = (batch: readonly Swap[]) => batch.map(({ instance }) => instance);
  const fleet: Fleet = {
    provider: {
      describe: () => call('describe', () => ({ members: fleet.members, asgs: [], aside: [], ended: [], stopped: [] })),
      requestOf: () => undefined,
      launch: none,
      admit: none,
      noteJoined: async () => {},
      tagLaunched: none,
      putBack: none,
      tryLaunch: none,
      suspend: none,
      open: none,
      resume: none,
      takeDown: none,
      protectedAmong: (instances) =>
        call('protected', () => ({ protected: instances.filter((instance) => fleet.protectedFromEnd.has(instance)), failed: [] })),
      release: async (of, batch, { beforeEnding = async (all: readonly string[]) => all } = {}) => {
        const ending = batch.filter((one) => (howHeld(of).isInAsgs || one.asg !== undefined) && one.reason !== 'hook');
        const may = ending.length === 0 ? [] : await beforeEnding(ids(ending));
        const released = batch.filter((one) => !ending.includes(one) || may.includes(one.instance));
        return call('release', () =>
          act(ids(released), fleet.failRelease, (instance) => {
            if (!fleet.releasedAtMs.has(instance)) fleet.releasedAtMs.set(instance, fleet.nowMs);
          }),
        );
      },
      inspectDrain: (_group, batch) =>
        call('inspect', () =>
          ids(batch).map((instance) => {
            const sinceMs = fleet.releasedAtMs.get(instance);
            if (isGone(instance)) return { instance, drained: true, gone: true };
            if (fleet.stopped.has(instance)) return { instance, drained: true, gone: false, stopped: true };
            const { deregistrationDelayMs } = fleet;
            const again = fleet.restarted.has(instance) && ({ stopped: true } as const);
            if (sinceMs === undefined) return { instance, drained: false, gone: false, deregistrationDelayMs };
            const busyUntilMs = sinceMs + deregistrationDelayMs;
            const isDrained = fleet.nowMs >= busyUntilMs;
            return { instance, gone: false, drained: isDrained, ...again, ...(!isDrained && { busyUntilMs }) };
          }),
        ),
      end: (_group, batch) => call('end', () => act(ids(batch), fleet.failEnd, (instance) => fleet.ended.add(instance))),
      raiseMax: none,
      restoreMax: none,
      lowerMax: none,
      takeOver: none,
      giveBack: none,
    },
    wakes: [],
    wokenHow: [],
    timeouts: new Map(),
    nowMs: noonMs,
    group: group(),
    desired: undefined,
    reservations: [],
    members: [],
    deregistrationDelayMs,
    swaps: new Map(swaps.map((one) => [one.instance, one])),
    history: [],
    releasedAtMs: new Map(),
    goneAtMs: new Map(),
    stopped: new Set(),
    restarted: new Set(),
    ended: new Set(),
    completed: new Set(),
    completedHooks: new Set(),
    beats: [],
    told: [],
    missed: [],
    calls: [],
    failRelease: new Map(),
    failEnd: new Map(),
    protectedFromEnd: new Set(),
    crashAt(n, when) {
      crash = { left: n, when };
    },
    stateOf(instance) {
      const stored = fleet.swaps.get(instance);
      if (!stored) throw new Error(`no swap of ${instance}`);
      return stored;
    },
    ports: {
      clock: { now: () => fleet.nowMs },
      missed: (read, code) => void fleet.missed.push(`${read}: ${code}`),
      store,
      providerFor: () => fleet.provider,
      lifecycle: {
        timeouts: () => call('timeouts', () => fleet.timeouts),
        terminating: none,
        complete: (instance, { token }) =>
          call('complete', () => {
            fleet.completedHooks.add(`${instance}/${token}`);
            if (fleet.completed.has(instance)) return 'not-active';
            fleet.completed.add(instance);
            return 'done';
          }),
        heartbeat: (instance, { token }) =>
          call('heartbeat', () => {
            if (isGone(instance) || fleet.completed.has(instance)) return 'not-active';
            fleet.beats.push({ instance, ...(token !== undefined && { token }), atMs: fleet.nowMs });
            return 'done';
          }),
      },
      wakes: {
        came: () => undefined,
        wake: (_group, atMs, how) =>
          call('wake', () => {
            fleet.wakes.push(atMs);
            fleet.wokenHow.push(how);
          }),
      },
      announcer: { announce: (events) => call('announce', () => void fleet.told.push(...events)) },
    },
  };
  return fleet;
};

import { describe, expect, test } from 'vitest';
import type { DecisionRecord } from '../../core/decision/decision-record.ts';
import type { Group } from '../../core/group/group.ts';
import { emptyBudget } from '../../core/limits/account-budget.ts';
import type { CapacityIn, Holdings } from '../../core/ports/capacity-provider.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { LeavingFact } from '../../core/swap/claim.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { AsgView, GroupState } from '../../core/view/view.ts';
import { converge } from '../../functions/react/converge.ts';
import { createKnownPolicies } from '../../functions/react/look/known-policies.ts';
import type { Facts } from '../../functions/react/messages/facts.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { members } from '../core/members.ts';
import { asgView, group, nowMs, onDemandB, reservation, state, swapOf } from '../core/views.ts';
import { factsOf, silent } from './facts.ts';

const policyIn = (mode: Group['mode'], rest: Partial<Group> = {}): Group =>
  group({ size: { min: 0, max: 20, desired: 6 }, capacity: { kind: 'pool', pool: 'od-b' }, ...(mode && { mode }), ...rest });

const tick = factsOf({ isTick: true });

const ids = members(onDemandB, 6).map(({ instance }) => instance);
const [first = '', second = ''] = ids;

const fact = (reason: LeavingFact['reason'], instance: string): LeavingFact => ({
  instance,
  reason,
  atMs: nowMs,
  ...(reason === 'interruption' && { deadlineMs: nowMs + 120_000 }),
  ...(reason === 'hook' && { hook: { asg: 'web-asg', hook: 'h', token: 't', expiresAtMs: nowMs + 600_000 } }),
});

type Setting = {
  readonly policy: Group;
  readonly holdings?: Partial<Holdings>;
  readonly state?: Partial<GroupState>;
  readonly swaps?: readonly Swap[];
};

/** A group of six. `did` names every call that changes something outside the tables. */
const worldOf = ({ policy, holdings = {}, state: rest = {}, swaps = [] }: Setting) => {
  const world = {
    did: [] as string[],
    claimed: [] as Swap[],
    retired: [] as string[],
    records: new Map<string, DecisionRecord>(),
    stored: state({ version: 5, desired: 6, policySize: JSON.stringify(policy.size), ...rest }),
  };
  const does =
    <T>(name: string, result: T) =>
    async (): Promise<T> => {
      world.did.push(name);
      return result;
    };
  const store: Partial<StateStore> = {
    budget: async () => emptyBudget,
    putBudget: async () => 'done',
    group: async () => policy,
    state: async () => world.stored,
    stateAndSwaps: async () => ({ state: world.stored, swaps }),
    swaps: async () => swaps,
    registry: async () => [],
    claim: async (swap) => {
      world.claimed.push(swap);
      return { kind: 'claimed' };
    },
    retire: async ({ instance }) => {
      world.retired.push(instance);
      return 'done';
    },
    advance: async () => 'done',
    putRequest: async () => {},
    putDecision: async (record) => void world.records.set(record.id, record),
    putState: async (_, next) => {
      world.stored = next;
      return 'done';
    },
  };
  const found: Holdings = { members: members(onDemandB, 6), asgs: [], ended: [], aside: [], stopped: [], ...holdings };
  const provider: Partial<CapacityIn> = {
    describe: async () => found,
    requestOf: (_, { placement }) => ({ api: 'CreateFleet', calls: ['{}'], placement, market: 'on-demand', zones: {} }),
    launch: does('launch', []),
    admit: does('admit', { done: [], failed: [] }),
    noteJoined: does('noteJoined', undefined),
    release: does('release', { done: [], failed: [] }),
    raiseMax: does('raiseMax', 'done' as const),
    restoreMax: does('restoreMax', 'done' as const),
    lowerMax: does('lowerMax', undefined),
    takeOver: does('takeOver', 'done' as const),
  };
  const ports: Partial<ReactPorts> = {
    policies: createKnownPolicies(() => nowMs),
    store: store as StateStore,
    believed: (_, known) => known,
    providerFor: () => provider as CapacityIn,
    lifecycle: { complete: does('complete', 'done' as const), terminating: async () => [] },
    prices: { spotPrices: async () => ({}) },
    wakes: { came: () => undefined, wake: async () => {} },
    clock: { now: () => nowMs },
    random: (() => {
      let calls = 0;
      return () => (calls++ % 97) / 97;
    })(),
    announcer: { announce: async () => {} },
    drains: {
      start: async () => {
        world.did.push('drain');
        return 'running';
      },
    },
    telemetry: silent,
  };
  const hear = (facts: Partial<Facts>) => converge({ ...tick, ...facts }, ports as ReactPorts);
  return { world, hear };
};

const asg = (rest: Partial<AsgView> = {}): AsgView => asgView({ desired: 6, held: 6, holds: ids, ...rest });

describe('an observed group', () => {
  test('claims no member, calls nothing, and stores what it would have done', async () => {
    const { world, hear } = worldOf({ policy: policyIn('observe') });
    await hear({ leaving: [fact('interruption', first), fact('hook', second)] });
    expect(world.did).toEqual([]);
    expect(world.claimed).toEqual([]);
    const [record] = world.records.values();
    expect(record).toMatchObject({
      rounds: [{ placements: [{ pool: 'od-b', count: 2 }] }],
      outcome: { code: 'observed', leaves: [{ instance: first }, { instance: second }] },
    });
    expect(world.stored.notDone?.heard).toMatchObject({ [first]: { reason: 'interruption' }, [second]: { hook: { token: 't' } } });
  });

  test('stores nothing more at the next looks', async () => {
    const { world, hear } = worldOf({ policy: policyIn('observe') });
    await hear({ leaving: [fact('interruption', first)] });
    await hear({});
    await hear({ leaving: [fact('interruption', first)] });
    expect(world.records.size).toBe(1);
  });

  test('with fewer members than it should have reports that once, and launches none', async () => {
    const { world, hear } = worldOf({ policy: policyIn('observe'), holdings: { members: members(onDemandB, 4) } });
    await hear({});
    await hear({});
    expect(world.did).toEqual([]);
    expect(world.stored.reservations).toEqual([]);
    expect([...world.records.values()]).toMatchObject([{ rounds: [{ placements: [{ count: 2 }] }], outcome: { code: 'observed' } }]);
  });

  test('takes the size that others gave its Auto Scaling group', async () => {
    const policy = policyIn('observe', { holding: { kind: 'attach', asg: 'web-asg' } });
    const { world, hear } = worldOf({
      policy,
      holdings: { asgs: [asg({ desired: 4, held: 4, holds: ids.slice(0, 4) })], members: members(onDemandB, 4) },
    });
    await hear({});
    expect(world.stored.desired).toBe(4);
    expect(world.records.size).toBe(0);
  });

  test('puts back a maximum size that it raised when it acted', async () => {
    const policy = policyIn('observe', { holding: { kind: 'attach', asg: 'web-asg' } });
    const raised = [{ asg: 'web-asg', fromMax: 6, toMax: 8 }];
    const { world, hear } = worldOf({ policy, holdings: { asgs: [asg({ max: 8 })] }, state: { raised } });
    await hear({});
    expect(world.did).toEqual(['restoreMax']);
  });

  test('claims the members of received signals when it acts again', async () => {
    const observed = worldOf({ policy: policyIn('observe') });
    await observed.hear({ leaving: [fact('interruption', first)] });
    const { world, hear } = worldOf({ policy: policyIn(undefined), state: { notDone: observed.world.stored.notDone ?? { missing: 0, surplus: 0 } } });
    await hear({});
    expect(world.claimed).toMatchObject([{ instance: first, reason: 'interruption', deadlineMs: nowMs + 120_000, heardAtMs: nowMs }]);
    expect(world.stored.notDone).toBeUndefined();
  });
});

describe('a paused group', () => {
  test('drains what EC2 takes, and launches nothing for it', async () => {
    const { world, hear } = worldOf({ policy: policyIn('pause') });
    await hear({ leaving: [fact('interruption', first), fact('rebalance', second)] });
    expect(world.claimed.map(({ instance }) => instance)).toEqual([first]);
    expect(world.did).toEqual(['drain']);
    expect([...world.records.values()]).toMatchObject([
      { rounds: [{ remarks: [{ code: 'paused', missing: 1 }] }], outcome: { code: 'carried-out' } },
    ]);
  });

  test('withdraws members that wait for their turn', async () => {
    const swaps = [swapOf(first, { reason: 'rebalance', state: 'waiting' }), swapOf(second)];
    const { world, hear } = worldOf({ policy: policyIn('pause'), swaps });
    await hear({});
    expect(world.retired).toEqual([first]);
  });

  test('does not repeat a request without a response', async () => {
    const open = reservation({ atMs: nowMs - 60_000, leaseUntilMs: nowMs - 1_000 });
    const { world, hear } = worldOf({ policy: policyIn('pause'), state: { reservations: [open] } });
    await hear({});
    expect(world.did).not.toContain('launch');
  });
});

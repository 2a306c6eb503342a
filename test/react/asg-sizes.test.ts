import { describe, expect, test } from 'vitest';
import { metrics } from '../../core/contract.ts';
import type { DecisionRecord } from '../../core/decision/decision-record.ts';
import type { Group } from '../../core/group/group.ts';
import type { CapacityIn, Holdings } from '../../core/ports/capacity-provider.ts';
import type { GroupState } from '../../core/view/view.ts';
import { converge } from '../../functions/react/converge.ts';
import type { Facts } from '../../functions/react/messages/facts.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { member, members } from '../core/members.ts';
import { asgView, group, nowMs, onDemandB, state } from '../core/views.ts';
import { factsOf, silent } from './facts.ts';
import { worldOf as plainWorld } from './world.ts';

const attached = (desired: number, rest: Partial<Group> = {}): Group =>
  group({ size: { min: 0, max: 20, desired }, capacity: { kind: 'pool', pool: 'od-b' }, holding: { kind: 'attach', asg: 'web-asg' }, ...rest });

type World = {
  readonly policy: Group;
  readonly holdings: Partial<Holdings>;
  readonly state?: Partial<GroupState>;
  readonly raises?: 'done' | 'refused';
  readonly takesOver?: 'done' | 'refused' | 'denied';
};

/** One look at a group in an Auto Scaling group: the calls that it makes, in order, and what it stores, counts and logs. */
const lookOf = async ({ policy, holdings, state: rest = {}, raises = 'done', takesOver = 'done' }: World, facts: Partial<Facts> = {}) => {
  const seen = {
    calls: [] as unknown[],
    written: [] as GroupState[],
    decided: new Map<string, DecisionRecord>(),
    counted: {} as Record<string, number>,
    logged: [] as unknown[],
    woken: [] as number[],
  };
  const stored = state({ version: 5, desired: policy.size.desired, policySize: JSON.stringify(policy.size), holders: ['web-asg'], ...rest });
  const { ports } = plainWorld({
    inForce: () => policy,
    putState: async (_, next) => {
      seen.written.push(next);
      return 'done';
    },
  });
  const provider: Partial<CapacityIn> = {
    ...ports.providerFor(policy.holding),
    describe: async () => ({ members: [], asgs: [], ended: [], aside: [], stopped: [], ...holdings }),
    raiseMax: async ({ asg, toMax }) => {
      seen.calls.push(`raise ${asg} to ${toMax}`);
      return raises;
    },
    takeOver: async (asg, desired) => {
      seen.calls.push(`take ${asg} over at ${desired}`);
      return takesOver;
    },
    launch: async (orders) => {
      seen.calls.push(`launch ${orders.reduce((sum, { request }) => sum + request.placement.count, 0)}`);
      return ports.providerFor(policy.holding).launch(orders);
    },
    admit: async (_, instances) => {
      seen.calls.push(`admit ${instances.join(' ')}`);
      return { done: instances, failed: [] };
    },
    restoreMax: async () => 'not-yet',
    giveBack: async (asg, { from, to }) => void seen.calls.push(`give ${asg} back from ${from} to ${to}`),
    noteJoined: async () => {},
  };
  const telemetry = {
    ...silent,
    count: (name: string, by = 1) => {
      seen.counted[name] = (seen.counted[name] ?? 0) + by;
    },
    logger: { ...silent.logger, error: (text: string, more: unknown) => void seen.logged.push([text, more]) },
  } as unknown as ReactPorts['telemetry'];
  const store: ReactPorts['store'] = {
    ...ports.store,
    claimOf: async () => undefined,
    state: async () => stored,
    stateAndSwaps: async () => ({ state: stored, swaps: [] }),
    putDecision: async (record) => void seen.decided.set(record.id, record),
  };
  const wakes = { came: () => undefined, wake: async (_: readonly string[], atMs: number) => void seen.woken.push(atMs - nowMs) };
  const result = await converge(factsOf({ isTick: true, ...facts }), {
    ...ports,
    store,
    wakes,
    providerFor: () => provider as CapacityIn,
    telemetry,
  });
  return { ...seen, result, records: [...seen.decided.values()] };
};

const inside = members(onDemandB, 4, { asg: 'web-asg' });
const holds = inside.map(({ instance }) => instance);
const joining = ['i-new-1', 'i-new-2'].map((instance) => member(instance, onDemandB, { admitted: false, serving: false }));

describe('members that join beyond the maximum of their Auto Scaling group', () => {
  const full = { members: [...inside, ...joining], asgs: [asgView({ name: 'web-asg', desired: 4, held: 4, max: 5, holds })] };

  test('join after it was raised for them', async () => {
    const { calls, counted, written } = await lookOf({ policy: attached(6), holdings: full });
    expect(calls).toEqual(['raise web-asg to 6', 'admit i-new-1 i-new-2']);
    expect(written[0]?.raised).toMatchObject([{ asg: 'web-asg', fromMax: 5, toMax: 6 }]);
    expect(counted[metrics.actionsFailed] ?? 0).toBe(0);
  });

  test('join as far as there is room where it cannot be raised, which is counted and logged', async () => {
    const { calls, counted, logged } = await lookOf({ policy: attached(6), holdings: full, raises: 'refused' });
    expect(calls).toEqual(['raise web-asg to 6', 'admit i-new-1']);
    expect(counted[metrics.actionsFailed]).toBe(1);
    expect(logged).toEqual([
      [
        'A maximum could not be raised: members wait to join their Auto Scaling group.',
        { group: 'web', raised: expect.objectContaining({ asg: 'web-asg', fromMax: 5, toMax: 6 }) },
      ],
    ]);
  });

  test('do not join at all where there is no room and it cannot be raised', async () => {
    const none = { ...full, asgs: [asgView({ name: 'web-asg', desired: 5, held: 4, max: 5, holds })] };
    const { calls } = await lookOf({ policy: attached(6), holdings: none, raises: 'refused' });
    expect(calls.filter((call) => String(call).startsWith('admit'))).toEqual([]);
  });
});

describe('an Auto Scaling group that does not refill itself', () => {
  const short = { members: inside, asgs: [asgView({ name: 'web-asg', desired: 6, held: 4, max: 20, holds, suspended: ['Launch'] })] };

  test('is taken over before its missing members are launched', async () => {
    const { calls } = await lookOf({ policy: attached(6), holdings: short });
    expect(calls).toEqual(['take web-asg over at 4', 'launch 2']);
  });

  test('goes on by itself where it cannot be taken over: nothing is launched before another look, which comes soon', async () => {
    const { calls, woken, records } = await lookOf({ policy: attached(6), holdings: short, takesOver: 'refused' });
    expect(calls.filter((call) => String(call).startsWith('launch'))).toEqual([]);
    expect(woken).toEqual([2_000]);
    expect(records.flatMap(({ rounds }) => rounds.flatMap(({ placements }) => placements))).toEqual([]);
  });

  test('holds up no other launch where it cannot be taken over, and is tried again after a quarter of its time', async () => {
    const long = { asgGaps: { 'web-asg': { sinceMs: nowMs - 100_000, refused: true } } };
    const of = { policy: attached(9), holdings: short, state: long };
    const { calls, woken, counted } = await lookOf({ ...of, takesOver: 'refused' });
    expect(calls).toEqual(['take web-asg over at 4', 'launch 3']);
    expect(woken.at(-1)).toBe(10_000);
    expect(counted[metrics.actionsFailed] ?? 0).toBe(0);
    const denied = await lookOf({ ...of, takesOver: 'denied' });
    expect(denied.calls).toEqual(calls);
    expect(denied.counted[metrics.actionsFailed]).toBe(1);
    const gap = { asgGaps: { 'web-asg': { sinceMs: nowMs - 100_000, refused: true } } };
    const alone = await lookOf({ policy: attached(6), holdings: short, state: gap, takesOver: 'refused' });
    expect([alone.calls, alone.woken]).toEqual([['take web-asg over at 4'], [20_000]]);
  });

  test('has its gap noted as closed once it was taken over, unless it lacks more than that or kept its desired capacity', async () => {
    const gaps = { 'web-asg': { sinceMs: nowMs - 100_000, refused: false } };
    const gapsAfter = async (more: Partial<Holdings>, takesOver?: 'refused') => {
      const holdings = { ...short, ...more };
      const { written } = await lookOf({ policy: attached(6), holdings, state: { asgGaps: gaps }, ...(takesOver && { takesOver }) });
      return written[0]?.asgGaps;
    };
    expect(await gapsAfter({})).toEqual({ 'web-asg': { ...gaps['web-asg'], closed: true } });
    const died = { members: inside.slice(1), ended: holds.slice(0, 1) };
    expect(await gapsAfter(died)).toEqual(gaps);
    expect((await gapsAfter({}, 'refused')) ?? gaps).toEqual(gaps);
  });
});

describe('a size that an alarm changed', () => {
  const scaling: Group['scaling'] = [{ alarm: 'busy', adjust: { kind: 'by', by: 1 }, cooldownMs: 60_000 }] as unknown as Group['scaling'];
  const calm = { members: inside, asgs: [asgView({ name: 'web-asg', desired: 4, held: 4, max: 20, holds })] };
  const alarms: Facts['alarms'] = [{ alarm: 'busy', atMs: nowMs, isOn: true }];

  test('is stored with a decision of its own, and a look that finds nothing is not stored', async () => {
    const sizes = async (rest: Partial<Group>) =>
      (await lookOf({ policy: attached(4, { scaling, ...rest }), holdings: calm }, { alarms })).records.flatMap((record) => record.sizes ?? []);
    expect((await sizes({})).length).toBeGreaterThan(0);
    const quiet = await lookOf({ policy: attached(4), holdings: calm });
    expect(quiet.records).toEqual([]);
  });
});

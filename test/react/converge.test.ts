import { describe, expect, test } from 'vitest';
import { announcements } from '../../core/contract.ts';
import { offeringKey } from '../../core/pool/offering.ts';
import type { CapacityIn, Holdings } from '../../core/ports/capacity-provider.ts';
import type { Owner } from '../../core/ports/owners.ts';
import type { Announcement } from '../../core/ports/surroundings.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState, Member } from '../../core/view/view.ts';
import { converge } from '../../functions/react/converge.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { awsError } from '../aws/fake-aws.ts';
import { member, members } from '../core/members.ts';
import { group, nowMs, onDemandB, swapOf } from '../core/views.ts';
import { factsOf } from './facts.ts';
import { instance, policy, stored, worldOf } from './world.ts';

const warning = factsOf({
  leaving: [{ instance, reason: 'interruption', atMs: nowMs, deadlineMs: nowMs + 120_000 }],
  messages: ['m-1'],
});

const offeringOf = (one: Member | undefined) => one?.offering ?? { instanceType: '', zone: '', market: 'on-demand' as const };

const shows = (all: readonly Member[]): Partial<CapacityIn> => ({
  describe: async () => ({ members: all, asgs: [], ended: [], aside: [], stopped: [] }),
});

const toldOf = ({ told }: { readonly told: readonly Announcement[] }) =>
  told.filter(({ detailType }) => detailType === announcements.swapStarted).flatMap(({ detail }) => detail.instances);

test('the event of a claimed swap is sent, even if every race for the state item is lost', async () => {
  const { world, ports } = worldOf({ putState: async () => 'conflict' });
  const woken: string[] = [];
  const wake = async (groups: readonly string[]): Promise<void> => void woken.push(...groups);
  expect(await converge(warning, { ...ports, wakes: { came: () => undefined, wake } })).toEqual({ kind: 'converged' });
  expect(toldOf(world)).toEqual([instance]);
  expect(woken).toEqual(['web']);
  const alarmed = { ...warning, alarms: [{ alarm: 'high', atMs: nowMs, isOn: true }] };
  expect(await converge(alarmed, worldOf({ putState: async () => 'conflict' }).ports)).toEqual({ kind: 'contended' });
});

test('the event of a claimed swap is sent, even if the policy is deleted meanwhile', async () => {
  let reads = 0;
  const { world, ports } = worldOf({
    putState: async () => 'done',
    inForce: () => {
      reads += 1;
      return reads === 1 ? policy : undefined;
    },
  });
  await converge(warning, ports);
  expect(toldOf(world)).toEqual([instance]);
});

test('the event of a claimed swap is sent, even if the other work fails', async () => {
  const { world, ports } = worldOf({ putState: async () => Promise.reject(new Error('The table does not answer.')) });
  await expect(converge(warning, ports)).rejects.toThrow('The table does not answer.');
  expect(toldOf(world)).toEqual([instance]);
});

test('the drain of what was claimed starts beside the launches, once they are reserved', async () => {
  const steps: string[] = [];
  const { world, ports } = worldOf({
    putState: async () => {
      steps.push('reserved');
      return 'done';
    },
  });
  const provider = ports.providerFor(policy.holding);
  const launch: CapacityIn['launch'] = async (orders) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    steps.push('launched');
    return provider.launch(orders);
  };
  const start: ReactPorts['drains']['start'] = async (order) => {
    steps.push('started');
    return ports.drains.start(order);
  };
  await converge(warning, { ...ports, providerFor: () => ({ ...provider, launch }), drains: { start } });
  expect(steps.slice(0, 3)).toEqual(['reserved', 'started', 'launched']);
  expect(world.started).toHaveLength(1);
  const troubled = { start: async () => Promise.reject(awsError('ThrottlingException', 'Try later.', 400)) };
  await expect(converge(warning, { ...worldOf({ putState: async () => 'done' }).ports, drains: troubled })).rejects.toThrow('Try later.');
});

test('the drain of what was claimed starts, also where the rest fails', async () => {
  const { world, ports } = worldOf({ putState: async () => Promise.reject(new Error('The table does not answer.')) });
  await expect(converge(warning, ports)).rejects.toThrow('The table does not answer.');
  expect(world.started).toEqual([expect.stringMatching(/^web-interruption-/)]);
  const drains = { start: async () => Promise.reject(new Error('Step Functions does not answer.')) };
  await expect(converge(warning, { ...ports, drains })).rejects.toThrow('The table does not answer.');
});

test('a look fails if the bus takes no event, after everything else is done', async () => {
  const { ports } = worldOf({ putState: async () => 'conflict' });
  const failing = {
    ...ports,
    announcer: { announce: async () => Promise.reject(new Error('The bus does not answer.')) },
    wakes: { came: () => undefined, wake: async () => {} },
  };
  await expect(converge(warning, failing)).rejects.toThrow('The bus does not answer.');
});

test('a decision counts the members that another invocation has claimed since the group was read', async () => {
  const [first, second] = members(onDemandB, 2);
  const asked: number[] = [];
  let reads = 0;
  const { ports } = worldOf({ putState: async () => 'done' });
  const claimedBeside: Swap = {
    group: 'web',
    instance: second?.instance ?? '',
    reason: 'interruption',
    state: 'leaving',
    pool: 'od-b',
    offering: second === undefined ? 'unknown' : offeringKey(second.offering),
    claimedAtMs: nowMs,
    warnedAtMs: nowMs,
    deadlineMs: nowMs + 120_000,
    drain: 'web-d1',
    decision: 'd-other',
  };
  const swaps = async (): Promise<readonly Swap[]> => {
    reads += 1;
    return reads === 1 ? [] : [claimedBeside];
  };
  const stateAndSwaps = async () => ({ state: stored, swaps: await swaps() });
  const provider = ports.providerFor({ kind: 'tag' });
  const launch: CapacityIn['launch'] = async (orders) => {
    asked.push(...orders.map(({ request }) => request.placement.count));
    return orders.map(() => ({ kind: 'throttled', code: 'RequestLimitExceeded' }));
  };
  const rest = { wakes: { came: () => undefined, wake: async () => {} }, lifecycle: { complete: async () => {} } } as unknown as Partial<ReactPorts>;
  await converge(
    { ...warning, leaving: warning.leaving.map((fact) => ({ ...fact, instance: first?.instance ?? '' })) },
    { ...ports, ...rest, store: { ...ports.store, swaps, stateAndSwaps }, providerFor: () => ({ ...provider, launch }) as CapacityIn },
  );
  expect(asked.reduce((sum, count) => sum + count, 0)).toBe(2);
});

test('a warning that a restored table has lost is claimed again, and its member is replaced', async () => {
  const states: GroupState[] = [];
  const putState = async (_: string, state: GroupState) => {
    states.push(state);
    return 'done' as const;
  };
  const { world, ports } = worldOf({ putState });
  const lost = [{ ...swapOf(instance), warnedAtMs: nowMs - 20_000, deadlineMs: nowMs + 100_000 } as Swap];
  const claimed: Swap[] = [];
  const claim: ReactPorts['store']['claim'] = async (one) => {
    claimed.push(one);
    return ports.store.claim(one);
  };
  const stateAndSwaps = async () => ({ state: stored, swaps: [], lost });
  await converge(factsOf({ isTick: true }), { ...ports, store: { ...ports.store, claim, stateAndSwaps } });
  expect(claimed).toMatchObject([{ instance, reason: 'interruption', deadlineMs: nowMs + 100_000, warnedAtMs: nowMs - 20_000 }]);
  expect(world.launched).toBe(1);
  // What a loss teaches about its offering was learned when it was new.
  expect(states.every(({ memory }) => Object.keys(memory).length === 0)).toBe(true);
});

test('the next attempt to take off what an attach added is arranged before the look that may die', async () => {
  const added = [{ asg: 'web-asg', from: 6, instances: ['i-1'], atMs: nowMs - 1_000 }];
  const { ports } = worldOf({ putState: async () => 'done' });
  const wakes: unknown[] = [];
  const wake = async (_: readonly string[], atMs: number, when?: 'ahead'): Promise<void> => void wakes.push([atMs - nowMs, when]);
  const dies = { ...ports.providerFor({ kind: 'tag' }), describe: () => Promise.reject(new Error('The function dies.')) } as CapacityIn;
  const stateAndSwaps = async () => ({ state: { ...stored, added }, swaps: [] });
  const dying = { ...ports, wakes: { came: () => undefined, wake }, providerFor: () => dies, store: { ...ports.store, stateAndSwaps } };
  await expect(converge(factsOf({ isTick: true }), dying)).rejects.toThrow();
  expect(wakes).toEqual([[2_000, 'ahead']]);
});

test('what there was no time to place is placed by another invocation at once', async () => {
  const wakes: number[] = [];
  let now = nowMs;
  const { ports } = worldOf({ putState: async () => 'done' });
  const launch: CapacityIn['launch'] = async (orders) => {
    now += 6_000;
    return orders.map(({ request }) => ({
      kind: 'answered',
      instances: [],
      refusals: request.placement.offerings.map((offering) => ({ offering, code: 'Unsupported', message: 'none', scope: 'offering' })),
    }));
  };
  const provider = { ...ports.providerFor({ kind: 'tag' }), launch } as CapacityIn;
  const wake = async (_: readonly string[], atMs: number): Promise<void> => void wakes.push(atMs - now);
  await converge(warning, { ...ports, providerFor: () => provider, clock: { now: () => now }, wakes: { came: () => undefined, wake } });
  expect(wakes).toEqual([1]);
});

test('a look that does not try to put a member into service stores no decision about it', async () => {
  const { world, ports } = worldOf({ putState: async () => 'done' });
  let [now, tries] = [nowMs, 0];
  const held = members(onDemandB, 6).map((one, index) =>
    index === 0 ? { ...one, admitted: false, serving: false, launchedAtMs: nowMs - 600_000 } : one,
  );
  const failed = ({ length }: readonly string[]) => {
    tries += length;
    return { done: [], failed: held.slice(0, 1).map((one) => ({ instance: one.instance, code: 'ServiceUnavailable', retry: 'later' as const })) };
  };
  const provider = {
    ...ports.providerFor({ kind: 'tag' }),
    describe: async () => ({ members: held, asgs: [], ended: [], aside: [], stopped: [] }),
    admit: async (_: unknown, joining: readonly string[]) => failed(joining),
  } as unknown as CapacityIn;
  const look = async (afterMs: number) => {
    now = nowMs + afterMs;
    await converge(factsOf({ isTick: true }), { ...ports, clock: { now: () => now }, providerFor: () => provider });
    return [tries, world.decided.length];
  };
  expect(await look(0)).toEqual([1, 1]);
  expect(await look(1_000)).toEqual([1, 1]);
  expect(await look(2_000)).toEqual([2, 2]);
});

test('a decision records once of a launched instance that it serves, and the state remembers nothing more of it', async () => {
  const states: GroupState[] = [];
  const putState = async (_: string, state: GroupState) => {
    states.push(state);
    return 'done' as const;
  };
  const { world, ports } = worldOf({ putState });
  const arriving = { [instance]: nowMs - 60_000, 'i-not-shown-yet': nowMs - 1_000 };
  const store = { ...ports.store, stateAndSwaps: async () => ({ state: { ...stored, arriving }, swaps: [] }) };
  await converge(factsOf({ isTick: true }), { ...ports, store });
  expect(world.decided.at(-1)?.rounds.flatMap(({ remarks = [] }) => remarks)).toEqual([{ code: 'serves', instances: [instance], count: 1 }]);
  expect(states.at(-1)?.arriving).toEqual({ 'i-not-shown-yet': nowMs - 1_000 });
});

test('the replacement of a move is no surplus, also before EC2 shows the tag of its reservation', async () => {
  const held = members(onDemandB, 6);
  const [leaving] = held;
  const { world, ports } = worldOf({ putState: async () => 'done' });
  const reservation = {
    ...{ id: 'r-1', token: 't-1', decision: 'd-1', replaces: [], atMs: nowMs - 2_000, leaseUntilMs: nowMs, forgetAtMs: nowMs + 180_000 },
    placement: { pool: 'od-b', count: 1, offerings: [offeringOf(leaving)] },
    instances: ['od-b#new'],
  };
  const moves = [{ reservation: 'r-1', atMs: nowMs - 2_000, leaving: [leaving?.instance ?? ''], count: 1 }];
  const before: GroupState = { ...stored, reservations: [reservation], returns: { moves, losses: [] } };
  const fresh = member('od-b#new', onDemandB, { serving: false, launchedAtMs: nowMs - 1_000 });
  const provider = { ...ports.providerFor({ kind: 'tag' }), ...shows([...held, fresh]) } as CapacityIn;
  await converge(factsOf({ isTick: true }), {
    ...ports,
    store: { ...ports.store, stateAndSwaps: async () => ({ state: before, swaps: [] }) },
    providerFor: () => provider,
  });
  expect(world.decided.flatMap(({ rounds }) => rounds.flatMap(({ removals }) => removals))).toEqual([]);
});

const owned = { group: 'web', offering: offeringOf(members(onDemandB, 1)[0]), state: 'running' };
const fromEc2 = (owner: Partial<Owner>) => ({ ...warning, leaving: warning.leaving.map((fact) => ({ ...fact, owner: { ...owned, ...owner } })) });

test('the event of a claim before the look is sent while the look goes on', async () => {
  const { world, ports } = worldOf({ putState: async () => 'done' });
  const provider = ports.providerFor(policy.holding);
  const toldInLook: unknown[] = [];
  const describe: CapacityIn['describe'] = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    toldInLook.push(...toldOf(world));
    throw awsError('RequestLimitExceeded', 'Too many describes.', 503);
  };
  await expect(converge(fromEc2({}), { ...ports, providerFor: () => ({ ...provider, describe }) })).rejects.toThrow('Too many describes.');
  expect(toldInLook).toEqual([instance]);
});

/** A group whose look notes what is claimed by then. */
const lookingOf = (look: () => Promise<Holdings>) => {
  const { world, ports } = worldOf({ putState: async () => 'done' });
  const claimed: string[] = [];
  const claim: ReactPorts['store']['claim'] = (swap) => {
    claimed.push(swap.instance);
    return ports.store.claim(swap);
  };
  let before: readonly string[] = [];
  const describe = async (): Promise<Holdings> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    before = [...claimed];
    return look();
  };
  const provider = { ...ports.providerFor(policy.holding), describe };
  return { world, ports: { ...ports, store: { ...ports.store, claim }, providerFor: () => provider }, claimedBefore: () => before };
};
const allSix = shows(members(onDemandB, 6)).describe as () => Promise<Holdings>;

test('a member that EC2 takes is claimed before the look ends, so that simultaneous looks see the claim, and one event is sent', async () => {
  const { world, ports, claimedBefore } = lookingOf(allSix);
  expect(await converge(fromEc2({}), ports)).toEqual({ kind: 'converged' });
  expect(claimedBefore()).toEqual([instance]);
  expect(toldOf(world)).toEqual([instance]);
  expect(world.launched).toBe(1);
});

test.each([
  ['has not begun to run', fromEc2({ state: 'pending' })],
  ['is in an Auto Scaling group of others', fromEc2({ asg: 'other' })],
  ['is of another group by its tag', fromEc2({ group: 'other' })],
  ['is not known', warning],
])('a member that %s is claimed after the look, which shows more of it', async (_which, facts) => {
  const { ports, claimedBefore } = lookingOf(allSix);
  await converge(facts, ports);
  expect(claimedBefore()).toEqual([]);
});

test('the event of a member claimed before a failing look is sent, and its drain starts', async () => {
  const { world, ports } = lookingOf(async () => Promise.reject(new Error('EC2 does not answer.')));
  await expect(converge(fromEc2({}), ports)).rejects.toThrow('EC2 does not answer.');
  expect(toldOf(world)).toEqual([instance]);
  expect(world.started).toEqual([expect.stringMatching(/^web-interruption-/)]);
});

test.each([
  ['before the look', fromEc2({})],
  ['after it', warning],
])('a claim made %s is sent as an event when another claim fails, and the messages come again', async (_when, facts) => {
  const { world, ports } = lookingOf(allSix);
  const { claim: claimed } = ports.store;
  const claim: typeof claimed = (swap) => (swap.instance === 'i-other' ? Promise.reject(new Error('The table is throttled.')) : claimed(swap));
  const both = { ...facts, leaving: facts.leaving.flatMap((fact) => [fact, { ...fact, instance: 'i-other' }]) };
  await expect(converge(both, { ...ports, store: { ...ports.store, claim } })).rejects.toThrow('The table is throttled.');
  expect(toldOf(world)).toEqual([instance]);
  expect(world.launched).toBe(0);
});

test('the event of a member that is chosen to leave is sent, and its drain starts, when the claim of another member fails', async () => {
  const { world, ports } = lookingOf(shows(members(onDemandB, 8)).describe as () => Promise<Holdings>);
  const { claim: claimed } = ports.store;
  const begun: string[] = [];
  const claim: typeof claimed = (swap) => (begun.push(swap.instance) === 1 ? claimed(swap) : Promise.reject(new Error('The table is throttled.')));
  await expect(converge(factsOf({ isTick: true }), { ...ports, store: { ...ports.store, claim } })).rejects.toThrow('The table is throttled.');
  expect(begun).toHaveLength(2);
  expect(toldOf(world)).toEqual(begun.slice(0, 1));
  expect(world.started).toEqual([expect.stringMatching(/^web-removal-/)]);
});

test('a group that is only observed claims nothing before its look either', async () => {
  const { ports } = lookingOf(allSix);
  const claims: string[] = [];
  const claim: ReactPorts['store']['claim'] = async ({ instance: id }) => {
    claims.push(id);
    return { kind: 'claimed' };
  };
  const group = async () => ({ ...policy, mode: 'observe' as const });
  await converge(fromEc2({}), { ...ports, store: { ...ports.store, claim, group } });
  expect(claims).toEqual([]);
});

describe('with drain-first, a member that waits', () => {
  const drainFirst = group({
    size: policy.size,
    capacity: policy.capacity,
    swap: { order: 'drain-first', maxSurge: 2 },
  });
  /** The states that the waiting swap gets by a look whose launches have this result. */
  const begun = async (result: Awaited<ReturnType<CapacityIn['launch']>>[number]) => {
    const states: (string | undefined)[] = [];
    const { ports } = worldOf({ putState: async () => 'done', inForce: () => drainFirst });
    const launch: CapacityIn['launch'] = async (orders) => orders.map(() => result);
    // One of six is missing, so that this look launches.
    const provider = { ...ports.providerFor({ kind: 'tag' }), ...shows(members(onDemandB, 5)), launch } as CapacityIn;
    const waits = { ...swapOf(instance), reason: 'rebalance', state: 'waiting', deadlineMs: undefined } as unknown as Swap;
    const store = {
      ...ports.store,
      swaps: async () => [waits],
      stateAndSwaps: async () => ({ state: stored, swaps: [waits] }),
      advance: async (_: unknown, { set }: { readonly set: { readonly state?: string } }) => {
        states.push(set.state);
        return 'done';
      },
    } as unknown as ReactPorts['store'];
    await converge(factsOf({ isTick: true }), { ...ports, store, providerFor: () => provider });
    return states;
  };
  test('begins to leave beside a launch', async () => {
    const { offering } = members(onDemandB, 1)[0] ?? {};
    expect(await begun({ kind: 'answered', instances: offering ? [{ instance: 'i-new', offering }] : [], refusals: [] })).toEqual(['leaving']);
  });
  test('stays where that launch is the first that is denied', async () => {
    expect(await begun({ kind: 'invalid', code: 'UnauthorizedOperation', message: 'no' })).toEqual([]);
  });
});

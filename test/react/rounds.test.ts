import { describe, expect, test } from 'vitest';
import type { DecisionRecord } from '../../core/decision/decision-record.ts';
import type { Group } from '../../core/group/group.ts';
import { emptyBudget } from '../../core/limits/account-budget.ts';
import type { CapacityIn } from '../../core/ports/capacity-provider.ts';
import type { LaunchOrder } from '../../core/ports/launches.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { Suspension } from '../../core/view/suspension.ts';
import type { GroupState } from '../../core/view/view.ts';
import { gather } from '../../functions/react/look/gather.ts';
import { createKnownPolicies } from '../../functions/react/look/known-policies.ts';
import { createSeenMembers } from '../../functions/react/messages/seen-members.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { playRounds } from '../../functions/react/rounds.ts';
import type { Run } from '../../functions/react/run.ts';
import { turnsOf } from '../../functions/react/turns/turns.ts';
import { awsError } from '../aws/fake-aws.ts';
import { members } from '../core/members.ts';
import { atRest, spotIn } from '../core/returning/returning-views.ts';
import { tiered } from '../core/selector/tree-builders.ts';
import { asgView, group, nowMs, onDemandB, reservation, state, swapOf } from '../core/views.ts';
import { factsOf, invocation, silent } from './facts.ts';

const inB = (desired: number, policyVersion: number): Group =>
  group({ policyVersion, size: { min: 0, max: 20, desired }, capacity: { kind: 'pool', pool: 'od-b' } });
const stateUnder = (policy: Group, version: number): GroupState =>
  state({ version, desired: policy.size.desired, policyVersion: policy.policyVersion, policySize: JSON.stringify(policy.size) });

/** A group of six members in a world where others may write at any moment. */
const worldOf = (policy: Group | undefined, stored: GroupState | undefined) => {
  const world = {
    policy,
    stored,
    written: [] as GroupState[],
    asked: [] as number[],
    kept: [] as DecisionRecord[],
    overtaken: [] as unknown[],
    swaps: [] as Swap[],
    past: [] as Swap[],
    /** Happens with the next read of the policy. */
    beforeRead: (): void => {},
    /** Happens once, just before the state item is written next. */
    beforeWrite: (): void => {},
  };
  const store: Partial<StateStore> = {
    budget: async () => emptyBudget,
    putBudget: async () => 'done',
    group: async () => {
      const act = world.beforeRead;
      world.beforeRead = () => {};
      act();
      return world.policy;
    },
    state: async () => world.stored,
    stateAndSwaps: async () => ({ state: world.stored, swaps: [...world.swaps] }),
    swaps: async () => [...world.swaps],
    swapNow: async ({ instance }) => world.past.find((one) => one.instance === instance),
    claim: async (swap) => {
      world.swaps.push(swap);
      return { kind: 'claimed' };
    },
    putRequest: async () => {},
    putDecision: async (record) => {
      world.kept.push(record);
      if (record.outcome?.code === 'not-carried-out') world.overtaken.push(record.outcome.overtaken);
    },
    putState: async (_, next) => {
      const act = world.beforeWrite;
      world.beforeWrite = () => {};
      act();
      if ((world.stored?.version ?? 0) !== next.version - 1) return 'conflict';
      world.stored = next;
      world.written.push(next);
      return 'done';
    },
  };
  const provider: Partial<CapacityIn> = {
    describe: async () => ({ members: members(onDemandB, 6), asgs: [], ended: [], aside: [], stopped: [] }),
    requestOf: (_, { placement }) => ({ api: 'CreateFleet', calls: ['{}'], placement, market: 'on-demand', zones: {} }),
    launch: async (orders: readonly LaunchOrder[]) => {
      world.asked.push(...orders.map(({ request }) => request.placement.count));
      return orders.map(({ request }, order) => ({
        kind: 'answered' as const,
        instances: request.placement.offerings
          .slice(0, 1)
          .flatMap((offering) => Array.from({ length: request.placement.count }, (_, index) => ({ instance: `i-${order}-${index}`, offering }))),
        refusals: [],
      }));
    },
  };
  const believed = (_: string, known: GroupState) => known;
  const ports = {
    store,
    believed,
    policies: createKnownPolicies(() => nowMs),
    seen: createSeenMembers(),
    providerFor: () => provider,
    clock: { now: () => nowMs },
    sleep: () => new Promise(() => {}),
    telemetry: silent,
  } as unknown as ReactPorts;
  return { world, ports, provider: provider as CapacityIn };
};

/** Plays the rounds of an invocation that gathered with this policy, whatever is in force by the time it decides. */
const play = async (
  policy: Group,
  { world, ports, provider }: ReturnType<typeof worldOf>,
  heard: Partial<Run['facts']> = {},
  turns = turnsOf([], ports),
  rest: Pick<Run, 'hasClaimed'> = {},
) => {
  const facts = factsOf(heard);
  const run: Run = {
    group: policy,
    provider,
    facts,
    ports,
    ...invocation,
    turns,
    ...rest,
  };
  return playRounds(run, await gather(policy, facts, provider, ports, { state: world.stored, swaps: [...world.swaps] }), []);
};

describe('a desired capacity that is lowered', () => {
  const seven = group({
    size: { min: 0, max: 20, desired: 7 },
    capacity: { kind: 'pool', pool: 'od-b' },
    holding: { kind: 'attach', asg: 'web-asg' },
  });
  const short = asgView({ desired: 7, held: 6, holds: members(onDemandB, 6).map(({ instance }) => instance) });
  const refused = { ...stateUnder(seven, 5), asgGaps: { 'web-asg': { sinceMs: nowMs, refused: true } } };
  /** Plays a look at a group that was refused, and returns its steps. */
  const steps = async (takeOver: CapacityIn['takeOver']) => {
    const of = worldOf(seven, refused);
    const did: string[] = [];
    const members6 = members(onDemandB, 6, { asg: 'web-asg' });
    Object.assign(of.provider, {
      describe: async () => ({ members: members6, asgs: [short], ended: [], aside: [], stopped: [] }),
      takeOver: async (asg: string, desired: number) => {
        did.push(`lower to ${desired}`);
        return takeOver(asg, desired);
      },
      giveBack: async () => {},
    });
    const { putDecision } = of.ports.store;
    Object.assign(of.ports.store, {
      putDecision: (record: DecisionRecord) => {
        const [{ takeOver: lowered, placements } = { takeOver: [], placements: [] }] = record.rounds;
        did.push(`why: ${lowered.length} lowered, ${placements.length} launched`);
        return putDecision(record);
      },
    });
    const played = play(seven, of);
    return { did, played, asked: of.world.asked };
  };

  test('has its reasons stored before, once', async () => {
    const { did, played, asked } = await steps(async () => 'done');
    await played;
    expect(did).toEqual(['why: 1 lowered, 1 launched', 'lower to 6']);
    expect(asked).toEqual([1]);
  });

  test('has its reasons stored when the function dies in the call, and its result stored when the call is refused', async () => {
    const dies = await steps(() => Promise.reject(new Error('killed')));
    await expect(dies.played).rejects.toThrow('killed');
    expect(dies.did).toEqual(['why: 1 lowered, 1 launched', 'lower to 6']);
    const { did, played, asked } = await steps(async () => 'refused');
    await played;
    expect(did).toEqual(['why: 1 lowered, 1 launched', 'lower to 6', 'why: 1 lowered, 0 launched']);
    expect(asked).toEqual([]);
  });

  /** EC2 refuses requests until one is granted, while others write this into the state item. Returns what was lowered, requested and raised. */
  const refusedWith = async (
    { size, stored, grantedAt }: { size: number; stored: Partial<GroupState>; grantedAt: number },
    meanwhile: Partial<GroupState>,
  ) => {
    const policy = { ...seven, size: { min: 0, max: 20, desired: size } };
    const of = worldOf(policy, { ...stateUnder(policy, 5), ...refused, desired: size, ...stored });
    const did: string[] = [];
    const { launch } = of.provider;
    Object.assign(of.provider, {
      describe: async () => ({
        ...{ members: members(onDemandB, 6, { asg: 'web-asg' }), asgs: [{ ...short, desired: size }] },
        ...{ ended: [], aside: [], stopped: [] },
      }),
      takeOver: async (_: string, desired: number) => {
        did.push(`lower to ${desired}`);
        return 'done';
      },
      giveBack: async (_: string, { from, to }: { from: number; to: number }) => void did.push(`raise from ${from} to ${to}`),
      launch: async (orders: readonly LaunchOrder[]) => {
        did.push(...orders.map(({ request }) => `launch ${request.placement.count}`));
        const requests = did.filter((one) => one.startsWith('launch')).length;
        if (requests >= grantedAt) return launch(orders);
        const { stored: now } = of.world;
        of.world.stored = now && { ...now, version: now.version + 1, ...meanwhile };
        return orders.map(() => ({ kind: 'answered', instances: [], refusals: [] }));
      },
    });
    await play(policy, of);
    return did;
  };

  test('is what the round after a refusal counts with, also where another function has dropped the note of the gap', async () => {
    const world = { size: 7, stored: {}, grantedAt: 2 };
    expect(await refusedWith(world, { asgGaps: {} })).toEqual(['lower to 6', 'launch 1', 'launch 1']);
    expect(await refusedWith(world, {})).toEqual(['lower to 6', 'launch 1', 'launch 1']);
  });

  test('is raised to the size from before the first round, where a later one lowered it further', async () => {
    const others = reservation({ placement: { pool: 'od-b', count: 1, offerings: [{ instanceType: 'm7g.large', zone: 'b', market: 'on-demand' }] } });
    const world = { size: 8, stored: { reservations: [others] }, grantedAt: 9 };
    const did = await refusedWith(world, { reservations: [] });
    expect(did.filter((one) => !one.startsWith('launch'))).toEqual(['lower to 7', 'lower to 6', 'raise from 6 to 8']);
  });
});

test('a round launches beside its events, and also where the bus takes none', async () => {
  const eight = inB(8, 1);
  const of = worldOf(eight, stateUnder(eight, 5));
  const did: string[] = [];
  const refusal = awsError('ThrottlingException', 'Slow down.', 400);
  const announce = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    did.push(`bus, ${of.world.asked.length} requested`);
    throw refusal;
  };
  const facts = factsOf({});
  const run: Run = {
    group: eight,
    provider: of.provider,
    facts,
    ports: { ...of.ports, announcer: { announce } },
    ...invocation,
    turns: turnsOf([], of.ports),
  };
  const opened = {
    code: 'breaker-opened',
    breaker: 'spot',
    why: 'interruptions',
    interruptions: 3,
    withinMs: 60_000,
    untilMs: nowMs + 60_000,
  } as const;
  const gathered = await gather(eight, facts, of.provider, of.ports, { state: of.world.stored, swaps: [] });
  const played = await playRounds(run, { ...gathered, breakers: [opened] }, []);
  expect([did, of.world.asked]).toEqual([['bus, 1 requested'], [2]]);
  expect(played).toMatchObject({ kind: 'played', rounds: [{ launched: [{}], told: { failure: { error: refusal } } }] });
});

test('a round whose request could not be stored fails only when its reasons are stored', async () => {
  const eight = inB(8, 1);
  const of = worldOf(eight, stateUnder(eight, 5));
  Object.assign(of.ports.store, {
    putRequest: () => Promise.reject(new Error('throttled')),
    putDecision: async (record: DecisionRecord) => {
      await new Promise((resolve) => setImmediate(resolve));
      of.world.kept.push(record);
    },
  });
  await expect(play(eight, of)).rejects.toThrow('throttled');
  expect(of.world.kept).toHaveLength(1);
  expect(of.world.asked).toEqual([]);
});

test('a repeated request that finds capacity is followed by one for all others', async () => {
  const nine = inB(9, 1);
  const lesson = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs - 60_000, coolingUntilMs: nowMs + 60_000, streak: 1 } as const;
  const of = worldOf(nine, { ...stateUnder(nine, 5), memory: { 'm7g.large/b/on-demand': lesson } });
  await play(nine, of);
  expect(of.world.asked).toEqual([1, 2]);
});

describe('a decision that loses its race', () => {
  test('is kept as overtaken, and the next attempt takes its place', async () => {
    const eight = inB(8, 1);
    const of = worldOf(eight, stateUnder(eight, 5));
    of.world.beforeWrite = () => {
      of.world.stored = stateUnder(eight, 6);
    };
    await play(eight, of);
    expect(of.world.asked).toEqual([2]);
    expect(of.world.kept.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['d-1', undefined],
      ['d-1', { code: 'not-carried-out', overtaken: { by: 'state', readVersion: 5 } }],
      ['d-1', undefined],
    ]);
  });

  test('is kept although it changes nothing, if swaps that its run has claimed name it', async () => {
    const six = inB(6, 1);
    const overtaken = async (rest: Pick<Run, 'hasClaimed'>) => {
      // The look forgets an old launch, so it writes the state item.
      const before = { ...stateUnder(six, 5), reservations: [reservation({ instances: [], forgetAtMs: nowMs - 1 })] };
      const of = worldOf(six, before);
      of.world.beforeWrite = () => {
        of.world.stored = { ...before, version: 6 };
      };
      await play(six, of, {}, undefined, rest);
      return of.world.overtaken;
    };
    expect(await overtaken({})).toEqual([]);
    expect(await overtaken({ hasClaimed: true })).toEqual([{ by: 'state', readVersion: 5 }]);
  });

  test('is decided anew on another look when the size that others set counts otherwise by now', async () => {
    const outside = group({
      size: { from: 'asg', min: 0, max: 20, desired: 0 },
      capacity: { kind: 'pool', pool: 'od-b' },
      holding: { kind: 'attach', asg: 'web-asg' },
    });
    const there = members(onDemandB, 6, { asg: 'web-asg' });
    const holds = there.map(({ instance }) => instance);
    const attached = holds.slice(-1);
    const stateAt = (version: number): GroupState => ({ ...stateUnder(outside, version), desired: 5 });
    const of = worldOf(outside, { ...stateAt(5), added: [{ asg: 'web-asg', from: 6, instances: attached, atMs: nowMs }] });
    let desired = 7;
    let looks = 0;
    Object.assign(of.provider, {
      describe: async () => {
        looks += 1;
        return { members: there, asgs: [asgView({ desired, held: 6, holds })], ended: [], aside: [], stopped: [] };
      },
      takeDown: async () => ({ kind: 'changed-by-others' }),
    });
    of.world.beforeWrite = () => {
      of.world.stored = stateAt(6);
      desired = 6;
    };
    await play(outside, of);
    expect([of.world.asked, looks, of.world.written.at(-1)?.desired]).toEqual([[], 2, 6]);
    const still = worldOf(outside, stateAt(5));
    Object.assign(still.provider, of.provider);
    still.world.beforeWrite = () => {
      still.world.stored = stateAt(6);
    };
    await play(outside, still);
    expect([still.world.asked, looks]).toEqual([[], 3]);
  });

  test('says that an owner suspends `Launch` only where no other function noted meanwhile that it does', async () => {
    const six = group({ ...inB(6, 1), holding: { kind: 'attach', asg: 'web-asg' } });
    const there = members(onDemandB, 6, { asg: 'web-asg' });
    const suspended = asgView({ desired: 6, held: 6, holds: there.map(({ instance }) => instance), suspended: ['Launch'] });
    const saidBeside = async (noted: Partial<GroupState>) => {
      const of = worldOf(six, stateUnder(six, 5));
      of.provider.describe = async () => {
        of.world.stored = { ...stateUnder(six, 5), ...noted };
        return { members: there, asgs: [suspended], ended: [], aside: [], stopped: [] };
      };
      of.provider.resume = async () => 'done' as const;
      await play(six, of);
      const said = of.world.kept.flatMap(({ rounds }) => rounds.flatMap(({ remarks = [] }) => remarks));
      return said.map(({ code }) => code);
    };
    expect(await saidBeside({})).toEqual(['asg-unfit']);
    expect(await saidBeside({ version: 6, suspended: [{ asg: 'web-asg', processes: ['Launch'], atMs: nowMs }] })).toEqual([]);
    expect(await saidBeside({ version: 6 })).toEqual(['asg-unfit']);
  });

  /** A group of six whose size others set: 5, by its state. Each look shows the next of these desired capacities, and the last one from then on. */
  const sizedByOthers = (...shown: readonly number[]) => {
    const outside = group({
      size: { from: 'asg', min: 0, max: 20, desired: 0 },
      capacity: { kind: 'pool', pool: 'od-b' },
      holding: { kind: 'attach', asg: 'web-asg' },
    });
    const there = members(onDemandB, 6, { asg: 'web-asg' });
    // The Auto Scaling group was refused, so that Holdfast launches what is missing.
    const asgGaps = { 'web-asg': { sinceMs: nowMs, refused: true } };
    const stateAt = (version: number, desired: number): GroupState => ({ ...stateUnder(outside, version), desired, asgGaps });
    const of = worldOf(outside, stateAt(5, 5));
    let looks = 0;
    Object.assign(of.provider, {
      describe: async () => {
        looks += 1;
        const desired = shown[looks - 1] ?? shown.at(-1);
        return {
          members: there,
          asgs: [asgView({ desired, held: 6, holds: there.map(({ instance }) => instance) })],
          ended: [],
          aside: [],
          stopped: [],
        };
      },
      takeDown: async () => ({ kind: 'changed-by-others' }),
      suspend: async () => 'done',
    });
    return { of, stateAt, play: () => play(outside, of), looked: () => looks };
  };

  test('looks anew where another look has found another size that others set, and does not undo it', async () => {
    const { of, stateAt, play: played, looked } = sizedByOthers(6, 4);
    of.world.beforeWrite = () => {
      of.world.stored = stateAt(6, 4);
    };
    await played();
    expect([looked(), of.world.stored?.desired]).toEqual([2, 4]);
    expect(of.world.written.map(({ desired }) => desired)).not.toContain(6);
  });

  test('after a refusal is left to a wake where another look has found another size that others set', async () => {
    const { of, stateAt, play: played, looked } = sizedByOthers(8);
    of.provider.launch = async (orders) => {
      of.world.stored = { ...of.world.written.at(-1), ...stateAt(20, 7) };
      // The first write of the responses conflicts with that, the second one succeeds, and the next round loses its own.
      let writes = 0;
      const next = (): void => {
        writes += 1;
        if (writes === 3) of.world.stored = stateAt(30, 7);
        of.world.beforeWrite = next;
      };
      of.world.beforeWrite = next;
      return orders.map(() => ({ kind: 'answered', instances: [], refusals: [] }));
    };
    expect(await played()).toMatchObject({ kind: 'played', isCut: true });
    expect([looked(), of.world.stored?.desired]).toEqual([1, 7]);
  });

  test('gives the tokens of its turn back, so that the next attempt does not spend them twice', async () => {
    const eight = inB(8, 1);
    const of = worldOf(eight, stateUnder(eight, 5));
    let budget = emptyBudget;
    Object.assign(of.ports.store, {
      budget: async () => budget,
      putBudget: async (next: typeof budget) => {
        budget = next;
        return 'done';
      },
    });
    of.world.beforeWrite = () => {
      of.world.stored = stateUnder(eight, 6);
    };
    await play(eight, of);
    expect(of.world.asked).toEqual([2]);
    expect(budget.levels.createFleet?.tokens).toBe(49);
  });

  test('gives way to members that others claim before it is written, where it lets some leave by choice', async () => {
    const claimed = swapOf('od-b#2', { pool: 'od-b', offering: 'm7g.large/b/on-demand' });
    const removing = async (size: number, state: Swap['state']) => {
      const smaller = inB(size, 1);
      const of = worldOf(smaller, stateUnder(smaller, 5));
      of.world.beforeRead = () => void of.world.swaps.push({ ...claimed, state });
      const played = await play(smaller, of);
      const removed = played.kind === 'played' ? played.rounds.flatMap(({ decision }) => decision.removals.length) : [];
      return { removed, overtaken: of.world.overtaken };
    };
    expect(await removing(4, 'leaving')).toEqual({ removed: [1], overtaken: [{ by: 'claims', instances: ['od-b#2'], count: 1 }] });
    expect(await removing(4, 'waiting')).toEqual({ removed: [2], overtaken: [] });
    expect(await removing(6, 'leaving')).toEqual({ removed: [0], overtaken: [] });
  });

  test('is made again where that fits into half of the time limit, and is left to another invocation where it does not', async () => {
    const eight = inB(8, 1);
    const lost = async (afterMs: number) => {
      const of = worldOf(eight, stateUnder(eight, 5));
      let now = nowMs;
      of.ports.clock.now = () => now;
      of.world.beforeWrite = () => {
        now += afterMs;
        of.world.stored = stateUnder(eight, 6);
      };
      return (await play(eight, of)).kind;
    };
    expect(await lost(5_000)).toBe('played');
    expect(await lost(5_001)).toBe('contended');
  });

  test('decides anew on the look that it has, without another describe', async () => {
    const eight = inB(8, 1);
    const of = worldOf(eight, stateUnder(eight, 5));
    const { describe: look } = of.provider;
    let looks = 0;
    of.provider.describe = (of) => {
      looks += 1;
      return look(of);
    };
    of.world.beforeWrite = () => {
      of.world.stored = stateUnder(eight, 6);
    };
    await play(eight, of);
    expect(of.world.asked).toEqual([2]);
    expect(looks).toBe(1);
  });

  test('to a restore of the table counts what it has launched itself, in the rounds after that too', async () => {
    const eight = inB(8, 1);
    const of = worldOf(eight, stateUnder(eight, 5));
    const { launch } = of.provider;
    let requests = 0;
    of.provider.launch = async (orders) => {
      requests += 1;
      if (requests > 1) return launch(orders);
      of.world.stored = stateUnder(eight, 3);
      return launch(orders.map(({ request, ...order }) => ({ ...order, request: { ...request, placement: { ...request.placement, count: 1 } } })));
    };
    await play(eight, of);
    expect(of.world.asked).toEqual([1, 1]);
    const [older, answered] = [stateUnder(eight, 3), of.world.written.at(-1)];
    expect(answered && answered.version + (answered.renewedAtMs ?? 0)).toBeGreaterThan(older.version + nowMs);
    expect(answered?.reservations.map(({ instances }) => instances?.length)).toEqual([1, 1]);
  });

  test('after another that was carried out leaves that one as it is', async () => {
    const eight = inB(8, 1);
    const of = worldOf(eight, stateUnder(eight, 5));
    const { launch } = of.provider;
    let requests = 0;
    of.provider.launch = (orders) => {
      requests += 1;
      if (requests > 1) return launch(orders);
      // The answers are written first, the next decision after them.
      of.world.beforeWrite = () => {
        of.world.beforeWrite = () => {
          of.world.stored = stateUnder(eight, 9);
        };
      };
      return Promise.resolve(orders.map(() => ({ kind: 'answered', instances: [], refusals: [] })));
    };
    await play(eight, of);
    expect(of.world.overtaken).toEqual([]);
    expect(of.world.kept.map(({ rounds }) => rounds.length)).toEqual([1, 2, 1, 2]);
  });
});

describe('a table that is restored while EC2 refuses a launch', () => {
  test('gets the state and the swaps of this run again', async () => {
    const eight = inB(8, 1);
    const of = worldOf(eight, stateUnder(eight, 5));
    const { launch } = of.provider;
    const [leaving] = members(onDemandB, 1).map(({ instance }) => swapOf(instance));
    if (leaving === undefined) throw new Error('one member leaves');
    of.world.swaps = [leaving];
    of.provider.launch = async (orders) => {
      of.provider.launch = launch;
      of.world.swaps = [];
      of.world.stored = stateUnder(eight, 5);
      return orders.map(() => ({ kind: 'answered', instances: [], refusals: [] }));
    };
    const played = await play(eight, of);
    expect(of.world.swaps).toEqual([leaving]);
    expect(of.world.asked).toEqual([3]);
    expect(of.world.written.at(-1)?.renewedAtMs).toBeGreaterThan(0);
    expect(played.kind === 'played' && played.rounds.map(({ view }) => view.swaps.map(({ instance }) => instance))).toEqual([
      [leaving.instance],
      [leaving.instance],
    ]);
  });
});

describe('a decision under a policy that is not in force any more', () => {
  const eight = inB(8, 1);

  test('is not made: the group is gathered again with the policy in force', async () => {
    const of = worldOf(inB(10, 2), stateUnder(eight, 5));
    const played = await play(eight, of);
    expect(of.world.asked).toEqual([4]);
    expect(of.world.written.map(({ policyVersion, desired }) => [policyVersion, desired])).toEqual([
      [2, 10],
      [2, 10],
    ]);
    expect(played.kind === 'played' && played.run.group.policyVersion).toBe(2);
    expect(of.world.overtaken).toEqual([{ by: 'policy', policyVersion: 2 }]);
  });

  test('loses its write to one that followed the policy in force, and does not undo it', async () => {
    const of = worldOf(eight, stateUnder(eight, 5));
    const four = inB(4, 2);
    of.world.beforeWrite = () => {
      of.world.policy = four;
      of.world.stored = stateUnder(four, 6);
    };
    const played = await play(eight, of);
    expect(of.world.asked).toEqual([]);
    expect(of.world.stored?.desired).toBe(4);
    expect(of.world.overtaken).toEqual([{ by: 'state', readVersion: 5 }]);
    expect(played.kind === 'played' && played.rounds[0]?.decision.removals.length).toBe(2);
  });

  test('is not made once the policy is deleted', async () => {
    const of = worldOf(undefined, stateUnder(eight, 5));
    expect(await play(eight, of)).toEqual({ kind: 'let-go' });
    expect([of.world.asked, of.world.written]).toEqual([[], []]);
  });

  test('loses its write to the one that let the group go', async () => {
    const of = worldOf(eight, stateUnder(eight, 5));
    of.world.beforeWrite = () => {
      of.world.policy = undefined;
      of.world.stored = { ...stateUnder(eight, 6), policySize: '' };
    };
    expect(await play(eight, of)).toEqual({ kind: 'let-go' });
    expect(of.world.asked).toEqual([]);
  });

  test('launches nothing where no state item was there for a deletion to write over', async () => {
    const of = worldOf(eight, undefined);
    of.world.beforeWrite = () => {
      of.world.policy = undefined;
    };
    expect(await play(eight, of)).toEqual({ kind: 'let-go' });
    expect(of.world.asked).toEqual([]);
  });
});

describe('another round after a refusal', () => {
  const eight = inB(8, 1);
  /** EC2 refuses every request, after so long. */
  const refused = async (afterMs: number) => {
    const of = worldOf(eight, stateUnder(eight, 5));
    let now = nowMs;
    of.ports.clock.now = () => now;
    of.provider.launch = async (orders) => {
      now += afterMs;
      return orders.map(({ request }) => ({
        kind: 'answered' as const,
        instances: [],
        refusals: request.placement.offerings.map((offering) => ({
          offering,
          code: 'InsufficientInstanceCapacity',
          message: 'none',
          scope: 'offering' as const,
        })),
      }));
    };
    const played = await play(eight, of);
    return played.kind === 'played' ? { rounds: played.rounds.length, isCut: played.isCut ?? false } : played;
  };

  test('begins where it and what follows fit into half of the time limit, if each takes as long as the longest round', async () => {
    expect(await refused(5_000)).toEqual({ rounds: 2, isCut: false });
  });

  test('is left to another invocation where they do not', async () => {
    expect(await refused(5_001)).toEqual({ rounds: 1, isCut: true });
  });

  /** EC2 refuses the first request, while this happens. */
  const refusedOnce = async (
    meanwhile: (world: ReturnType<typeof worldOf>['world']) => void,
    stored = stateUnder(eight, 5),
    swaps: readonly Swap[] = [],
  ) => {
    const of = worldOf(eight, stored);
    of.world.swaps.push(...swaps);
    const { launch } = of.provider;
    let requests = 0;
    of.provider.launch = async (orders) => {
      requests += 1;
      if (requests > 1) return launch(orders);
      meanwhile(of.world);
      return orders.map(() => ({ kind: 'answered', instances: [], refusals: [] }));
    };
    return { played: await play(eight, of), asked: of.world.asked };
  };

  test('replaces members that others claimed during the request to EC2, because those counted what was being launched', async () => {
    const claimed = swapOf('od-b#2', { pool: 'od-b', offering: 'm7g.large/b/on-demand' });
    expect((await refusedOnce(() => {})).asked).toEqual([2]);
    expect((await refusedOnce(({ swaps }) => void swaps.push(claimed))).asked).toEqual([3]);
  });

  test('launches nothing for members that are no longer to leave, because their swaps were withdrawn during the request to EC2', async () => {
    const swap = swapOf('od-b#2', { pool: 'od-b', offering: 'm7g.large/b/on-demand' });
    const refusedFor = async (of: Swap, meanwhile: (swaps: Swap[], past: Swap[]) => void) =>
      (await refusedOnce(({ swaps, past }) => meanwhile(swaps, past), stateUnder(eight, 5), [of])).asked;
    expect(await refusedFor(swap, () => {})).toEqual([3]);
    expect(await refusedFor(swap, (swaps, past) => void past.push(...swaps.splice(0)))).toEqual([2]);
    // The describe of this run may still show an instance that has ended.
    expect(await refusedFor({ ...swap, state: 'gone', goneAtMs: nowMs }, (swaps) => void swaps.pop())).toEqual([3]);
  });

  test('decides about launches alone, because the first round has recorded everything else', async () => {
    const bounded = { ...stateUnder(eight, 5), deaths: [{ atMs: nowMs, count: 19 }] };
    const { played, asked } = await refusedOnce(() => {}, bounded);
    const rounds = played.kind === 'played' ? played.rounds : [];
    expect(rounds.map(({ decision: { remarks = [] } }) => remarks.map(({ code }) => code))).toEqual([['deaths-bounded'], []]);
    expect(asked).toEqual([1]);
  });

  test('is left to a wake where another policy came into force, whose signal may have come already', async () => {
    const { played, asked } = await refusedOnce((world) => {
      world.policy = inB(8, 2);
    });
    expect(asked).toEqual([]);
    expect(played).toMatchObject({ kind: 'played', isCut: true });
  });
});

describe('an attempt after a lost race', () => {
  type Loss = { readonly heldMs?: number; readonly policy?: ReturnType<typeof inB> };
  /** The first write of this group of eight is lost, so long after the look; `before` happens then. */
  const afterLoss = async (
    waitedMs: number,
    before: (of: ReturnType<typeof worldOf>) => void = () => {},
    { heldMs = 0, policy = inB(8, 1) }: Loss = {},
  ) => {
    const of = worldOf(policy, stateUnder(policy, 5));
    let [now, looks] = [nowMs, 0];
    of.ports.clock.now = () => now;
    Object.assign(of.ports, { prices: { spotPrices: async () => undefined } });
    const { describe: look } = of.provider;
    of.provider.describe = (group) => {
      looks += 1;
      return look(group);
    };
    of.world.beforeWrite = () => {
      now += waitedMs;
      of.world.stored = stateUnder(policy, 6);
      before(of);
    };
    return { played: await play(policy, of, {}, { ...turnsOf([], of.ports), heldMs: () => heldMs }), looks, world: of.world };
  };

  test('uses its look again for two seconds, and for as long as it waited for what others learn', async () => {
    expect((await afterLoss(1_999)).looks).toBe(1);
    expect((await afterLoss(2_000)).looks).toBe(2);
    expect((await afterLoss(3_999, undefined, { heldMs: 2_000 })).looks).toBe(1);
    expect((await afterLoss(4_000, undefined, { heldMs: 2_000 })).looks).toBe(2);
  });

  test('looks anew under another policy', async () => {
    const renamed = await afterLoss(0, ({ world }) => {
      world.policy = inB(10, 2);
    });
    expect([renamed.looks, renamed.world.asked]).toEqual([2, [4]]);
  });

  test('begins no second look that may take it past half of the time of its invocation', async () => {
    const lostAfterLook = async (looksMs: readonly number[], { held = 0 } = {}) => {
      const eight = inB(8, 1);
      const of = worldOf(eight, stateUnder(eight, 5));
      let [now, looks] = [nowMs, 0];
      of.ports.clock.now = () => now;
      const { describe: look } = of.provider;
      of.provider.describe = async (...asked) => {
        now += looksMs[looks] ?? 0;
        looks += 1;
        return { ...(await look(...asked)), ...(held > 0 && { members: members(onDemandB, held) }) };
      };
      const loses = (version: number): void => {
        of.world.stored = stateUnder(eight, version);
        if (looks + 1 < looksMs.length) of.world.beforeWrite = () => loses(version + 1);
      };
      of.world.beforeWrite = () => loses(6);
      return [(await play(eight, of)).kind, looks];
    };
    // A launch of 2 s, and as much for what follows: no round of this run has launched yet.
    expect(await lostAfterLook([5_500, 5_500])).toEqual(['played', 2]);
    expect(await lostAfterLook([5_501, 5_501])).toEqual(['contended', 1]);
    expect(await lostAfterLook([2_000, 4_500, 4_500])).toEqual(['played', 3]);
    expect(await lostAfterLook([2_001, 4_500, 4_500])).toEqual(['contended', 2]);
    // A large group was read, and the next look reads what changed, in 2 s at the most.
    expect(await lostAfterLook([9_000, 100], { held: 1_000 })).toEqual(['played', 2]);
    expect(await lostAfterLook([9_001, 100], { held: 1_000 })).toEqual(['contended', 1]);
    expect(await lostAfterLook([5_501, 100], { held: 999 })).toEqual(['contended', 1]);
    // It read everything again.
    expect(await lostAfterLook([2_001, 4_500, 4_500], { held: 1_000 })).toEqual(['contended', 2]);
  });

  test('is left to the repeated messages where the mode of the group changed, because other signals are claimed in it', async () => {
    const { played, world } = await afterLoss(0, (of) => {
      of.world.policy = { ...inB(8, 2), mode: 'observe' };
    });
    expect([played.kind, world.asked]).toEqual(['contended', []]);
  });

  test('is the last of ten: the messages are delivered again then', async () => {
    const eight = inB(8, 1);
    const losing = async (times: number) => {
      const of = worldOf(eight, stateUnder(eight, 5));
      let lost = 0;
      const lose = () => {
        lost += 1;
        of.world.stored = stateUnder(eight, 5 + lost);
        of.world.beforeWrite = lost < times ? lose : () => {};
      };
      of.world.beforeWrite = lose;
      return (await play(eight, of)).kind;
    };
    expect([await losing(9), await losing(10)]).toEqual(['played', 'contended']);
  });
});

test('a look that changes nothing writes nothing', async () => {
  const six = inB(6, 1);
  const of = worldOf(six, stateUnder(six, 5));
  await play(six, of);
  const before = of.world.written.length;
  await play(six, of);
  expect(of.world.written).toHaveLength(before);
});

test('rounds end after the eighth, although members are still missing', async () => {
  const eight = inB(8, 1);
  const of = worldOf(eight, stateUnder(eight, 5));
  let requests = 0;
  of.provider.launch = async (orders) => {
    requests += 1;
    return orders.map(({ request }) => ({
      kind: 'answered' as const,
      instances: [],
      refusals: request.placement.offerings.map((offering) => ({
        offering: { ...offering, zone: `z-${requests}` },
        code: 'InsufficientInstanceCapacity',
        message: '',
        scope: 'offering' as const,
      })),
    }));
  };
  const played = await play(eight, of);
  expect(played).toMatchObject({ kind: 'played', isCut: true });
  expect(played.kind === 'played' && played.rounds.length).toBe(8);
  expect(requests).toBe(8);
});

test('a decision that another one keeps from its turn uses its look again for two seconds more, because it may have waited', async () => {
  const looksAfter = async (waitedMs: number): Promise<number> => {
    const eight = inB(8, 1);
    const of = worldOf(eight, stateUnder(eight, 5));
    let [now, looks, asked] = [nowMs, 0, 0];
    of.ports.clock.now = () => now;
    const { describe: look } = of.provider;
    of.provider.describe = (group) => {
      looks += 1;
      return look(group);
    };
    const turns = turnsOf([], of.ports);
    const ask: typeof turns.ask = async (wanted) => {
      asked += 1;
      if (asked > 1) return turns.ask(wanted);
      now += waitedMs;
      return { turn: { kind: 'taken' }, refused: {} };
    };
    await play(eight, of, {}, { ...turns, ask });
    return looks;
  };
  expect([await looksAfter(3_999), await looksAfter(4_000)]).toEqual([1, 2]);
});

test('a group whose turn another decision has is left to a wake after four attempts, with a decision without launches where facts would be lost', async () => {
  const attempts = async (heard: Partial<Run['facts']>) => {
    const eight = { ...inB(8, 1), scaling: [{ alarm: 'high', adjust: { kind: 'instances' as const, by: 2 }, cooldownMs: 60_000 }] };
    const of = worldOf(eight, stateUnder(eight, 5));
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return { turn: { kind: 'taken' as const }, refused: {} };
    };
    const played = await play(eight, of, heard, { ...turnsOf([], of.ports), ask });
    const [round] = played.kind === 'played' ? played.rounds : [];
    return {
      asked,
      kind: played.kind,
      launched: of.world.asked,
      ...(round && { wakeAtMs: round.decision.wakeAtMs, remarks: round.decision.remarks?.length, desired: of.world.stored?.desired }),
    };
  };
  expect(await attempts({})).toEqual({ asked: 4, kind: 'contended', launched: [] });
  const decided = { asked: 4, kind: 'played', launched: [], wakeAtMs: nowMs + 2_000, remarks: 0 };
  expect(await attempts({ stoppedDrains: ['web-swap-1'] })).toEqual({ ...decided, desired: 8 });
  expect(await attempts({ alarms: [{ alarm: 'high', atMs: nowMs, isOn: true }] })).toEqual({ ...decided, desired: 10 });
});

test('responses of EC2 that others keep from being stored fail the run with an error that states that nothing is lost', async () => {
  const eight = inB(8, 1);
  const of = worldOf(eight, stateUnder(eight, 5));
  const { launch } = of.provider;
  let version = 6;
  const lose = () => {
    version += 1;
    of.world.stored = stateUnder(eight, version);
    of.world.beforeWrite = lose;
  };
  of.provider.launch = (orders) => {
    of.world.beforeWrite = lose;
    return launch(orders);
  };
  await expect(play(eight, of)).rejects.toThrow(
    'The responses to 1 launch requests of group web could not be written: the state item changed 10 times meanwhile. ' +
      'Nothing is lost: the requests stay reserved and are repeated under the same tokens.',
  );
  expect(version).toBe(16);
});

test('responses of EC2 are stored although the table has trouble with the first writes', async () => {
  const storedAfter = async (troubles: number, code: string) => {
    const eight = inB(8, 1);
    const of = worldOf(eight, stateUnder(eight, 5));
    const { launch } = of.provider;
    let left = troubles;
    const fail = () => {
      if (left === 0) return;
      left -= 1;
      of.world.beforeWrite = fail;
      throw awsError(code);
    };
    of.provider.launch = (orders) => {
      of.world.beforeWrite = fail;
      return launch(orders);
    };
    const { kind } = await play(eight, of);
    return [kind, of.world.stored?.reservations.flatMap(({ instances = [] }) => instances).length];
  };
  expect(await storedAfter(2, 'InternalServerError')).toEqual(['played', 2]);
  await expect(storedAfter(3, 'InternalServerError')).rejects.toThrow('InternalServerError');
  await expect(storedAfter(1, 'AccessDeniedException')).rejects.toThrow('AccessDeniedException');
});

test('responses of EC2 are stored in a new item if a user has deleted the item meanwhile', async () => {
  const eight = inB(8, 1);
  const of = worldOf(eight, stateUnder(eight, 5));
  const { launch } = of.provider;
  of.provider.launch = (orders) => {
    of.world.stored = undefined;
    return launch(orders);
  };
  expect(await play(eight, of)).toMatchObject({ kind: 'played', rounds: [{ launched: [{ result: { kind: 'answered' } }] }] });
  const { reservations = [], ...stored } = of.world.stored ?? {};
  expect(stored).toMatchObject({ version: 1, desired: 8, renewedAtMs: nowMs });
  expect(reservations.flatMap(({ instances = [] }) => instances)).toHaveLength(2);
});

describe('a group without a state item', () => {
  /** How many of six members leave at the first look, under this version of a policy for four. */
  const leave = async (policyVersion: number, change: (of: ReturnType<typeof worldOf>) => void = () => {}) => {
    const four = inB(4, policyVersion);
    const of = worldOf(four, undefined);
    change(of);
    const played = await play(four, of);
    return played.kind === 'played' && played.rounds[0]?.decision.removals.length;
  };

  test('removes a surplus at once if it is new', async () => {
    expect(await leave(1)).toBe(2);
  });

  test('may have lost its swaps if its policy was edited, if Holdfast launched members, or if an item was seen before', async () => {
    expect(await leave(2)).toBe(0);
    const isLaunched = ({ provider }: ReturnType<typeof worldOf>) => {
      const six = members(onDemandB, 6).map((member, index) => (index === 5 ? { ...member, reservation: 'r' } : member));
      provider.describe = async () => ({ members: six, asgs: [], ended: [], aside: [], stopped: [] });
    };
    expect(await leave(1, isLaunched)).toBe(0);
    const isSeen = ({ ports }: ReturnType<typeof worldOf>) => Object.assign(ports, { believed: (_: string, known: GroupState) => ({ ...known }) });
    expect(await leave(1, isSeen)).toBe(0);
    const hasSwap = ({ world }: ReturnType<typeof worldOf>) => void world.swaps.push(swapOf('i-gone', { state: 'gone', deadlineMs: nowMs }));
    expect(await leave(1, hasSwap)).toBe(0);
  });
});

test('another look follows at once where others decided while instances without tags were launched', async () => {
  const launchedInto = async (holding: Group['holding'], othersWrite: boolean, others: Partial<GroupState> = {}) => {
    const eight = { ...inB(8, 1), holding };
    const of = worldOf(eight, stateUnder(eight, 5));
    const { launch } = of.provider;
    of.provider.launch = (orders) => {
      if (othersWrite) of.world.stored = { ...stateUnder(eight, 8), ...others };
      return launch(orders);
    };
    const played = await play(eight, of);
    return played.kind === 'played' && played.isCut;
  };
  expect(await launchedInto({ kind: 'launch-instances' }, true)).toBe(true);
  expect(await launchedInto({ kind: 'launch-instances' }, false)).toBeUndefined();
  expect(await launchedInto({ kind: 'tag' }, true)).toBeUndefined();
  // Whoever only notes what signals say counts no instances.
  expect(await launchedInto({ kind: 'launch-instances' }, true, { notes: 2 })).toBeUndefined();
  expect(await launchedInto({ kind: 'launch-instances' }, true, { notes: 1 })).toBe(true);
});

test('another look follows at once where others decided during a move that is refused, because they counted on it', async () => {
  const movedFrom = async (gives: number, othersWrite: boolean) => {
    const spotA = spotIn('a');
    const there = [...members(spotA, 4), ...members(onDemandB, 2)];
    const size = { min: 0, max: 20, desired: 6 };
    const { group: six } = atRest(tiered('spot-a', 'od-b'), [spotA, onDemandB], there, { group: { size } });
    const of = worldOf(six, stateUnder(six, 5));
    const { launch } = of.provider;
    of.provider.describe = async () => ({ members: there, asgs: [], ended: [], aside: [], stopped: [] });
    of.provider.launch = async (orders) => {
      if (othersWrite && of.world.stored) of.world.stored = { ...of.world.stored, version: of.world.stored.version + 1 };
      return (await launch(orders)).map((one) => (one.kind === 'answered' ? { ...one, instances: one.instances.slice(0, gives) } : one));
    };
    const played = await play(six, of);
    return played.kind === 'played' && [played.rounds[0]?.decision.moves?.length, played.isCut];
  };
  expect(await movedFrom(0, true)).toEqual([1, true]);
  expect(await movedFrom(0, false)).toEqual([1, undefined]);
  expect(await movedFrom(3, true)).toEqual([1, undefined]);
});

describe('what a look finds and leaves as it is', () => {
  const six = inB(6, 1);
  const advice = { leaving: [{ instance: members(onDemandB, 6)[0]?.instance, reason: 'rebalance', atMs: nowMs }] };

  test('is a decision of its own: a member that its user detached is recorded once', async () => {
    const of = worldOf(six, stateUnder(six, 5));
    const { describe: look } = of.provider;
    of.provider.describe = async (one) => ({ ...(await look(one)), detached: ['i-gone'] });
    const played = await play(six, of);
    expect(played.kind === 'played' && played.rounds[0]?.decision.remarks).toEqual([{ code: 'detached', instances: ['i-gone'], count: 1 }]);
    expect(of.world.kept).toHaveLength(1);
    const again = await play(six, of);
    expect(again.kind === 'played' && again.rounds[0]?.decision.remarks).toEqual([]);
    expect(of.world.kept).toHaveLength(1);
  });

  test('says nothing of a member that its Auto Scaling group dropped and that EC2 shows as before: it may just have ended', async () => {
    const of = worldOf(six, stateUnder(six, 5));
    const { describe: look } = of.provider;
    of.provider.describe = async (one) => ({ ...(await look(one)), detached: ['i-gone'], stillTagged: ['i-gone'] });
    const first = await play(six, of);
    expect(first.kind === 'played' && first.rounds[0]?.decision.remarks).toEqual([]);
    of.provider.describe = async (one) => ({ ...(await look(one)), detached: ['i-gone'] });
    const then = await play(six, of);
    expect(then.kind === 'played' && then.rounds[0]?.decision.remarks).toEqual([{ code: 'detached', instances: ['i-gone'], count: 1 }]);
  });

  test('is advice, where the policy does not follow it', async () => {
    const still = { ...six, rebalance: { act: false } };
    const told = async (policy: Group) => {
      const of = worldOf(policy, stateUnder(policy, 5));
      const played = await play(policy, of, advice as unknown as Partial<Run['facts']>);
      return played.kind === 'played' ? (played.rounds[0]?.decision.remarks ?? []).map(({ code }) => code) : undefined;
    };
    expect(await told(still)).toEqual(['advice-not-followed']);
    expect(await told(six)).toEqual([]);
  });
});

describe('processes of a group that launches', () => {
  const outside = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
  const both: Suspension = { asg: 'web-asg', processes: ['Launch', 'Terminate'], atMs: nowMs };
  /** What is called while EC2 refuses every launch, and the rounds. */
  const refused = async (
    suspend: () => Promise<void> = async () => {},
    meanwhile: (world: ReturnType<typeof worldOf>['world']) => void = () => {},
    { max, joining }: { readonly max: number; readonly joining: number } = { max: 20, joining: 0 },
  ) => {
    const of = worldOf(outside, stateUnder(outside, 5));
    const called: unknown[] = [];
    const loose = members(onDemandB, joining, { admitted: false, serving: false, reservation: 'r-1' });
    Object.assign(of.provider, {
      describe: async () => ({ members: loose, asgs: [asgView({ name: 'web-asg', desired: 4, max })], ended: [], aside: [], stopped: [] }),
      suspend: async (suspension: Suspension) => {
        called.push(suspension);
        await suspend();
      },
      raiseMax: async () => 'done',
      launch: async (orders: readonly LaunchOrder[]) => {
        called.push('launch');
        meanwhile(of.world);
        return orders.map(({ request }) => ({
          kind: 'answered' as const,
          instances: [],
          refusals: request.placement.offerings.map((offering) => ({
            offering,
            code: 'InsufficientInstanceCapacity',
            message: '',
            scope: 'offering',
          })),
        }));
      },
    });
    const played = await play(outside, of);
    return { called, written: of.world.written, rounds: played.kind === 'played' ? played.rounds : [] };
  };

  test('are noted as suspended with the responses of launches, also where another look has noted its own call meanwhile', async () => {
    const later = { ...both, atMs: nowMs + 1 };
    const { written } = await refused(undefined, (world) => {
      const last = world.written.at(-1);
      if (world.written.length === 1 && last !== undefined)
        world.stored = { ...last, version: last.version + 1, suspended: [{ ...later, beforeMs: nowMs }] };
    });
    expect(written.slice(0, 2).map(({ suspended }) => suspended)).toEqual([[both], [later]]);
  });

  test('and a maximum that is raised for members that join is noted as raised, also where another look has written meanwhile', async () => {
    const meanwhile = (world: ReturnType<typeof worldOf>['world']) => {
      const last = world.written.at(-1);
      if (world.written.length === 1 && last !== undefined) world.stored = { ...last, version: last.version + 1 };
    };
    const { written } = await refused(undefined, meanwhile, { max: 4, joining: 1 });
    const noted = { asg: 'web-asg', fromMax: 4, toMax: 8, by: 'd-1', atMs: nowMs };
    expect(written.slice(0, 2).map(({ raised }) => raised)).toEqual([[noted], [{ ...noted, answeredAtMs: nowMs }]]);
  });

  test('are suspended before the first launch, and not by rounds after a refusal, whose look does not show that yet', async () => {
    const { called } = await refused();
    expect(called.slice(0, 3)).toEqual([both, 'launch', 'launch']);
    expect(called.slice(1)).not.toContainEqual(both);
  });

  test('that may not be suspended hold up no launch, and the round names them', async () => {
    const { called, rounds } = await refused(() => Promise.reject(awsError('AccessDenied', 'no right', 403)));
    expect(called.slice(0, 2)).toEqual([both, 'launch']);
    expect(rounds[0]?.denied).toEqual([both]);
  });
});

import { describe, expect, it } from 'vitest';
import { tags as ec2Tags, items } from '../../core/contract.ts';
import { initialState } from '../../core/group-state/state.ts';
import type { InstanceSnapshot } from '../../sandbox/world/world.ts';
import { group, swapOf } from '../core/views.ts';
import { comesUpWithinMs, isAtRest } from './rest.ts';
import type { Stage } from './stage.ts';
import { plainLandscape, specOf } from './worlds.ts';

/** Two instances run and serve. Some of them are protected, and some are in an Auto Scaling group. */
type Member = {
  readonly id: string;
  readonly isProtected?: boolean;
  readonly asg?: object;
  readonly isUp?: boolean;
  readonly isTakenOut?: boolean;
  readonly targets?: Readonly<Record<string, string>>;
  readonly bootedAtMs?: number;
  readonly launchedAtMs?: number;
  readonly tags?: Readonly<Record<string, string>>;
  readonly market?: 'spot';
};
const nowMs = 3_600_000;
const inAsg = { name: 'web-asg', lifecycleState: 'InService' };

type Scene = {
  readonly members: readonly Member[];
  readonly policy?: object;
  /** Whether a policy of the group is in force. */
  readonly isRuled?: boolean;
  readonly isKept?: boolean;
  readonly received?: number;
  /** Whether `accept-policy` is not done with a policy that was written. */
  readonly isUnaccepted?: boolean;
  readonly desired: number;
  /** Its schedule sets a size at 00:50 each day, and it is 01:00: when the group last followed it. */
  readonly followedAtMs?: number;
  readonly mode?: 'observe';
  readonly holding?: object;
  readonly onDemand?: object;
  /** The spares of the policy in force. */
  readonly spare?: number;
  /** An instance that EC2 has refused to end. */
  readonly refused?: string;
  readonly reason?: 'unwanted' | 'scale-in';
  /** A member that waits to leave, and how its group replaces members. */
  readonly waiting?: { readonly instance: string; readonly reason?: 'rebalance' | 'return'; readonly order?: string; readonly maxSurge: number };
  /** What a maximum of 1 was raised to. */
  readonly toMax?: number;
  /** Where the pools of the group are two Auto Scaling groups with maxima of 1: what they hold, and whether EC2 has capacity for them. */
  readonly pools?: { readonly holds: readonly [number, number]; readonly hasCapacity: boolean; readonly lifecycleState?: string };
};

const pooled = ['web-asg', 'other-asg'];

const restOf = ({
  members,
  policy = {},
  isRuled = true,
  isKept = true,
  received = 0,
  isUnaccepted = false,
  desired,
  followedAtMs,
  mode,
  holding,
  onDemand,
  spare,
  refused,
  reason = 'scale-in',
  waiting,
  toMax,
  pools,
}: Scene): Promise<boolean> => {
  const instances = members.map((member) => ({
    state: 'running',
    market: 'on-demand',
    targets: {},
    tags: {},
    ...member,
  })) as unknown as readonly InstanceSnapshot[];
  const raised = toMax === undefined ? [] : [{ asg: 'web-asg', fromMax: 1, toMax }];
  const scheduled = followedAtMs !== undefined && { scheduled: { schedule: '', atMs: followedAtMs } };
  const state = { group: 'web', item: items.state, version: 1, state: { ...initialState(group()), desired, raised, ...scheduled } };
  const kept = refused === undefined ? [] : [{ ...swapOf(refused, { state: 'drained', keptUntilMs: 1, reason }), item: items.swap(refused) }];
  const waits =
    waiting === undefined
      ? []
      : [{ ...swapOf(waiting.instance, { state: 'waiting', reason: waiting.reason ?? 'rebalance' }), item: items.swap(waiting.instance) }];
  const swap = waiting && { swap: { order: waiting.order ?? 'launch-first', maxSurge: waiting.maxSurge } };
  const resolved = {
    ...swap,
    ...(scheduled && { schedule: [{ at: '50 0 * * *', timezone: 'UTC', size: 2 }] }),
    ...(mode && { mode }),
    ...(holding && { holding }),
    ...(onDemand && { onDemand }),
    ...(spare && { spare }),
  };
  const accepted = isRuled ? [{ group: 'web', item: items.accepted, resolved }] : [];
  const standing = (count: number) => Array(count).fill({ lifecycleState: pools?.lifecycleState ?? 'InService' });
  const stage = {
    situation: {
      policies: [{ group: 'web', ...policy, ...(pools && { pools: { a: { asg: 'web-asg' }, b: { asg: 'other-asg' } } }) }],
      spec: {
        subnets: [{ id: 's-a', zone: 'z-a' }],
        autoScalingGroups: pooled.map((name) => ({ name, subnets: ['s-a'], instanceTypes: ['t'], market: 'spot' })),
      },
    },
    sandbox: {
      world: {
        snapshot: () => ({
          ...{ nowMs, instances },
          autoScalingGroups:
            pools?.holds.map((count, index) => ({ name: pooled[index], min: 0, max: 1, desired: count, instances: standing(count) })) ?? [],
          offerings: [{ market: 'spot', zone: 'z-a', instanceType: 't', used: 3, capacity: pools?.hasCapacity ? 4 : 3 }],
        }),
      },
      executions: () => [],
      platform: { areStreamsBehind: () => isUnaccepted, queues: [{ messages: () => (received > 0 ? [{ receiveCount: received }] : []) }] },
      items: async (table: 'state' | 'groups') => (table === 'state' ? [state, ...kept, ...waits] : accepted),
    },
    watched: {
      serving: () => members.filter(({ isUp = true }) => isUp).length,
      lives: new Map(members.map(({ id, isUp = true }) => [id, isUp ? { servingAtMs: 1 } : {}])),
      isTakenOut: (id: string) => members.some((member) => member.id === id && member.isTakenOut === true),
    },
    operated: { bounds: new Map() },
    groupOf: () => 'web',
    settle: () => undefined,
    isKept: () => isKept,
  };
  return isAtRest(stage as unknown as Stage, {});
};

const two: readonly Member[] = [{ id: 'i-1' }, { id: 'i-2' }];

describe('a run is at rest', () => {
  it('when as many serve as are desired', async () => {
    expect(await restOf({ members: two, desired: 2 })).toBe(true);
    expect(await restOf({ members: two, desired: 3 })).toBe(false);
    expect(await restOf({ members: two, desired: 1 })).toBe(false);
  });

  it('once it has followed each size that its schedule has set, unless it is only observed', async () => {
    const rest = (minute: number, rest: Partial<Scene> = {}) => restOf({ members: two, desired: 2, followedAtMs: minute * 60_000, ...rest });
    expect([await rest(49), await rest(50)]).toEqual([false, true]);
    expect([await rest(49, { mode: 'observe' }), await rest(49, { isKept: false })]).toEqual([true, true]);
  });

  it('when as many are on demand as the policy keeps there, or every other member is protected', async () => {
    const rest = (second: Partial<Member>): Promise<boolean> =>
      restOf({ members: [{ id: 'i-1' }, { id: 'i-2', ...second }], desired: 2, onDemand: { floor: 2, percent: 0 } });
    const onSpot = { market: 'spot', asg: inAsg } as const;
    expect([await rest({}), await rest(onSpot), await rest({ ...onSpot, isProtected: true })]).toEqual([true, false, true]);
    expect(await rest({ market: 'spot', isProtected: true })).toBe(false);
  });

  it('when every member that Holdfast launched has joined its Auto Scaling group', async () => {
    const launched = { ...{ id: 'i-3' }, tags: { [ec2Tags.reservation]: 'd-r0-0' } };
    const rest = (third: Member, more: Partial<Scene> = {}) =>
      restOf({ members: [...two, third], policy: { spare: 1 }, desired: 2, spare: 1, holding: { kind: 'attach', asg: 'web-asg' }, ...more });
    expect([await rest(launched), await rest({ ...launched, asg: inAsg })]).toEqual([false, true]);
    expect(await rest({ ...launched, tags: { ...launched.tags, [ec2Tags.joined]: 'web-asg 1' } })).toBe(true);
    expect([await rest({ id: 'i-3' }), await rest(launched, { holding: { kind: 'tag' } }), await rest(launched, { mode: 'observe' })]).toEqual([
      true,
      true,
      true,
    ]);
  });

  // Seed 23600033 of `modes`: with a spare that no edit had kept, a member and its replacement counted as rest in the middle of a move.
  it('with the spares of the policy in force, and not with those of an earlier one', async () => {
    const rest = (spare: number, before = 0) => restOf({ members: two, desired: 1, spare, policy: { spare: before } });
    expect([await rest(1), await rest(0), await rest(0, 1)]).toEqual([true, false, false]);
  });

  it('when a maximum is raised to what an Auto Scaling group holds whose group was let go, and no further', async () => {
    const rest = (toMax: number, holds: number) =>
      restOf({ members: two, desired: 1, isRuled: false, isKept: false, toMax, pools: { holds: [holds, 0], hasCapacity: true } });
    expect([await rest(2, 2), await rest(3, 2), await rest(1, 1)]).toEqual([true, false, false]);
  });

  it('when a maximum is raised to the size, and no further', async () => {
    expect(await restOf({ members: two, desired: 2, toMax: 2 })).toBe(true);
    expect(await restOf({ members: two, desired: 2, toMax: 3 })).toBe(false);
    expect(await restOf({ members: two.slice(1), desired: 1, toMax: 1 })).toBe(false);
  });

  it('when the maximum of a pool is raised to what it holds, if no pool with capacity has room', async () => {
    const three = [...two, { id: 'i-3' }].map((one) => ({ ...one, asg: inAsg }));
    const rest = (toMax: number, holds: readonly [number, number], hasCapacity: boolean, lifecycleState?: string): Promise<boolean> =>
      restOf({ members: three, desired: 3, toMax, pools: { holds, hasCapacity, ...(lifecycleState && { lifecycleState }) } });
    expect(await rest(2, [2, 1], true)).toBe(true);
    expect(await rest(2, [2, 0], false)).toBe(true);
    expect(await rest(2, [2, 0], true)).toBe(false);
    expect(await rest(4, [2, 1], true)).toBe(false);
    expect([await rest(2, [2, 0], false, 'InService'), await rest(2, [2, 0], false, 'Standby')]).toEqual([true, false]);
  });

  it('of a group without a policy in force, however many serve', async () => {
    expect(await restOf({ members: two, desired: 3, isRuled: false })).toBe(true);
    expect(await restOf({ members: two, desired: 3, isKept: false })).toBe(true);
  });

  it('when those serve that their user protects, unless he took them out of their Auto Scaling group', async () => {
    const guarded = (asg?: object): readonly Member[] => two.map((one) => ({ ...one, isProtected: true, ...(asg && { asg }) }));
    const attached = { asg: 'web-asg' };
    expect(await restOf({ members: guarded(inAsg), policy: attached, desired: 1 })).toBe(true);
    expect(await restOf({ members: guarded(), policy: attached, desired: 1 })).toBe(false);
    expect(await restOf({ members: guarded(), desired: 1 })).toBe(true);
    expect(await restOf({ members: guarded(inAsg).slice(0, 1), policy: attached, desired: 2 })).toBe(false);
  });

  it('once no instance waits at a terminating hook, whose message may be lost', async () => {
    const waiting = { id: 'i-3', isUp: false, isTakenOut: true, asg: { name: 'web-asg', lifecycleState: 'Terminating:Wait' } };
    expect(await restOf({ members: [...two, waiting], desired: 2 })).toBe(false);
    expect(await restOf({ members: [...two, { ...waiting, asg: inAsg }], desired: 2 })).toBe(true);
  });

  it('while a target group drains the target of an instance that its user took out, and of no other', async () => {
    const rest = (isTakenOut: boolean) =>
      restOf({ members: [...two, { id: 'i-3', isUp: false, isTakenOut, targets: { web: 'draining' } }], desired: 2 });
    expect([await rest(true), await rest(false)]).toEqual([true, false]);
  });

  it('whatever a warm pool keeps running, protected or not', async () => {
    const warm = { id: 'i-3', isUp: false, isProtected: true, asg: { name: 'web-asg', lifecycleState: 'Warmed:Running' } };
    const guarded = two.map((one) => ({ ...one, isProtected: true, asg: inAsg }));
    expect(await restOf({ members: [...guarded, warm], policy: { asg: 'web-asg' }, desired: 2 })).toBe(true);
  });

  it('whatever its user keeps in standby, protected or not, and whether it served there or not', async () => {
    const guarded = two.map((one) => ({ ...one, isProtected: true, asg: inAsg }));
    const rest = (change: Partial<Member>, desired = 2): Promise<boolean> => {
      const aside = { id: 'i-3', isUp: false, isProtected: true, asg: { name: 'web-asg', lifecycleState: 'Standby' }, ...change };
      return restOf({ members: [...guarded, aside], policy: { asg: 'web-asg' }, desired });
    };
    expect([await rest({}), await rest({ isUp: true }), await rest({ isProtected: false, isUp: true })]).toEqual([true, true, true]);
    expect([await rest({}, 3), await rest({ isUp: true }, 3)]).toEqual([false, false]);
    expect([await rest({ asg: inAsg }), await rest({ asg: inAsg, isUp: true })]).toEqual([false, true]);
  });

  it('when no instance is coming up, except one that its user took out of its Auto Scaling group', async () => {
    expect(await restOf({ members: [...two, { id: 'i-3', isUp: false }], desired: 2 })).toBe(false);
    expect(await restOf({ members: [...two, { id: 'i-3', isUp: false, isTakenOut: true }], desired: 2 })).toBe(true);
  });

  it('when the instances that never become healthy are protected from scale-in, and old enough', async () => {
    const served = two.map((one) => ({ ...one, isProtected: true, asg: inAsg, bootedAtMs: 1, launchedAtMs: 0 }));
    const rest = (change: Partial<Member>): Promise<boolean> => {
      const mute: Member = { id: 'i-3', isUp: false, isProtected: true, asg: inAsg, launchedAtMs: nowMs - 600_000, ...change };
      return restOf({ members: [...served, mute], policy: { asg: 'web-asg' }, desired: 3 });
    };
    expect(await rest({})).toBe(true);
    expect(await rest({ launchedAtMs: nowMs - 599_999 })).toBe(false);
    expect(await rest({ isProtected: false })).toBe(false);
    expect(await rest({ bootedAtMs: 1 })).toBe(false);
  });

  it('while advice waits because such instances take the whole surge, and no more serve than must', async () => {
    const served = two.map((one) => ({ ...one, isProtected: true, asg: inAsg, bootedAtMs: 1, launchedAtMs: 0 }));
    const mute: Member = { id: 'i-3', isUp: false, isProtected: true, asg: inAsg, launchedAtMs: nowMs - 600_000 };
    const rest = (waiting: Partial<Scene['waiting']>, members: readonly Member[] = [...served, mute]): Promise<boolean> =>
      restOf({ members, policy: { asg: 'web-asg' }, desired: 2, waiting: { instance: 'i-1', maxSurge: 1, ...waiting } });
    expect(await rest({})).toBe(true);
    expect([await rest({ maxSurge: 2 }), await rest({ order: 'drain-first' })]).toEqual([false, false]);
    expect([await rest({ reason: 'return' }), await rest({ instance: 'i-3' }), await rest({}, served)]).toEqual([false, false, false]);
    expect(await rest({}, [...served, { ...mute, id: 'i-4', isUp: true, bootedAtMs: 1 }, mute])).toBe(false);
  });

  it('while as many serve as are desired beside such an instance, and no more', async () => {
    const serving = (count: number): readonly Member[] =>
      Array.from({ length: count }, (_, index) => ({ id: `i-${index}`, bootedAtMs: 1, launchedAtMs: 0 }));
    const rest = (count: number, isProtected = true): Promise<boolean> => {
      const mute: Member = { id: 'i-mute', isUp: false, isProtected, asg: inAsg, launchedAtMs: nowMs - 600_000 };
      return restOf({ members: [...serving(count), mute], policy: { asg: 'web-asg' }, desired: 2 });
    };
    expect([await rest(1), await rest(2), await rest(0), await rest(3), await rest(2, false)]).toEqual([true, true, false, false, false]);
  });

  it('when a stray serves that EC2 refuses to end, and no member does so beyond the size', async () => {
    const three = [...two, { id: 'i-3' }];
    expect(await restOf({ members: three, desired: 2, refused: 'i-3', reason: 'unwanted' })).toBe(true);
    expect(await restOf({ members: three, desired: 2, refused: 'i-3', reason: 'scale-in' })).toBe(false);
  });

  it('when one that EC2 refuses to end never serves', async () => {
    expect(await restOf({ members: [...two, { id: 'i-3', isUp: false }], desired: 2, refused: 'i-3' })).toBe(true);
    expect(await restOf({ members: [...two, { id: 'i-3', isUp: false }], desired: 2, refused: 'i-1' })).toBe(false);
  });

  it('when no signal comes again', async () => {
    expect(await restOf({ members: two, desired: 2, received: 1 })).toBe(false);
    expect(await restOf({ members: two, desired: 2, isUnaccepted: true })).toBe(false);
  });
});

describe('groups come up', () => {
  const within = (size: number, policy: object, delaySeconds = 0): number => {
    const spec = specOf({ ...plainLandscape, targetGroups: [{ name: 'web', deregistrationDelaySeconds: delaySeconds }] }, []);
    return comesUpWithinMs({ asked: { web: { size } }, policies: [{ group: 'web', ...policy }], spec });
  };

  it('later when many members may move to spot first, a few at a time', () => {
    expect(within(120, { swap: { maxSurge: 3 } }) - within(0, {})).toBe(40 * 60_000);
    expect(within(120, { swap: { maxSurge: 30 } }) - within(0, {})).toBe(4 * 60_000);
    expect(within(3, {}) - within(0, {})).toBe(3 * 60_000);
  });

  it('later when each of them counts as serving only after a while, as the policy says', () => {
    expect(within(3, { ready: { after: '45s' } }) - within(3, {})).toBe(3 * 45_000);
    expect(within(3, { ready: { checks: 'ec2', after: '30s' } }) - within(3, {})).toBe(3 * 120_000);
    expect(within(3, { ready: { within: '6m' } }) - within(3, {})).toBe(0);
  });

  it('once those that moved may have drained', () => {
    expect(within(3, {}, 600) - within(3, {})).toBe(10 * 60_000);
  });
});

import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import type { Group } from '../../../core/group/group.ts';
import type { OfferingKey } from '../../../core/pool/offering.ts';
import type { Pool } from '../../../core/pool/pool.ts';
import { noReturns } from '../../../core/returning/memory.ts';
import type { Returning } from '../../../core/returning/returning.ts';
import type { Selector } from '../../../core/selector/selector.ts';
import type { AsgView, GroupState, Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, swapOf, view } from '../views.ts';

const minute = 60_000;
const rule: Returning = { afterMs: 10 * minute, everyMs: 5 * minute, atMost: { kind: 'share', percent: 50 }, timezone: 'UTC' };
const returning = (rest: Partial<Group> = {}): Group => group({ returning: rule, swap: { order: 'launch-first', maxSurge: 2 }, ...rest });

/** Ten members in zone a, none in zone b, whose spot is the other child of the spread. */
const look = (rest: Partial<View> = {}): View => view({ group: returning(), members: members(spotA, 10), ...rest });
const spotKey = 'm7g.large/b/spot' as const;
const leafOf = ({ name }: Pool): Selector => ({ kind: 'pool', pool: name });
const spreadOf = (...pools: readonly Pool[]): Selector => ({ kind: 'spread', by: 'pool', children: pools.map(leafOf) });
const moved = (decision: Decision) => decision.moves?.map(({ pool, instances }) => [pool, instances.length]);

/** What a decision leaves behind once its replacements serve and who moved has left. */
const after = (now: readonly Member[], decision: Decision): readonly Member[] => {
  const leaving = new Set(decision.moves?.flatMap(({ instances }) => instances));
  const launched = decision.placements.flatMap(({ pool, count }) =>
    Array.from({ length: count }, () => [spotA, spotB].find(({ name }) => name === pool) ?? onDemandB),
  );
  return [
    ...now.filter(({ instance }) => !leaving.has(instance)),
    ...launched.map((pool, index) => member(`${pool.name}#new${now.length}-${index}-${[...leaving].join()}`, pool)),
  ];
};

describe('a spread that is uneven', () => {
  it('moves members to the child that holds fewest, within the surge', () => {
    const decision = decide(look());
    expect(decision.placements.map(({ pool, count, moves }) => [pool, count, moves?.length])).toEqual([['spot-b', 2, 2]]);
    expect(decision.moves?.map(({ why }) => why)).toEqual([{ code: 'fewer-members', held: 0, fromHeld: 10 }]);
    expect([decision.removals, decision.unplaced]).toEqual([[], 0]);
  });

  it('is evened out step by step, until its children are at most one apart', () => {
    let now: readonly Member[] = [...members(spotA, 9), ...members(spotB, 2)];
    const counts: (readonly number[])[] = [];
    for (let step = 0; step < 5; step += 1) {
      const decision = decide(look({ members: now, state: state({ desired: 11 }) }));
      if (decision.moves === undefined) break;
      now = after(now, decision);
      counts.push([spotA, spotB].map(({ name }) => now.filter(({ pool }) => pool === name).length));
    }
    expect(counts).toEqual([
      [7, 4],
      [6, 5],
    ]);
  });

  it('takes from the fullest child first, so that no more move than must', () => {
    const spotC: Pool = { ...spotA, name: 'spot-c', subnets: [{ id: 'subnet-c', zone: 'c' }] };
    const pools = { 'spot-a': spotA, 'spot-b': spotB, 'spot-c': spotC };
    // By the order of members alone, the younger ones of zone b would go first.
    const now = [...members(spotA, 4), ...members(spotB, 3, { launchedAtMs: nowMs - minute }), ...members(spotC, 1)];
    const group = returning({ capacity: spreadOf(spotA, spotB, spotC), pools, swap: { order: 'launch-first', maxSurge: 3 } });
    const { moves } = decide(look({ group, members: now, state: state({ desired: 8 }) }));
    expect(moves?.map(({ pool, instances }) => [pool, instances])).toEqual([['spot-c', ['spot-a#1']]]);
  });

  it('stays as it is while its children are one apart', () => {
    const nine = { members: [...members(spotA, 5), ...members(spotB, 4)], state: state({ desired: 9 }) };
    expect(decide(look(nine)).placements).toEqual([]);
  });

  it('is evened out by zone below one pool', () => {
    const both: Pool = { ...spotA, name: 'spot', subnets: [...spotA.subnets, ...spotB.subnets] };
    const capacity = { kind: 'spread', by: 'zone', children: [leafOf(both)] } as const;
    const { placements } = decide(look({ group: returning({ capacity, pools: { spot: both } }), members: members(both, 10) }));
    expect(placements.flatMap(({ offerings }) => offerings.map(({ zone }) => zone))).toEqual(['b']);
  });

  it('is evened out where Auto Scaling groups hold its members', () => {
    const inAsg = (pool: Pool): Pool => ({ ...pool, asg: `${pool.name}-asg` });
    const pools = { 'spot-a': inAsg(spotA), 'spot-b': inAsg(spotB), 'od-b': inAsg(onDemandB) };
    const held = members(pools['spot-a'], 10, { asg: 'spot-a-asg' });
    const asgs = Object.values(pools).map(({ asg: name = '' }): AsgView => {
      const holds = name === 'spot-a-asg' ? held.map(({ instance }) => instance) : [];
      return { name, min: 0, max: 20, desired: holds.length, held: holds.length, holds, suspended: [] };
    });
    const through = look({ group: returning({ holding: { kind: 'launch-instances' }, pools }), members: held, asgs });
    expect(moved(decide(through))).toEqual([['spot-b', 2]]);
    const kept = asgs.map((asg) => (asg.name === 'spot-a-asg' ? { ...asg, min: 10 } : asg));
    expect(decide({ ...through, asgs: kept }).moves).toBeUndefined();
  });
});

describe('members beside their shares', () => {
  const weightedOf = (...shares: readonly (readonly [Pool, number])[]): Selector => ({
    kind: 'weighted',
    children: shares.map(([pool, weight]) => ({ use: leafOf(pool), weight })),
  });
  const spotC: Pool = { ...spotA, name: 'spot-c', subnets: [{ id: 'subnet-c', zone: 'c' }] };
  const pools = { 'spot-a': spotA, 'spot-b': spotB, 'spot-c': spotC, 'od-b': onDemandB };
  const held = (capacity: Selector, now: readonly Member[], rest: Partial<View> = {}): Decision =>
    decide(look({ group: returning({ capacity, pools }), members: now, state: state({ desired: now.length }), ...rest }));

  it('move to the child below its share, one after the other, until none is a whole member above', () => {
    const capacity = weightedOf([spotA, 1], [spotB, 3]);
    let now: readonly Member[] = members(spotA, 7);
    const counts: (readonly number[])[] = [];
    for (let step = 0; step < 9; step += 1) {
      const decision = held(capacity, now);
      if (decision.moves === undefined) break;
      now = after(now, decision);
      counts.push([spotA, spotB].map(({ name }) => now.filter(({ pool }) => pool === name).length));
    }
    expect(counts).toEqual([
      [5, 2],
      [3, 4],
      [2, 5],
    ]);
  });

  it('say how far apart the shares are', () => {
    const { moves } = held(weightedOf([spotA, 1], [spotB, 1]), [...members(spotA, 5), ...members(spotB, 2)]);
    expect(moves).toEqual([{ pool: 'spot-b', instances: ['spot-a#1'], why: { code: 'below-share', below: 1.5, fromAbove: 1.5 } }]);
  });

  it('stay where the tree has put them, whatever the weights and the size', () => {
    const capacity = weightedOf([spotA, 5], [spotB, 3], [spotC, 2]);
    for (let size = 1; size <= 25; size += 1) {
      const { placements } = decide(look({ group: returning({ capacity, pools }), members: [], state: state({ desired: size }) }));
      const placed = placements.flatMap(({ pool, count }) => members(pools[pool as keyof typeof pools], count));
      expect(held(capacity, placed).moves).toBeUndefined();
    }
  });

  it('count for the shares of what gives: a child without capacity has none meanwhile', () => {
    const refused = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + minute, streak: 1 } as const;
    const without = { state: state({ desired: 9, memory: { 'm7g.large/c/spot': refused } }) };
    const capacity = weightedOf([spotA, 1], [spotB, 1], [spotC, 1]);
    expect(moved(held(capacity, [...members(spotA, 6), ...members(spotB, 3)], without))).toEqual([['spot-b', 1]]);
    expect(held(capacity, [...members(spotA, 5), ...members(spotB, 4)], without).moves).toBeUndefined();
    expect(moved(held(capacity, [...members(spotA, 5), ...members(spotB, 4)]))).toEqual([['spot-c', 2]]);
  });

  it('leave a child that has weight 0 by now', () => {
    expect(moved(held(weightedOf([spotA, 0], [spotB, 1]), [...members(spotA, 1), ...members(spotB, 3)]))).toEqual([['spot-b', 1]]);
  });

  it('are given by the fullest child below the one that is above its share', () => {
    const onDemandC: Pool = { ...onDemandB, name: 'od-c', subnets: [{ id: 'subnet-c', zone: 'c' }] };
    const capacity: Selector = {
      kind: 'weighted',
      children: [
        { use: spreadOf(spotA), weight: 3 },
        { use: spreadOf(onDemandB, onDemandC), weight: 1 },
      ],
    };
    const now = [...members(onDemandB, 1, { launchedAtMs: nowMs - minute }), ...members(spotA, 4), ...members(onDemandC, 2)];
    const { moves } = held(capacity, now, { group: returning({ capacity, pools: { ...pools, 'od-c': onDemandC } }) });
    expect(moves?.map(({ pool, instances }) => [pool, instances])).toEqual([['spot-a', ['od-c#1']]]);
  });

  it('go back to spot for it, and never from spot to on-demand', () => {
    const capacity = weightedOf([spotA, 1], [onDemandB, 1]);
    expect(moved(held(capacity, members(onDemandB, 4)))).toEqual([['spot-a', 2]]);
    expect(held(capacity, members(spotA, 4)).moves).toBeUndefined();
    const three = weightedOf([spotA, 1], [onDemandB, 2], [spotB, 1]);
    expect(held(three, members(spotA, 4)).moves?.map(({ pool, why }) => [pool, why])).toEqual([
      ['spot-b', { code: 'below-share', below: 1, fromAbove: 3 }],
    ]);
  });

  it('wait for calm, as members of a spread do', () => {
    const losses = [2, 20].map((hours) => ({ offering: spotKey, atMs: nowMs - hours * 60 * minute, livedMs: 9 * 60 * minute }));
    const state = { ...look().state, returns: { ...noReturns, losses } };
    expect(held(weightedOf([spotA, 1], [spotB, 1]), members(spotA, 10), { state }).moves).toBeUndefined();
  });

  it('may be of a spread in a child of the weights', () => {
    const capacity: Selector = {
      kind: 'weighted',
      children: [
        { use: spreadOf(spotA, spotC), weight: 2 },
        { use: leafOf(spotB), weight: 1 },
      ],
    };
    const { moves } = held(capacity, [...members(spotA, 4), ...members(spotC, 2), ...members(spotB, 3)]);
    expect(moves?.map(({ pool, why }) => [pool, why.code])).toEqual([['spot-c', 'fewer-members']]);
  });
});

describe('a spread stays uneven', () => {
  const quiet = (rest: Partial<View>): void => expect(decide(look(rest)).moves).toBeUndefined();

  it('when the policy allows no moves', () => {
    const { returning: _rule, ...off } = returning();
    quiet({ group: off });
  });

  it('while the group is short, or anything is under way', () => {
    quiet({ members: members(spotA, 9) });
    quiet({ swaps: [swapOf('other', { state: 'leaving' })] });
  });

  it('while no offering there can be launched: a refused offering rests, and is not requested before its time', () => {
    const refused = {
      kind: 'refused',
      code: 'InsufficientInstanceCapacity',
      atMs: nowMs - minute,
      coolingUntilMs: nowMs + minute,
      streak: 1,
    } as const;
    quiet({ state: state({ memory: { [spotKey]: refused } }) });
    const atMs = nowMs - 10 * minute;
    const rested = { ...refused, atMs, coolingUntilMs: atMs + 3 * minute };
    expect(decide(look({ state: state({ memory: { [spotKey]: rested } }) })).moves).toHaveLength(1);
  });

  it('while the place backs off because members were interrupted there soon', () => {
    const lost = (agoMs: number, livedMs: number): GroupState['returns'] => ({
      ...noReturns,
      losses: [{ offering: spotKey, atMs: nowMs - agoMs, livedMs }],
    });
    quiet({ state: state({ returns: lost(19 * minute, 2 * minute) }) });
    expect(decide(look({ state: state({ returns: lost(20 * minute, 2 * minute) }) })).moves).toHaveLength(1);
  });

  it('while any type backs off that an Auto Scaling group of the place may launch', () => {
    const types = { instanceTypes: ['m7g.large', 'm6g.large'] };
    const losses = [{ offering: 'm6g.large/b/spot' as const, atMs: nowMs - 19 * minute, livedMs: 2 * minute }];
    const pools = (asg: object) => ({ ...returning().pools, 'spot-b': { ...spotB, ...types, ...asg } });
    const at = (asg: object) => decide(look({ group: returning({ pools: pools(asg) }), state: state({ returns: { ...noReturns, losses } }) }));
    expect(at({}).placements.flatMap(({ offerings }) => offerings.map(({ instanceType }) => instanceType))).toEqual(['m7g.large']);
    expect(at({ asg: 'spot-b-asg' }).moves).toBeUndefined();
  });

  it('where EC2 took members twice within a day, wherever they were and however long they lived', () => {
    const hour = 60 * minute;
    const isOpen = (...lost: readonly (readonly [agoMs: number, key?: OfferingKey])[]): boolean => {
      const losses = lost.map(([ago, offering = spotKey]) => ({ offering, atMs: nowMs - ago, livedMs: 9 * hour }));
      return decide(look({ state: state({ returns: { ...noReturns, losses } }) })).moves !== undefined;
    };
    expect([isOpen([9 * minute]), isOpen([10 * minute])]).toEqual([false, true]);
    expect([isOpen([23 * hour], [2 * hour]), isOpen([24 * hour], [2 * hour]), isOpen([24 * hour], [9 * minute])]).toEqual([false, true, false]);
    expect([isOpen([30 * hour], [23 * hour], [2 * hour]), isOpen([30 * hour], [25 * hour])]).toEqual([false, true]);
    const elsewhere = 'm7g.large/a/spot';
    expect([isOpen([23 * hour, elsewhere], [2 * hour]), isOpen([2 * hour, elsewhere], [23 * hour, elsewhere])]).toEqual([false, false]);
    // A zone that is lost is one occasion, whatever types its members have. Offerings are remembered one after another.
    expect([isOpen([2 * hour], [2 * hour - 3 * minute + 1, elsewhere]), isOpen([2 * hour], [2 * hour - 3 * minute, elsewhere])]).toEqual([
      true,
      false,
    ]);
    expect(isOpen([2 * hour - minute], [2 * hour, elsewhere])).toBe(true);
  });

  it('for as long as a refusal rests', () => {
    const refused = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs - 29 * minute, streak: 9 } as const;
    const until = (coolingUntilMs: number) => decide(look({ state: state({ memory: { [spotKey]: { ...refused, coolingUntilMs } } }) })).moves?.length;
    expect([until(nowMs + minute), until(nowMs)]).toEqual([undefined, 1]);
  });

  it('beyond the budget, outside the windows, and until the policy has been the same for long enough', () => {
    const moves = [{ reservation: 'r', atMs: nowMs - 4 * minute, leaving: [], count: 5 }];
    expect(decide(look({ state: state({ returns: { ...noReturns, moves } }) })).notMoved?.code).toBe('budget');
    const windows = [{ days: [], fromMinute: 0, untilMinute: 1_440 }];
    expect(decide(look({ group: returning({ returning: { ...rule, windows } }) })).notMoved?.code).toBe('window-closed');
    const changedAtMs = nowMs - 9 * minute;
    expect(decide(look({ state: state({ returns: { ...noReturns, changedAtMs } }) })).notMoved?.code).toBe('unsettled');
  });

  it('while its cap leaves no room', () => {
    quiet({ group: returning({ pools: { ...returning().pools, 'spot-b': { ...spotB, cap: 0 } } }) });
  });

  it('where Auto Scaling groups pick among the types by themselves', () => {
    const types = ['m7g.large', 'm6g.large'];
    const byType = { kind: 'spread', by: 'instance-type', children: [leafOf(spotA)] } as const;
    const decided = (pool: Pool) => decide(look({ group: returning({ capacity: byType, pools: { 'spot-a': pool } }), members: members(pool, 10) }));
    expect(moved(decided({ ...spotA, instanceTypes: types }))).toEqual([['spot-a', 2]]);
    expect(decided({ ...spotA, instanceTypes: types, asg: 'in-a' }).moves).toBeUndefined();
  });

  it('where the other child is on demand: evenness is worth no higher price', () => {
    quiet({ group: returning({ capacity: spreadOf(spotA, onDemandB) }) });
  });

  it('in a later tier, while an earlier one rests: its members return there', () => {
    const onDemandA: Pool = { ...onDemandB, name: 'od-a', subnets: spotA.subnets };
    const pools = { 'spot-a': spotA, 'od-a': onDemandA, 'od-b': onDemandB };
    const capacity = { kind: 'tiered', children: [leafOf(spotA), spreadOf(onDemandA, onDemandB)] } as const;
    const refused = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + minute, streak: 1 } as const;
    const here = { group: returning({ capacity, pools }), members: members(onDemandA, 10) };
    quiet({ ...here, state: state({ memory: { 'm7g.large/a/spot': refused } }) });
    // An earlier tier that is full by its cap gives nobody a place: there the later tier is a home.
    const full = { ...here.group, pools: { ...pools, 'spot-a': { ...spotA, cap: 0 } } };
    expect(moved(decide(look({ ...here, group: full })))).toEqual([['od-b', 2]]);
  });

  it('while a member has a better place: that move goes first', () => {
    const mixed = [...members(spotA, 9), ...members(onDemandB, 1)];
    expect(decide(look({ members: mixed })).moves?.map(({ why }) => why.code)).toEqual(['earlier-tier']);
  });
});

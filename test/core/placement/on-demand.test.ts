import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import type { Group } from '../../../core/group/group.ts';
import { type OnDemandFloor, owedOnDemand } from '../../../core/placement/on-demand.ts';
import type { OfferingKey } from '../../../core/pool/offering.ts';
import type { Lesson } from '../../../core/pool-memory/pool-memory.ts';
import { noReturns } from '../../../core/returning/memory.ts';
import type { Returning } from '../../../core/returning/returning.ts';
import type { GroupState, Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, onDemandB, reservation, spotA, spotB, state, swapOf, view } from '../views.ts';

const minute = 60_000;
const odA = { ...onDemandB, name: 'od-a', subnets: [{ id: 'subnet-a', zone: 'a' }] };
const floorOf = (floor: number, percent = 0): OnDemandFloor => ({ floor, percent });
const grouped = (onDemand: OnDemandFloor, rest: Partial<Group> = {}): Group => group({ onDemand, ...rest });
const returning: Returning = { afterMs: 10 * minute, everyMs: 5 * minute, atMost: { kind: 'share', percent: 100 }, timezone: 'UTC' };
const rested: Lesson = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs - 1_000, coolingUntilMs: nowMs + 3 * minute, streak: 1 };
const refused = (offering: OfferingKey): GroupState['memory'] => ({ [offering]: rested });
const countIn = ({ placements }: Decision, of: string): number =>
  placements.filter(({ pool }) => pool === of).reduce((sum, { count }) => sum + count, 0);
const byPool = (decision: Decision): Readonly<Record<string, number>> =>
  Object.fromEntries(decision.placements.map(({ pool }) => [pool, countIn(decision, pool)]));
const onDemandIn = (decision: Decision): number => (byPool(decision)['od-b'] ?? 0) + (byPool(decision)['od-a'] ?? 0);

describe('what a group owes on demand', () => {
  it.each([
    // floor, percent, size, owed
    [0, 0, 10, 0],
    [1, 0, 10, 1],
    [10, 0, 10, 10],
    [50, 0, 10, 10],
    [3, 0, 0, 0],
    [3, 0, 2, 2],
    [0, 100, 7, 7],
    [0, 1, 10, 1],
    [0, 10, 10, 1],
    [0, 20, 10, 2],
    [0, 33, 3, 1],
    [0, 34, 3, 2],
    [0, 50, 3, 2],
    [0, 66, 10, 7],
    [0, 64, 25, 16],
    [0, 7, 100, 7],
    [0, 29, 100, 29],
    [0, 50, 0, 0],
    [2, 20, 10, 2],
    [3, 20, 10, 3],
    [2, 50, 10, 5],
    [1, 10, 1, 1],
  ])('floor %i, %i %% of %i: %i', (floor, percent, size, owed) => {
    expect(owedOnDemand({ floor, percent }, size)).toBe(owed);
  });
});

describe('launches of a group with a floor', () => {
  type Row = readonly [string, { onDemand: OnDemandFloor; held: readonly Member[]; desired: number }, number];
  const rows: readonly Row[] = [
    ['an empty group begins with its floor', { onDemand: floorOf(2), held: [], desired: 10 }, 2],
    ['an empty group begins with its share', { onDemand: floorOf(0, 25), held: [], desired: 10 }, 3],
    ['the larger of the two holds', { onDemand: floorOf(4, 20), held: [], desired: 10 }, 4],
    ['nothing is owed at size 0', { onDemand: floorOf(4, 20), held: [], desired: 0 }, 0],
    ['everything is, with a floor above the size', { onDemand: floorOf(40), held: [], desired: 10 }, 10],
    ['what is on demand already counts', { onDemand: floorOf(2), held: members(onDemandB, 2), desired: 10 }, 0],
    ['also what came because spot refused', { onDemand: floorOf(2), held: [...members(spotA, 4), ...members(onDemandB, 3)], desired: 10 }, 0],
    ['growth by a share', { onDemand: floorOf(0, 20), held: [...members(spotA, 8), ...members(onDemandB, 2)], desired: 20 }, 2],
    [
      'a lost member on demand is replaced on demand',
      { onDemand: floorOf(2), held: [...members(spotA, 8), ...members(onDemandB, 1)], desired: 10 },
      1,
    ],
    ['a lost member on spot is not', { onDemand: floorOf(2), held: [...members(spotA, 7), ...members(onDemandB, 2)], desired: 10 }, 0],
    ['as many are missing as are owed', { onDemand: floorOf(3), held: members(spotA, 7), desired: 10 }, 3],
    ['fewer are missing than are owed', { onDemand: floorOf(5), held: members(spotA, 8), desired: 10 }, 2],
  ];
  it.each(rows)('%s', (_title, { onDemand, held, desired }, expected) => {
    const decision = decide(view({ group: grouped(onDemand), members: held, state: state({ desired }) }));
    expect(onDemandIn(decision)).toBe(expected);
    expect(decision.placements.reduce((sum, { count }) => sum + count, 0)).toBe(Math.max(0, desired - held.length));
    expect(decision.moves).toBeUndefined();
  });

  it('say that they are owed, and which of the on-demand pools the tree takes', () => {
    const capacity: Group['capacity'] = {
      kind: 'tiered',
      children: [
        { kind: 'pool', pool: 'spot-a' },
        { kind: 'spread', by: 'pool', children: [odA, onDemandB].map(({ name }) => ({ kind: 'pool', pool: name })) },
      ],
    };
    const pools = { 'spot-a': spotA, 'od-a': odA, 'od-b': onDemandB };
    const held = [...members(spotA, 5), ...members(odA, 1)];
    const decision = decide(view({ group: grouped(floorOf(3), { capacity, pools }), members: held }));
    expect(byPool(decision)).toEqual({ 'od-b': 1, 'od-a': 1, 'spot-a': 2 });
    expect(decision.reasons[0]).toEqual({
      pool: 'od-b',
      count: 1,
      turns: [
        { kind: 'tiered', tier: 2, of: 2 },
        { kind: 'spread', by: 'pool', name: 'od-b', held: 0 },
      ],
      owed: { onDemand: 3, held: 1 },
    });
    expect(decision.rejected).toEqual([]);
  });

  it('count launches that are on their way', () => {
    const coming = reservation({
      placement: { pool: 'od-b', count: 2, offerings: [{ instanceType: 'm7g.large', zone: 'b', market: 'on-demand' }] },
    });
    const look = view({ group: grouped(floorOf(2)), members: members(spotA, 5), state: state({ reservations: [coming] }) });
    expect(onDemandIn(decide(look))).toBe(0);
  });

  it('replace a member on demand that waits to be replaced on demand', () => {
    const waiting = swapOf('od-b#1', { state: 'waiting', reason: 'moved', pool: 'od-b', offering: 'm7g.large/b/on-demand' });
    const held = [...members(spotA, 8), ...members(onDemandB, 2)];
    const decision = decide(view({ group: grouped(floorOf(2)), members: held, swaps: [waiting] }));
    expect(byPool(decision)).toEqual({ 'od-b': 1 });
  });

  it('go to spot while no on-demand pool gives, and say which', () => {
    const look = view({ group: grouped(floorOf(2)), members: [], state: state({ memory: refused('m7g.large/b/on-demand') }) });
    const decision = decide(look);
    expect([onDemandIn(decision), decision.unplaced]).toEqual([0, 0]);
    expect(decision.rejected).toEqual([
      expect.objectContaining({ pool: 'od-b', code: 'refused', path: 'tiered[1]', offering: 'm7g.large/b/on-demand' }),
    ]);
  });

  it('keep to the cap of an on-demand pool', () => {
    const pools = { ...group().pools, 'od-b': { ...onDemandB, cap: 1 } };
    const decision = decide(view({ group: grouped(floorOf(3), { pools }), members: [] }));
    expect([onDemandIn(decision), decision.unplaced]).toEqual([1, 0]);
    expect(decision.rejected).toContainEqual({ path: 'tiered[1]', pool: 'od-b', code: 'at-cap', held: 1, cap: 1 });
  });

  it('leave the last choice of a cheapest node alone', () => {
    const capacity: Group['capacity'] = { kind: 'cheapest', children: [spotA, onDemandB].map(({ name }) => ({ kind: 'pool', pool: name })) };
    const decision = decide(view({ group: grouped(floorOf(1), { capacity }), members: [], state: state({ cheapest: { cheapest: 'spot-a' } }) }));
    expect(byPool(decision)).toEqual({ 'od-b': 1, 'spot-a': 9 });
    expect(decision.cheapest).toEqual({ cheapest: 'spot-a' });
  });
});

describe('a group at its size with too few on demand', () => {
  const atSize = [...members(spotA, 5), ...members(spotB, 5)];
  const look = (rest: Partial<View> = {}): View => view({ group: grouped(floorOf(4)), members: atSize, ...rest });

  it('moves members on spot launch-first, as many as the surge allows', () => {
    const decision = decide(look());
    expect(decision.placements).toMatchObject([{ pool: 'od-b', count: 2, moves: ['spot-b#1', 'spot-a#1'] }]);
    expect(decision.moves).toEqual([{ pool: 'od-b', instances: ['spot-b#1', 'spot-a#1'], why: { code: 'on-demand-owed', owed: 4, held: 0 } }]);
    expect([decision.removals, decision.remarks]).toEqual([[], []]);
  });

  it('does so with drain-first too, and where members never return', () => {
    const decision = decide(look({ group: grouped(floorOf(1), { swap: { order: 'drain-first', maxSurge: 2 } }) }));
    expect(byPool(decision)).toEqual({ 'od-b': 1 });
  });

  it('lets the replaced member leave when its replacement serves, and asks for no more than is owed', () => {
    const launched = member('od-b#1', onDemandB, { reservation: 'r-9' });
    const move = { reservation: 'r-9', atMs: nowMs - minute, leaving: ['spot-b#5'], count: 1 };
    const returns = { ...noReturns, moves: [move], askedAtMs: nowMs - minute };
    const decision = decide(look({ group: grouped(floorOf(1)), members: [...atSize, launched], state: state({ returns }) }));
    expect(decision.removals.map(({ instance, reason }) => [instance, reason])).toEqual([['spot-b#5', 'return']]);
    expect(decision.placements).toEqual([]);
  });

  it('waits for the moves under way: they share the surge', () => {
    const booting = member('od-b#1', onDemandB, { reservation: 'r-9', serving: false, state: 'pending' });
    const move = { reservation: 'r-9', atMs: nowMs - minute, leaving: ['spot-b#5'], count: 1 };
    const returns = { ...noReturns, moves: [move], askedAtMs: nowMs - minute };
    const decision = decide(look({ members: [...atSize, booting], state: state({ returns }) }));
    expect(byPool(decision)).toEqual({ 'od-b': 1 });
  });

  it.each<readonly [string, Partial<View>]>([
    ['while launches are throttled', { state: state({ throttle: { untilMs: nowMs + 1_000, streak: 1 } }) }],
    ['a moment after the last attempt', { state: state({ returns: { ...noReturns, askedAtMs: nowMs - 10_000 } }) }],
    ['while it is too large', { state: state({ desired: 9 }) }],
    ['while no member on spot may leave', { members: atSize.map((one) => ({ ...one, protected: true })) }],
    [
      'while as many wait for their replacement as the surge allows',
      { swaps: ['spot-a#1', 'spot-a#2'].map((id) => swapOf(id, { state: 'waiting', reason: 'rebalance' })) },
    ],
  ])('launches nothing more %s', (_title, rest) => {
    const decision = decide(look(rest));
    expect(decision.moves).toBeUndefined();
  });

  it('says once that no on-demand pool gives any', () => {
    const memory = refused('m7g.large/b/on-demand');
    const first = decide(look({ state: state({ memory }) }));
    expect([first.placements, first.onDemandShort]).toEqual([[], 4]);
    expect(first.remarks).toEqual([{ code: 'on-demand-short', owed: 4, held: 0 }]);
    const second = decide(look({ state: state({ memory, onDemandShort: 4 }) }));
    expect([second.remarks, second.onDemandShort]).toEqual([[], 4]);
  });
});

describe('scale-in', () => {
  const held = [...members(spotA, 7), ...members(onDemandB, 3)];
  const prices = { 'm7g.large/a/spot': 0.03, 'm7g.large/b/on-demand': 0.08 };
  const leaving = (onDemand: OnDemandFloor, desired: number, of = held) =>
    decide(view({ group: grouped(onDemand), members: of, state: state({ desired, prices: { atMs: nowMs, usdPerHour: prices } }) })).removals.map(
      ({ instance }) => instance.split('#')[0],
    );
  const count = (pools: readonly (string | undefined)[], pool: string): number => pools.filter((one) => one === pool).length;

  it.each([
    ['keeps the floor although on demand is dearest', floorOf(2), 5, 1],
    ['keeps the share of the smaller size', floorOf(0, 30), 5, 1],
    ['keeps all that is owed', floorOf(3), 4, 0],
    ['lets go what nobody owes', floorOf(0, 1), 5, 2],
    ['lets all go at size 0', floorOf(3, 50), 0, 3],
  ] as const)('%s', (_title, onDemand, desired, ofOnDemand) => {
    const pools = leaving(onDemand, desired);
    expect([pools.length, count(pools, 'od-b')]).toEqual([10 - desired, ofOnDemand]);
  });

  it('keeps an unhealthy member on demand that is owed', () => {
    const ill = [...members(spotA, 7), ...members(onDemandB, 3, { unhealthy: true, serving: false })];
    expect(count(leaving(floorOf(3), 5, ill), 'od-b')).toBe(0);
  });
});

describe('a return to spot', () => {
  const held = [...members(spotA, 4), ...members(spotB, 3), ...members(onDemandB, 3)];
  const back = (onDemand: OnDemandFloor, rest: Partial<View> = {}): Decision =>
    decide(view({ group: grouped(onDemand, { returning, swap: { order: 'launch-first', maxSurge: 5 } }), members: held, ...rest }));

  it.each([
    [floorOf(0), 3],
    [floorOf(1), 2],
    [floorOf(0, 25), 0],
    [floorOf(5), 0],
  ])('takes no more than what is beyond %o', (onDemand, moved) => {
    const moving = (back(onDemand).moves ?? []).filter(({ why }) => why.code === 'earlier-tier').flatMap(({ instances }) => instances);
    expect(moving).toHaveLength(moved);
  });

  it('is off when the group comes to owe the member', () => {
    const launched = member('spot-a#9', spotA, { reservation: 'r-9' });
    const move = { reservation: 'r-9', atMs: nowMs - minute, leaving: ['od-b#1'], count: 1 };
    const with_ = (onDemand: OnDemandFloor) =>
      back(onDemand, { members: [...held, launched], state: state({ returns: { ...noReturns, moves: [move], askedAtMs: nowMs - minute } }) });
    expect(with_(floorOf(2)).removals.map(({ instance }) => instance)).toEqual(['od-b#1']);
    expect(with_(floorOf(3)).removals.map(({ instance, reason }) => [instance.split('#')[0], reason])).toEqual([['spot-a', 'scale-in']]);
  });
});

describe('a storm', () => {
  it('replaces what spot loses by the tree, and leaves what is owed in place', () => {
    const swaps = ['spot-a#1', 'spot-a#2', 'spot-a#3'].map((instance) => swapOf(instance));
    const held = [...members(spotA, 4), ...members(spotB, 4), ...members(onDemandB, 2)];
    const decision = decide(view({ group: grouped(floorOf(2)), members: held, swaps }));
    expect([onDemandIn(decision), decision.removals]).toEqual([0, []]);
    expect(decision.placements.reduce((sum, one) => sum + one.count, 0)).toBe(3);
  });
});

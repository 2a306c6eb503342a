import { describe, expect, it } from 'vitest';
import type { Breakers } from '../../../core/breaker/breaker.ts';
import { decide } from '../../../core/decide/decide.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import type { Pool } from '../../../core/pool/pool.ts';
import type { Member } from '../../../core/view/view.ts';
import { members } from '../members.ts';
import { spread, tiered, weighted } from '../selector/tree-builders.ts';
import { nowMs } from '../views.ts';
import { atRest, type Beside, minute, onDemandIn, refusal, spotIn } from './returning-views.ts';

const [spotA, spotB, spotC, spotD] = [spotIn('a'), spotIn('b'), spotIn('c'), spotIn('d')];
const [onDemandA, onDemandB] = [onDemandIn('a'), onDemandIn('b')];
const one: Beside = { group: { swap: { order: 'launch-first', maxSurge: 1 } } };
const movesOf = ({ moves }: Decision) => moves?.map(({ pool, instances }) => [pool, instances.length]);
const whyOf = ({ moves }: Decision) => moves?.map(({ pool, why }) => [pool, why]);

describe('of several uneven nodes', () => {
  it('the one with the widest gap goes first', () => {
    const tree = weighted([spread('pool', 'spot-a', 'spot-b'), 2], [spread('pool', 'spot-c', 'spot-d'), 1]);
    const there = [...members(spotA, 5), ...members(spotB, 3), ...members(spotC, 4)];
    expect(whyOf(decide(atRest(tree, [spotA, spotB, spotC, spotD], there, one)))).toEqual([
      ['spot-d', { code: 'fewer-members', held: 0, fromHeld: 4 }],
    ]);
    const other = [...members(spotA, 8), ...members(spotC, 3), ...members(spotD, 1)];
    expect(whyOf(decide(atRest(tree, [spotA, spotB, spotC, spotD], other, one)))).toEqual([
      ['spot-b', { code: 'fewer-members', held: 0, fromHeld: 8 }],
    ]);
  });

  it('the one with the widest gap goes first, also where few are above their share and one child is far below', () => {
    const tree = spread(
      'pool',
      weighted(['spot-a', 1], ['spot-b', 1], ['spot-c', 1], ['spot-d', 1], ['spot-e', 1]),
      weighted(['spot-f', 1], ['spot-g', 1]),
    );
    const [spotE, spotF, spotG] = [spotIn('e'), spotIn('f'), spotIn('g')];
    const there = [spotA, spotB, spotC, spotD].flatMap((pool) => members(pool, 5)).concat(members(spotF, 12), members(spotG, 8));
    // The first node has children of 5, 5, 5, 5 and 0 members: one above their share, and four below. The second one has
    // children of 12 and 8 members: two above their share, and two below.
    expect(movesOf(decide(atRest(tree, [spotA, spotB, spotC, spotD, spotE, spotF, spotG], there, one)))).toEqual([['spot-e', 1]]);
  });

  it('each says why its own members move, where they move to one pool', () => {
    const tree = weighted([spread('pool', 'spot-a', 'spot-b'), 3], [onDemandB.name, 1]);
    const there = [...members(spotA, 4), ...members(onDemandB, 3)];
    const two: Beside = { group: { swap: { order: 'launch-first', maxSurge: 2 } } };
    const { moves } = decide(atRest(tree, [spotA, spotB, onDemandB], there, two));
    expect(moves?.map(({ pool, instances, why }) => [pool, instances.map((id) => id.split('#')[0]), why])).toEqual([
      ['spot-b', ['spot-a'], { code: 'fewer-members', held: 0, fromHeld: 4 }],
      ['spot-b', [onDemandB.name], { code: 'below-share', below: 1.25, fromAbove: 1.25 }],
    ]);
  });

  it('the first of equal ones goes first', () => {
    const tree = weighted([spread('pool', 'spot-a', 'spot-b'), 1], [spread('pool', 'spot-c', 'spot-d'), 1]);
    const there = [...members(spotA, 3), ...members(spotB, 1), ...members(spotC, 3), ...members(spotD, 1)];
    expect(movesOf(decide(atRest(tree, [spotA, spotB, spotC, spotD], there, one)))).toEqual([['spot-b', 1]]);
    expect(movesOf(decide(atRest(tree, [spotA, spotB, spotC, spotD], there)))).toEqual([
      ['spot-b', 1],
      ['spot-d', 1],
    ]);
  });
});

it('no member moves to even out what another move makes uneven, until that one is over', () => {
  const types = { instanceTypes: ['m7g.large', 'm6g.large'] };
  const [spot, first, second] = [spotIn('a', { instanceTypes: ['m6g.large'] }), onDemandIn('b', types), onDemandIn('c', types)];
  const tree = weighted(['spot-a', 3], [spread('pool', 'od-b', 'od-c'), 1]);
  const typed = (pool: Pool, count: number, instanceType: string): readonly Member[] =>
    members(pool, count).map((one) => ({ ...one, offering: { ...one.offering, instanceType } }));
  const beside: Beside = { group: { maxShare: { instanceType: 58 } } };
  const there = [...typed(spot, 4, 'm6g.large'), ...typed(first, 2, 'm7g.large')];
  // The type of spot may hold five members. So only a member of that type can move to spot, and it leaves its part of the spread empty.
  const uneven = [...there, ...typed(second, 1, 'm6g.large')];
  expect(movesOf(decide(atRest(tree, [spot, first, second], uneven, beside)))).toEqual([['spot-a', 1]]);
  // Spot has refused. Without the other move, the spread is even.
  const refused = { ...beside, state: { memory: { 'm6g.large/a/spot': refusal(minute) } } };
  expect(movesOf(decide(atRest(tree, [spot, first, second], uneven, refused)))).toBeUndefined();
});

describe('members move to even out', () => {
  it('with the counts that the tree compared, as they were before the launches', () => {
    const tree = spread('pool', 'spot-a', 'spot-b');
    expect(decide(atRest(tree, [spotA, spotB], [...members(spotA, 5), ...members(spotB, 1)])).reasons).toEqual([
      { pool: 'spot-b', count: 2, turns: [{ kind: 'spread', by: 'pool', name: 'spot-b', held: 1 }] },
    ]);
    const shares = weighted(['spot-a', 1], [spread('pool', 'spot-b', 'spot-c'), 1]);
    expect(decide(atRest(shares, [spotA, spotB, spotC], members(spotA, 2))).reasons).toEqual([
      {
        pool: 'spot-b',
        count: 1,
        turns: [
          { kind: 'weighted', name: 'spread(spot-b+spot-c)', belowShare: 1.5 },
          { kind: 'spread', by: 'pool', name: 'spot-b', held: 0 },
        ],
      },
    ]);
  });

  it('between pools on demand, where weights say so', () => {
    const there = [...members(onDemandA, 4)];
    expect(movesOf(decide(atRest(weighted(['od-a', 1], ['od-b', 1]), [onDemandA, onDemandB], there)))).toEqual([['od-b', 2]]);
  });

  it('past a child that rests, which they do not wait for', () => {
    const memory = { 'm7g.large/a/spot': refusal(minute) };
    const tree = spread('pool', 'spot-a', 'spot-b', 'spot-c');
    expect(movesOf(decide(atRest(tree, [spotA, spotB, spotC], members(spotB, 6), { state: { memory } })))).toEqual([['spot-c', 3]]);
  });

  it('into Auto Scaling groups of several types, where the tree spreads by pool or by zone', () => {
    const wide = { instanceTypes: ['m7g.large', 'm6g.large'] };
    const pools = [
      { ...spotA, ...wide, asg: 'in-a' },
      { ...spotB, ...wide, asg: 'in-b' },
    ] as const;
    const asgs = pools.map(({ asg: name }, index) => {
      const held = index === 0 ? members(pools[0], 6).map(({ instance }) => instance) : [];
      return { name, min: 0, max: 20, desired: held.length, held: held.length, holds: held, suspended: [] };
    });
    const beside: Beside = { group: { holding: { kind: 'launch-instances' } }, view: { asgs } };
    for (const by of ['pool', 'zone'] as const) {
      expect(movesOf(decide(atRest(spread(by, 'spot-a', 'spot-b'), pools, members(pools[0], 6, { asg: 'in-a' }), beside)))?.[0]?.[0]).toBe('spot-b');
    }
  });

  it('into Auto Scaling groups of one type each, where the tree spreads by type', () => {
    const pools = [
      { ...spotA, asg: 'in-a' },
      { ...spotB, instanceTypes: ['m6g.large'], asg: 'in-b' },
    ] as const;
    const there = members(pools[0], 6, { asg: 'in-a' });
    const asgs = [
      { name: 'in-a', min: 0, max: 20, desired: 6, held: 6, holds: there.map(({ instance }) => instance), suspended: [] },
      { name: 'in-b', min: 0, max: 20, desired: 0, held: 0, holds: [], suspended: [] },
    ];
    const beside: Beside = { group: { holding: { kind: 'launch-instances' } }, view: { asgs } };
    expect(movesOf(decide(atRest(spread('instance-type', 'spot-a', 'spot-b'), pools, there, beside)))?.[0]?.[0]).toBe('spot-b');
  });

  it('not below a share where an Auto Scaling group picks among the types itself', () => {
    const wide = { ...spotB, instanceTypes: ['m7g.large', 'm6g.large'] };
    const tree = weighted(['spot-a', 1], [spread('instance-type', 'spot-b'), 1]);
    expect(movesOf(decide(atRest(tree, [spotA, wide], members(spotA, 4))))).toEqual([
      ['spot-b', 1],
      ['spot-b', 1],
    ]);
    expect(decide(atRest(tree, [spotA, { ...wide, asg: 'in-b' }], members(spotA, 4))).moves).toBeUndefined();
  });

  it('not by a launch that tests a breaker', () => {
    const open = { openedAtMs: nowMs - 60 * minute, untilMs: nowMs - minute, interruptions: 5 };
    const other = { ...spotB, instanceTypes: ['c7g.large'] };
    const beside = (breakers: Breakers): Beside => ({
      group: { breaker: { interruptions: 5, withinMs: 10 * minute, holdMs: 60 * minute } },
      state: { breakers },
    });
    const moved = (breakers: Breakers) =>
      movesOf(decide(atRest(spread('pool', 'spot-a', 'spot-b'), [spotA, other], members(spotA, 6), beside(breakers))));
    expect([moved({}), moved({ 'spot/c7g': open })]).toEqual([[['spot-b', 3]], undefined]);
    // Here all that the tree can give would test a breaker.
    expect(moved({ 'spot/c7g': open, 'spot/m7g': open })).toBeUndefined();
  });

  it('one after another, as many as the minimum of their Auto Scaling group lets go', () => {
    const pools = [
      { ...spotA, asg: 'in-a' },
      { ...spotB, asg: 'in-b' },
    ] as const;
    const there = members(pools[0], 8, { asg: 'in-a' });
    const asgs = [
      { name: 'in-a', min: 7, max: 20, desired: 8, held: 8, holds: there.map(({ instance }) => instance), suspended: [] },
      { name: 'in-b', min: 0, max: 20, desired: 0, held: 0, holds: [], suspended: [] },
    ];
    const beside: Beside = { group: { holding: { kind: 'launch-instances' } }, view: { asgs } };
    expect(movesOf(decide(atRest(spread('pool', 'spot-a', 'spot-b'), pools, there, beside)))).toEqual([['spot-b', 1]]);
  });
});

describe('a pool that is in several children of a spread', () => {
  it('counts in the child with the fewest pools, and its members move to the other child', () => {
    const tree = spread('pool', tiered('spot-a', 'spot-b'), 'spot-b');
    expect(whyOf(decide(atRest(tree, [spotA, spotB], members(spotB, 4))))).toEqual([['spot-a', { code: 'fewer-members', held: 0, fromHeld: 4 }]]);
  });
});

describe('an uneven node is evened out', () => {
  it('where its fullest child is a list of tiers', () => {
    const tree = spread('pool', tiered('spot-a', 'od-a'), 'spot-b');
    expect(movesOf(decide(atRest(tree, [spotA, spotB, onDemandA], members(spotA, 4))))).toEqual([['spot-b', 2]]);
  });

  it('where its members are in a zone that their pool no longer has', () => {
    const tree = spread('pool', spread('zone', 'spot-a'), 'spot-b');
    const there = members(spotA, 4, { offering: { instanceType: 'm7g.large', zone: 'z', market: 'spot' } });
    expect(movesOf(decide(atRest(tree, [spotA, spotB], there)))).toEqual([['spot-b', 2]]);
  });
});

describe('members that move from spot to spot', () => {
  it('do not count for the members on demand that may move', () => {
    const tree = spread('pool', spread('zone', 'spot-a', 'spot-b'), spread('zone', 'od-a', 'od-b'));
    const there = [...members(spotA, 4), ...members(onDemandA, 3), ...members(onDemandB, 1)];
    const beside: Beside = { group: { onDemand: { floor: 3, percent: 0 }, swap: { order: 'launch-first', maxSurge: 2 } } };
    expect(movesOf(decide(atRest(tree, [spotA, spotB, onDemandA, onDemandB], there, beside)))).toEqual([
      ['spot-b', 1],
      ['od-b', 1],
    ]);
  });
});

describe('a share that limits a type', () => {
  const other = { ...spotC, instanceTypes: ['c7g.large'] };
  const tree = spread('pool', 'spot-a', 'spot-b', 'spot-c');
  const limited = (instanceType: number): Beside => ({ group: { maxShare: { instanceType } } });

  it('has room for a move within it, when it is full', () => {
    const there = [...members(spotA, 4), ...members(other, 4)];
    expect(movesOf(decide(atRest(tree, [spotA, spotB, other], there, limited(50))))).toEqual([['spot-b', 2]]);
  });

  it('has no room for a move from another type, when it is full', () => {
    const there = [...members(spotA, 2), ...members(spotB, 2), ...members(other, 6)];
    expect(decide(atRest(tree, [spotA, spotB, other], there, limited(40))).moves).toBeUndefined();
  });

  it('lets as many members come as it has room for', () => {
    const there = [...members(spotA, 1), ...members(spotB, 1), ...members(other, 8)];
    expect(movesOf(decide(atRest(tree, [spotA, spotB, other], there, limited(30))))).toEqual([['spot-a', 1]]);
  });
});

describe('a tree whose later tier is uneven', () => {
  it('is evened out in that tier when the earlier tier has no place', () => {
    const full = { ...spotA, cap: 0 };
    const tree = tiered('spot-a', spread('pool', 'od-a', 'od-b'));
    expect(movesOf(decide(atRest(tree, [full, onDemandA, onDemandB], members(onDemandA, 4))))).toEqual([['od-b', 2]]);
  });
});

import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import { isInEarlierTier } from '../../../core/returning/better-place.ts';
import { growTree } from '../../../core/selector/grow.ts';
import type { Member } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { cheapest, poolsOf, spread, tiered, weighted } from '../selector/tree-builders.ts';
import { nowMs } from '../views.ts';
import { atRest, minute, onDemandIn, refusal, spotIn } from './returning-views.ts';

const [spotA, spotB, spotC] = [spotIn('a'), spotIn('b'), spotIn('c')];
const [onDemandA, onDemandB] = [onDemandIn('a'), onDemandIn('b')];
const movesOf = ({ moves }: Decision) => moves?.map(({ pool, instances, why }) => [pool, instances, why.code]);

describe('a member of a later tier', () => {
  it('moves with the reason of each node above its new place, as it was before the launch', () => {
    const tree = tiered(spread('pool', 'spot-a', 'spot-b'), 'od-b');
    const there = [...members(spotA, 2), ...members(spotB, 3), ...members(onDemandB, 1)];
    expect(decide(atRest(tree, [spotA, spotB, onDemandB], there)).reasons).toEqual([
      {
        pool: 'spot-a',
        count: 1,
        turns: [
          { kind: 'tiered', tier: 1, of: 2 },
          { kind: 'spread', by: 'pool', name: 'spot-a', held: 2 },
        ],
      },
    ]);
  });

  it('belongs to the earliest tier that names its pool, also where a later tier has fewer pools', () => {
    const tree = tiered(spread('pool', 'spot-a', 'od-b'), 'od-b');
    const there = [...members(spotA, 5), ...members(onDemandB, 5)];
    expect(decide(atRest(tree, [spotA, onDemandB], there)).moves).toBeUndefined();
  });

  it('moves to the earlier tier of its own child of weights', () => {
    const tree = weighted([tiered('spot-a', 'od-a'), 1], [tiered('spot-b', 'od-b'), 1]);
    const there = [...members(spotA, 5), ...members(spotB, 4), ...members(onDemandB, 1)];
    expect(movesOf(decide(atRest(tree, [spotA, onDemandA, spotB, onDemandB], there)))).toEqual([['spot-b', ['od-b#1'], 'earlier-tier']]);
  });

  it('waits for the refused pool of its own child of weights that may be asked again first', () => {
    const tree = weighted([tiered(spread('pool', 'spot-a', 'spot-c'), 'od-a'), 1], ['spot-b', 1]);
    const there = [...members(spotB, 5), ...members(spotA, 2), ...members(spotC, 2), ...members(onDemandA, 1)];
    const memory = { 'm7g.large/a/spot': refusal(minute), 'm7g.large/c/spot': refusal(2 * minute) };
    expect(decide(atRest(tree, [spotA, spotB, spotC, onDemandA], there, { state: { memory } })).notMoved).toEqual({
      code: 'resting',
      offering: 'm7g.large/c/spot',
      untilMs: nowMs + 8 * minute,
    });
  });

  it('waits for a pool whose launches are denied, until they may be tried again', () => {
    const denials = { 'spot-a': { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs - minute, untilMs: nowMs + minute } };
    const there = [...members(spotA, 4), ...members(onDemandB, 1)];
    const { moves, notMoved } = decide(atRest(tiered('spot-a', 'od-b'), [spotA, onDemandB], there, { state: { denials } }));
    expect([moves, notMoved]).toEqual([undefined, { code: 'resting', offering: 'm7g.large/a/spot', untilMs: nowMs + minute }]);
  });

  it('waits for no time while the price of the earlier tier is above its limit, because the price may stay', () => {
    const dear = { ...spotA, maxPriceUsdPerHour: 0.05 };
    const there = [...members(dear, 4), ...members(onDemandB, 1)];
    const { moves, notMoved } = decide(atRest(tiered('spot-a', 'od-b'), [dear, onDemandB], there, { prices: { 'm7g.large/a/spot': 0.06 } }));
    expect([moves, notMoved]).toEqual([undefined, undefined]);
  });
});

describe('below cheapest, a member', () => {
  const types = ['m7g.large', 'm6g.large', 'c7g.large'];
  const there = (of: typeof spotA) => members(of, 4);

  it('moves where exactly the worthwhile share is saved, and not where less is', () => {
    const choice = { cheapest: { cheapest: 'spot-a' } };
    const longLives = { losses: [{ offering: 'm7g.large/b/spot' as const, atMs: nowMs - 20 * 60 * minute, livedMs: 1_000 * 60 * minute }] };
    const lasting = (usdPerHour: number) =>
      decide(
        atRest(cheapest('spot-a', 'spot-b'), [spotA, spotB], there(spotA), {
          prices: { 'm7g.large/a/spot': 0.1, 'm7g.large/b/spot': usdPerHour },
          returns: longLives,
          state: choice,
        }),
      ).moves?.length;
    expect([lasting(0.0951), lasting(0.095)]).toEqual([undefined, 1]);
  });

  it('moves to the types of a pool that cost less, and to none that costs more', () => {
    const wide = { ...spotB, instanceTypes: types };
    const prices = { 'm7g.large/a/spot': 0.1, 'm7g.large/b/spot': 0.05, 'm6g.large/b/spot': 0.2, 'c7g.large/b/spot': 0.06 };
    const { placements } = decide(atRest(cheapest('spot-a', 'spot-b'), [spotA, wide], there(spotA), { prices }));
    expect(placements.flatMap(({ offerings }) => offerings.map(({ instanceType }) => instanceType))).toEqual(['m7g.large', 'c7g.large']);
  });

  it('moves by the prices that are known, where those of other types are not', () => {
    const wide = { ...spotB, instanceTypes: types };
    const prices = { 'm7g.large/a/spot': 0.1, 'm6g.large/b/spot': 0.05 };
    const { placements, moves } = decide(atRest(cheapest('spot-a', 'spot-b'), [spotA, wide], there(spotA), { prices, state: { cheapest: {} } }));
    expect(placements.flatMap(({ offerings }) => offerings.map(({ instanceType }) => instanceType))).toEqual(['m6g.large']);
    expect(moves?.[0]?.why).toEqual({ code: 'cheaper', usdPerHour: 0.05, fromUsdPerHour: 0.1 });
  });

  it('moves to an Auto Scaling group only where each of its types costs less', () => {
    const at = (other: number) => {
      const own = { ...spotB, instanceTypes: types.slice(0, 2), asg: 'in-b' };
      const prices = { 'm7g.large/a/spot': 0.1, 'm7g.large/b/spot': 0.05, 'm6g.large/b/spot': other };
      return decide(atRest(cheapest('spot-a', 'spot-b'), [spotA, own], there(spotA), { prices })).moves?.length;
    };
    expect([at(0.2), at(0.06)]).toEqual([undefined, 1]);
  });

  it('moves from on-demand without a price to spot, also where the price of spot is known', () => {
    const prices = { 'm7g.large/a/spot': 0.05 };
    expect(movesOf(decide(atRest(cheapest('spot-a', 'od-b'), [spotA, onDemandB], members(onDemandB, 1), { prices })))).toEqual([
      ['spot-a', ['od-b#1'], 'spot-again'],
    ]);
  });

  it('stays on demand where only another pool on demand gives, and prices are not known', () => {
    const state = { cheapest: {} };
    expect(decide(atRest(cheapest('od-a', 'od-b'), [onDemandA, onDemandB], members(onDemandB, 2), { state })).moves).toBeUndefined();
  });

  it('names the price of the place that it moves to', () => {
    const prices = { 'm7g.large/a/spot': 0.1, 'm7g.large/b/spot': 0.05 };
    expect(decide(atRest(cheapest('spot-a', 'spot-b'), [spotA, spotB], members(spotA, 1), { prices })).reasons).toEqual([
      { pool: 'spot-b', count: 1, turns: [{ kind: 'cheapest', name: 'spot-b', priceUsdPerHour: 0.05 }] },
    ]);
  });
});

describe('the members that move first', () => {
  /** The instance that moves, where one of these may. */
  const first = (there: readonly Member[], prices: Readonly<Record<string, number>> = {}) =>
    decide(
      atRest(tiered('spot-a', spread('pool', 'spot-b', 'od-b')), [spotA, spotB, onDemandB], [...members(spotA, 4), ...there], {
        prices,
        group: { swap: { order: 'launch-first', maxSurge: 1 } },
      }),
    ).moves?.flatMap(({ instances }) => instances);
  const [onSpot, onDemand] = [member('m-1', spotB), member('m-2', onDemandB)];
  const young = { launchedAtMs: nowMs - 10 * minute };

  it('are on demand', () => {
    expect(first([onSpot, onDemand])).toEqual(['m-2']);
    expect(first([onDemand, onSpot], { 'm7g.large/b/spot': 0.9, 'm7g.large/b/on-demand': 0.1 })).toEqual(['m-2']);
    expect(first([member('m-1', spotB, young), onDemand])).toEqual(['m-2']);
  });

  it('are then the dearest, also where a price is not known', () => {
    const dear = member('m-9', { ...onDemandB, instanceTypes: ['m8g.large'] });
    expect(first([onDemand, dear], { 'm7g.large/b/on-demand': 0.1, 'm8g.large/b/on-demand': 0.2 })).toEqual(['m-9']);
    expect(first([{ ...onDemand, ...young }, dear], { 'm8g.large/b/on-demand': 0.2 })).toEqual(['m-9']);
  });

  it('are then the youngest, which have the least work to lose', () => {
    expect(first([onDemand, member('m-3', onDemandB, young)])).toEqual(['m-3']);
    expect(first([member('m-1', onDemandB), member('m-3', onDemandB, young)])).toEqual(['m-3']);
  });

  it('are the same whatever the order in which EC2 shows them', () => {
    const [one, other] = [member('m-1', onDemandB), member('m-2', onDemandB)];
    expect([first([one, other]), first([other, one])]).toEqual([['m-1'], ['m-1']]);
  });
});

describe('a price that is lower elsewhere', () => {
  it('moves no member where no `cheapest` selector chooses', () => {
    const wide = { ...spotA, instanceTypes: ['m7g.large', 'm6g.large'] };
    const prices = { 'm7g.large/a/spot': 0.1, 'm6g.large/a/spot': 0.02, 'm7g.large/b/spot': 0.1 };
    const there = [...members(wide, 2), ...members(spotB, 2)];
    expect(decide(atRest(spread('pool', 'spot-a', 'spot-b'), [wide, spotB], there, { prices })).moves).toBeUndefined();
  });

  it('does not keep a member from its earlier tier, where it costs more', () => {
    const prices = { 'm7g.large/a/spot': 0.5, 'm7g.large/b/on-demand': 0.1 };
    const there = [...members(spotA, 4), ...members(onDemandB, 1)];
    const { placements } = decide(atRest(tiered('spot-a', 'od-b'), [spotA, onDemandB], there, { prices }));
    expect(placements.map(({ pool, offerings }) => [pool, offerings.length])).toEqual([['spot-a', 1]]);
  });
});

describe('the earlier tier of two members', () => {
  const { root } = growTree(tiered('spot-a', 'spot-b'), poolsOf(spotA, spotB), { memory: {}, prices: {}, nowMs });
  const [early, late] = [member('m-1', spotA), member('m-2', spotB)];

  it('has the member of the first pool, and not that of the second', () => {
    expect([isInEarlierTier(root, early, late), isInEarlierTier(root, late, early)]).toEqual([true, false]);
  });

  it('has neither of two members of one pool', () => {
    expect(isInEarlierTier(root, early, member('m-3', spotA))).toBe(false);
  });
});

describe('a member on spot, where the group keeps spares', () => {
  it('moves to an earlier tier on spot, also if no member may leave spot', () => {
    const tree = tiered('spot-a', 'spot-b', 'od-b');
    const there = [...members(spotB, 1), ...members(onDemandB, 4, { protected: true })];
    const beside = { group: { spare: 1 }, state: { desired: 4 } };
    expect(movesOf(decide(atRest(tree, [spotA, spotB, onDemandB], there, beside)))).toEqual([['spot-a', ['spot-b#1'], 'earlier-tier']]);
  });
});

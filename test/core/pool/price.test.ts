import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import { planPlacements } from '../../../core/placement/plan-placements.ts';
import { priceLimit, priceSourceOf, pricesIn } from '../../../core/pool/price.ts';
import { chooseRemovals } from '../../../core/removal/removal.ts';
import { member, members, removal } from '../members.ts';
import { byPool, cheapest, input, pool, tiered } from '../selector/tree-builders.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, view } from '../views.ts';

const spotKey = 'm7g.large/zone-a/spot';
const onDemandKey = 'm7g.large/zone-a/on-demand';
const stated = { 'm7g.large': 0.1 };

describe('prices', () => {
  it('are those that were read, and those that the policy states for offerings on demand', () => {
    const read = { atMs: nowMs, usdPerHour: { 'm7g.large/a/spot': 0.04 } } as const;
    const known = { group: group({ onDemandPrices: stated }), members: [], state: state({ prices: read }) };
    expect(pricesIn(known)).toEqual({ ...read.usdPerHour, 'm7g.large/b/on-demand': 0.1 });
    expect(pricesIn({ ...known, group: group() })).toEqual(read.usdPerHour);
  });

  it('are as old as the last read that succeeded', () => {
    const prices = { atMs: nowMs, readAtMs: nowMs - 600_000, usdPerHour: { 'm7g.large/a/spot': 0.04 } } as const;
    expect(priceSourceOf({ group: group(), state: state({ prices }) })).toEqual({ readAtMs: nowMs - 600_000 });
    expect(priceSourceOf({ group: group({ onDemandPrices: stated }), state: state() })).toEqual({ isStated: true });
    expect(priceSourceOf({ group: group(), state: state() })).toBeUndefined();
  });
});

describe('a price limit', () => {
  it('is the lower of the two that a pool has, by type', () => {
    const both = { maxPriceUsdPerHour: 0.05, maxPriceByType: { 'm7g.large': 0.06, 'm7g.medium': 0.03 } };
    expect(['m7g.large', 'm7g.medium', 'c7g.large'].map((type) => priceLimit(both, type))).toEqual([0.05, 0.03, 0.05]);
    expect(priceLimit({}, 'm7g.large')).toBeUndefined();
  });

  it('passes an offering over by its own type, and before what a commitment pays', () => {
    const od = pool('od', { market: 'on-demand' });
    const at = (price: number) => {
      const spot = pool('spot', { maxPriceByType: { 'm7g.large': 0.06 }, priceFactor: 0.5 });
      return byPool(planPlacements(input(tiered('spot', 'od'), [spot, od], { prices: { [spotKey]: price } })));
    };
    expect(at(0.06)).toEqual({ spot: 1 });
    expect(at(0.061)).toEqual({ od: 1 });
  });
});

describe('what is paid of a price', () => {
  const spot = pool('spot');
  const reserved = pool('od', { market: 'on-demand', priceFactor: 0.3 });
  const prices = { [spotKey]: 0.04, [onDemandKey]: 0.1 };

  it('decides which child is cheapest', () => {
    const tree = cheapest('spot', 'od');
    const plan = planPlacements(input(tree, [spot, reserved], { prices }));
    expect(byPool(plan)).toEqual({ od: 1 });
    expect(plan.reasons[0]?.turns[0]).toMatchObject({ kind: 'cheapest', priceUsdPerHour: 0.03 });
    expect(byPool(planPlacements(input(tree, [spot, pool('od', { market: 'on-demand' })], { prices })))).toEqual({ spot: 1 });
  });

  it('decides which member is dearest', () => {
    const asked = removal('dearest-first', cheapest('spot', 'od'), [spot, reserved], {
      count: 1,
      members: [...members(spot, 1), ...members(reserved, 1)],
      prices,
    });
    expect(chooseRemovals(asked).map(({ instance }) => instance)).toEqual(['spot#1']);
  });

  it('decides whether a move pays', () => {
    const capacity = cheapest('spot-a', 'od-b');
    const moves = (factor: number) =>
      decide(
        view({
          group: group({
            size: { min: 1, max: 1, desired: 1 },
            capacity,
            pools: { 'spot-a': spotA, 'od-b': { ...onDemandB, priceFactor: factor } },
            onDemandPrices: stated,
            returning: { afterMs: 0, everyMs: 60_000, atMost: { kind: 'count', by: 1 }, timezone: 'UTC' },
          }),
          state: state({ desired: 1, prices: { atMs: nowMs, usdPerHour: { 'm7g.large/a/spot': 0.06 } } }),
          members: [member('i-od', onDemandB)],
        }),
      ).moves;
    expect(moves(1)).toMatchObject([{ pool: 'spot-a', why: { code: 'cheaper', usdPerHour: 0.06, fromUsdPerHour: 0.1 } }]);
    expect(moves(0.5)).toBeUndefined();
  });

  it('decides about a move to an Auto Scaling group by each of the types that it may pick', () => {
    const types = ['m7g.large', 'm6g.large'];
    const moves = (asg: string | undefined) =>
      decide(
        view({
          group: group({
            size: { min: 1, max: 1, desired: 1 },
            capacity: cheapest('spot-a', 'spot-b'),
            pools: { 'spot-a': { ...spotA, instanceTypes: types, ...(asg !== undefined && { asg }) }, 'spot-b': spotB },
            returning: { afterMs: 0, everyMs: 60_000, atMost: { kind: 'count', by: 1 }, timezone: 'UTC' },
          }),
          state: state({
            desired: 1,
            prices: { atMs: nowMs, usdPerHour: { 'm7g.large/a/spot': 0.06, 'm6g.large/a/spot': 0.03, 'm7g.large/b/spot': 0.06 } },
          }),
          members: [member('i-b', spotB)],
        }),
      ).placements.map(({ offerings }) => offerings.map(({ instanceType }) => instanceType));
    expect(moves(undefined)).toEqual([['m6g.large']]);
    expect(moves('picks-itself')).toEqual([]);
  });

  it('leaves members on demand while spot prices cannot be read, except to go back to spot', () => {
    const look = view({
      group: group({
        size: { min: 1, max: 1, desired: 1 },
        capacity: cheapest('spot-b', 'od-b'),
        pools: { 'spot-b': spotB, 'od-b': onDemandB },
        onDemandPrices: stated,
        returning: { afterMs: 0, everyMs: 60_000, atMost: { kind: 'count', by: 1 }, timezone: 'UTC' },
      }),
      state: state({ desired: 1 }),
      members: [member('i-od', onDemandB)],
    });
    expect(decide(look).moves).toMatchObject([{ pool: 'spot-b', why: { code: 'spot-again' } }]);
  });
});

import { describe, expect, it } from 'vitest';
import { offeringsToPrice, withNeededPrices, withPrices } from '../../../core/group-state/prices.ts';
import { members } from '../members.ts';
import { group, nowMs, onDemandB, spotA, spotB, state } from '../views.ts';

const limited = group({ pools: { 'spot-a': { ...spotA, maxPriceUsdPerHour: 0.1 }, 'spot-b': spotB, 'od-b': onDemandB } });
const cheapest = group({ capacity: { kind: 'cheapest', children: [{ kind: 'pool', pool: 'spot-a' }] } });
const old = state({ prices: { atMs: nowMs - 300_000, usdPerHour: {} } });
const zonesOf = (of: ReturnType<typeof group>, known = old) =>
  offeringsToPrice({ group: of, state: known, members: [] }, nowMs)?.map(({ zone }) => zone);

describe('spot prices', () => {
  it('are read for a policy that depends on them alone', () => {
    expect(zonesOf(group())).toBeUndefined();
    expect(zonesOf(limited)).toEqual(['a', 'b']);
    expect(zonesOf(cheapest)).toEqual(['a', 'b']);
    const capacity = { kind: 'tiered', children: [{ kind: 'pool', pool: 'spot-b' }, cheapest.capacity] } as const;
    expect(zonesOf(group({ capacity }))).toEqual(['a', 'b']);
    const onDemandLimit = group({ pools: { 'spot-a': spotA, 'od-b': { ...onDemandB, maxPriceUsdPerHour: 0.1 } } });
    expect(zonesOf(onDemandLimit)).toBeUndefined();
  });
  it('are read of the offerings of the policy, whatever members the group still has', () => {
    const elsewhere = members({ ...spotA, subnets: [{ id: 'subnet-c', zone: 'c' }] }, 2);
    const priced = offeringsToPrice({ group: limited, state: old, members: elsewhere }, nowMs);
    expect(priced?.map(({ zone }) => zone)).toEqual(['a', 'b']);
  });
  it('are read of an observed group too, and then for its members: decisions say what they would have cost', () => {
    const elsewhere = members({ ...spotA, subnets: [{ id: 'subnet-c', zone: 'c' }] }, 2);
    const priced = offeringsToPrice({ group: group({ mode: 'observe' }), state: old, members: elsewhere }, nowMs);
    expect(priced?.map(({ zone }) => zone)).toEqual(['a', 'b', 'c']);
  });
  it('hold for five minutes', () => {
    expect(zonesOf(limited, state({ prices: { atMs: nowMs - 299_999, usdPerHour: {} } }))).toBeUndefined();
  });
  it('are dropped once the policy in force does not need them, because they are not read again', () => {
    const known = state({ prices: { atMs: nowMs, usdPerHour: { 'm7g.large/a/spot': 0.05 } } });
    expect(withNeededPrices({ group: group(), state: known }).prices).toEqual({ atMs: 0, usdPerHour: {} });
    for (const needs of [limited, cheapest, group({ mode: 'observe' })]) expect(withNeededPrices({ group: needs, state: known })).toBe(known);
    expect(withNeededPrices({ group: group(), state: state() })).toEqual(state());
  });
  it('that could not be read stay as they were, and are read again a minute later', () => {
    const known = state({ prices: { atMs: nowMs - 900_000, usdPerHour: { 'm7g.large/a/spot': 0.05 } } });
    const failed = withPrices(known, undefined, nowMs);
    expect(failed.prices.usdPerHour).toEqual(known.prices.usdPerHour);
    expect(failed.prices.readAtMs).toBe(nowMs - 900_000);
    expect(withPrices(failed, undefined, nowMs + 60_000).prices.readAtMs).toBe(nowMs - 900_000);
    expect(offeringsToPrice({ group: limited, state: failed, members: [] }, nowMs + 59_999)).toBeUndefined();
    expect(offeringsToPrice({ group: limited, state: failed, members: [] }, nowMs + 60_000)).toHaveLength(2);
    expect(withPrices(known, {}, nowMs).prices).toEqual({ atMs: nowMs, usdPerHour: {} });
  });
});

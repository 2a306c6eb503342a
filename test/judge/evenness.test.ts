import { describe, expect, it } from 'vitest';
import { needlessLaunch } from '../../sandbox/judge/rules/launches/needless-launch.ts';
import { sharedOut } from '../../sandbox/judge/rules/launches/placement.ts';
import { details } from './details.ts';
import { policy, react, type Script } from './histories.ts';

type Write = (script: Script) => void;

const all =
  (...parts: readonly Write[]): Write =>
  (script) => {
    for (const part of parts) part(script);
  };

/** A group of so many, each in its pool. */
const held =
  (pools: readonly string[], change: object = {}): Write =>
  (script) => {
    script.policy(0, 1, { ...policy, size: pools.length, swap: { maxSurge: 4 }, return: { atMost: 4 }, ...change });
    script.desired(0, pools.length);
    for (const [index, pool] of pools.entries()) script.member(`i-${index}`, { pool });
  };

/** One function launches these, one after the other. */
const launches =
  (second: number, ...pools: readonly string[]): Write =>
  (script) => {
    script.react(second - 2, second + 20, `i-${second}`);
    for (const [index, pool] of pools.entries()) script.launch(second + index, `i-${second}-${index}`, { pool, by: react(`i-${second}`) });
  };

const needless = (...parts: readonly Write[]) => details(needlessLaunch, all(...parts));
const uneven = ['spot-a', 'spot-a', 'spot-a'];

describe('a launch beyond the size that evens out a spread', () => {
  it('is needed where its part holds two fewer than another', () => {
    expect(needless(held(uneven), launches(100, 'spot-b'))).toEqual([]);
    expect(needless(held(uneven.slice(1)), launches(100, 'spot-b'))).toEqual([]);
  });
  it('is not needed where the parts are one apart, or where it makes them uneven', () => {
    expect(needless(held(['spot-a', 'spot-a', 'spot-b']), launches(100, 'spot-b'))).toHaveLength(1);
    expect(needless(held(uneven), launches(100, 'spot-a'))).toHaveLength(1);
  });
  it('is needed as often as members must move, and not once more', () => {
    const five = Array.from({ length: 5 }, () => 'spot-a');
    expect(needless(held(five), launches(100, 'spot-b', 'spot-b'))).toEqual([]);
    expect(needless(held(five), launches(100, 'spot-b', 'spot-b', 'spot-b'))).toHaveLength(1);
  });
  it('is not needed where the policy lets no member move', () => {
    expect(needless(held(uneven, { return: false }), launches(100, 'spot-b'))).toHaveLength(1);
  });
  it('is not needed on demand in the place of spot', () => {
    const mixed = { capacity: { spread: ['spot-a', 'od-b'] } };
    expect(needless(held(uneven, mixed), launches(100, 'od-b'))).toHaveLength(1);
  });
  it('is needed by zone below one pool', () => {
    const zones = { both: { market: 'spot', subnets: ['subnet-a', 'subnet-b'] } };
    const byZone = { capacity: { spread: ['both'], by: 'zone' }, pools: zones };
    const inZone =
      (second: number, instance: string, zone: string): Write =>
      (script) =>
        script.at(second, {
          ...{ kind: 'launched', instance, instanceType: 't', zone: `z-${zone}`, subnet: `subnet-${zone}`, market: 'spot', priceUsdPerHour: 0.03 },
          tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'both', 'holdfast:reservation': `r-${instance}` },
          by: react('i-100'),
        });
    const old: Write = (script) => {
      script.policy(0, 1, { ...policy, size: 3, swap: { maxSurge: 4 }, ...byZone });
      script.desired(0, 3);
      for (const instance of ['i-1', 'i-2', 'i-3']) {
        inZone(1, instance, 'a')(script);
        script.serves(30, instance);
      }
    };
    const run: Write = (script) => script.react(98, 102, 'i-100');
    expect(needless(old, run, inZone(100, 'i-9', 'b'))).toEqual([]);
    expect(needless(old, run, inZone(100, 'i-9', 'a'))).toHaveLength(1);
  });
  it('is needed where its child is below its share and another one a whole member above, by what may give', () => {
    const three = { ...policy.pools, 'spot-c': { market: 'spot', subnets: ['subnet-b'] } };
    const shares = (...weights: readonly number[]) => ({
      pools: three,
      capacity: { weighted: ['spot-a', 'spot-b', 'spot-c'].slice(0, weights.length).map((use, index) => ({ use, weight: weights[index] })) },
    });
    const of = (a: number, b: number, c = 0) => [
      ...Array.from({ length: a }, () => 'spot-a'),
      ...Array.from({ length: b }, () => 'spot-b'),
      ...Array.from({ length: c }, () => 'spot-c'),
    ];
    expect(needless(held(of(3, 1), shares(1, 1)), launches(100, 'spot-b'))).toEqual([]);
    expect(needless(held(of(3, 2), shares(1, 1)), launches(100, 'spot-b'))).toHaveLength(1);
    expect(needless(held(of(2, 2), shares(1, 3)), launches(100, 'spot-b'))).toEqual([]);
    expect(needless(held(of(2, 2), shares(3, 1)), launches(100, 'spot-b'))).toHaveLength(1);
    expect(needless(held(of(5, 0), shares(1, 1)), launches(100, 'spot-b', 'spot-b'))).toEqual([]);
    expect(needless(held(of(5, 0), shares(1, 1)), launches(100, 'spot-b', 'spot-b', 'spot-b'))).toHaveLength(1);
    // While the third gives nothing, the others share what all hold.
    expect(needless(held(of(4, 2), shares(1, 1, 1)), launches(100, 'spot-b'))).toEqual([]);
    expect(needless(held(of(3, 2, 1), shares(1, 1, 1)), launches(100, 'spot-b'))).toHaveLength(1);
  });
  it('is needed on spot for the share of spot, and never on demand', () => {
    const mixed = { capacity: { weighted: ['spot-a', 'od-b'].map((use) => ({ use, weight: 1 })) } };
    expect(needless(held(['od-b', 'od-b', 'od-b'], mixed), launches(100, 'spot-a'))).toEqual([]);
    expect(needless(held(uneven, mixed), launches(100, 'od-b'))).toHaveLength(1);
  });
  it('is not needed below a spread by zone for what another zone holds', () => {
    const weights = { weighted: ['spot-a', 'spot-b'].map((use) => ({ use, weight: 1 })) };
    const four = ['spot-a', 'spot-a', 'od-b', 'od-b'];
    expect(needless(held(four, { capacity: { spread: [weights, 'od-b'], by: 'zone' } }), launches(100, 'spot-b'))).toHaveLength(1);
    expect(needless(held(four, { capacity: { spread: [weights, 'od-b'] } }), launches(100, 'spot-b'))).toEqual([]);
  });
  it('is needed below a spread by type as often as members of each type must move, whatever moves of the other type', () => {
    const weights = { weighted: ['spot-a', 'spot-b'].map((use) => ({ use, weight: 1 })) };
    const byType = { capacity: { spread: [weights], by: 'instance-type' }, defaults: { ...policy.defaults, instanceTypes: ['t', 'u'] } };
    const old: Write = (script) => {
      script.policy(0, 1, { ...policy, size: 8, swap: { maxSurge: 4 }, return: { atMost: 4 }, ...byType });
      script.desired(0, 8);
      for (const instanceType of ['t', 'u'])
        for (const [index, pool] of [...uneven, 'spot-b'].entries()) script.member(`i-${instanceType}-${index}`, { pool, instanceType });
    };
    const moves =
      (...types: readonly string[]): Write =>
      (script) => {
        script.react(98, 120, 'i-100');
        for (const [index, instanceType] of types.entries())
          script.launch(100 + index, `i-100-${index}`, { pool: 'spot-b', instanceType, by: react('i-100') });
      };
    expect(needless(old, moves('u', 't'))).toEqual([]);
    expect(needless(old, moves('t', 't'))).toHaveLength(1);
    expect(needless(old, moves('u', 't', 't'))).toHaveLength(1);
  });
  it('is needed for weights beside a move of its function within one of them, as its decision names both', () => {
    const spreads = {
      capacity: {
        weighted: [
          { use: { spread: ['spot-a', 'spot-b'] }, weight: 3 },
          { use: 'od-b', weight: 1 },
        ],
      },
    };
    const six = ['spot-a', 'spot-a', 'spot-a', 'od-b', 'od-b', 'od-b'];
    /** Two launches of one function, which names these members as those that move. */
    const named = (...moves: readonly string[]) =>
      details(needlessLaunch, all(held(six, spreads), launches(100, 'spot-b', 'spot-b')), {
        stored: {
          ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
          decisions: ['r-i-100-0', 'r-i-100-1'].map((id) => ({ id, group: 'web', decision: [{ placements: [{ pool: 'spot-b', moves }] }] })),
        },
      });
    expect(named('i-0', 'i-3')).toEqual([]);
    // Each of these is one move too many for the weights, or for the spread.
    expect(named('i-3', 'i-4')).toHaveLength(1);
    expect(named('i-0', 'i-1')).toHaveLength(1);
  });
  it('goes to the part that holds fewest of those that give', () => {
    const three = {
      capacity: { tiered: [{ spread: ['spot-a', 'spot-b', 'spot-c'] }, 'od-b'] },
      pools: { ...policy.pools, 'spot-c': { market: 'spot', subnets: ['subnet-b'] } },
    };
    const four = ['spot-a', 'spot-a', 'spot-a', 'spot-a', 'spot-b', 'spot-b'];
    const shared = (pool: string) => details(sharedOut, all(held(four, three), launches(100, pool))).filter((text) => text.startsWith('i-100'));
    expect(shared('spot-c')).toEqual([]);
    expect(shared('spot-b')).toHaveLength(1);
  });
  it('goes to the instance type that holds fewest, where a move within a type by the same function adds none to it', () => {
    const types = ['t', 'u'];
    const byType = {
      ...policy,
      size: { min: 1, max: 9, desired: 7 },
      capacity: { tiered: [{ spread: ['spot-a', { tiered: ['spot-b', 'spot-c'] }], by: 'instance-type' }, 'od-b'] },
      pools: { ...policy.pools, 'spot-c': { market: 'spot', subnets: ['subnet-b'] } },
      defaults: { launchTemplate: 'web', instanceTypes: types },
      swap: { maxSurge: 4 },
      return: { atMost: 4 },
    };
    /** Four members of one type, three of the other, and two launches in spot-b before one in spot-a, all of the first type. */
    const shared = (movable: string, own: string) =>
      details(sharedOut, (script) => {
        script.policy(0, 1, byType);
        script.desired(0, 7);
        for (const zone of ['z-a', 'z-b'])
          script.at(0, { kind: 'offering', instanceType: 'u', zone, market: 'spot', capacity: 10, priceUsdPerHour: 0.03 });
        for (const [index, pool] of [movable, movable, own, own].entries()) script.member(`i-${index}`, { pool });
        for (const index of [4, 5, 6]) script.member(`i-${index}`, { pool: 'spot-a', instanceType: 'u' });
        launches(100, 'spot-b', 'spot-b', 'spot-a')(script);
      }).filter((text) => text.startsWith('i-100-2'));
    // Two move from spot-c to spot-b, and one from on-demand to spot-a.
    expect(shared('spot-c', 'od-b')).toEqual([]);
    // All three move from on-demand.
    expect(shared('od-b', 'spot-a')).toHaveLength(1);
  });
});

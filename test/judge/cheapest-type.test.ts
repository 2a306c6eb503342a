import { describe, expect, it } from 'vitest';
import type { Rule } from '../../sandbox/judge/finding.ts';
import { cheapestTypeFirst, preferredTypeFirst } from '../../sandbox/judge/rules/launches/cheapest.ts';
import { details } from './details.ts';
import { policy, react, type Script, spec } from './histories.ts';

/** A second type, which costs less on spot and more on demand. */
const offerings = [
  ...spec.offerings,
  ...spec.offerings.map((offering) => ({ ...offering, instanceType: 'u', priceUsdPerHour: offering.market === 'spot' ? 0.02 : 0.2 })),
];

const reads = (script: Script): void =>
  script.at(50, {
    ...{ kind: 'called', invocation: 'i-read', function: 'react', service: 'ec2', operation: 'DescribeSpotPriceHistory' },
    ...{ askedAtMs: 50_000, outcome: 'ok', applied: true, isMutating: false },
  });

/** From some seconds before the launch on, this type has no capacity. */
const without =
  (instanceType: string) =>
  (script: Script): void => {
    reads(script);
    script.at(90, { kind: 'offering', instanceType, zone: 'z-a', market: 'spot', capacity: 0, priceUsdPerHour: 0.02 });
  };

type Case = { readonly pool?: string; readonly instanceType?: string; readonly change?: object; readonly before?: (script: Script) => void };

const foundBy = (rule: Rule, { pool = 'spot-a', instanceType = 't', change = {}, before = reads }: Case): readonly string[] =>
  details(
    rule,
    (script) => {
      const defaults = { ...policy.defaults, instanceTypes: ['t', 'u'] };
      script.policy(0, 1, { ...policy, defaults, capacity: { cheapest: ['spot-a', 'od-b'] }, ...change });
      before(script);
      script.react(99, 102, 'i-a');
      script.launch(100, 'i-3', { pool, instanceType, by: react('i-a') });
    },
    { spec: { ...spec, offerings } },
  );

const found = (one: Case = {}): readonly string[] => foundBy(cheapestTypeFirst, one);

describe('below cheapest, the cheapest type of a pool is launched', () => {
  it('holds for the cheapest one, and breaks for a dearer one', () => {
    expect(found({ instanceType: 'u' })).toEqual([]);
    expect(found()).toEqual(['t/z-a/spot was launched, and u/z-a/spot of spot-a costs less']);
  });
  it('holds where the cheapest one has no capacity', () => {
    expect(found({ before: without('u') })).toEqual([]);
  });
  it('holds without prices: none was read, or none is stated', () => {
    expect(found({ before: () => undefined })).toEqual([]);
    expect(found({ pool: 'od-b', instanceType: 'u' })).toEqual([]);
  });
  it('goes by the stated prices on demand', () => {
    const stated = { onDemandPrices: { t: 0.05, u: 0.2 } };
    expect(found({ pool: 'od-b', change: stated })).toEqual([]);
    expect(found({ pool: 'od-b', instanceType: 'u', change: { onDemandPrices: { t: 0.05, u: 0.2 } } })).toHaveLength(1);
  });
  it('holds where a spread below it chooses the type, and breaks where it chooses the zone', () => {
    const spread = (by: string) => ({ capacity: { cheapest: [{ spread: ['spot-a'], by }, 'od-b'] } });
    expect(found({ change: spread('instance-type') })).toEqual([]);
    expect(found({ change: spread('zone') })).toHaveLength(1);
  });
  it('says nothing of a pool above which nothing is cheapest, of two zones, or that is an Auto Scaling group', () => {
    expect(found({ change: { capacity: { tiered: ['spot-a', 'od-b'] } } })).toEqual([]);
    const wide = { ...policy.pools, 'spot-a': { market: 'spot', subnets: ['subnet-a', 'subnet-b'] } };
    expect(found({ change: { pools: wide } })).toEqual([]);
    const through = { ...policy.pools, 'spot-a': { market: 'spot', asg: 'web-asg' } };
    expect(found({ change: { pools: through } })).toEqual([]);
  });
});

describe('the preferred type of a pool is launched', () => {
  const tiered = { capacity: { tiered: ['spot-a', 'od-b'] } };
  const preferring = (one: Case): readonly string[] => foundBy(preferredTypeFirst, { change: tiered, ...one });

  it('holds for the first one, and breaks for a later one, whatever they cost', () => {
    expect(preferring({})).toEqual([]);
    expect(preferring({ instanceType: 'u' })).toEqual(['u/z-a/spot was launched, and spot-a prefers t/z-a/spot']);
    expect(preferring({ pool: 'od-b', instanceType: 'u' })).toHaveLength(1);
  });
  it('holds where the first one has no capacity', () => {
    expect(preferring({ instanceType: 'u', before: without('t') })).toEqual([]);
  });
  it('holds where a selector above it spreads by instance type, and breaks where it spreads by zone', () => {
    const spread = (by: string) => ({ capacity: { tiered: [{ spread: ['spot-a'], by }, 'od-b'] } });
    expect(preferring({ instanceType: 'u', change: spread('instance-type') })).toEqual([]);
    expect(preferring({ instanceType: 'u', change: spread('zone') })).toHaveLength(1);
  });
  it('says nothing of a pool below cheapest, of two zones, or that is an Auto Scaling group', () => {
    expect(preferring({ instanceType: 'u', change: {} })).toEqual([]);
    const wide = { ...policy.pools, 'spot-a': { market: 'spot', subnets: ['subnet-a', 'subnet-b'] } };
    expect(preferring({ instanceType: 'u', change: { ...tiered, pools: wide } })).toEqual([]);
    const through = { ...policy.pools, 'spot-a': { market: 'spot', asg: 'web-asg' } };
    expect(preferring({ instanceType: 'u', change: { ...tiered, pools: through } })).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { randomSituation } from './random-situation.ts';

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
const worlds = seeds.map((seed) => randomSituation(seed, { profile: 'small' }));
/** How many of these sixty worlds have it: some, and not all. */
const expectSome = (count: number): void => {
  expect(count).toBeGreaterThan(3);
  expect(count).toBeLessThan(40);
};

describe('some worlds that say little', () => {
  it.each(['spare', 'onDemand', 'maxShare', 'return'])('have policies that say %s', (field) => {
    expectSome(worlds.filter(({ policies }) => policies.some((policy) => policy[field] !== undefined)).length);
  });

  it('have spares and members on demand only where the tree has both markets: other policies are rejected', () => {
    const all = (['bounds', 'members'] as const).flatMap((profile) => seeds.flatMap((seed) => randomSituation(seed, { profile }).policies));
    const bound = all.filter(({ spare, onDemand }) => spare !== undefined || onDemand !== undefined);
    expect(bound.length).toBeGreaterThan(10);
    for (const { capacity = 'spot-a od-b' } of bound) expect(JSON.stringify(capacity)).toMatch(/spot-.*od-|od-.*spot-/);
  });

  it('have price limits on spot pools, on pools on demand where somebody pays a part, and none where an Auto Scaling group launches', () => {
    const pools = worlds.flatMap(({ policies }) =>
      policies.flatMap((policy) => Object.values(policy.pools as Readonly<Record<string, Readonly<Record<string, unknown>>>>)),
    );
    const limited = pools.filter(({ maxPriceUsdPerHour }) => maxPriceUsdPerHour !== undefined);
    expect(limited.length).toBeGreaterThan(3);
    expect(limited.every(({ market, asg, priceFactor }) => (market === 'spot' || priceFactor !== undefined) && asg === undefined)).toBe(true);
  });

  it('have both pools on demand within their limits where no spot is, and one offering may not hold all (19000622 of limits)', () => {
    const [first] = randomSituation(19_000_622, { profile: 'limits' }).policies;
    const pools = first?.pools as Readonly<Record<string, { readonly maxPriceUsdPerHour?: number }>>;
    expect([pools['spot-a']?.maxPriceUsdPerHour, pools['od-c']?.maxPriceUsdPerHour]).toEqual([0.0285, 0.08]);
  });

  it('have limits that are a share of on-demand only where the policy prices every type of the pool: others are rejected (16200053)', () => {
    type Pool = { readonly maxPrice?: string; readonly instanceTypes?: readonly string[] };
    type Limited = { readonly pools?: Readonly<Record<string, Pool>>; readonly defaults?: Pool; readonly onDemandPrices?: object };
    const drawn = [randomSituation(16_200_053), ...seeds.map((seed) => randomSituation(seed, { profile: 'endings' }))];
    const unpriced = drawn.flatMap(({ policies }) =>
      (policies as readonly Limited[]).flatMap(({ pools = {}, defaults, onDemandPrices = {} }) =>
        Object.values(pools)
          .filter(({ maxPrice }) => maxPrice !== undefined)
          .flatMap(({ instanceTypes = defaults?.instanceTypes ?? [] }) => instanceTypes.filter((type) => !(type in onDemandPrices))),
      ),
    );
    expect(unpriced).toEqual([]);
  });

  it.each(['boot-broken', 'capacity-changed', 'protected', 'hook-put', 'warned-in-vain', 'standby-entered', 'process-suspended'])(
    'have the trouble %s',
    (kind) => {
      const many = Array.from({ length: 200 }, (_, index) => index + 1).map((seed) => randomSituation(seed, { profile: 'small' }));
      const count = many.filter(({ steps }) => steps.some((step) => step.kind === kind)).length;
      expect(count).toBeGreaterThan(2);
      // Two more parts of a world may bring it too (random-parts.ts), so up to three quarters of the worlds have it.
      expect(count).toBeLessThan(150);
    },
  );

  it('have target groups with requests', () => {
    expectSome(worlds.filter(({ spec }) => spec.targetGroups.some(({ load }) => load !== undefined)).length);
  });

  it('have calls that fail for some seconds while EC2 takes members', () => {
    const isShort = (fromMs = 0, untilMs = Number.POSITIVE_INFINITY): boolean => untilMs - fromMs <= 40_000;
    expectSome(worlds.filter(({ faults = [] }) => faults.some(({ fromMs, untilMs }) => isShort(fromMs, untilMs))).length);
  });

  it('name an order of removal, and shrink after they lost members', () => {
    const ordered = worlds.filter(({ policies }) => policies.some(({ removal }) => removal !== undefined));
    const shrinks = ordered.filter(({ steps, calmAtMs }) => steps.some(({ kind, atMs }) => kind === 'alarmed' && atMs > calmAtMs - 300_000));
    expect(shrinks.length).toBeGreaterThan(5);
    expect(ordered.length).toBeLessThan(50);
  });
});

import { describe, expect, it } from 'vitest';
import { steeringProblems, steeringWarnings } from '../../core/policy/outside-rules.ts';
import { priced, priceProblems } from '../../core/policy/price-rules.ts';
import { namesText, nearestName, problemOf, sortedProblems } from '../../core/policy/problem.ts';
import type { Steering } from '../../core/policy/resolution.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import { smallDocument } from './documents.ts';

const messagesOf = (change: Record<string, unknown>): readonly string[] => {
  const result = validatePolicy({ ...smallDocument, ...change });
  return result.kind === 'invalid' ? result.problems.map(({ message }) => message) : [];
};

describe('a policy whose members get ready', () => {
  it('gives them longer than they need after their start', () => {
    expect(messagesOf({ ready: { after: '3m', within: '181s' } })).toEqual([]);
    expect(messagesOf({ ready: { after: '90s' } })).toEqual([]);
    expect(messagesOf({ ready: { within: '5m' } })).toEqual([]);
    for (const within of ['3m', '2m']) {
      const found = `ready.within: expected a duration that is longer than after (3m), found "${within}".`;
      expect(messagesOf({ ready: { after: '3m', within } })).toEqual([found]);
    }
    const unwritten = 'ready.after: expected a duration below 10m, or ready.within with a longer one, found "10m".';
    expect(messagesOf({ ready: { after: '10m' } })).toEqual([unwritten]);
    expect(messagesOf({ ready: { after: '599s' } })).toEqual([]);
  });
});

describe('problems of a policy', () => {
  it('suggest the nearest name, where one is near', () => {
    const known = ['spread', 'tiered', 'weighted'];
    expect([nearestName('spraed', known), nearestName('TIERED', known), nearestName('anything', known), nearestName('spread', [])]).toEqual([
      'spread',
      'tiered',
      undefined,
      undefined,
    ]);
    expect(nearestName(`${'x'.repeat(200)}y`, ['x'.repeat(200)])).toBeUndefined();
    expect(nearestName('x'.repeat(200), [`${'x'.repeat(199)}y`])).toBe(`${'x'.repeat(199)}y`);
  });

  it('suggest the first of equals by name, whatever their order', () => {
    expect([nearestName('poolc', ['poolb', 'poola']), nearestName('poolc', ['poola', 'poolb'])]).toEqual(['poola', 'poola']);
  });

  it('name at most twenty names', () => {
    const names = Array.from({ length: 22 }, (_, index) => `n${String(index).padStart(2, '0')}`);
    expect(namesText(names.toReversed())).toBe(`${names.slice(0, 20).join(', ')} and 2 more`);
    expect(namesText(names.slice(0, 20))).toBe(names.slice(0, 20).join(', '));
  });

  it('come once each, by path and then by message', () => {
    const of = (path: string, found: string) => problemOf({ path: [path], found, allowed: 'x' });
    const [a1, a2, b] = [of('a', '1'), of('a', '2'), of('b', '0')];
    expect(sortedProblems([b, a2, a1, a2])).toEqual([a1, a2, b]);
    expect(a1).not.toHaveProperty('nearest');
  });
});

describe('a price limit that is a share', () => {
  const pool = (rest: object) => ({ ...smallDocument.pools['spot-1a'], ...rest });
  const policyOf = (rest: object) => {
    const result = validatePolicy({ ...smallDocument, ...rest });
    if (result.kind === 'invalid') throw new Error(result.problems.map(({ message }) => message).join());
    return result.policy;
  };
  const resolved = { name: 'spot-1a', market: 'spot', subnets: [], instanceTypes: ['m7g.large', 'c7g.large'] } as const;

  it('is of what each type costs on demand', () => {
    const policy = policyOf({
      pools: { 'spot-1a': pool({ maxPrice: '50% of on-demand' }) },
      onDemandPrices: { 'm7g.large': 0.0816, 'c7g.large': 0.0725 },
    });
    expect(priced(resolved, policy)).toEqual({ ...resolved, maxPriceByType: { 'm7g.large': 0.0408, 'c7g.large': 0.03625 } });
    expect(priced(resolved, policyOf({}))).toEqual(resolved);
    expect(priced(resolved, policyOf({}))).not.toHaveProperty('maxPriceByType');
  });

  it('needs the prices of all types, and each missing one is reported once', () => {
    const pools = { b: pool({ maxPrice: '50% of on-demand' }), a: pool({ maxPrice: '50% of on-demand' }) };
    const policy = policyOf({ capacity: { spread: ['a', 'b'] }, pools, onDemandPrices: { 'm7g.large': 1 } });
    const of = (name: string) => ({ ...resolved, name });
    expect(priceProblems(policy, [of('b'), of('a')]).map(({ path, message }) => [path, message.includes('pool a')])).toEqual([
      ['onDemandPrices["c7g.large"]', true],
    ]);
    expect(priceProblems(policyOf({}), [resolved])).toEqual([]);
  });
});

describe('an Auto Scaling group whose size others set', () => {
  const policy = { asg: 'web', size: { min: 2, max: 5, desired: 3 } } as never;
  const facts: Steering = { min: 2, rebalancesCapacity: false, hasWarmPool: false, hasDrainHook: true };
  const look = (rest: Partial<typeof facts>) => ({ asgs: { web: { steering: { ...facts, ...rest } } } }) as never;
  const said = (rest: Partial<typeof facts>) => steeringProblems(policy, look(rest)).map(({ message }) => message);

  it('has neither Capacity Rebalancing nor a warm pool, and a minimum that is not below that of the policy', () => {
    expect(said({})).toEqual([]);
    expect(said({ rebalancesCapacity: true })).toEqual([
      'asg: expected an Auto Scaling group without it, because Holdfast itself replaces members at risk (rebalance.act), found "web" with Capacity Rebalancing.',
    ]);
    expect(said({ hasWarmPool: true })).toEqual([
      'asg: expected an Auto Scaling group without one, because Holdfast takes no replacement from it, found "web" with a warm pool.',
    ]);
    expect(said({ min: 1 })).toEqual(['size.min: expected at most 1, the minimum of Auto Scaling group web: others set the size, found 2.']);
    expect(steeringProblems({ asg: 'web', size: 2 } as never, look({ min: 1 }))).toHaveLength(1);
    expect(steeringProblems({ asg: 'other', size: 2 } as never, look({ min: 1 }))).toEqual([]);
    expect(steeringProblems({ size: 2 } as never, look({ min: 1 }))).toEqual([]);
  });

  it('should have a hook that waits for drains', () => {
    expect(steeringWarnings(policy, look({}))).toEqual([]);
    const [warning] = steeringWarnings(policy, look({ hasDrainHook: false }));
    expect([warning?.path, warning?.message]).toEqual([
      'asg',
      expect.stringContaining(
        '--auto-scaling-group-name web --lifecycle-hook-name drain --lifecycle-transition autoscaling:EC2_INSTANCE_TERMINATING',
      ),
    ]);
    expect(warning?.message).toContain('found "web" without one: members that leave when the size shrinks are not drained.');
  });

  it('should have a maximum that is not above that of the policy', () => {
    expect(steeringWarnings(policy, look({ max: 5 }))).toEqual([]);
    expect(steeringWarnings(policy, look({ max: 6 })).map(({ message }) => message)).toEqual([
      'size.max: expected at least 6, the maximum of Auto Scaling group web, found 5: of a larger size that others set, Holdfast launches no more than 5.',
    ]);
    expect(steeringWarnings({ ...(policy as object), asg: 'other' } as never, look({ max: 6 }))).toEqual([]);
  });
});

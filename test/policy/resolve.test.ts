import { describe, expect, it } from 'vitest';
import { type LookedUp, namesIn, type Scalers, templateReference } from '../../core/policy/resolution.ts';
import { resolutionWarnings, resolveGroup } from '../../core/policy/resolve.ts';
import type { Policy } from '../../core/policy/schema.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import { fullDocument, resolution, smallDocument, targetGroupArn } from './documents.ts';

const accepted = (document: unknown): Policy => {
  const result = validatePolicy(document);
  if (result.kind === 'invalid') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.policy;
};
const groupOf = (document: unknown) => {
  const result = resolveGroup(accepted(document), resolution, 1);
  if (result.kind === 'unresolved') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.group;
};
const problemsOf = (document: unknown) => {
  const result = resolveGroup(accepted(document), resolution, 1);
  return result.kind === 'unresolved' ? result.problems.map(({ path, message }) => [path, message]) : [];
};
const through = (pools: Record<string, unknown>) => ({ ...smallDocument, capacity: { spread: Object.keys(pools) }, pools });

describe('a resolved group', () => {
  it('has defaults under every pool, durations in milliseconds, zones of subnets, and its own names', () => {
    expect(groupOf(fullDocument)).toEqual({
      name: 'workers',
      policyVersion: 1,
      size: { min: 2, max: 20, desired: 10 },
      capacity: {
        kind: 'tiered',
        children: [
          {
            kind: 'spread',
            by: 'zone',
            children: [
              { kind: 'pool', pool: 'spot-1a' },
              { kind: 'pool', pool: 'spot-1b' },
            ],
          },
          {
            kind: 'weighted',
            children: [
              { use: { kind: 'pool', pool: 'od-1a' }, weight: 80 },
              {
                use: {
                  kind: 'cheapest',
                  children: [
                    { kind: 'pool', pool: 'od-1b' },
                    { kind: 'pool', pool: 'od-1c' },
                  ],
                },
                weight: 20,
              },
            ],
          },
        ],
      },
      pools: {
        'spot-1a': {
          name: 'spot-1a',
          market: 'spot',
          launchTemplate: 'web',
          subnets: [{ id: 'subnet-a', zone: 'eu-west-1a' }],
          instanceTypes: ['m7g.large', 'm6g.large'],
          maxPriceUsdPerHour: 0.05,
          cap: 30,
        },
        'spot-1b': {
          name: 'spot-1b',
          market: 'spot',
          launchTemplate: 'web',
          subnets: [{ id: 'subnet-b', zone: 'eu-west-1b' }],
          instanceTypes: ['m7g.large'],
        },
        'od-1a': {
          name: 'od-1a',
          market: 'on-demand',
          launchTemplate: 'web',
          subnets: [{ id: 'subnet-a', zone: 'eu-west-1a' }],
          instanceTypes: ['m7g.large'],
        },
        'od-1b': {
          name: 'od-1b',
          market: 'on-demand',
          launchTemplate: 'web:2',
          subnets: [{ id: 'subnet-b', zone: 'eu-west-1b' }],
          instanceTypes: ['m7g.large'],
        },
        'od-1c': {
          name: 'od-1c',
          market: 'on-demand',
          launchTemplate: 'web',
          subnets: [
            { id: 'subnet-c', zone: 'eu-west-1c' },
            { id: 'subnet-c2', zone: 'eu-west-1c' },
          ],
          instanceTypes: ['m7g.large'],
        },
      },
      holding: { kind: 'attach', asg: 'workers-asg' },
      onDemand: { floor: 2, percent: 20 },
      maxShare: { instanceType: 100, zone: 40, offering: 40 },
      removal: { order: 'oldest-first' },
      swap: { order: 'drain-first', maxSurge: 2 },
      rebalance: { act: true, atMostPerHour: 6 },
      ready: { afterMs: 90_000, checks: 'ec2', withinMs: 900_000 },
      returning: {
        afterMs: 1_800_000,
        everyMs: 3_600_000,
        atMost: { kind: 'share', percent: 10 },
        windows: [
          { days: [1, 2, 3, 4, 5], fromMinute: 1_320, untilMinute: 360 },
          { days: [0, 6], fromMinute: 0, untilMinute: 1_440 },
        ],
        timezone: 'Europe/Berlin',
      },
      launches: { atMost: { kind: 'share', percent: 500 }, withinMs: 1_800_000 },
      breaker: { interruptions: 8, withinMs: 1_200_000, holdMs: 7_200_000 },
      drain: { timeoutMs: 90_000, loadBalancers: [targetGroupArn] },
      scaling: [
        { alarm: 'workers-cpu-high', adjust: { kind: 'percent', by: 20 }, cooldownMs: 120_000 },
        { alarm: 'workers-cpu-low', adjust: { kind: 'instances', by: -1 }, cooldownMs: 300_000 },
        {
          alarm: 'jobs-waiting',
          adjust: { kind: 'instances', by: 1 },
          steps: {
            side: 'above',
            of: [
              { beyond: 0, adjust: { kind: 'instances', by: 1 } },
              { beyond: 30.5, adjust: { kind: 'percent', by: 50 } },
            ],
          },
          cooldownMs: 300_000,
        },
        {
          alarm: 'jobs-few',
          adjust: { kind: 'instances', by: -2 },
          steps: { side: 'below', of: [{ beyond: 0, adjust: { kind: 'instances', by: -2 } }] },
          cooldownMs: 300_000,
        },
      ],
      schedule: [
        { at: '0 8 * * mon-fri', timezone: 'Europe/Berlin', size: 20 },
        { at: '0 20 * * *', timezone: 'UTC', size: 4 },
      ],
      tags: { team: 'web' },
    });
  });

  it.each([
    [3, { min: 3, max: 3, desired: 3 }],
    [
      { min: 2, max: 5 },
      { min: 2, max: 5, desired: 2 },
    ],
    [
      { min: 2, max: 5, desired: 4 },
      { min: 2, max: 5, desired: 4 },
    ],
  ])('of size %j is kept between bounds', (size, expected) => {
    expect(groupOf({ ...smallDocument, size }).size).toEqual(expected);
  });

  it('is kept by tag when nothing names an Auto Scaling group', () => {
    expect(groupOf(smallDocument).holding).toEqual({ kind: 'tag' });
  });

  it('spreads by pool when the policy does not name by what', () => {
    expect(groupOf({ ...smallDocument, capacity: { spread: ['spot-1a'] } }).capacity).toMatchObject({ kind: 'spread', by: 'pool' });
  });

  it('spreads the same whether `by` is beside the list or with it in one map', () => {
    const beside = groupOf({ ...smallDocument, capacity: { spread: ['spot-1a'], by: 'zone' } });
    expect(groupOf({ ...smallDocument, capacity: { spread: { of: ['spot-1a'], by: 'zone' } } }).capacity).toEqual(beside.capacity);
    expect(beside.capacity).toMatchObject({ kind: 'spread', by: 'zone' });
  });

  it('adjusts by instances where the text has no percent sign', () => {
    expect(groupOf({ ...smallDocument, scaling: [{ alarm: 'x', adjust: '+4' }] }).scaling[0]?.adjust).toEqual({ kind: 'instances', by: 4 });
  });

  it('takes market, subnets and instance types of a pool from its Auto Scaling group', () => {
    const group = groupOf(through({ spot: { asg: 'spot-1a-asg', cap: 4 }, od: { asg: 'od-1b-asg', market: 'on-demand' } }));
    expect(group.holding).toEqual({ kind: 'launch-instances' });
    expect(group.pools).toEqual({
      spot: {
        name: 'spot',
        market: 'spot',
        asg: 'spot-1a-asg',
        cap: 4,
        subnets: [{ id: 'subnet-a', zone: 'eu-west-1a' }],
        instanceTypes: ['m7g.large', 'm6g.large'],
      },
      od: { name: 'od', market: 'on-demand', asg: 'od-1b-asg', subnets: [{ id: 'subnet-b', zone: 'eu-west-1b' }], instanceTypes: ['m7g.large'] },
    });
  });

  it('replaces a list of the defaults as a whole where the pool has its own', () => {
    const document = { ...smallDocument, defaults: { instanceTypes: ['c7g.large', 'c6g.large'] } };
    expect(groupOf(document).pools['spot-1a']?.instanceTypes).toEqual(['m7g.large']);
  });
});

describe('what AWS does not know or allow', () => {
  const own = smallDocument.pools['spot-1a'];
  it.each([
    [
      'a subnet',
      { ...smallDocument, pools: { 'spot-1a': { ...own, subnets: ['subnet-a', 'subnet-z'] } } },
      'pools.spot-1a.subnets[1]',
      'which EC2 does not know',
    ],
    [
      'a subnet of the defaults',
      { ...smallDocument, defaults: { subnets: ['subnet-z'] }, pools: { 'spot-1a': { ...own, subnets: undefined } } },
      'defaults.subnets[0]',
      'which EC2 does not know',
    ],
    [
      'a launch template',
      { ...smallDocument, pools: { 'spot-1a': { ...own, launchTemplate: 'wep' } } },
      'pools.spot-1a.launchTemplate',
      'which EC2 does not know',
    ],
    [
      'a launch template version',
      { ...smallDocument, pools: { 'spot-1a': { ...own, launchTemplate: 'web:4' } } },
      'pools.spot-1a.launchTemplate',
      'a version up to 3',
    ],
    ["the group's Auto Scaling group", { ...smallDocument, asg: 'nobody' }, 'asg', 'which Auto Scaling does not know'],
    ["a pool's Auto Scaling group", through({ a: { asg: 'nobody' } }), 'pools.a.asg', 'which Auto Scaling does not know'],
    ['an Auto Scaling group of both markets and two zones', through({ a: { asg: 'both-asg' } }), 'pools.a.asg', 'which launches both markets'],
    ['an Auto Scaling group of two zones', through({ a: { asg: 'both-asg' } }), 'pools.a.asg', 'which spans 2 zones'],
    ['an Auto Scaling group that names no type', through({ a: { asg: 'odd-asg' } }), 'pools.a.asg', 'which names no instance type'],
    ['an Auto Scaling group without a known market', through({ a: { asg: 'odd-asg' } }), 'pools.a.asg', 'whose market is unknown'],
    [
      'a market that is not that of the Auto Scaling group',
      through({ a: { asg: 'spot-1a-asg', market: 'on-demand' } }),
      'pools.a.market',
      'spot, the market of Auto Scaling group',
    ],
  ])('%s is a problem at its place', (_, document, path, message) => {
    expect(problemsOf(document)).toContainEqual([path, expect.stringContaining(message)]);
  });

  it('a zone outside the Auto Scaling group is a problem of the pool', () => {
    const narrow = {
      ...resolution,
      asgs: { 'workers-asg': { market: 'on-demand' as const, zones: ['eu-west-1b'], subnets: [], instanceTypes: [] } },
    };
    const result = resolveGroup(accepted({ ...smallDocument, asg: 'workers-asg' }), narrow, 1);
    expect(result).toMatchObject({ kind: 'unresolved', problems: [{ path: 'pools.spot-1a.subnets', found: '"subnet-a" in eu-west-1a' }] });
  });
});

describe('an Auto Scaling group whose size others set', () => {
  const document = { ...smallDocument, asg: 'workers-asg', size: { from: 'asg', min: 1, max: 9 } };
  const steering = { min: 1, rebalancesCapacity: false, hasWarmPool: false, hasDrainHook: true };
  const looked = (change: Partial<typeof steering> = {}) => ({
    ...resolution,
    asgs: {
      'workers-asg': { market: 'spot' as const, zones: ['eu-west-1a'], subnets: [], instanceTypes: [], steering: { ...steering, ...change } },
    },
  });
  const found = (change: Partial<typeof steering>, of: object = document) => {
    const result = resolveGroup(accepted(of), looked(change), 1);
    return result.kind === 'unresolved' ? result.problems.map(({ message }) => message) : [];
  };
  it('is taken with its bounds', () => {
    expect(resolveGroup(accepted(document), looked(), 1)).toMatchObject({
      kind: 'resolved',
      group: { size: { min: 1, max: 9, desired: 1, from: 'asg' }, holding: { kind: 'attach', asg: 'workers-asg' } },
    });
  });
  it('is refused by name for what it does by itself', () => {
    expect(found({ rebalancesCapacity: true })).toEqual([expect.stringContaining('found "workers-asg" with Capacity Rebalancing')]);
    expect(found({ hasWarmPool: true })).toEqual([expect.stringContaining('found "workers-asg" with a warm pool')]);
  });
  it('is refused where its sizes do not count instances', () => {
    const { 'workers-asg': facts } = looked().asgs;
    const problems = (unit: 'weights' | 'vcpu' | 'memory-mib', of: object) => {
      const result = resolveGroup(accepted(of), { ...resolution, asgs: { 'workers-asg': { ...facts, unit } } }, 1);
      return result.kind === 'unresolved' ? result.problems.map(({ message }) => message) : [];
    };
    const allowed = 'expected an Auto Scaling group whose sizes count instances';
    expect(problems('weights', document)).toEqual([`asg: ${allowed}, found "workers-asg", whose sizes count the weights of instance types.`]);
    expect(problems('vcpu', { ...document, size: 1 })).toEqual([`asg: ${allowed}, found "workers-asg", whose sizes count vCPUs.`]);
    const memory = `pools.a.asg: ${allowed}, found "workers-asg", whose sizes count memory in MiB.`;
    expect(problems('memory-mib', through({ a: { asg: 'workers-asg' } }))).toContain(memory);
  });
  it('has a minimum of its own', () => {
    expect(found({ min: 0 })).toEqual(['size.min: expected at most 0, the minimum of Auto Scaling group workers-asg: others set the size, found 1.']);
  });
  it('is warned of where no hook lets its members be drained', () => {
    const warned = (change: Partial<typeof steering>) => resolutionWarnings(accepted(document), looked(change)).map(({ message }) => message);
    expect(warned({})).toEqual([]);
    expect(warned({ hasDrainHook: false })).toEqual([
      expect.stringContaining('aws autoscaling put-lifecycle-hook --auto-scaling-group-name workers-asg'),
    ]);
  });
  it('is the one that is looked up so', () => {
    expect(namesIn(accepted(document)).sizedBy).toBe('workers-asg');
    expect(namesIn(accepted({ ...document, size: 3 })).sizedBy).toBeUndefined();
  });
});

describe('target groups', () => {
  it('that do not exist are refused, each at its place in the list', () => {
    const policy = accepted({ ...smallDocument, drain: { loadBalancers: [targetGroupArn] } });
    expect(resolveGroup(policy, resolution, 1).kind).toBe('resolved');
    expect(resolveGroup(policy, { ...resolution, unknownTargetGroups: [targetGroupArn] }, 1)).toMatchObject({
      kind: 'unresolved',
      problems: [{ path: 'drain.loadBalancers[0]', allowed: 'a target group of this account and region' }],
    });
  });
});

describe('the names to look up', () => {
  it('are each requested once, templates without their version', () => {
    expect(namesIn(accepted(fullDocument))).toEqual({
      asgs: ['workers-asg'],
      sizes: ['workers-asg'],
      launchTemplates: ['web'],
      templateVersions: ['web', 'web:2'],
      subnets: ['subnet-a', 'subnet-b', 'subnet-c', 'subnet-c2'],
      targetGroups: [targetGroupArn],
      instanceTypes: expect.arrayContaining(['m7g.large']),
    });
  });

  it.each([
    ['web', { template: 'web' }],
    ['web:$Latest', { template: 'web', version: '$Latest' }],
  ])('take %s apart', (text, expected) => {
    expect(templateReference(text)).toEqual(expected);
  });
});

describe('instance types, as EC2 sells them', () => {
  const pool = {
    ...smallDocument.pools['spot-1a'],
    subnets: ['subnet-a', 'subnet-b'],
    instanceTypes: ['m7g.large', 'm8g.large'],
  };
  const policy = accepted({ ...smallDocument, defaults: {}, capacity: 'p', pools: { p: pool } });
  const kin = ['m8g.medium', 'm8g.xlarge'];
  const given = (zones: Readonly<Record<string, readonly string[]>>) => ({ ...resolution, sold: { zones, kin } });
  const messagesOf = (zones: Readonly<Record<string, readonly string[]>>) => {
    const result = resolveGroup(policy, given(zones), 1);
    return result.kind === 'unresolved' ? result.problems.map(({ message }) => message) : [];
  };

  it('are looked up for pools that Holdfast launches itself', () => {
    expect(namesIn(policy).instanceTypes).toEqual(['m7g.large', 'm8g.large']);
  });

  it('are refused where the region does not sell them', () => {
    expect(messagesOf({ 'm7g.large': ['eu-west-1a'] })).toEqual([
      'pools.p.instanceTypes[1]: expected an instance type of this region, found "m8g.large", which EC2 does not sell in this region. Did you mean "m8g.xlarge"?',
    ]);
  });

  it('are refused where no zone of the pool sells any', () => {
    expect(messagesOf({ 'm7g.large': ['eu-west-1c'], 'm8g.large': ['eu-west-1c'] })).toEqual([
      expect.stringContaining('pools.p.instanceTypes: expected at least one type that one of these zones sells'),
    ]);
    expect(messagesOf({ 'm7g.large': ['eu-west-1a'], 'm8g.large': ['eu-west-1c'] })).toEqual([]);
  });

  it('are warned of where a zone of the pool sells none, or EC2 did not say', () => {
    const warned = resolutionWarnings(policy, given({ 'm7g.large': ['eu-west-1a'], 'm8g.large': ['eu-west-1c'] }));
    expect(warned).toMatchObject([{ path: 'pools.p.instanceTypes', found: 'no type that eu-west-1b sells' }]);
    expect(resolutionWarnings(policy, { ...resolution, sold: { unread: 'RequestLimitExceeded' } })).toMatchObject([{ path: 'pools' }]);
    expect(resolutionWarnings(policy, given({ 'm7g.large': ['eu-west-1a', 'eu-west-1b'], 'm8g.large': [] }))).toEqual([]);
    expect(resolutionWarnings(policy, resolution)).toEqual([]);
  });
});

describe('prices that follow from those on demand', () => {
  const types = ['m7g.large', 'm6g.large'];
  const pools = {
    s: { ...smallDocument.pools['spot-1a'], instanceTypes: types },
    od: { ...smallDocument.pools['spot-1a'], market: 'on-demand' as const, subnets: ['subnet-b'], instanceTypes: types },
  };
  const document = { ...smallDocument, capacity: { tiered: ['s', 'od'] }, pools, defaults: { maxPrice: '60% of on-demand' } };
  const onDemandPrices = { 'm7g.large': 0.0816, 'm6g.large': 0.077 };
  const messages = (more: object) => {
    const result = resolveGroup(accepted({ ...document, ...more }), resolution, 1);
    return result.kind === 'unresolved' ? result.problems.map(({ message }) => message) : [];
  };

  it('become a limit for each type of the spot pools', () => {
    const result = resolveGroup(accepted({ ...document, onDemandPrices }), resolution, 1);
    if (result.kind !== 'resolved') throw new Error('not resolved');
    expect(result.group.pools.s?.maxPriceByType).toEqual({ 'm7g.large': 0.04896, 'm6g.large': 0.0462 });
    expect(result.group.pools.od).not.toHaveProperty('maxPriceByType');
    expect(result.group.onDemandPrices).toEqual(onDemandPrices);
  });

  it('are refused where a type has no price on demand', () => {
    expect(messages({ onDemandPrices: { 'm7g.large': 0.0816 } })).toEqual([
      'onDemandPrices["m6g.large"] is missing: expected the on-demand price of m6g.large in USD per hour: maxPrice of pool s is a share of it.',
    ]);
    const factor = { defaults: {}, pools: { ...pools, od: { ...pools.od, priceFactor: 0.4 } } };
    expect(messages({ ...factor, onDemandPrices: { 'm7g.large': 0.0816 } })).toEqual([
      'onDemandPrices["m6g.large"] is missing: expected the on-demand price of m6g.large in USD per hour: priceFactor of pool od applies to it.',
    ]);
    expect(messages({ ...factor, onDemandPrices })).toEqual([]);
  });

  it('are refused for a pool on demand that names its limit', () => {
    expect(messages({ onDemandPrices, pools: { ...pools, od: { ...pools.od, maxPrice: '80% of on-demand' } } })).toEqual([
      'pools.od.maxPrice: expected maxPriceUsdPerHour: the pool is on demand, and maxPrice is a share of that price, found "80% of on-demand".',
    ]);
  });
});

describe('spares', () => {
  it('need a spot pool that members are placed in', () => {
    const onDemand = { ...smallDocument.pools['spot-1a'], market: 'on-demand' as const };
    const pools = { spot: smallDocument.pools['spot-1a'], od: onDemand };
    const found = (capacity: unknown) => problemsOf({ ...smallDocument, pools, capacity, spare: 1 });
    expect(found({ tiered: ['spot', 'od'] })).toEqual([]);
    expect(found('od')).toEqual([
      [
        'spare',
        'spare: expected a pool with market: spot in capacity, or no spare: members above the size are on spot alone, ' +
          'found no spot pool that capacity places members in.',
      ],
    ]);
  });

  it('and the largest size are at most 10,000 members', () => {
    const found = (spare: number) => problemsOf({ ...smallDocument, size: { min: 1, max: 9_990 }, spare });
    expect(found(10)).toEqual([]);
    expect(found(11)).toEqual([['spare', 'spare: expected at most 10: the largest size (9990) and the spares are at most 10000 members, found 11.']]);
  });
});

describe('a floor on demand', () => {
  const pools = { spot: smallDocument.pools['spot-1a'], od: { ...smallDocument.pools['spot-1a'], market: 'on-demand' } };
  const floored = (capacity: unknown, rest: Record<string, unknown> = {}) => ({ ...smallDocument, pools, capacity, onDemand: { floor: 2 }, ...rest });
  const warned = (document: unknown) => resolutionWarnings(accepted(document), resolution).map(({ path, found }) => [path, found]);

  it('needs an on-demand pool that members are placed in', () => {
    const refused = [
      'onDemand',
      'onDemand: expected a pool with market: on-demand in capacity, for example as the last tier, ' +
        'found no on-demand pool that capacity places members in.',
    ];
    expect(problemsOf(floored('spot'))).toEqual([refused]);
    const weighted = [
      { use: 'spot', weight: 1 },
      { use: 'od', weight: 0 },
    ];
    expect(problemsOf(floored({ weighted }))).toEqual([refused]);
    expect(problemsOf(floored({ tiered: ['spot', 'od'] }))).toEqual([]);
  });

  it('takes the market of an Auto Scaling group for that of its pool', () => {
    const asgs = { fleet: { market: 'on-demand' as const, zones: ['a'], subnets: [{ id: 'subnet-a', zone: 'a' }], instanceTypes: ['m7g.large'] } };
    const policy = accepted({ ...smallDocument, capacity: 'od', pools: { od: { asg: 'fleet' } }, onDemand: { floor: 1 } });
    expect(resolveGroup(policy, { ...resolution, asgs }, 1)).toMatchObject({ kind: 'resolved', group: { onDemand: { floor: 1, percent: 0 } } });
  });

  it('is warned of where caps or the size leave less room', () => {
    const capped = { pools: { ...pools, od: { ...pools.od, cap: 1 } } };
    expect(warned(floored({ tiered: ['spot', 'od'] }, capped))).toEqual([
      ['onDemand', 'on-demand pools whose caps leave room for 1, so that 1 are never on demand'],
    ]);
    expect(warned(floored({ tiered: ['spot', 'od'] }, { onDemand: { floor: 4 } }))).toEqual([
      ['onDemand.floor', '4, more than the largest size: every member is on demand'],
    ]);
    expect(warned(floored({ tiered: ['spot', 'od'] }))).toEqual([]);
  });

  it('is warned of where shares leave less room', () => {
    const wide = { ...pools, spot: { ...pools.spot, subnets: ['subnet-a', 'subnet-b'] } };
    const shared = (zone: string) =>
      warned(floored({ tiered: ['spot', 'od'] }, { pools: wide, size: 4, onDemand: { floor: 3 }, maxShare: { zone } }));
    expect(shared('50%')).toEqual([['onDemand', 'on-demand pools of 1 zones: maxShare.zone leaves room for 2 of 3 owed']]);
    expect(shared('75%')).toEqual([]);
  });
});

describe('shares', () => {
  const zones = { ...smallDocument.pools['spot-1a'], subnets: ['subnet-a', 'subnet-b', 'subnet-c'], instanceTypes: ['m7g.large', 'm6g.large'] };
  const shared = (maxShare: unknown, rest: Record<string, unknown> = {}) => ({
    ...smallDocument,
    size: 10,
    pools: { 'spot-1a': zones },
    maxShare,
    ...rest,
  });

  it.each([
    [{ zone: '30%' }, 'zone', '"30%": the 3 zones of capacity then hold at most 9 of 10', 'at least 34%, or more zones in capacity'],
    [
      { instanceType: '40%' },
      'instanceType',
      '"40%": the 2 instance types of capacity then hold at most 8 of 10',
      'at least 50%, or more instance types',
    ],
    [{ offering: '10%' }, 'offering', '"10%": the 6 offerings of capacity then hold at most 6 of 10', 'at least 17%, or more offerings in capacity'],
  ])('%o is refused where it leaves less room than the size', (maxShare, field, found, allowed) => {
    expect(problemsOf(shared(maxShare))).toEqual([[`maxShare.${field}`, expect.stringContaining(`found ${found}`)]]);
    expect(problemsOf(shared(maxShare))).toEqual([[`maxShare.${field}`, expect.stringContaining(`expected ${allowed}`)]]);
  });

  it('may be small where one member of each is enough', () => {
    expect(problemsOf(shared({ zone: '10%' }, { size: 3 }))).toEqual([]);
    expect(problemsOf(shared({ zone: '34%', instanceType: '50%', offering: '17%' }))).toEqual([]);
  });

  it('of types are refused where an Auto Scaling group picks among several', () => {
    const asgs = {
      fleet: { market: 'spot' as const, zones: ['a'], subnets: [{ id: 'subnet-a', zone: 'a' }], instanceTypes: ['m7g.large', 'm6g.large'] },
    };
    const found = (maxShare: unknown) => {
      const policy = accepted({ ...smallDocument, size: 1, capacity: 'fleet', pools: { fleet: { asg: 'fleet' } }, maxShare });
      const result = resolveGroup(policy, { ...resolution, asgs }, 1);
      return result.kind === 'unresolved' ? result.problems.map(({ path, found: what }) => [path, what]) : [];
    };
    const why = 'pool fleet, whose Auto Scaling group picks one of 2 types itself';
    expect(found({ instanceType: '50%' })).toEqual([['maxShare.instanceType', why]]);
    expect(found({ offering: '50%' })).toEqual([['maxShare.offering', why]]);
    expect(found({ zone: '100%' })).toEqual([]);
  });
});

describe('others who set the desired capacity of a group that the policy sizes', () => {
  const none = { policies: [], scheduledActions: [], isOfEcs: false };
  const document = { ...smallDocument, asg: 'workers-asg' };
  const warned = (found: Scalers, of: object = document) =>
    resolutionWarnings(accepted(of), { ...resolution, scalers: { 'workers-asg': found, 'spot-1a-asg': found } }).map(({ path, message }) => [
      path,
      message,
    ]);

  it('are named in a warning', () => {
    const scheduledActions = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(warned({ policies: ['cpu-50'], scheduledActions, isOfEcs: true })).toEqual([
      [
        'asg',
        'asg: expected a group whose desired capacity the policy alone sets: delete these, or leave the size to them with size.from: asg, ' +
          'found "workers-asg" with an ECS capacity provider, and scaling policies cpu-50, and scheduled actions a, b, c, d, e and 1 more.',
      ],
    ]);
    expect(warned(none)).toEqual([]);
  });

  it('are named where a pool is the group', () => {
    expect(warned({ ...none, policies: ['cpu-50'] }, { ...smallDocument, capacity: 'a', pools: { a: { asg: 'spot-1a-asg' } } })).toEqual([
      ['pools.a.asg', expect.stringMatching(/alone sets: delete these, found "spot-1a-asg" with scaling policies cpu-50\.$/)],
    ]);
  });

  it('are welcome where the size is theirs', () => {
    const outside = { ...document, size: { from: 'asg', min: 1, max: 9 } };
    expect(warned({ ...none, policies: ['cpu-50'] }, outside)).toEqual([]);
    expect(namesIn(accepted(outside)).sizes).toEqual([]);
    expect(namesIn(accepted(document)).sizes).toEqual(['workers-asg']);
  });

  it('may be unknown, which is reported', () => {
    expect(warned({ unread: 'AccessDenied' })).toEqual([['asg', expect.stringContaining('whose scaling could not be read (AccessDenied)')]]);
  });
});

describe('a pool with subnets in several zones', () => {
  const wide = { market: 'spot', launchTemplate: 'web', subnets: ['subnet-a', 'subnet-b'], instanceTypes: ['m7g.large'] } as const;
  const oneZone = { ...wide, subnets: ['subnet-c', 'subnet-c2'] };
  const treeOf = (capacity: unknown) => {
    const result = resolveGroup(accepted({ ...smallDocument, capacity, pools: { wide, oneZone } }), resolution, 1);
    return result.kind === 'resolved' ? result.group.capacity : result.problems;
  };
  const leaf = (pool: string) => ({ kind: 'pool', pool });
  const spread = { kind: 'spread', by: 'zone', children: [leaf('wide')] };

  it('is spread over them wherever it is in the tree', () => {
    expect(treeOf('wide')).toEqual(spread);
    expect(treeOf({ tiered: ['wide', 'oneZone'] })).toEqual({ kind: 'tiered', children: [spread, leaf('oneZone')] });
    expect(treeOf({ spread: ['wide', 'oneZone'] })).toEqual({ kind: 'spread', by: 'pool', children: [spread, leaf('oneZone')] });
    expect(treeOf({ weighted: [{ use: 'wide', weight: 2 }] })).toMatchObject({ children: [{ use: spread, weight: 2 }] });
  });

  it('is not below cheapest, where the price decides, and below a spread by zone, which does it', () => {
    expect(treeOf({ cheapest: ['wide'] })).toEqual({ kind: 'cheapest', children: [leaf('wide')] });
    expect(treeOf({ spread: [{ tiered: ['wide', 'oneZone'] }], by: 'zone' })).toMatchObject({
      children: [{ children: [leaf('wide'), leaf('oneZone')] }],
    });
  });
});

describe('images of launch templates', () => {
  const versions = { web: { image: 'ami-1', architecture: 'x86_64' }, 'web:2': { isGone: true } } as const;
  const architectures = { 'm7g.large': ['arm64'], 'm7i.large': ['x86_64'], 't2.small': ['i386', 'x86_64'] };
  const looked = { ...resolution, images: { versions, architectures } };
  const pool = { ...smallDocument.pools['spot-1a'], instanceTypes: ['m7i.large', 'm7g.large', 't2.small', 'm8i.large'] };
  const problemsOf = (launchTemplate: string, given: LookedUp = looked) => {
    const policy = accepted({ ...smallDocument, pools: { 'spot-1a': { ...pool, launchTemplate } } });
    const result = resolveGroup(policy, given, 1);
    return result.kind === 'unresolved' ? result.problems.map(({ message }) => message) : [];
  };

  it('are looked up with the version that a pool names', () => {
    expect(namesIn(accepted({ ...smallDocument, pools: { 'spot-1a': { ...pool, launchTemplate: 'web:2' } } })).templateVersions).toEqual(['web:2']);
  });

  it('refuse instance types that do not run them', () => {
    expect(problemsOf('web')).toEqual([
      'pools.spot-1a.instanceTypes[1]: expected an instance type that runs x86_64, as image ami-1 of launch template web needs, found "m7g.large", which runs arm64.',
    ]);
    expect(problemsOf('web', { ...resolution, images: { versions: { web: { image: 'ami-1' } }, architectures } })).toEqual([]);
  });

  it('are refused with a version that was deleted', () => {
    expect(problemsOf('web:2')).toEqual([
      'pools.spot-1a.launchTemplate: expected a version that web has; the latest is 3, found version 2, which was deleted.',
    ]);
  });

  it('are warned of where EC2 did not say', () => {
    const unread = { ...resolution, images: { unread: 'UnauthorizedOperation' } };
    expect(problemsOf('web', unread)).toEqual([]);
    expect(resolutionWarnings(accepted(smallDocument), unread)).toMatchObject([
      { path: 'pools', found: expect.stringContaining('UnauthorizedOperation') },
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { shareOf } from '../../core/policy/accepted.ts';
import { canonicalText } from '../../core/policy/canonical.ts';
import { launchLimitOf } from '../../core/policy/launches-schema.ts';
import { limitWarnings } from '../../core/policy/limit-rules.ts';
import { mergeDefaults } from '../../core/policy/merge-defaults.ts';
import { steeringWarnings } from '../../core/policy/outside-rules.ts';
import { nearestName, showFound } from '../../core/policy/problem.ts';
import { type LookedUp, templateReference } from '../../core/policy/resolution.ts';
import { resolutionWarnings, resolveGroup } from '../../core/policy/resolve.ts';
import type { Policy } from '../../core/policy/schema.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import { resolution, smallDocument, targetGroupArn } from './documents.ts';

const pool = smallDocument.pools['spot-1a'];
const accepted = (change: object): Policy => {
  const result = validatePolicy({ ...smallDocument, ...change });
  if (result.kind === 'invalid') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.policy;
};
const groupOf = (change: object, looked: LookedUp = resolution) => {
  const result = resolveGroup(accepted(change), looked, 1);
  if (result.kind === 'unresolved') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.group;
};
const told = (change: object, looked: LookedUp = resolution): readonly string[] => {
  const result = resolveGroup(accepted(change), looked, 1);
  return result.kind === 'unresolved' ? result.problems.map(({ message }) => message) : [];
};
const warned = (change: object, looked: LookedUp): readonly string[] => resolutionWarnings(accepted(change), looked).map(({ message }) => message);

describe('a group of the smallest policy', () => {
  const small = {
    name: 'workers',
    policyVersion: 1,
    size: { min: 3, max: 3, desired: 3 },
    capacity: { kind: 'pool', pool: 'spot-1a' },
    pools: {
      'spot-1a': {
        name: 'spot-1a',
        market: 'spot',
        launchTemplate: 'web',
        subnets: [{ id: 'subnet-a', zone: 'eu-west-1a' }],
        instanceTypes: ['m7g.large'],
      },
    },
    holding: { kind: 'tag' },
    removal: { order: 'dearest-first' },
    swap: { order: 'launch-first', maxSurge: 3 },
    rebalance: { act: false },
    returning: { afterMs: 600_000, everyMs: 300_000, atMost: { kind: 'share', percent: 50 }, timezone: 'UTC' },
    launches: { atMost: { kind: 'share', percent: 300 }, withinMs: 600_000 },
    drain: { timeoutMs: 300_000, loadBalancers: 'auto' },
    scaling: [],
    tags: {},
  };

  it('has no field that the policy does not state', () => {
    expect(groupOf({})).toStrictEqual(small);
  });

  it.each<[object, object]>([
    [{ mode: 'observe' }, { mode: 'observe' }],
    [{ spare: 2 }, { spare: 2 }],
    [{ size: { min: 1, max: 4 } }, { size: { min: 1, max: 4, desired: 1 } }],
    [{ return: { atMost: 2 } }, { returning: { ...small.returning, atMost: { kind: 'count', by: 2 } } }],
    [{ launches: { atMost: 40 } }, { launches: { atMost: { kind: 'count', by: 40 }, withinMs: 600_000 } }],
    [{ ready: { after: '90s' } }, { ready: { afterMs: 90_000 } }],
    [{ ready: { checks: 'ec2' } }, { ready: { checks: 'ec2' } }],
    [{ ready: { within: '15m' } }, { ready: { withinMs: 900_000 } }],
  ])('has %j in addition', (change, fields) => {
    expect(groupOf(change)).toStrictEqual({ ...small, ...fields });
  });

  it('has the longest deregistration delay of its target groups, where AWS returned one', () => {
    expect(groupOf({}, { ...resolution, deregistrationDelayMs: 120_000 }).drain).toStrictEqual({
      timeoutMs: 300_000,
      loadBalancers: 'auto',
      deregistrationDelayMs: 120_000,
    });
  });

  it('has the target groups of its Auto Scaling groups', () => {
    expect(groupOf({}, { ...resolution, asgTargetGroups: ['arn:own'] }).drain).toMatchObject({ asgTargetGroups: ['arn:own'] });
  });
});

describe('the author of a policy reads', () => {
  it('in which zones of the Auto Scaling group a subnet could be', () => {
    const asgs = { web: { market: 'spot' as const, zones: ['eu-west-1b', 'eu-west-1c'], subnets: [], instanceTypes: [] } };
    expect(told({ asg: 'web' }, { ...resolution, asgs })).toEqual([
      'pools.spot-1a.subnets: expected subnets in a zone of Auto Scaling group web: eu-west-1b, eu-west-1c, found "subnet-a" in eu-west-1a.',
    ]);
  });

  it('what is wrong with a pool alone, although the Auto Scaling group of the policy is there', () => {
    expect(told({ asg: 'workers-asg', pools: { 'spot-1a': { ...pool, subnets: ['subnet-z'] } } })).toEqual([
      'pools.spot-1a.subnets[0]: expected a subnet of this account and region, found "subnet-z", which EC2 does not know.',
    ]);
  });

  it('that a target group does not exist', () => {
    expect(told({ drain: { loadBalancers: [targetGroupArn] } }, { ...resolution, unknownTargetGroups: [targetGroupArn] })).toEqual([
      `drain.loadBalancers[0]: expected a target group of this account and region, found ${showFound(targetGroupArn)}, which Elastic Load Balancing does not know.`,
    ]);
  });

  it('that an Auto Scaling group of both markets is none for a pool of one', () => {
    expect(told({ pools: { 'spot-1a': { asg: 'both-asg', market: 'spot' } } })).toHaveLength(2);
  });

  it('a problem at the pool where the pool has the field, although the defaults have it too', () => {
    const own = { ...pool, launchTemplate: 'wep' };
    expect(told({ defaults: { launchTemplate: 'web' }, pools: { 'spot-1a': own } })).toEqual([
      expect.stringContaining('pools.spot-1a.launchTemplate: expected'),
    ]);
  });

  it('what could not be checked', () => {
    expect(warned({}, { ...resolution, images: { unread: 'UnauthorizedOperation' } })).toEqual([
      'pools: expected images that run on the instance types of their pools, found images that could not be checked (UnauthorizedOperation).',
    ]);
    expect(warned({}, { ...resolution, sold: { unread: 'RequestLimitExceeded' } })).toEqual([
      'pools: expected types that EC2 sells in the zones of their pools, found instance types that could not be checked (RequestLimitExceeded).',
    ]);
    expect(warned({ asg: 'workers-asg' }, { ...resolution, scalers: { 'workers-asg': { unread: 'AccessDenied' } } })).toEqual([
      'asg: expected a group whose desired capacity nobody else sets, found "workers-asg", whose scaling could not be read (AccessDenied).',
    ]);
  });

  it('nothing about image and types when they were not read or run together', () => {
    expect(told({}, { ...resolution, images: { unread: 'UnauthorizedOperation' } })).toEqual([]);
    expect(told({}, { ...resolution, images: { versions: { web: { architecture: 'arm64' } }, architectures: {} } })).toEqual([]);
  });

  it('the names of five scaling policies, and how many more there are', () => {
    const scaled = (count: number) => {
      const policies = Array.from({ length: count }, (_, index) => `p${index}`);
      const scalers = { 'workers-asg': { policies, scheduledActions: [], isOfEcs: false } };
      return warned({ asg: 'workers-asg' }, { ...resolution, scalers });
    };
    expect(scaled(5)).toEqual([expect.stringContaining('with scaling policies p0, p1, p2, p3, p4.')]);
    expect(scaled(6)).toEqual([expect.stringContaining('with scaling policies p0, p1, p2, p3, p4 and 1 more.')]);
  });
});

describe('instance types and zones', () => {
  const wide = { 'spot-1a': { ...pool, subnets: ['subnet-a', 'subnet-b', 'subnet-c', 'subnet-c2'] } };
  const sold = (zones: readonly string[]): LookedUp => ({ ...resolution, sold: { zones: { 'm7g.large': zones } } });

  it('are refused with the zones of the pool where none of them sells a type', () => {
    expect(told({ pools: wide }, sold(['eu-west-1d']))).toEqual([
      "pools.spot-1a.instanceTypes: expected at least one type that one of these zones sells, found types that no zone of the pool's subnets sells " +
        '(eu-west-1a, eu-west-1b, eu-west-1c).',
    ]);
    expect(told({ pools: wide }, sold(['eu-west-1d', 'eu-west-1b']))).toEqual([]);
  });

  it('are warned of for each zone where nothing is launched', () => {
    expect(warned({ pools: wide }, sold(['eu-west-1a', 'eu-west-1b']))).toEqual([
      "pools.spot-1a.instanceTypes: expected a type that eu-west-1c sells: nothing is launched in the pool's subnets there, " +
        'found no type that eu-west-1c sells.',
    ]);
  });

  it('are not reported for a subnet that EC2 does not have', () => {
    const unknown = { 'spot-1a': { ...pool, subnets: ['subnet-z'] } };
    expect(told({ pools: unknown }, sold(['eu-west-1a']))).toEqual([expect.stringContaining('pools.spot-1a.subnets[0]')]);
  });

  it('are reported without a suggestion when EC2 returned no type of the family', () => {
    expect(told({}, { ...resolution, sold: { zones: {} } })).toEqual([
      'pools.spot-1a.instanceTypes[0]: expected an instance type of this region, found "m7g.large", which EC2 does not sell in this region.',
    ]);
  });

  it('of a pool through an Auto Scaling group are not checked', () => {
    expect(warned({ pools: { 'spot-1a': { asg: 'spot-1a-asg' } } }, sold([]))).toEqual([]);
  });
});

describe('limits of a pool whose Auto Scaling group has no subnet', () => {
  it('are not reported, because its offerings are unknown', () => {
    const asgs = { web: { market: 'on-demand' as const, zones: ['eu-west-1a'], subnets: [], instanceTypes: ['m7g.large'] } };
    const change = { pools: { 'spot-1a': { asg: 'web' } }, maxShare: { zone: '50%' }, onDemand: { floor: 2 } };
    expect(told(change, { ...resolution, asgs })).toEqual([]);
    expect(limitWarnings(accepted(change), Object.values(groupOf(change, { ...resolution, asgs }).pools))).toEqual([]);
  });
});

describe('a hook for drains', () => {
  it('is not asked of a group whose facts were not looked up', () => {
    const policy = accepted({ asg: 'web', size: { from: 'asg', min: 0, max: 3 } });
    expect(steeringWarnings(policy, { subnets: {}, asgs: {}, launchTemplates: {} })).toEqual([]);
  });
});

describe('texts and values', () => {
  it('are equal for maps in a list whatever the order of their keys', () => {
    expect(canonicalText([{ b: 1, a: [{ d: 2, c: 3 }] }])).toBe('[{"a":[{"c":3,"d":2}],"b":1}]');
  });

  it('of a pool replace what the defaults have where one of the two is no map', () => {
    expect([mergeDefaults({ a: 1 }, { a: { x: 1 } }), mergeDefaults({ a: { x: 1 } }, { a: 1 }), mergeDefaults({ a: 1 }, { a: 2 })]).toEqual([
      { a: { x: 1 } },
      { a: 1 },
      { a: 2 },
    ]);
  });

  it('are shown in full up to 80 characters', () => {
    expect([showFound('x'.repeat(78)), showFound('x'.repeat(79))]).toEqual([`"${'x'.repeat(78)}"`, `"${'x'.repeat(75)}..."`]);
  });

  it('suggest a name only within a third of the shorter one', () => {
    expect([nearestName('market', ['marketing']), nearestName('marketin', ['marketing'])]).toEqual([undefined, 'marketing']);
  });

  it('of a launch template have a version only where it is written', () => {
    expect([templateReference('web'), templateReference('web:7')]).toStrictEqual([{ template: 'web' }, { template: 'web', version: '7' }]);
  });

  it('limit launches by a number or by a share of 100% and more', () => {
    expect([launchLimitOf(40), launchLimitOf('100%'), launchLimitOf('99%')]).toEqual([
      { kind: 'count', by: 40 },
      { kind: 'share', percent: 100 },
      undefined,
    ]);
  });

  it('of an accepted policy that cannot be read are a fault', () => {
    expect(() => shareOf('much')).toThrow('much could not be read, although the schema accepted it');
    expect(shareOf('40%')).toBe(40);
  });
});

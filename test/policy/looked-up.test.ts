import { describe, expect, it } from 'vitest';
import { priced } from '../../core/policy/price-rules.ts';
import { type LookedUp, namesIn } from '../../core/policy/resolution.ts';
import { resolutionWarnings, resolveGroup } from '../../core/policy/resolve.ts';
import type { Policy } from '../../core/policy/schema.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import { resolution, smallDocument } from './documents.ts';

const pool = smallDocument.pools['spot-1a'];
const onDemand = { ...pool, market: 'on-demand' } as const;
const accepted = (change: object): Policy => {
  const result = validatePolicy({ ...smallDocument, ...change });
  if (result.kind === 'invalid') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.policy;
};

/** What an author reads about a policy with this change, once AWS was asked about its names. */
const told = (change: object, looked: LookedUp = resolution): readonly string[] => {
  const policy = accepted(change);
  const result = resolveGroup(policy, looked, 1);
  return result.kind === 'unresolved'
    ? result.problems.map(({ message }) => message)
    : resolutionWarnings(policy, looked).map(({ message }) => `accepted. ${message}`);
};
const group = (change: object, looked: LookedUp = resolution) => {
  const result = resolveGroup(accepted(change), looked, 1);
  return result.kind === 'resolved' ? result.group : undefined;
};

describe('the author of a policy reads what AWS does not know or allow', () => {
  const of = (rest: object) => ({ pools: { 'spot-1a': { ...pool, ...rest } } });
  const through = (asg: string, rest: object = {}) => ({ pools: { 'spot-1a': { asg, ...rest } } });

  it.each([
    [
      of({ subnets: ['subnet-a', 'subnet-z'] }),
      'pools.spot-1a.subnets[1]: expected a subnet of this account and region, found "subnet-z", which EC2 does not know.',
    ],
    [
      of({ launchTemplate: 'wep' }),
      'pools.spot-1a.launchTemplate: expected a launch template of this account and region, found "wep", which EC2 does not know.',
    ],
    [of({ launchTemplate: 'web:4' }), 'pools.spot-1a.launchTemplate: expected a version up to 3, the latest of web, found version 4.'],
    [{ asg: 'nobody' }, 'asg: expected an Auto Scaling group of this account and region, found "nobody", which Auto Scaling does not know.'],
    [
      through('both-asg'),
      'pools.spot-1a.asg: expected a group of one market, spot or on-demand, found "both-asg", which launches both markets.',
      'pools.spot-1a.asg: expected a group of one zone, found "both-asg", which spans 2 zones.',
    ],
    [
      through('odd-asg'),
      'pools.spot-1a.asg: expected a group whose template or overrides name instance types, found "odd-asg", which names no instance type.',
      'pools.spot-1a.asg: expected a group with a launch template or a mixed instances policy, found "odd-asg", whose market is unknown.',
    ],
    [through('od-1b-asg', { market: 'spot' }), 'pools.spot-1a.market: expected on-demand, the market of Auto Scaling group od-1b-asg, found spot.'],
    [
      through('spot-1a-asg', { market: 'on-demand' }),
      'pools.spot-1a.market: expected spot, the market of Auto Scaling group spot-1a-asg, found on-demand.',
    ],
    [
      { ...through('spot-1a-asg'), maxShare: { instanceType: '50%' }, size: 1 },
      'maxShare.instanceType: expected an Auto Scaling group of its own for each instance type, or maxShare.zone alone, ' +
        'found pool spot-1a, whose Auto Scaling group picks one of 2 types itself.',
    ],
  ])('%j', (change, ...messages) => {
    expect(told(change)).toEqual(messages);
  });

  it('and nothing where all of it is there', () => {
    expect([told({}), told(of({ launchTemplate: 'web:3' })), told(of({ launchTemplate: 'web:$Latest' }))]).toEqual([[], [], []]);
    expect(told({ ...through('od-1b-asg'), maxShare: { instanceType: '100%' } })).toEqual([]);
    expect(told(through('od-1b-asg', { market: 'on-demand' }))).toEqual([]);
  });

  it('and that an image does not run on a type, or that its version was deleted', () => {
    const architectures = { 'm7g.large': ['arm64'], 't2.small': ['i386', 'x86_64'] };
    const images = (versions: object): LookedUp => ({ ...resolution, images: { versions: { ...versions }, architectures } });
    const arm = images({ web: { image: 'ami-1', architecture: 'arm64' } });
    expect(told(of({ instanceTypes: ['m7g.large', 't2.small'] }), arm)).toEqual([
      'pools.spot-1a.instanceTypes[1]: expected an instance type that runs arm64, as image ami-1 of launch template web needs, ' +
        'found "t2.small", which runs i386 and x86_64.',
    ]);
    expect(told({}, images({}))).toEqual([]);
    expect(told({}, images({ web: { isGone: true } }))).toEqual([
      'pools.spot-1a.launchTemplate: expected a version that web has; the latest is 3, found version $Default, which was deleted.',
    ]);
  });
});

describe('limits that are accepted and cannot be kept in full', () => {
  const pools = { 'spot-1a': pool, od: onDemand };
  const floored = (rest: object) => ({ capacity: { tiered: ['spot-1a', 'od'] }, pools, ...rest });
  const capped = (cap: number) => ({ pools: { ...pools, od: { ...onDemand, cap } } });

  it('are reported with what they leave room for', () => {
    const short =
      'accepted. onDemand: expected room for 2 on demand at the largest size, 3, ' +
      'found on-demand pools whose caps leave room for 1, so that 1 are never on demand.';
    expect(told(floored({ ...capped(1), onDemand: { floor: 2 } }))).toEqual([short]);
    expect(told(floored({ ...capped(1), onDemand: { percent: '50%' } }))).toEqual([short]);
    expect(told(floored({ ...capped(2), onDemand: { percent: '50%' } }))).toEqual([]);
    expect(told(floored({ ...capped(0) }))).toEqual([]);
    expect(told(floored({ onDemand: { floor: 3 } }))).toEqual([]);
    expect(told(floored({ onDemand: { floor: 4 } }))).toEqual([
      'accepted. onDemand.floor: expected at most 3, found 4, more than the largest size: every member is on demand.',
    ]);
  });

  it('are reported when shares leave less room on demand than is owed', () => {
    const wide = { pools: { 'spot-1a': { ...pool, subnets: ['subnet-a', 'subnet-b'] }, od: onDemand }, size: 4 };
    const shared = (rest: object) => told(floored({ ...wide, maxShare: { zone: '50%' }, ...rest }));
    const owed =
      'accepted. onDemand: expected more zones in on-demand pools, or a larger maxShare.zone, ' +
      'found on-demand pools of 1 zones: maxShare.zone leaves room for 2 of 3 owed.';
    expect(shared({ onDemand: { floor: 3 } })).toEqual([owed]);
    expect(shared({ onDemand: { percent: '75%' } })).toEqual([owed]);
    expect([shared({ onDemand: { percent: '50%' } }), shared({})]).toEqual([[], []]);
    expect(told({ ...wide, capacity: 'spot-1a', maxShare: { zone: '50%' } })).toEqual([]);
  });

  it('are refused where nothing could ever be on demand', () => {
    const refused =
      'onDemand: expected a pool with market: on-demand in capacity, for example as the last tier, ' +
      'found no on-demand pool that capacity places members in.';
    expect([told({ onDemand: { floor: 1 } }), told({ onDemand: { percent: '10%' } }), told({ onDemand: { floor: 0 } })]).toEqual([
      [refused],
      [refused],
      [],
    ]);
  });
});

describe('the names to look up', () => {
  it('are sorted, each once, and those of Auto Scaling groups alone where these bring the rest', () => {
    const pools = {
      'spot-1a': { ...pool, subnets: ['subnet-b', 'subnet-a'], instanceTypes: ['m7g.large', 'c7g.large'], launchTemplate: 'web:2' },
      b: { ...pool, subnets: ['subnet-a'] },
    };
    expect(namesIn(accepted({ pools, capacity: { spread: ['spot-1a', 'b'] }, asg: 'web-asg' }))).toStrictEqual({
      subnets: ['subnet-a', 'subnet-b'],
      asgs: ['web-asg'],
      sizes: ['web-asg'],
      launchTemplates: ['web'],
      templateVersions: ['web', 'web:2'],
      targetGroups: [],
      instanceTypes: ['c7g.large', 'm7g.large'],
    });
    const own = { 'spot-1a': { asg: 'spot-1a-asg' }, b: { asg: 'od-1b-asg' } };
    expect(namesIn(accepted({ pools: own, capacity: { spread: ['spot-1a', 'b'] } }))).toStrictEqual({
      subnets: [],
      asgs: ['od-1b-asg', 'spot-1a-asg'],
      sizes: ['od-1b-asg', 'spot-1a-asg'],
      launchTemplates: [],
      templateVersions: [],
      targetGroups: [],
      instanceTypes: [],
    });
  });
});

describe('a resolved pool', () => {
  it('has its price limit, its cap and its price factor only where the policy states them', () => {
    const keys = (change: object) => Object.keys(group({ pools: { 'spot-1a': { ...pool, ...change } } })?.pools['spot-1a'] ?? {});
    const always = ['name', 'market', 'launchTemplate', 'subnets', 'instanceTypes'];
    expect(keys({})).toEqual(always);
    expect(keys({ cap: 4, maxPriceUsdPerHour: 0.05 })).toEqual([...always, 'maxPriceUsdPerHour', 'cap']);
    const resolved = { name: 'spot-1a', market: 'on-demand', subnets: [], instanceTypes: ['m7g.large'] } as const;
    const paid = accepted({ pools: { 'spot-1a': { ...onDemand, priceFactor: 0.6 } }, onDemandPrices: { 'm7g.large': 0.1 } });
    expect(priced(resolved, paid)).toEqual({ ...resolved, priceFactor: 0.6 });
    expect(priced(resolved, accepted({}))).toStrictEqual(resolved);
  });

  it('reports each missing on-demand price, by pool', () => {
    const pools = { 'spot-1a': { ...onDemand, priceFactor: 0.5 }, b: { ...pool, instanceTypes: ['c7g.large'], maxPrice: '50% of on-demand' } };
    expect(told({ pools, capacity: { spread: ['spot-1a', 'b'] } })).toEqual([
      'onDemandPrices["c7g.large"] is missing: expected the on-demand price of c7g.large in USD per hour: maxPrice of pool b is a share of it.',
      'onDemandPrices["m7g.large"] is missing: expected the on-demand price of m7g.large in USD per hour: priceFactor of pool spot-1a applies to it.',
    ]);
  });
});

describe('alarms of a resolved group', () => {
  it('adjust by steps on one side of the threshold, by instances or by a share', () => {
    const scaling = [
      {
        alarm: 'up',
        steps: [
          { above: 0, adjust: '+1' },
          { above: 20, adjust: '+50%' },
        ],
      },
      {
        alarm: 'down',
        steps: [
          { below: 0, adjust: -1 },
          { below: 10, adjust: -3 },
        ],
        cooldown: '2m',
      },
      { alarm: 'once', adjust: '-10%' },
    ];
    const rules = group({ size: { min: 1, max: 9 }, scaling })?.scaling;
    expect(rules?.map(({ adjust, steps }) => [adjust, steps])).toEqual([
      [
        { kind: 'instances', by: 1 },
        {
          side: 'above',
          of: [
            { beyond: 0, adjust: { kind: 'instances', by: 1 } },
            { beyond: 20, adjust: { kind: 'percent', by: 50 } },
          ],
        },
      ],
      [
        { kind: 'instances', by: -1 },
        {
          side: 'below',
          of: [
            { beyond: 0, adjust: { kind: 'instances', by: -1 } },
            { beyond: 10, adjust: { kind: 'instances', by: -3 } },
          ],
        },
      ],
      [{ kind: 'percent', by: -10 }, undefined],
    ]);
    expect(rules?.[1]?.cooldownMs).toBe(120_000);
  });
});

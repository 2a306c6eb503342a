import { describe, expect, it } from 'vitest';
import { validatePolicy } from '../../core/policy/validate.ts';
import { smallDocument, targetGroupArn } from './documents.ts';

const pool = smallDocument.pools['spot-1a'];
const bare = { market: 'spot' } as const;
const bounded = { size: { min: 1, max: 3 } };
const outside = { size: { from: 'asg', min: 0, max: 5 }, asg: 'web-asg' };
const two = { spread: ['spot-1a', 'b'] };
const stepped = (...steps: readonly object[]) => ({ ...bounded, scaling: [{ alarm: 'a', steps }] });
const pools = (rest: object) => ({ pools: { 'spot-1a': rest } });

/** What an author reads about a policy with this change. */
const told = (change: object): readonly string[] => {
  const result = validatePolicy({ ...smallDocument, ...change });
  return result.kind === 'invalid' ? result.problems.map(({ message }) => message) : result.warnings.map(({ message }) => `accepted. ${message}`);
};

type Row = readonly [change: object, ...messages: readonly string[]];

const sizes: readonly Row[] = [
  [{ size: { min: 4, max: 3 } }, 'size.max: expected a number of at least min (4), found 3.'],
  [{ size: { min: 3, max: 3, desired: 3 } }],
  [{ size: { min: 1, max: 3, desired: 4 } }, 'size.desired: expected a number from min (1) to max (3), found 4.'],
  [{ size: { min: 2, max: 3, desired: 1 } }, 'size.desired: expected a number from min (2) to max (3), found 1.'],
  [
    { ...outside, size: { ...outside.size, desired: 2 } },
    'size.desired: expected no desired size: size.from: asg takes it from the Auto Scaling group, found 2.',
  ],
  [{ size: outside.size }, 'asg is missing: expected the Auto Scaling group whose desired capacity is the size (size.from: asg).'],
  [
    { ...outside, scaling: [{ alarm: 'a', adjust: 1 }] },
    'scaling: expected no alarms: with size.from: asg others set the size, for example scaling policies of the group, found 1 alarms.',
  ],
  [
    { ...outside, schedule: [{ at: '0 8 * * *', size: 2 }] },
    'schedule: expected no schedule: with size.from: asg others set the size, for example scheduled actions of the group, found 1 times.',
  ],
  [
    { ...outside, onDemand: { floor: 1 } },
    'onDemand: expected no onDemand: with size.from: asg the Auto Scaling group chooses who leaves; set OnDemandBaseCapacity or ' +
      'OnDemandPercentageAboveBaseCapacity in its mixed instances policy, found a floor for a group whose size others set.',
  ],
  [
    { ...outside, maxShare: { zone: '50%' } },
    'maxShare: expected no maxShare: with size.from: asg the Auto Scaling group chooses what it launches and who leaves, ' +
      'found shares of a group whose size others set.',
  ],
  [
    { ...outside, spare: 2 },
    'spare: expected no spare: with size.from: asg the Auto Scaling group chooses who leaves, and ends members above its desired capacity; ' +
      'set that higher instead, found 2 for a group whose size others set.',
  ],
  [{ ...outside, spare: 0 }],
];

const alarms: readonly Row[] = [
  [
    {
      ...bounded,
      scaling: [
        { alarm: 'a', adjust: 1 },
        { alarm: 'a', adjust: -1 },
      ],
    },
    'scaling[1].alarm: expected each alarm once, found "a" again.',
  ],
  [{ ...bounded, scaling: [{ alarm: 'a' }] }, 'scaling[0].adjust is missing: expected what the alarm does, such as +2 or -10%; or steps.'],
  [
    { ...bounded, scaling: [{ alarm: 'a', adjust: 1, steps: [{ above: 0, adjust: 1 }] }] },
    'scaling[0].steps: expected one of the two, found both steps and adjust.',
  ],
  [stepped({ above: 1, adjust: 1 }), 'scaling[0].steps[0].above: expected 0: the first step begins at the threshold, found 1.'],
  [stepped({ below: 0, adjust: -1 }, { below: 5, adjust: -2 })],
  [stepped({ above: 0, adjust: 1 }, { above: 0, adjust: 2 }), 'scaling[0].steps[1].above: expected more than the step before it (0), found 0.'],
  [
    stepped({ above: 0, adjust: 1 }, { below: 5, adjust: 2 }),
    'scaling[0].steps[1]: expected above in every step, or below in every step, found below.',
  ],
  [
    stepped({ above: 0, adjust: 1 }, { adjust: 2 }),
    'scaling[0].steps[1]: expected above in every step, or below in every step, found neither above nor below.',
  ],
  [stepped({ above: 0, below: 0, adjust: 1 }), 'scaling[0].steps[0]: expected above in every step, or below in every step, found above and below.'],
  [
    stepped({ above: 0, adjust: 1 }, { above: 5, adjust: -2 }),
    'scaling[0].steps[1].adjust: expected steps that all add members, or all take some away, found -2.',
  ],
  [{ ...bounded, schedule: [{ at: '0 8 * * *', size: 9 }] }, 'schedule[0].size: expected a number from size.min (1) to size.max (3), found 9.'],
  [{ ...bounded, schedule: [{ at: '0 8 * * *', size: 0 }] }, 'schedule[0].size: expected a number from size.min (1) to size.max (3), found 0.'],
  [
    {
      ...bounded,
      schedule: [
        { at: '0 8 * * *', size: 2 },
        { at: ' 0  8 * * *', timezone: 'UTC', size: 1 },
      ],
    },
    'schedule[1].at: expected each time once, found " 0  8 * * *" again.',
  ],
  [
    {
      ...bounded,
      schedule: [
        { at: '0 8 * * *', size: 1 },
        { at: '0 8 * * *', timezone: 'Europe/Berlin', size: 3 },
      ],
    },
  ],
  [
    { scaling: [{ alarm: 'a', adjust: 1 }] },
    'accepted. scaling: expected a size with min below max, found alarms on a fixed size, which they cannot change.',
  ],
  [
    { size: { min: 3, max: 3 }, schedule: [{ at: '0 8 * * *', size: 3 }] },
    'accepted. schedule: expected a size with min below max, found times on a fixed size, which they cannot change.',
  ],
];

const trees: readonly Row[] = [
  [{ capacity: 'spot-1b' }, 'capacity: expected a pool under pools: spot-1a, found "spot-1b". Did you mean "spot-1a"?'],
  [{ capacity: { tiered: ['spot-1a', 'other'] } }, 'capacity.tiered[1]: expected a pool under pools: spot-1a, found "other".'],
  [{ capacity: { spread: ['spot-1a', 'spot-1a'] } }, 'capacity.spread[1]: expected each pool once in a spread selector, found "spot-1a" again.'],
  [{ capacity: { tiered: ['spot-1a', 'spot-1a'] } }, 'capacity.tiered[1]: expected each pool once in a tiered selector, found "spot-1a" again.'],
  [{ capacity: { tiered: ['spot-1a', { cheapest: ['spot-1a'] }] } }],
  [{ capacity: { weighted: [{ use: 'spot-1a', weight: 0 }] } }, 'capacity.weighted: expected at least one weight above 0, found only weights of 0.'],
  [
    { capacity: { spread: { of: ['spot-1a'], by: 'zone' }, by: 'pool' } },
    'capacity.spread.by: expected by once: next to spread, or in its map, found by a second time.',
  ],
  [
    {
      capacity: {
        weighted: [
          { use: 'spot-1a', weight: 1 },
          { use: { tiered: ['spot-1a'] }, weight: 1 },
        ],
      },
    },
    'capacity.weighted[1].use.tiered[0]: expected each pool once in a weighted selector, found "spot-1a" again.',
  ],
  [
    { pools: { 'spot-1a': pool, b: pool } },
    'accepted. pools.b: expected a pool that capacity names, found a pool that capacity does not name, and that is never used.',
  ],
  [
    pools({ ...pool, cap: 1 }),
    'accepted. capacity: expected room for the largest size, 3, found pools whose caps leave room for 1, so that 2 are never launched.',
  ],
];

const ofPools: readonly Row[] = [
  [{ pools: {} }, 'pools: expected at least one pool, found an empty map.'],
  [
    pools({}),
    'pools.spot-1a.instanceTypes is missing: expected a list of instance types, in the pool or in defaults.',
    'pools.spot-1a.launchTemplate is missing: expected a launch template, in the pool or in defaults.',
    'pools.spot-1a.market is missing: expected spot or on-demand, in the pool or in defaults.',
    'pools.spot-1a.subnets is missing: expected a list of subnets, in the pool or in defaults.',
  ],
  [pools({ ...pool, subnets: ['subnet-a', 'subnet-a'] }), 'pools.spot-1a.subnets[1]: expected each once, found "subnet-a" again.'],
  [{ defaults: { instanceTypes: ['m7g.large', 'm7g.large'] } }, 'defaults.instanceTypes[1]: expected each once, found "m7g.large" again.'],
  [
    pools({ ...bare, asg: 'x', subnets: ['subnet-a'] }),
    'pools.spot-1a.subnets: expected no subnets: pool spot-1a takes it from its Auto Scaling group, found subnets.',
  ],
  [
    { ...pools({ ...bare, asg: 'x' }), defaults: { launchTemplate: 'web' } },
    'defaults.launchTemplate: expected no launchTemplate: pool spot-1a takes it from its Auto Scaling group, found launchTemplate.',
  ],
  [
    { ...pools({ ...bare, asg: 'x' }), asg: 'web-asg' },
    'pools.spot-1a.asg: expected either asg for the group, or asg for every pool, not both, found "x".',
  ],
  [
    { capacity: two, pools: { 'spot-1a': { ...bare, asg: 'x' }, b: pool } },
    'pools.b.asg is missing: expected an Auto Scaling group for every pool, or for none.',
  ],
  [
    { capacity: two, pools: { 'spot-1a': { ...bare, asg: 'x' }, b: { ...bare, asg: 'x' } } },
    'pools.spot-1a.asg: expected an Auto Scaling group of its own for every pool, found "x", which another pool has too.',
  ],
  [{ capacity: two, pools: { 'spot-1a': { ...bare, asg: 'x' }, b: { ...bare, asg: 'y' } } }],
  [pools({ ...pool, market: 'sopt' }), 'pools.spot-1a.market: expected spot or on-demand, found "sopt". Did you mean "spot"?'],
  [
    { drain: { loadBalancers: [targetGroupArn, targetGroupArn] } },
    `drain.loadBalancers[1]: expected each once, found ${JSON.stringify(targetGroupArn).slice(0, 76)}..." again.`,
  ],
  [{ drain: { ecs: 'auto' } }, 'drain.ecs is not supported yet: leave it out. Supported here: timeout, loadBalancers.'],
];

describe('the author of a policy reads what is wrong, and where', () => {
  it.each([...sizes, ...alarms, ...trees, ...ofPools])('%j', (change, ...messages) => {
    expect(told(change as object)).toEqual(messages);
  });
});

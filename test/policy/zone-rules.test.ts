import { describe, expect, it } from 'vitest';
import { resolutionWarnings } from '../../core/policy/resolve.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import { resolution, smallDocument } from './documents.ts';

const zones = ['eu-west-1a', 'eu-west-1b'];
const pool = smallDocument.pools['spot-1a'];
const pools = {
  a: pool,
  b: { ...pool, subnets: ['subnet-b'] },
  'od-a': { ...pool, market: 'on-demand' },
  'od-b': { ...pool, market: 'on-demand', subnets: ['subnet-b'] },
  both: { ...pool, subnets: ['subnet-a', 'subnet-b'] },
};
const asgs = { 'workers-asg': { ...resolution.asgs['workers-asg'], market: 'mixed', zones, subnets: [], instanceTypes: [], steering: undefined } };

/** What the author of a policy with this tree reads about zones. */
const told = (capacity: unknown, { evensOut = ['workers-asg'], ...change }: { evensOut?: readonly string[]; size?: unknown } = {}) => {
  const result = validatePolicy({ ...smallDocument, asg: 'workers-asg', pools, capacity, ...change });
  if (result.kind === 'invalid') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  const looked = { ...resolution, asgs, evensOut } as unknown as typeof resolution;
  return resolutionWarnings(result.policy, looked).flatMap(({ path, message }) => (message.includes('AZRebalance') ? [[path, message]] : []));
};

const warning = [
  [
    'asg',
    'asg: expected a group whose process AZRebalance is suspended (aws autoscaling suspend-processes --auto-scaling-group-name workers-asg ' +
      '--scaling-processes AZRebalance), found "workers-asg", which evens out its zones while the tree prefers some of them.',
  ],
];

describe('an Auto Scaling group that evens out its zones', () => {
  it.each([
    ['tiers', { tiered: ['a', 'b'] }],
    [
      'shares',
      {
        weighted: [
          { use: 'a', weight: 2 },
          { use: 'b', weight: 1 },
        ],
      },
    ],
    ['prices', { cheapest: ['both'] }],
    ['a lower tier', { tiered: ['both', { tiered: ['od-a', 'od-b'] }] }],
    ['parts of a spread', { spread: [{ tiered: ['a', 'b'] }, 'both'] }],
    ['one of its zones', 'a'],
  ])('is warned of where %s prefer some', (_, capacity) => {
    expect(told(capacity)).toEqual(warning);
  });

  it.each([
    ['a spread', { spread: ['a', 'b'] }],
    ['a pool of all zones', 'both'],
    ['tiers of the same zones', { tiered: ['both', { spread: ['od-a', 'od-b'] }] }],
  ])('goes with %s', (_, capacity) => {
    expect(told(capacity)).toEqual([]);
  });

  it('is nothing to warn of where its owner has suspended that, or others set its size', () => {
    expect(told({ tiered: ['a', 'b'] }, { evensOut: [] })).toEqual([]);
    expect(told({ tiered: ['a', 'b'] }, { size: { from: 'asg', min: 0, max: 9 } })).toEqual([]);
  });
});

import * as fc from 'fast-check';
import type { Resolution } from '../../core/policy/resolution.ts';
import type { GroupDocument } from '../../core/policy/schema.ts';
import type { CapacityNode } from '../../core/selector/selector.ts';

export const targetGroupArn = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/web/0123456789abcdef';

/** The smallest sensible policy: one pool kept by tag. */
export const smallDocument = {
  group: 'workers',
  size: 3,
  capacity: 'spot-1a',
  pools: { 'spot-1a': { market: 'spot', launchTemplate: 'web', subnets: ['subnet-a'], instanceTypes: ['m7g.large'] } },
} as const satisfies GroupDocument;

/** Every field that acts. */
export const fullDocument = {
  group: 'workers',
  size: { min: 2, max: 20, desired: 10 },
  capacity: {
    tiered: [
      { spread: ['spot-1a', 'spot-1b'], by: 'zone' },
      {
        weighted: [
          { use: 'od-1a', weight: 80 },
          { use: { cheapest: ['od-1b', 'od-1c'] }, weight: 20 },
        ],
      },
    ],
  },
  pools: {
    'spot-1a': { market: 'spot', subnets: ['subnet-a'], instanceTypes: ['m7g.large', 'm6g.large'], maxPriceUsdPerHour: 0.05, cap: 30 },
    'spot-1b': { market: 'spot', subnets: ['subnet-b'] },
    'od-1a': { market: 'on-demand', subnets: ['subnet-a'] },
    'od-1b': { market: 'on-demand', subnets: ['subnet-b'], launchTemplate: 'web:2' },
    'od-1c': { market: 'on-demand', subnets: ['subnet-c', 'subnet-c2'] },
  },
  defaults: { launchTemplate: 'web', instanceTypes: ['m7g.large'] },
  asg: 'workers-asg',
  onDemand: { floor: 2, percent: '20%' },
  maxShare: { instanceType: '100%', zone: '40%', offering: '40%' },
  removal: { order: 'oldest-first' },
  swap: { order: 'drain-first', maxSurge: 2 },
  rebalance: { act: true, atMostPerHour: 6 },
  launches: { atMost: '500%', within: '30m' },
  breaker: { interruptions: 8, within: '20m', hold: '2h' },
  return: { after: '30m', atMost: '10%', every: '1h', window: ['mon-fri 22:00-06:00', 'sat,sun 00:00-24:00'], timezone: 'Europe/Berlin' },
  ready: { after: '90s', checks: 'ec2', within: '15m' },
  drain: { timeout: '90s', loadBalancers: [targetGroupArn] },
  scaling: [
    { alarm: 'workers-cpu-high', adjust: '+20%', cooldown: '2m' },
    { alarm: 'workers-cpu-low', adjust: -1 },
    {
      alarm: 'jobs-waiting',
      steps: [
        { above: 0, adjust: '+1' },
        { above: 30.5, adjust: '+50%' },
      ],
    },
    { alarm: 'jobs-few', steps: [{ below: 0, adjust: -2 }] },
  ],
  schedule: [
    { at: '0 8 * * mon-fri', timezone: 'Europe/Berlin', size: 20 },
    { at: '0 20 * * *', size: 4 },
  ],
  tags: { team: 'web' },
} as const satisfies GroupDocument;

export const resolution: Resolution = {
  subnets: { 'subnet-a': 'eu-west-1a', 'subnet-b': 'eu-west-1b', 'subnet-c': 'eu-west-1c', 'subnet-c2': 'eu-west-1c' },
  launchTemplates: { web: 3 },
  asgs: {
    'workers-asg': {
      market: 'on-demand',
      zones: ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'],
      subnets: [
        { id: 'subnet-a', zone: 'eu-west-1a' },
        { id: 'subnet-b', zone: 'eu-west-1b' },
        { id: 'subnet-c', zone: 'eu-west-1c' },
      ],
      instanceTypes: ['m7g.large'],
    },
    'spot-1a-asg': {
      market: 'spot',
      zones: ['eu-west-1a'],
      subnets: [{ id: 'subnet-a', zone: 'eu-west-1a' }],
      instanceTypes: ['m7g.large', 'm6g.large'],
    },
    'od-1b-asg': { market: 'on-demand', zones: ['eu-west-1b'], subnets: [{ id: 'subnet-b', zone: 'eu-west-1b' }], instanceTypes: ['m7g.large'] },
    'both-asg': { market: 'mixed', zones: ['eu-west-1a', 'eu-west-1b'], subnets: [], instanceTypes: ['m7g.large'] },
    'odd-asg': { market: 'unknown', zones: ['eu-west-1a'], subnets: [], instanceTypes: [] },
  },
};

/** Puts the entries of every map into the order that the given keys draw. */
export const shuffledKeys = (value: unknown, draw: (size: number) => number): unknown => {
  if (Array.isArray(value)) return value.map((item) => shuffledKeys(item, draw));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const order: [string, unknown][] = [];
  while (entries.length > 0) order.push(...entries.splice(draw(entries.length), 1));
  return Object.fromEntries(order.map(([key, item]) => [key, shuffledKeys(item, draw)]));
};

const selectorOver = (pools: readonly string[], depth: number): fc.Arbitrary<CapacityNode> => {
  const [first = ''] = pools;
  if (pools.length === 1 && depth > 0) return fc.constant(first);
  const parts = fc.integer({ min: 1, max: pools.length }).map((size) => chunked(pools, size));
  const children = parts.chain((lists) =>
    fc.tuple(...lists.map((list) => (depth >= 3 ? fc.constant<CapacityNode>(list[0] ?? '') : selectorOver(list, depth + 1)))),
  );
  return fc.oneof(
    children.map((tiered): CapacityNode => ({ tiered })),
    fc
      .tuple(children, fc.option(fc.constantFrom('zone', 'pool', 'instance-type'), { nil: undefined }))
      .map(([spread, by]): CapacityNode => (by === undefined ? { spread } : { spread, by })),
    fc
      .tuple(children, fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 8, maxLength: 8 }))
      .map(([uses, weights]): CapacityNode => ({ weighted: uses.map((use, index) => ({ use, weight: weights[index] ?? 1 })) })),
    children.map((cheapest): CapacityNode => ({ cheapest })),
  );
};

const chunked = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

const poolName = fc.constantFrom('spot-1a', 'spot-1b', 'od', '9', 'a.b', 'prototype', 'x'.repeat(63), 'under_score', 'Upper');
const poolDocument = fc
  .record(
    {
      market: fc.constantFrom('spot', 'on-demand'),
      launchTemplate: fc.constantFrom('web', 'web:2', 'lt-0123456789abcdef0:$Latest'),
      subnets: fc.uniqueArray(fc.constantFrom('subnet-a', 'subnet-b', 'subnet-c'), { minLength: 1 }),
      instanceTypes: fc.uniqueArray(fc.constantFrom('m7g.large', 'c7i.metal-24xl', 'u-6tb1.112xlarge'), { minLength: 1 }),
      maxPriceUsdPerHour: fc.double({ min: 0.0001, max: 100, noNaN: true }),
      maxPrice: fc.constantFrom('1% of on-demand', '60% of on-demand', '100% of on-demand'),
      priceFactor: fc.constantFrom(0.01, 0.72, 1),
      cap: fc.nat(1000),
    },
    { requiredKeys: ['market', 'launchTemplate', 'subnets', 'instanceTypes'] },
  )
  .map(({ maxPrice, ...pool }) => (maxPrice === undefined || pool.market === 'on-demand' ? pool : { ...pool, maxPrice }));
const size = fc.oneof(
  fc.nat(1000),
  fc.tuple(fc.nat(1000), fc.nat(1000), fc.nat(1000)).map((numbers) => {
    const [min = 0, desired = 0, max = 0] = [...numbers].sort((a, b) => a - b);
    return { min, max, desired };
  }),
);
const duration = fc.tuple(fc.integer({ min: 0, max: 59 }), fc.constantFrom('s', 'm')).map(([count, unit]) => `${count}${unit}`);

/** Policies that must be accepted, whatever their tree. */
export const validDocument = fc.uniqueArray(poolName, { minLength: 1, maxLength: 8 }).chain((names) =>
  fc
    .record(
      {
        group: fc.constantFrom('workers', 'w', 'Web.front-1_x'),
        size,
        capacity: selectorOver(names, 0),
        pools: fc.tuple(...names.map(() => poolDocument)).map((pools) => Object.fromEntries(names.map((name, index) => [name, pools[index] ?? {}]))),
        defaults: fc.constant({}),
        onDemandPrices: fc.constant({ 'm7g.large': 0.0816, 'c7i.metal-24xl': 4.28, 'u-6tb1.112xlarge': 54.6 }),
        onDemand: fc.constant({ floor: 0 }),
        maxShare: fc.constantFrom({ zone: '100%' }, { instanceType: '100%', offering: '100%' }),
        removal: fc.record({ order: fc.constantFrom('dearest-first', 'oldest-first', 'newest-first', 'same-order') }, { requiredKeys: [] }),
        swap: fc.record({ order: fc.constantFrom('launch-first', 'drain-first'), maxSurge: fc.integer({ min: 1, max: 50 }) }, { requiredKeys: [] }),
        rebalance: fc.record({ act: fc.boolean(), atMostPerHour: fc.integer({ min: 1, max: 50 }) }, { requiredKeys: [] }),
        return: fc.oneof(
          fc.constant(false as const),
          fc.record(
            {
              after: fc.constantFrom('1m', '90s', '24h'),
              every: fc.constantFrom('1m', '1h'),
              atMost: fc.constantFrom<number | string>(1, 20, '1%', '100%'),
              window: fc.constantFrom<string | string[]>('22:00-06:00', 'sat,sun 00:00-24:00', ['fri-mon 01:30-02:00', '12:00-13:00']),
              timezone: fc.constantFrom('UTC', 'America/St_Johns', 'Asia/Kolkata'),
            },
            { requiredKeys: [] },
          ),
        ),
        launches: fc.record(
          { atMost: fc.constantFrom<number | string>(1, 40, '100%', '10000%'), within: fc.constantFrom('1m', '90s', '24h') },
          { requiredKeys: [] },
        ),
        breaker: fc.record(
          { interruptions: fc.integer({ min: 1, max: 50 }), within: fc.constantFrom('1m', '24h'), hold: fc.constantFrom('1m', '90m') },
          { requiredKeys: [] },
        ),
        drain: fc.record(
          { timeout: duration, loadBalancers: fc.constantFrom<'auto' | string[]>('auto', [], [targetGroupArn]) },
          { requiredKeys: [] },
        ),
        scaling: fc.uniqueArray(
          fc.record(
            {
              alarm: fc.constantFrom('cpu high', 'queue/depth', 'x', 'Größe: 1'),
              adjust: fc.constantFrom<number | string>(2, -3, '+20%', '-12.5%', '+4'),
              cooldown: duration,
            },
            { requiredKeys: ['alarm', 'adjust'] },
          ),
          { selector: ({ alarm }) => alarm },
        ),
        tags: fc.dictionary(fc.constantFrom('team', 'Name', 'cost:center', 'a=b', 'awsome'), fc.string({ maxLength: 40 })),
      },
      { requiredKeys: ['group', 'size', 'capacity', 'pools', 'onDemandPrices'] },
    )
    .map((document) =>
      Object.values(document.pools).every((pool) => 'market' in pool && pool.market === 'spot') ? { ...document, spare: 2 } : document,
    ),
);

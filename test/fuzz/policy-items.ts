import { stringify } from 'yaml';
import { toItem } from '../../sandbox/platform/tables/plain-items.ts';
import type { Draw } from './draw.ts';
import { brokenAt, disfigured, mutated, type Path, spoilt } from './mutate.ts';
import { canary, nasty, nastyText, nested } from './nasties.ts';

export type PolicyItem = { readonly kind: string; readonly group: string; readonly Item: Readonly<Record<string, unknown>> };

const capacities = [
  { tiered: ['a', { spread: ['b', 'c'], by: 'zone' }] },
  {
    weighted: [
      { use: 'a', weight: 80 },
      { use: { cheapest: ['b', 'c'] }, weight: 20 },
    ],
  },
  { spread: { of: ['a', 'b', 'c'], by: 'pool' } },
  'a',
];

/** Every field of a policy in use, for instances that are never available. */
const fullPolicy = (group: string, draw: Draw, targetGroup: string) => ({
  group,
  size: draw.pick([0, { min: 0, max: 5 }, { min: 0, max: 5, desired: 1 }]),
  capacity: draw.pick(capacities),
  defaults: { launchTemplate: 'web:1', instanceTypes: ['m7g.none'], cap: 10 },
  pools: {
    a: { market: 'spot', subnets: ['subnet-a'], maxPriceUsdPerHour: 0.05 },
    b: { market: 'spot', subnets: ['subnet-b'], cap: 3 },
    c: { market: 'on-demand', subnets: ['subnet-a', 'subnet-b'] },
  },
  onDemand: { floor: 1, percent: '20%' },
  maxShare: { zone: '60%', offering: '50%' },
  removal: { order: 'oldest-first' },
  swap: { order: 'drain-first', maxSurge: 2 },
  rebalance: { act: true },
  drain: { timeout: '30s', loadBalancers: [targetGroup] },
  scaling: [{ alarm: `${group}-high`, adjust: '+20%', cooldown: '2m' }],
  tags: { team: canary },
});

const needed: readonly Path[] = [
  ['group'],
  ['size'],
  ['capacity'],
  ['pools'],
  ['pools', 'a'],
  ['pools', 'a', 'market'],
  ['pools', 'a', 'subnets'],
  ['defaults', 'launchTemplate'],
];

const plain = (group: string, policy: unknown): PolicyItem['Item'] => toItem({ group, item: 'policy', policy });
const bytes = Buffer.from(canary).toString('base64');

/** Attributes that only DynamoDB knows, and numbers that JavaScript cannot hold. */
const foreignAttribute = (draw: Draw): unknown =>
  draw.pick([
    { B: bytes },
    { BS: [bytes] },
    { SS: [canary, 'b'] },
    { NS: ['1', '2'] },
    { NULL: true },
    { BOOL: false },
    { N: '99999999999999999999999999999999999999' },
    { M: { group: { S: 'x' }, size: { N: '12345678901234567890123456789.123456789' }, pools: { SS: [canary] }, capacity: { B: bytes } } },
    { M: { __proto__: { S: canary } } },
    { L: [{ M: {} }, { NULL: true }] },
  ]);

const manyPools = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`pool-${index}`, { market: 'spot', subnets: ['subnet-a'] }]));
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** Documents near or above what an item can hold, shaped to make each rule do its worst. */
const enormous = (group: string, draw: Draw, targetGroup: string): unknown => {
  const policy = fullPolicy(group, draw, targetGroup);
  return draw.pick<() => unknown>([
    () => ({ ...policy, pools: manyPools(6_000), capacity: { spread: names('pool-', 6_000) } }),
    () => ({ ...policy, pools: manyPools(3_000), capacity: { spread: names('poll-', 10_000) } }),
    () => ({ ...policy, pools: manyPools(2_000), capacity: 'pool-1', defaults: { ...policy.defaults, instanceTypes: names('m7g.none', 2_000) } }),
    () => ({ ...policy, defaults: { ...policy.defaults, instanceTypes: names('m7g.x', 30_000) } }),
    () => ({ ...policy, drain: { loadBalancers: names('arn:aws:x', 20_000) } }),
    () => ({ ...policy, scaling: names(canary, 8_000).map((alarm) => ({ alarm, adjust: 1 })) }),
    () => ({ ...policy, tags: Object.fromEntries(names(canary, 10_000).map((key) => [key, canary])) }),
    () => ({ ...policy, [canary.repeat(30_000)]: 1 }),
    () => ({ ...policy, ...Object.fromEntries(names(canary.repeat(30), 900).map((key) => [key, 1])) }),
    () => ({ ...policy, size: canary.repeat(30_000) }),
  ])();
};

const billionLaughs = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'.split('').map(
    (name, index) =>
      `${name}: &${name} [${names('', 9)
        .map(() => `*${'abcdefgh'[index]}`)
        .join(', ')}]`,
  ),
].join('\n');

const odd = (draw: Draw): string =>
  draw.pick([
    '['.repeat(100_000),
    '- '.repeat(50_000),
    `${'{a: '.repeat(20_000)}`,
    billionLaughs,
    'a: *nothing',
    '&a [*a]',
    'group: web\ngroup: web',
    '<<: {group: web}',
    '!!js/function "function(){}"',
    '!!binary AAAA',
    '? [a, b]\n: c',
    '{"__proto__": {"size": 5}}',
    '\ufeffgroup: web',
    '%YAML 9.9\n---\na: b',
    '---\na: 1\n---\nb: 2',
    'size: .inf',
    'size: 0x7fffffffffffffff',
    '\t- tab',
    '"\\ud800"',
    nastyText(draw),
    '',
  ]);

/** What may be written for a group of its own; some of it is right. */
const forAnyGroup: Readonly<Record<string, (group: string, draw: Draw, targetGroup: string) => PolicyItem['Item']>> = {
  'right as it is': (group, draw, targetGroup) => plain(group, fullPolicy(group, draw, targetGroup)),
  'changed anywhere': (group, draw, targetGroup) => plain(group, mutated(fullPolicy(group, draw, targetGroup), draw)),
  'changed anywhere, as JSON': (group, draw, targetGroup) => plain(group, JSON.stringify(mutated(fullPolicy(group, draw, targetGroup), draw))),
  'changed and disfigured text': (group, draw, targetGroup) =>
    plain(group, disfigured(JSON.stringify(mutated(fullPolicy(group, draw, targetGroup), draw)), draw)),
  'changed anywhere, as YAML': (group, draw, targetGroup) =>
    plain(group, stringify(mutated(fullPolicy(group, draw, targetGroup), draw), { aliasDuplicateObjects: false })),
  'odd YAML': (group, draw) => plain(group, odd(draw)),
  'anything but a document': (group, draw) => plain(group, nasty(draw)),
  'deep nesting': (group, draw) => plain(group, draw.chance(0.5) ? nested(28, draw) : JSON.stringify(nested(1_500, draw))),
  'attributes of DynamoDB': (group, draw) => ({ group: { S: group }, item: { S: 'policy' }, policy: foreignAttribute(draw) }),
  'numbers at the ends of what a number can be': (group, draw, targetGroup) => {
    const number = () => draw.pick([1e308, 1e126, 1e100, 1e-100, 1e-131, 1e-320, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e5, 1e-4, -0]);
    const policy = fullPolicy(group, draw, targetGroup);
    const capacity = {
      weighted: [
        { use: 'a', weight: number() },
        { use: 'b', weight: number() },
      ],
    };
    const pools = { ...policy.pools, a: { ...policy.pools.a, maxPriceUsdPerHour: number(), cap: number() } };
    return plain(group, JSON.stringify({ ...policy, size: draw.chance(0.5) ? number() : policy.size, capacity, pools }));
  },
  'names that every object has': (group, draw, targetGroup) => {
    const name = draw.pick(Object.getOwnPropertyNames(Object.prototype));
    const { a, ...others } = fullPolicy(group, draw, targetGroup).pools;
    const policy = { ...fullPolicy(group, draw, targetGroup), pools: { ...others, [name]: a }, capacity: name };
    return plain(group, JSON.stringify(draw.chance(0.5) ? policy : { ...policy, tags: { [name]: canary } }));
  },
  'several documents': (group, draw, targetGroup) =>
    plain(group, [1, 2].map(() => JSON.stringify(fullPolicy(group, draw, targetGroup))).join(draw.pick(['\n---\n', '\n...\n']))),
  'a misspelt sort key': (group, draw, targetGroup) => ({
    ...plain(group, fullPolicy(group, draw, targetGroup)),
    item: { S: draw.pick(['Policy', 'polciy', 'policy ', canary, 'entry#web']) },
  }),
  'no document': (group) => ({ group: { S: group }, item: { S: 'policy' }, [canary]: { S: canary } }),
};

const oddGroups = (draw: Draw): string =>
  draw.pick([
    canary.repeat(200),
    '@registry',
    '__proto__',
    'constructor',
    '💥'.repeat(200),
    `a/${canary}`,
    ` ${canary}`,
    `${canary}\n`,
    '-',
    'a'.repeat(64),
    '\u0000',
    `1${canary}`,
  ]);

const forOddGroup = (draw: Draw, targetGroup: string): PolicyItem => {
  const group = oddGroups(draw);
  return {
    kind: 'a group name that no group can have',
    group,
    Item: plain(group, draw.chance(0.5) ? fullPolicy(group, draw, targetGroup) : mutated(fullPolicy('web', draw, targetGroup), draw)),
  };
};

/** What must not touch the group that is there: none of it is right. */
const forGoodGroup = (good: Readonly<Record<string, unknown>>, draw: Draw): PolicyItem => {
  const policy = draw.pick([
    () => brokenAt(good, needed, draw),
    () => spoilt(JSON.stringify(good), draw),
    () => nested(25, draw),
    () => ({ ...good, group: `${canary}` }),
    () => ({ ...good, [canary]: nasty(draw) }),
  ])();
  return { kind: 'the good group, broken', group: 'web', Item: plain('web', policy) };
};

/** One write of a user into the groups table. `index` gives each group a name of its own; `targetGroup` is the ARN of one that is there. */
export const policyItem = (index: number, good: Readonly<Record<string, unknown>>, targetGroup: string, draw: Draw): PolicyItem => {
  const luck = draw.int(100);
  const group = `fuzz-${index}`;
  if (luck < 15) return forGoodGroup(good, draw);
  if (luck < 20) return forOddGroup(draw, targetGroup);
  if (luck < 21)
    return {
      kind: 'enormous',
      group,
      Item: plain(group, draw.chance(0.5) ? enormous(group, draw, targetGroup) : JSON.stringify(enormous(group, draw, targetGroup))),
    };
  const kind = draw.pick(Object.keys(forAnyGroup));
  return { kind, group, Item: forAnyGroup[kind]?.(group, draw, targetGroup) ?? {} };
};

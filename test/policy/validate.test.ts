import { describe, expect, it } from 'vitest';
import { type Problem, showFound } from '../../core/policy/problem.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import { fullDocument, smallDocument, targetGroupArn } from './documents.ts';

const problemsOf = (document: unknown): readonly Problem[] => {
  const result = validatePolicy(document);
  return result.kind === 'invalid' ? result.problems : [];
};
const messagesOf = (document: unknown): readonly string[] => problemsOf(document).map(({ message }) => message);
const small = (change: Record<string, unknown>) => ({ ...smallDocument, ...change });
const pool = (change: Record<string, unknown>) => small({ pools: { 'spot-1a': { ...smallDocument.pools['spot-1a'], ...change } } });
const four = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, smallDocument.pools['spot-1a']]));
const stepped = (steps: readonly object[], more = {}) => small({ size: { min: 0, max: 5 }, scaling: [{ alarm: 'x', steps, ...more }] });
const timed = (...rows: readonly object[]) =>
  small({ size: { min: 1, max: 5 }, schedule: rows.map((row) => ({ at: '0 8 * * *', size: 3, ...row })) });
const tree = (capacity: unknown) => small({ capacity, pools: four });

describe('a valid policy', () => {
  it('is accepted with every field that acts', () => {
    expect(messagesOf(fullDocument)).toEqual([]);
  });

  it('gets every default', () => {
    expect(validatePolicy(smallDocument)).toEqual({
      kind: 'valid',
      warnings: [],
      policy: {
        ...smallDocument,
        mode: 'act',
        defaults: {},
        spare: 0,
        removal: { order: 'dearest-first' },
        swap: { order: 'launch-first', maxSurge: 3 },
        rebalance: { act: false },
        return: { after: '10m', atMost: '50%', every: '5m', timezone: 'UTC' },
        ready: {},
        launches: { atMost: '300%', within: '10m' },
        drain: { timeout: '5m', loadBalancers: 'auto' },
        scaling: [],
        schedule: [],
        tags: {},
      },
    });
  });

  it.each([
    ['size 0', small({ size: 0 })],
    ['size bounds of 0', small({ size: { min: 0, max: 0 } })],
    ['desired at a bound', small({ size: { min: 1, max: 4, desired: 4 } })],
    ['a pool closed by its cap', pool({ cap: 0 })],
    ['a template by id with a version', pool({ launchTemplate: 'lt-0123456789abcdef0:7' })],
    ['no load balancers at all', small({ drain: { loadBalancers: [] } })],
    ['a drain without time', small({ drain: { timeout: '0s' } })],
    ['the same pool in two tiers', tree({ tiered: [{ spread: ['a', 'b'] }, { spread: ['b', 'c'] }, 'd'] })],
    [
      'one weight of 0 beside another',
      tree({
        weighted: [
          { use: 'a', weight: 0 },
          { use: { tiered: ['b', 'c', 'd'] }, weight: 1 },
        ],
      }),
    ],
    ['an adjustment by text', small({ size: { min: 0, max: 5 }, scaling: [{ alarm: 'x', adjust: '+2' }] })],
  ])('may have %s', (_, document) => {
    expect(messagesOf(document)).toEqual([]);
  });
});

/** What is written, where the problem stands, what was found, what is allowed, the nearest name. */
type Case = readonly [name: string, document: unknown, path: string, found: string, allowed: RegExp, nearest?: string];

const weightText = /^0, or a number from 0.001 to 1000000$/;
const priceText = /^a price in USD per hour from 0.0001 to 10000$/;

const cases: readonly Case[] = [
  [
    'an unknown way to spread in one map',
    tree({ spread: { of: ['a'], by: 'zones' } }),
    'capacity.spread.by',
    '"zones"',
    /^zone, pool or instance-type$/,
    'zone',
  ],
  [
    'a spread over nothing in one map',
    tree({ tiered: ['b', { spread: { by: 'zone' } }] }),
    'capacity.tiered[1].spread.of',
    'nothing',
    /^a list of at least one/,
  ],
  ['an unknown pool in one map', tree({ spread: { of: ['a', 'x'] } }), 'capacity.spread.of[1]', '"x"', /^a pool under pools/],
  ['a spread that says twice by what', tree({ spread: { of: ['a'], by: 'zone' }, by: 'zone' }), 'capacity.spread.by', 'by a second time', /^by once/],
  [
    'a spread over a name',
    tree({ spread: 'a' }),
    'capacity.spread',
    '"a"',
    /^a list of at least one pool name or selector, or a map with of and by$/,
  ],
  ['something that is no map', 'x', '', '"x"', /^a map/],
  ['a list', [], '', 'an empty list', /^a map/],
  ['a field of a pool at the top', small({ maxPrice: '50%' }), 'maxPrice', 'unknown field "maxPrice"', /^one of group/, 'defaults.maxPrice'],
  ['a field of swap at the top', small({ maxSurge: 3 }), 'maxSurge', 'unknown field "maxSurge"', /^one of group/, 'swap.maxSurge'],
  ['a field of a sized group at the top', small({ min: 3 }), 'min', 'unknown field "min"', /^one of group/, 'size.min'],
  ['a field of a drain in a pool', pool({ timeout: '5m' }), 'pools.spot-1a.timeout', 'unknown field "timeout"', /^one of market/, 'drain.timeout'],
  ['a field that two sections have', small({ order: 'same-order' }), 'order', 'unknown field "order"', /^one of group/],
  ['an unknown field', small({ taggs: {} }), 'taggs', 'unknown field "taggs"', /^one of .*tags/, 'tags'],
  [
    'an unknown field of a pool',
    pool({ launchtemplate: 'x' }),
    'pools.spot-1a.launchtemplate',
    'unknown field "launchtemplate"',
    /launchTemplate/,
    'launchTemplate',
  ],
  ['a return that is only switched on', small({ return: true }), 'return', 'true', /^false, or a map with after/],
  ['a return after no time', small({ return: { after: '0s' } }), 'return.after', '"0s"', /^a duration from 1m to 24h with its unit/],
  ['a return of nobody', small({ return: { atMost: 0 } }), 'return.atMost', '0', /^a (whole number from 1|number of members)/],
  ['a return of no share', small({ return: { atMost: '0%' } }), 'return.atMost', '"0%"', /^a number of members such as 2, or a share/],
  ['a return of more than all', small({ return: { atMost: '101%' } }), 'return.atMost', '"101%"', /^a number of members such as 2, or a share/],
  ['a window at an hour that no day has', small({ return: { window: '25:00-06:00' } }), 'return.window', '"25:00-06:00"', /^a time of the day/],
  ['a window without a minute', small({ return: { window: '06:00-06:00' } }), 'return.window', '"06:00-06:00"', /^a time of the day/],
  ['a window on a day that no week has', small({ return: { window: 'mo 01:00-06:00' } }), 'return.window', '"mo 01:00-06:00"', /^a time of the day/],
  ['no window in a list', small({ return: { window: [] } }), 'return.window', 'an empty list', /^a time of the day|^at least|list/],
  ['a time zone that nobody knows', small({ return: { timezone: 'Mars/Olympus' } }), 'return.timezone', '"Mars/Olympus"', /^the name of a time zone/],
  ['a budget of no advice', small({ rebalance: { act: true, atMostPerHour: 0 } }), 'rebalance.atMostPerHour', '0', /^a whole number from 1/],
  ['a breaker of no interruptions', small({ breaker: { interruptions: 0 } }), 'breaker.interruptions', '0', /^a whole number from 1/],
  ['a breaker within no time', small({ breaker: { within: 600 } }), 'breaker.within', '600', /^a duration from 1m to 24h with its unit/],
  ['a breaker held for days', small({ breaker: { hold: '25h' } }), 'breaker.hold', '"25h"', /^a duration from 1m to 24h with its unit/],
  ['a breaker that is only switched on', small({ breaker: true }), 'breaker', 'true', /^a map with interruptions, within and hold/],
  ['an unknown field of a breaker', small({ breaker: { holds: '1h' } }), 'breaker.holds', 'unknown field "holds"', /^one of interruptions/, 'hold'],
  ['no launches at all', small({ launches: { atMost: 0 } }), 'launches.atMost', '0', /^a (whole number from 1|number of launches)/],
  [
    'fewer launches than the size',
    small({ launches: { atMost: '99%' } }),
    'launches.atMost',
    '"99%"',
    /^a number of launches such as 40, or a share/,
  ],
  ['launches of more than any share', small({ launches: { atMost: '10001%' } }), 'launches.atMost', '"10001%"', /^a number of launches/],
  ['launches within no time', small({ launches: { within: '30s' } }), 'launches.within', '"30s"', /^a duration from 1m to 24h with its unit/],
  ['an unknown field of launches', small({ launches: { atMots: 4 } }), 'launches.atMots', 'unknown field "atMots"', /^one of atMost/, 'atMost'],
  ['an unknown field of return', small({ return: { afte: '5m' } }), 'return.afte', 'unknown field "afte"', /^one of after/, 'after'],
  ['a group name that begins with a digit', small({ group: '1st' }), 'group', '"1st"', /^a group name/],
  ['a group name of 64 characters', small({ group: 'g'.repeat(64) }), 'group', `"${'g'.repeat(64)}"`, /^a group name/],
  ['no group name', { ...smallDocument, group: undefined }, 'group', 'nothing', /^a group name/],
  ['a size that is text', small({ size: '3' }), 'size', '"3"', /^a whole number, or a map with min, max and desired$/],
  ['a size below 0', small({ size: -1 }), 'size', '-1', /^a whole number from 0/],
  ['a size that is not whole', small({ size: 1.5 }), 'size', '1.5', /^a whole number/],
  ['a size without max', small({ size: { min: 1 } }), 'size.max', 'nothing', /^a whole number/],
  [
    'a size of others without their Auto Scaling group',
    small({ size: { from: 'asg', min: 0, max: 3 } }),
    'asg',
    'nothing',
    /^the Auto Scaling group whose/,
  ],
  [
    'a size of others with one of its own',
    small({ asg: 'a', size: { from: 'asg', min: 0, max: 3, desired: 2 } }),
    'size.desired',
    '2',
    /^no desired size/,
  ],
  [
    'a size of others beside alarms',
    small({ asg: 'a', size: { from: 'asg', min: 0, max: 3 }, scaling: [{ alarm: 'x', adjust: 1 }] }),
    'scaling',
    '1 alarms',
    /^no alarms/,
  ],
  ['a size of somebody else', small({ asg: 'a', size: { from: 'me', min: 0, max: 3 } }), 'size.from', '"me"', /^asg$/],
  ['min above max', small({ size: { min: 5, max: 3 } }), 'size.max', '3', /^a number of at least min \(5\)$/],
  ['desired above max', small({ size: { min: 1, max: 3, desired: 4 } }), 'size.desired', '4', /^a number from min \(1\) to max \(3\)$/],
  ['desired below min', small({ size: { min: 2, max: 3, desired: 1 } }), 'size.desired', '1', /^a number from min/],
  ['no capacity', { ...smallDocument, capacity: undefined }, 'capacity', 'nothing', /^a pool name, or a map with one of/],
  [
    'a misspelled selector',
    small({ capacity: { teired: ['spot-1a'] } }),
    'capacity',
    'a map with teired',
    /tiered, spread, weighted, cheapest$/,
    'tiered',
  ],
  ['a pool that is not there', small({ capacity: 'spot-1b' }), 'capacity', '"spot-1b"', /^a pool under pools: spot-1a$/, 'spot-1a'],
  [
    'a pool deep in the tree that is not there',
    tree({ tiered: ['a', { weighted: [{ use: { spread: ['b', 'x'] }, weight: 1 }] }] }),
    'capacity.tiered[1].weighted[0].use.spread[1]',
    '"x"',
    /^a pool under pools: a, b, c, d$/,
  ],
  ['an empty selector', tree({ tiered: ['a', { spread: [] }] }), 'capacity.tiered[1].spread', 'an empty list', /^a list of at least one/],
  ['a pool twice in a tier list', tree({ tiered: ['a', 'b', 'a'] }), 'capacity.tiered[2]', '"a" again', /^each pool once in a tiered selector$/],
  [
    'a pool below two children of a spread',
    tree({ spread: ['a', { tiered: ['b', 'a'] }] }),
    'capacity.spread[1].tiered[1]',
    '"a" again',
    /^each pool once in a spread selector$/,
  ],
  ['an unknown way to spread', tree({ spread: ['a'], by: 'zones' }), 'capacity.by', '"zones"', /^zone, pool or instance-type$/, 'zone'],
  [
    'weights that are all 0',
    tree({
      weighted: [
        { use: 'a', weight: 0 },
        { use: 'b', weight: 0 },
      ],
    }),
    'capacity.weighted',
    'only weights of 0',
    /above 0$/,
  ],
  ['a negative weight', tree({ weighted: [{ use: 'a', weight: -1 }] }), 'capacity.weighted[0].weight', '-1', weightText],
  ['a weight that is missing', tree({ weighted: [{ use: 'a' }] }), 'capacity.weighted[0].weight', 'nothing', weightText],
  ['a weight that no table holds', tree({ weighted: [{ use: 'a', weight: 1e308 }] }), 'capacity.weighted[0].weight', '1e+308', weightText],
  ['a weight near nothing', tree({ weighted: [{ use: 'a', weight: 1e-320 }] }), 'capacity.weighted[0].weight', '1e-320', weightText],
  [
    'a pool by a name of every object',
    small({ pools: { ...smallDocument.pools, constructor: four.a } }),
    'pools.constructor',
    '"constructor"',
    /reserved/,
  ],
  ['a tree over a name of every object', tree('toString'), 'capacity', '"toString"', /reserved/],
  ['a group by a name of every object', small({ group: 'constructor' }), 'group', '"constructor"', /reserved/],
  ['an alarm by a name of every object', small({ scaling: [{ alarm: 'constructor', adjust: 1 }] }), 'scaling[0].alarm', '"constructor"', /reserved/],
  ['an Auto Scaling group by a name of every object', small({ asg: 'constructor' }), 'asg', '"constructor"', /reserved/],
  [
    'a template by a name of every object',
    small({ defaults: { launchTemplate: 'constructor:3' } }),
    'defaults.launchTemplate',
    '"constructor:3"',
    /reserved/,
  ],
  ['a tag by a name of every object', small({ tags: { constructor: 'x' } }), 'tags.constructor', '"constructor"', /reserved/],
  ['a weighted child that is a bare name', tree({ weighted: ['a'] }), 'capacity.weighted[0]', '"a"', /^a map with use and weight$/],
  [
    'two selectors in one map',
    tree({ spread: ['b'], tiered: ['a'] }),
    'capacity',
    'a map with spread, tiered',
    /^one selector in a map, such as tiered: \[\.\.\., \{ spread: \[\.\.\.\] \}\]$/,
  ],
  [
    'three selectors in one map',
    tree({ tiered: ['a', { weighted: [{ use: 'b', weight: 1 }], spread: ['c'], cheapest: ['d'] }] }),
    'capacity.tiered[1]',
    'a map with cheapest, spread, weighted',
    /^one selector in a map, such as spread: \[\.\.\., \{ cheapest: \[\.\.\.\] \}, \{ weighted: \[\.\.\.\] \}\]$/,
  ],
  ['what a spread counts by, beside another selector', tree({ tiered: ['a'], by: 'zone' }), 'capacity.by', 'unknown field "by"', /^one of tiered$/],
  ['no pools', small({ pools: {} }), 'pools', 'an empty map', /^at least one pool$/],
  ['pools in a list', small({ pools: [] }), 'pools', 'an empty list', /^a map of pools by name$/],
  ['a pool name with a space', small({ pools: { ...smallDocument.pools, 'a b': four.a } }), 'pools["a b"]', '"a b"', /^a pool name/],
  ['an unknown market', pool({ market: 'spott' }), 'pools.spot-1a.market', '"spott"', /^spot or on-demand$/, 'spot'],
  ['no market', pool({ market: undefined }), 'pools.spot-1a.market', 'nothing', /^spot or on-demand, in the pool or in defaults$/],
  ['no launch template', pool({ launchTemplate: undefined }), 'pools.spot-1a.launchTemplate', 'nothing', /in defaults$/],
  ['a launch template version that is none', pool({ launchTemplate: 'web:latest' }), 'pools.spot-1a.launchTemplate', '"web:latest"', /\$Latest$/],
  ['subnets that are a name', pool({ subnets: 'subnet-a' }), 'pools.spot-1a.subnets', '"subnet-a"', /^a list of at least one subnet/],
  ['an id that is no subnet', pool({ subnets: ['vpc-1'] }), 'pools.spot-1a.subnets[0]', '"vpc-1"', /^a subnet id/],
  ['a subnet twice', pool({ subnets: ['subnet-a', 'subnet-a'] }), 'pools.spot-1a.subnets[1]', '"subnet-a" again', /^each once$/],
  ['an instance type that is none', pool({ instanceTypes: ['large'] }), 'pools.spot-1a.instanceTypes[0]', '"large"', /^an instance type/],
  [
    'an instance type twice',
    pool({ instanceTypes: ['m7g.large', 'm7g.large'] }),
    'pools.spot-1a.instanceTypes[1]',
    '"m7g.large" again',
    /^each once$/,
  ],
  ['a price in words', pool({ maxPriceUsdPerHour: 'cheap' }), 'pools.spot-1a.maxPriceUsdPerHour', '"cheap"', priceText],
  ['a price of 0', pool({ maxPriceUsdPerHour: 0 }), 'pools.spot-1a.maxPriceUsdPerHour', '0', priceText],
  ['a price without bound', pool({ maxPriceUsdPerHour: Number.POSITIVE_INFINITY }), 'pools.spot-1a.maxPriceUsdPerHour', 'Infinity', priceText],
  ['a price that no table holds', pool({ maxPriceUsdPerHour: 1e200 }), 'pools.spot-1a.maxPriceUsdPerHour', '1e+200', priceText],
  ['a price near nothing', pool({ maxPriceUsdPerHour: 1e-200 }), 'pools.spot-1a.maxPriceUsdPerHour', '1e-200', priceText],
  ['a share of another price', pool({ maxPrice: '60% of list' }), 'pools.spot-1a.maxPrice', '"60% of list"', /^a share of the on-demand price/],
  ['a share above all', pool({ maxPrice: '101% of on-demand' }), 'pools.spot-1a.maxPrice', '"101% of on-demand"', /1% to 100%/],
  ['a limit that is a number', pool({ maxPrice: 0.6 }), 'pools.spot-1a.maxPrice', '0.6', /60% of on-demand$/],
  ['a factor of 0', pool({ priceFactor: 0 }), 'pools.spot-1a.priceFactor', '0', /^a number from 0.01 to 1$/],
  ['a factor above 1', pool({ priceFactor: 1.2 }), 'pools.spot-1a.priceFactor', '1.2', /^a number from 0.01 to 1$/],
  ['a price on demand of no type', small({ onDemandPrices: { large: 0.1 } }), 'onDemandPrices.large', '"large"', /^an instance type/],
  ['a price on demand of 0', small({ onDemandPrices: { 'm7g.large': 0 } }), 'onDemandPrices["m7g.large"]', '0', priceText],
  ['prices on demand in a list', small({ onDemandPrices: [0.1] }), 'onDemandPrices', 'a list of 1', /^a map of instance types/],
  ['spares below 0', small({ spare: -1 }), 'spare', '-1', /^a whole number from 0/],
  ['half a spare', small({ spare: 0.5 }), 'spare', '0.5', /^a whole number from 0/],
  ['a share of spares', small({ spare: '10%' }), 'spare', '"10%"', /^a whole number from 0/],
  ['a cap below 0', pool({ cap: -1 }), 'pools.spot-1a.cap', '-1', /^a whole number from 0/],
  [
    'an Auto Scaling group for the group and for a pool',
    small({ asg: 'x', pools: { 'spot-1a': { asg: 'y' } } }),
    'pools.spot-1a.asg',
    '"y"',
    /not both$/,
  ],
  [
    'an Auto Scaling group for one pool only',
    small({ capacity: { spread: ['a', 'b'] }, pools: { a: { asg: 'x' }, b: four.b } }),
    'pools.b.asg',
    'nothing',
    /^an Auto Scaling group for every pool, or for none$/,
  ],
  [
    'one Auto Scaling group for two pools',
    small({ capacity: { spread: ['a', 'b'] }, pools: { a: { asg: 'x' }, b: { asg: 'x' } } }),
    'pools.b.asg',
    '"x", which another pool has too',
    /of its own/,
  ],
  [
    'subnets beside the Auto Scaling group of a pool',
    small({ pools: { 'spot-1a': { asg: 'x', subnets: ['subnet-a'] } } }),
    'pools.spot-1a.subnets',
    'subnets',
    /takes it from its Auto Scaling group$/,
  ],
  [
    'default subnets beside the Auto Scaling group of a pool',
    small({ defaults: { subnets: ['subnet-a'] }, pools: { 'spot-1a': { asg: 'x' } } }),
    'defaults.subnets',
    'subnets',
    /^no subnets/,
  ],
  ['an Auto Scaling group in defaults', small({ defaults: { asg: 'x' } }), 'defaults.asg', 'unknown field "asg"', /^one of market/, 'asg'],
  [
    'an ARN for an Auto Scaling group',
    small({ asg: 'arn:aws:autoscaling:x' }),
    'asg',
    '"arn:aws:autoscaling:x"',
    /^the name of an Auto Scaling group/,
  ],
  [
    'an unknown removal order',
    small({ removal: { order: 'oldest' } }),
    'removal.order',
    '"oldest"',
    /^dearest-first, oldest-first, newest-first or same-order$/,
  ],
  [
    'an unknown swap order',
    small({ swap: { order: 'launchfirst' } }),
    'swap.order',
    '"launchfirst"',
    /^launch-first or drain-first$/,
    'launch-first',
  ],
  ['a floor that is a share', small({ onDemand: { floor: '20%' } }), 'onDemand.floor', '"20%"', /^a whole number from 0/],
  ['a share that is a number', small({ onDemand: { percent: 20 } }), 'onDemand.percent', '20', /^a share of the size such as 20%$/],
  ['a share of more than everything', small({ onDemand: { percent: '120%' } }), 'onDemand.percent', '"120%"', /^a share of the size/],
  ['a floor without a number', small({ onDemand: {} }), 'onDemand', 'an empty map', /^a map with floor, percent or both$/],
  ['a floor that is a number alone', small({ onDemand: 2 }), 'onDemand', '2', /^a map with floor, percent or both$/],
  [
    'a misspelled floor',
    small({ onDemand: { flor: 2, percent: '20%' } }),
    'onDemand.flor',
    'unknown field "flor"',
    /^one of floor, percent$/,
    'floor',
  ],
  [
    'a floor where others set the size',
    { ...small({ asg: 'workers-asg', onDemand: { floor: 1 } }), size: { from: 'asg', min: 0, max: 3 } },
    'onDemand',
    'a floor for a group whose size others set',
    /^no onDemand: with size.from: asg .* OnDemandBaseCapacity/,
  ],
  ['a share that does not say of what', small({ maxShare: '40%' }), 'maxShare', '"40%"', /^a map with instanceType, zone or offering/],
  ['no share', small({ maxShare: {} }), 'maxShare', 'an empty map', /^a map with instanceType, zone or offering/],
  ['a share as a number', small({ maxShare: { zone: 40 } }), 'maxShare.zone', '40', /^a share of the size such as 40%$/],
  ['a share of 0', small({ maxShare: { offering: '0%' } }), 'maxShare.offering', '"0%"', /^a share of the size such as 40%$/],
  ['a misspelled share', small({ maxShare: { zone: '40%', type: '40%' } }), 'maxShare.type', 'unknown field "type"', /^one of instanceType, zone/],
  [
    'shares where others set the size',
    { ...small({ asg: 'workers-asg', maxShare: { zone: '50%' } }), size: { from: 'asg', min: 0, max: 3 } },
    'maxShare',
    'shares of a group whose size others set',
    /^no maxShare: with size.from: asg/,
  ],
  [
    'spares where others set the size',
    { ...small({ asg: 'workers-asg', spare: 1 }), size: { from: 'asg', min: 0, max: 3 } },
    'spare',
    '1 for a group whose size others set',
    /^no spare: with size.from: asg /,
  ],
  ['no surge at all', small({ swap: { maxSurge: 0 } }), 'swap.maxSurge', '0', /^a whole number from 1/],
  ['a yes for a true', small({ rebalance: { act: 'yes' } }), 'rebalance.act', '"yes"', /^true or false$/],
  ['a duration without its unit', small({ drain: { timeout: 300 } }), 'drain.timeout', '300', /^a duration from .* with its unit/],
  ['a duration in days', small({ drain: { timeout: '2d' } }), 'drain.timeout', '"2d"', /^a duration from .* with its unit/],
  ['a duration beyond what a hook can wait', small({ drain: { timeout: '49h' } }), 'drain.timeout', '"49h"', /from 0s to 48h/],
  ['a misspelled auto', small({ drain: { loadBalancers: 'atuo' } }), 'drain.loadBalancers', '"atuo"', /^auto, or a list/, 'auto'],
  ['a target group by name', small({ drain: { loadBalancers: ['web'] } }), 'drain.loadBalancers[0]', '"web"', /^the ARN of a target group$/],
  [
    'a target group twice',
    small({ drain: { loadBalancers: [targetGroupArn, targetGroupArn] } }),
    'drain.loadBalancers[1]',
    `${showFound(targetGroupArn)} again`,
    /^each once$/,
  ],
  [
    'an alarm by ARN',
    small({ scaling: [{ alarm: 'arn:aws:cloudwatch:x', adjust: 1 }] }),
    'scaling[0].alarm',
    '"arn:aws:cloudwatch:x"',
    /not its ARN/,
  ],
  [
    'an alarm twice',
    small({
      scaling: [
        { alarm: 'x', adjust: 1 },
        { alarm: 'x', adjust: -1 },
      ],
    }),
    'scaling[1].alarm',
    '"x" again',
    /^each alarm once$/,
  ],
  ['an alarm that does nothing', small({ scaling: [{ alarm: 'x' }] }), 'scaling[0].adjust', 'nothing', /such as \+2 or -10%; or steps$/],
  ['an alarm with both', stepped([{ above: 0, adjust: 1 }], { adjust: 1 }), 'scaling[0].steps', 'both steps and adjust', /^one of the two$/],
  ['no steps', stepped([]), 'scaling[0].steps', 'an empty list', /^a list of \{ above, adjust \}/],
  ['a step nowhere', stepped([{ above: 0, adjust: 1 }, { adjust: 2 }]), 'scaling[0].steps[1]', 'neither above nor below', /^above in every step/],
  ['a step on both sides', stepped([{ above: 0, below: 0, adjust: 1 }]), 'scaling[0].steps[0]', 'above and below', /^above in every step/],
  [
    'steps on two sides',
    stepped([
      { above: 0, adjust: 1 },
      { below: 5, adjust: 2 },
    ]),
    'scaling[0].steps[1]',
    'below',
    /^above in every step/,
  ],
  ['steps that begin later', stepped([{ above: 5, adjust: 1 }]), 'scaling[0].steps[0].above', '5', /^0: the first step begins at the threshold$/],
  [
    'steps out of order',
    stepped([
      { below: 0, adjust: -1 },
      { below: 9, adjust: -2 },
      { below: 9, adjust: -3 },
    ]),
    'scaling[0].steps[2].below',
    '9',
    /\(9\)$/,
  ],
  [
    'steps both ways',
    stepped([
      { above: 0, adjust: '+10%' },
      { above: 9, adjust: '-10%' },
    ]),
    'scaling[0].steps[1].adjust',
    '"-10%"',
    /all take some away$/,
  ],
  ['a step before the threshold', stepped([{ above: -5, adjust: 1 }]), 'scaling[0].steps[0].above', '-5', /^a number from 0/],
  ['a schedule of four fields', timed({ at: '0 8 * *' }), 'schedule[0].at', '"0 8 * *"', /^five fields of cron/],
  ['a schedule of a day that never comes', timed({ at: '0 8 30 2 *' }), 'schedule[0].at', '"0 8 30 2 *"', /^five fields of cron/],
  ['a schedule somewhere else', timed({ timezone: 'Berlin' }), 'schedule[0].timezone', '"Berlin"', /^the name of a time zone/],
  ['a scheduled size beyond the bounds', timed({ size: 9 }), 'schedule[0].size', '9', /^a number from size\.min \(1\) to size\.max \(5\)$/],
  ['a time twice', timed({}, { at: ' 0 8  * * *', timezone: 'UTC' }), 'schedule[1].at', '" 0 8  * * *" again', /^each time once$/],
  [
    'a schedule where others set the size',
    small({ asg: 'a', size: { from: 'asg', min: 0, max: 5 }, schedule: [{ at: '0 8 * * *', size: 3 }] }),
    'schedule',
    '1 times',
    /^no schedule: /,
  ],
  ['an adjustment of nothing', small({ scaling: [{ alarm: 'x', adjust: 0 }] }), 'scaling[0].adjust', '0', /^a number of instances/],
  ['an adjustment of no share', small({ scaling: [{ alarm: 'x', adjust: '+0%' }] }), 'scaling[0].adjust', '"+0%"', /^a number of instances/],
  ['a share without its sign', small({ scaling: [{ alarm: 'x', adjust: '20%' }] }), 'scaling[0].adjust', '"20%"', /\+20%/],
  ['a share of more than everything away', small({ scaling: [{ alarm: 'x', adjust: '-120%' }] }), 'scaling[0].adjust', '"-120%"', /-10%$/],
  ['a tag of AWS', small({ tags: { 'AWS:x': '1' } }), 'tags["AWS:x"]', '"AWS:x"', /neither aws: nor holdfast:$/],
  ['a tag of ours', small({ tags: { 'holdfast:group': '1' } }), 'tags["holdfast:group"]', '"holdfast:group"', /neither aws: nor holdfast:$/],
  ['a tag value that is a number', small({ tags: { cost: 5 } }), 'tags.cost', '5', /in quotes\)$/],
  [
    'too many tags',
    small({ tags: Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`t${n}`, 'x'])) }),
    'tags',
    'a map with t0, t1, t10, t11, t12, t13, t14, t15, t16, t17, t18, t19, t2, t20,...',
    /^at most 40 tags$/,
  ],
];

describe('a policy is refused for', () => {
  it.each(cases.map((one) => [one[0], one] as const))('%s', (_, [, document, path, found, allowed, nearest]) => {
    const problem = problemsOf(document).find((one) => one.path === path);
    expect(problemsOf(document)).toHaveLength(1);
    expect(problem).toMatchObject({ path, found, allowed: expect.stringMatching(allowed) });
    expect(problem?.nearest).toBe(nearest);
    expect(problem?.message).toContain(path === '' ? 'the policy' : path);
  });

  it.each(['rollout', 'drain.ecs', 'drain.kubernetes', 'drain.commands'])('the field %s, which does not act yet, by its name', (path) => {
    const [outer = '', inner] = path.split('.');
    const document = small({ [outer]: inner === undefined ? {} : { [inner]: {} } });
    expect(messagesOf(document)).toEqual([expect.stringContaining(`${path} is not supported yet`)]);
  });

  it('selectors inside each other beyond what people can read', () => {
    let capacity: unknown = 'spot-1a';
    for (let depth = 0; depth < 13; depth += 1) capacity = { tiered: [capacity] };
    expect(messagesOf(small({ capacity }))).toEqual(['capacity: expected at most 12 nested selectors, found deeper nesting.']);
  });

  it('a document that contains itself', () => {
    const document: Record<string, unknown> = small({});
    document.capacity = { tiered: [document] };
    expect(messagesOf(document)).toEqual([expect.stringContaining('deeper nesting')]);
  });
});

describe('problems', () => {
  it('come all at once, in the order of their paths', () => {
    const document = {
      group: 'workers',
      size: { min: 4, max: 2 },
      capacity: { spread: ['spot-1a', 'spot-9z'] },
      pools: { 'spot-1a': { market: 'sopt', cap: 'many' } },
      rollout: {},
    };
    expect(problemsOf(document).map(({ path }) => path)).toEqual([
      'capacity.spread[1]',
      'pools.spot-1a.cap',
      'pools.spot-1a.instanceTypes',
      'pools.spot-1a.launchTemplate',
      'pools.spot-1a.market',
      'pools.spot-1a.subnets',
      'rollout',
      'size.max',
    ]);
  });

  it('state in one sentence the path, what was found, what is allowed and what was probably meant', () => {
    expect(messagesOf(pool({ market: 'sopt' }))).toEqual(['pools.spot-1a.market: expected spot or on-demand, found "sopt". Did you mean "spot"?']);
    expect(messagesOf(pool({ market: undefined }))).toEqual([
      'pools.spot-1a.market is missing: expected spot or on-demand, in the pool or in defaults.',
    ]);
  });

  it.each([
    [undefined, 'nothing'],
    [null, 'no value (null)'],
    [true, 'true'],
    [new Set(['a']), 'a set'],
    [new Uint8Array(2), 'binary data'],
    [[1, 2], 'a list of 2'],
    [{ b: 1, a: 2 }, 'a map with a, b'],
    ['x'.repeat(200), `"${'x'.repeat(75)}..."`],
  ])('show %s as %s', (value, text) => {
    expect(showFound(value)).toBe(text);
  });
});

describe('warnings', () => {
  const warningsOf = (document: unknown) => {
    const result = validatePolicy(document);
    return result.kind === 'valid' ? result.warnings.map(({ message }) => message) : [];
  };

  it('name a pool that capacity never uses', () => {
    expect(warningsOf(small({ pools: { ...smallDocument.pools, spare: four.a } }))).toEqual([
      expect.stringContaining('pools.spare: expected a pool that capacity names'),
    ]);
  });

  it('name alarms on a size that cannot change', () => {
    expect(warningsOf(small({ scaling: [{ alarm: 'x', adjust: 1 }] }))).toEqual([
      expect.stringContaining('alarms on a fixed size, which they cannot change'),
    ]);
    expect(warningsOf(small({ schedule: [{ at: '0 8 * * *', size: 3 }] }))).toEqual([
      'schedule: expected a size with min below max, found times on a fixed size, which they cannot change.',
    ]);
    expect(warningsOf(small({ size: { min: 1, max: 2 }, scaling: [{ alarm: 'x', adjust: 1 }] }))).toEqual([]);
  });

  it('report caps that leave no room for the largest size', () => {
    const capped = (caps: readonly (number | undefined)[], rest: object = {}) => {
      const names = ['a', 'b', 'c'];
      const pools = names.map((name, index) => [name, { ...four.a, ...(caps[index] === undefined ? {} : { cap: caps[index] }) }]);
      return warningsOf(small({ size: 10, capacity: { tiered: ['a', { spread: { of: ['b', 'c'] } }] }, pools: Object.fromEntries(pools), ...rest }));
    };
    expect(capped([1, 1, 1])).toEqual([
      'capacity: expected room for the largest size, 10, found pools whose caps leave room for 3, so that 7 are never launched.',
    ]);
    expect(capped([0, 0, 0])).toHaveLength(1);
    expect(capped([5, 4, 1])).toEqual([]);
    expect(capped([1, undefined, 1])).toEqual([]);
    expect(capped([5, 5, 5], { size: { min: 1, max: 16 } })).toHaveLength(1);
    expect(capped([], { defaults: { cap: 3 } })).toHaveLength(1);
    const weighted = {
      weighted: [
        { use: 'a', weight: 1 },
        { use: 'b', weight: 0 },
        { use: 'c', weight: 0.5 },
      ],
    };
    expect(capped([4, undefined, 5], { capacity: weighted })).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { boundProblems } from '../../core/policy/bound-rules.ts';
import { capacityProblems } from '../../core/policy/capacity-rules.ts';
import { outsideLimitProblems } from '../../core/policy/limit-rules.ts';
import { poolProblems, repeatsIn } from '../../core/policy/pool-rules.ts';
import { validatePolicy } from '../../core/policy/validate.ts';
import { smallDocument } from './documents.ts';

const told = (change: Readonly<Record<string, unknown>>): readonly string[] => {
  const result = validatePolicy({ ...smallDocument, ...change });
  return result.kind === 'invalid' ? result.problems.map(({ path }) => path) : [];
};

describe('the rules beside the schema', () => {
  const rules = [capacityProblems, poolProblems, boundProblems, outsideLimitProblems];
  const bounds = { min: 1, max: 5 };
  const at = '0 8 * * *';

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['a time to get ready that is a list', { ready: { after: ['5m'], within: '1m' } }],
    ['a time limit that is no duration', { ready: { after: '5m', within: 'soon' } }],
    ['a minimum in quotes', { size: { min: '5', max: 3 } }],
    ['a maximum in quotes', { size: { min: 3, max: '2', desired: 1 } }],
    ['a weighted selector of nothing', { capacity: { weighted: [] } }],
    ['spares in quotes', { size: { from: 'asg', ...bounds }, asg: 'web', spare: '2' }],
    ['an alarm that is a text', { scaling: ['cpu-high'] }],
    ['steps that are texts', { scaling: [{ alarm: 'x', steps: ['up', 'down'] }] }],
    ['a text before a step', { scaling: [{ alarm: 'x', steps: ['up', { above: 0, adjust: 1 }] }] }],
    ['a text after a step that removes', { scaling: [{ alarm: 'x', steps: [{ above: 0, adjust: -1 }, 'up'] }] }],
    ['a distance in quotes', { scaling: [{ alarm: 'x', steps: [{ above: '0', adjust: 1 }] }] }],
    [
      'a distance after one in quotes',
      {
        scaling: [
          {
            alarm: 'x',
            steps: [
              { above: 0, adjust: 1 },
              { above: 'far', adjust: 1 },
              { above: 5, adjust: 1 },
            ],
          },
        ],
      },
    ],
    ['a scheduled size in quotes', { size: bounds, schedule: [{ at, size: '9' }] }],
    ['a scheduled size without a minimum', { size: { max: 5 }, schedule: [{ at, size: 9 }] }],
    ['a scheduled size without a maximum', { size: { min: 1 }, schedule: [{ at, size: 0 }] }],
    ['a scheduled size and a minimum in quotes', { size: { min: '4', max: 5 }, schedule: [{ at, size: 3 }] }],
    ['two alarms without a name', { size: bounds, scaling: [{ adjust: 1 }, { adjust: 2 }] }],
  ])('say nothing about %s, which the schema reports', (_, change) => {
    const document = { ...smallDocument, ...change };
    expect(rules.flatMap((rule) => rule(document))).toEqual([]);
    expect(told(change)).not.toEqual([]);
  });

  it('find a text that is repeated, and nothing else', () => {
    expect(repeatsIn(['a', undefined, 3, 'a', undefined, 3, 'a'])).toEqual([3, 6]);
  });

  it('find a step that states no distance', () => {
    expect(told({ size: bounds, scaling: [{ alarm: 'x', steps: [{ adjust: 1 }] }] })).toEqual(['scaling[0].steps[0]']);
  });

  it('compare scheduled sizes with a fixed size too', () => {
    expect(told({ size: 3, schedule: [{ at, size: 4 }] })).toEqual(['schedule[0].size']);
    expect(told({ size: 3, schedule: [{ at, size: 3 }] })).toEqual([]);
  });

  it('distinguish times whose digits are the same', () => {
    const schedule = [
      { at: '1 12 * * *', size: 2 },
      { at: '11 2 * * *', size: 3 },
    ];
    expect(told({ size: bounds, schedule })).toEqual([]);
  });
});

describe('at its bounds, a policy', () => {
  const chain = (length: number): unknown => (length === 0 ? 'spot-1a' : { tiered: [chain(length - 1)] });
  const many = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
  const scaled = (adjust: number | string) => ({ size: { min: 0, max: 5 }, scaling: [{ alarm: 'x', adjust }] });
  const pool = smallDocument.pools['spot-1a'];
  const pools = (count: number) => ({ capacity: 'p0', pools: Object.fromEntries(many(count).map((n) => [`p${n}`, pool])) });
  const priced = (count: number) => ({ onDemandPrices: Object.fromEntries(many(count).map((n) => [`m7g.x${n}`, 1])) });
  const tagged = (count: number) => ({ tags: Object.fromEntries(many(count).map((n) => [`t${n}`, 'x'])) });
  const weighted = (weight: number) => ({ capacity: { weighted: [{ use: 'spot-1a', weight }] } });

  it.each<[string, object, object]>([
    ['nests twelve selectors and not thirteen', { capacity: chain(12) }, { capacity: chain(13) }],
    ['removes all members and not more', scaled('-100%'), scaled('-101%')],
    ['adds ten times the size and not more', scaled('+1000%'), scaled('+1001%')],
    ['adds 100,000 instances and not more', scaled(100_000), scaled(100_001)],
    ['adds one instance in text and not none', scaled('+1'), scaled('+0')],
    ['has 300 pools and not more', pools(300), pools(301)],
    ['has 300 prices on demand and not more', priced(300), priced(301)],
    ['has 40 tags and not more', tagged(40), tagged(41)],
    ['has a weight of 0.001 and not less', weighted(0.001), weighted(0.0009)],
  ])('%s', (_, fitting, beyond) => {
    expect(told({ ...fitting })).toEqual([]);
    expect(told({ ...beyond })).toHaveLength(1);
  });

  it('holds 100,000 characters at most', () => {
    const result = validatePolicy({ ...smallDocument, tags: { team: 'x'.repeat(100_000) } });
    expect(result).toMatchObject({
      problems: [{ message: 'the policy: expected a document of at most 100000 characters, found a larger document.' }],
    });
  });

  it('nests forty maps and lists at most', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);
    const result = validatePolicy({ ...smallDocument, tags: nested(41) });
    expect(result).toMatchObject({ problems: [{ message: 'the policy: expected maps and lists at most 40 deep, found deeper nesting.' }] });
    expect(told({ tags: nested(40) })).toEqual(['tags']);
  });

  it('has no field __proto__, which a parser would leave out', () => {
    const own = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
    expect(told({ pools: { ...smallDocument.pools, ...own('{"__proto__": {}}') } })).toContain('pools.__proto__');
    expect(told({ tags: own('{"__proto__": "x"}') })).toEqual(['tags.__proto__']);
    expect(told({ scaling: [own('{"alarm": "a", "adjust": 1, "__proto__": 1}')] })).toEqual(['scaling[0].__proto__']);
    // The SDK sets the prototype of a map that it unmarshalls.
    expect(told({ tags: Object.setPrototypeOf({}, { team: 'x' }) as unknown })).toEqual(['tags.__proto__']);
    expect(told({ tags: Object.setPrototypeOf({}, null) as unknown })).toEqual([]);
  });

  it('is a map', () => {
    expect(validatePolicy(['x'])).toMatchObject({
      problems: [{ message: 'the policy: expected a map with group, size, capacity and pools, found a list of 1.' }],
    });
  });
});

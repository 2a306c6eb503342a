import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../../sandbox/scenario/scenario-schema.ts';
import { smallest } from './smallest.ts';

const [web] = smallest().policies;
const copies = (repeat: unknown, of: unknown = { ...web, group: 'web-$'.concat('{n}') }, rest: object = {}) =>
  parseScenario(smallest({ policies: [{ repeat, of, ...rest }] }));

describe('an entry that is repeated', () => {
  test('is written out, with its number in every text', () => {
    const number = '$'.concat('{n}');
    const { policies, world } = parseScenario(
      smallest({
        world: { ...smallest().world, targetGroups: [{ name: 'one' }, { repeat: 2, of: { name: `web-${number}` } }] },
        policies: [{ repeat: 3, of: { ...web, group: `web-${number}`, tags: { [`team-${number}`]: `t${number}` } } }],
        expect: { lowestServing: { '*': 1, 'web-3': 2 } },
      }),
    );
    expect(policies.map(({ group, tags }) => [group, tags])).toEqual([
      ['web-1', { 'team-1': 't1' }],
      ['web-2', { 'team-2': 't2' }],
      ['web-3', { 'team-3': 't3' }],
    ]);
    expect(world.targetGroups.map(({ name }) => name)).toEqual(['one', 'web-1', 'web-2']);
  });

  test.each<readonly [string, () => unknown, RegExp]>([
    ['none at all', () => copies(0), /whole number from 1 to 200, found 0/],
    ['too many', () => copies(201), /whole number from 1 to 200, found 201/],
    ['a text', () => copies('3'), /whole number from 1 to 200, found \\"3\\"/],
    ['no entry', () => copies(3, 'web'), /expected the entry that stands so often/],
    ['a field beside', () => copies(3, web, { group: 'web' }), /repeat and of; found group as well/],
  ])('with %s is refused by its path', (_what, parse, problem) => {
    expect(parse).toThrow(problem);
    expect(parse).toThrow(/"policies",\s*0/);
  });
});

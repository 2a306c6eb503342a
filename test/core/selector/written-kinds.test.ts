import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { nonEmptyList } from '../../../core/policy/field.ts';
import { selectorOf } from '../../../core/policy/resolve-capacity.ts';
import { writtenKinds } from '../../../core/selector/kinds.ts';

const file = join(import.meta.dirname, '..', '..', '..', 'schema', 'group.schema.json');
const published = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly $defs: { readonly selector: { readonly anyOf: readonly { readonly properties?: object }[] } };
};

/** A child that is any text stands for a selector. */
const child = z.string({ error: 'a child' }) as never;
const list = (meaning: string) => nonEmptyList(child as z.ZodMiniType<string, string>, 'a list of children').check(z.describe(meaning)) as never;
const schemaOf = (kind: keyof typeof writtenKinds) => writtenKinds[kind].schema({ child, list });

const messagesOf = (kind: keyof typeof writtenKinds, value: unknown): readonly string[] =>
  (schemaOf(kind).safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('the schema of a kind of selector', () => {
  it.each(Object.keys(writtenKinds) as (keyof typeof writtenKinds)[])('is the one that is published: %s', (kind) => {
    const text = JSON.stringify(published.$defs.selector.anyOf.find(({ properties = {} }) => Object.hasOwn(properties, kind)));
    const { $schema: _draft, ...own } = z.toJSONSchema(schemaOf(kind)) as Record<string, unknown>;
    expect(own).toEqual(JSON.parse(text.replaceAll('{"$ref":"#/$defs/selector"}', '{"type":"string"}')));
  });

  it.each([
    ['tiered', 5, ': a map with tiered'],
    ['tiered', { tiered: [] }, 'tiered: a list of children'],
    ['tiered', { tiered: ['a'], by: 'zone' }, ': tiered'],
    ['cheapest', 'a', ': a map with cheapest'],
    ['cheapest', { cheapest: [5] }, 'cheapest.0: a child'],
    ['spread', [], ': a map with spread'],
    ['spread', { spread: 'a' }, 'spread: a list of at least one pool name or selector, or a map with of and by'],
    ['spread', { spread: ['a'], by: 'rack' }, 'by: zone, pool or instance-type'],
    ['weighted', 5, ': a map with weighted'],
    ['weighted', { weighted: [] }, 'weighted: a list of at least one { use, weight }'],
    ['weighted', { weighted: ['a'] }, 'weighted.0: a map with use and weight'],
    ['weighted', { weighted: [{ use: 'a', weight: 0.0001 }] }, 'weighted.0.weight: 0, or a number from 0.001 to 1000000'],
    ['weighted', { weighted: [{ use: 'a', weight: 1_000_001 }] }, 'weighted.0.weight: 0, or a number from 0.001 to 1000000'],
  ] as const)('states what it expects: %s %j', (kind, value, message) => {
    expect(messagesOf(kind, value)).toEqual([message]);
  });

  it.each([
    ['spread', { spread: { of: ['a'], by: 'zone' } }],
    ['spread', { spread: ['a'], by: 'instance-type' }],
    [
      'weighted',
      {
        weighted: [
          { use: 'a', weight: 0 },
          { use: 'b', weight: 0.001 },
        ],
      },
    ],
  ] as const)('accepts each way to write it: %s %j', (kind, value) => {
    expect(messagesOf(kind, value)).toEqual([]);
  });
});

it('a tree with a kind that no table has fails with the names that it found', () => {
  expect(() => selectorOf({ lottery: ['a'], by: 'luck' } as never, [])).toThrow('Expected a selector, found a map with lottery, by');
});

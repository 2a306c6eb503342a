import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { groupJsonSchemaText } from '../../scripts/group-json-schema.ts';

type Node = { readonly [key: string]: unknown; readonly properties?: Readonly<Record<string, Node>> };

const undescribed = (value: unknown, path: string): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { properties } = value as Node;
  const here = Object.entries(properties ?? {}).flatMap(([name, field]) =>
    field.description === undefined && field.$ref === undefined ? [`${path}/${name}`] : [],
  );
  return [...here, ...Object.entries(value).flatMap(([key, child]) => undescribed(child, `${path}/${key}`))];
};

describe('the published JSON Schema', () => {
  it('is the one that the source makes: run `npm run schema` when it is not', async () => {
    expect(await readFile(new URL('../../schema/group.schema.json', import.meta.url), 'utf8')).toBe(groupJsonSchemaText());
  });

  it('is of draft 2020-12, closed to unknown fields, with only what has no default required', () => {
    expect(JSON.parse(groupJsonSchemaText())).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Holdfast group',
      additionalProperties: false,
      required: ['group', 'size', 'capacity', 'pools'],
    });
  });

  it('describes every field', () => {
    expect(undescribed(JSON.parse(groupJsonSchemaText()), '')).toEqual([]);
  });
});

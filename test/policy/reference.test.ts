import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { validatePolicy } from '../../core/policy/validate.ts';
import { groupJsonSchemaText } from '../../scripts/group-json-schema.ts';
import { smallDocument } from './documents.ts';

const reference = await readFile(new URL('../../docs/policy.md', import.meta.url), 'utf8');
const blocks = (language: string): readonly string[] =>
  [...reference.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);

const poolsIn = (node: unknown): readonly string[] => {
  if (typeof node === 'string') return node === 'zone' ? [] : [node];
  return typeof node === 'object' && node !== null ? Object.values(node).flatMap(poolsIn) : [];
};

type Node = {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
  readonly items?: Node;
  readonly additionalProperties?: Node | false;
};
const fieldsOf = ({ properties = {}, anyOf = [], items, additionalProperties }: Node): readonly string[] => [
  ...Object.keys(properties),
  ...[...Object.values(properties), ...anyOf, ...(items ? [items] : []), ...(additionalProperties ? [additionalProperties] : [])].flatMap(fieldsOf),
];

describe('the policy reference', () => {
  it('begins with a policy that is accepted without a warning', () => {
    expect(validatePolicy(parse(blocks('yaml')[0] ?? ''))).toMatchObject({ kind: 'valid', warnings: [] });
  });

  it('shows trees that are accepted', () => {
    const trees = blocks('yaml')
      .flatMap((text) => (text.includes('of: [') ? text.trim().split('\n') : [text]))
      .filter((text) => text.includes('capacity:') && !text.includes('group:'))
      .map((text) => (parse(text) as { readonly capacity: unknown }).capacity);
    expect(trees).toHaveLength(3);
    for (const capacity of trees) {
      const pools = Object.fromEntries(poolsIn(capacity).map((name) => [name, smallDocument.pools['spot-1a']]));
      expect(validatePolicy({ ...smallDocument, capacity, pools })).toMatchObject({ kind: 'valid' });
    }
  });

  it('names every field of the schema', () => {
    const schema = JSON.parse(groupJsonSchemaText()) as Node & { readonly $defs: Readonly<Record<string, Node>> };
    const fields = new Set([...fieldsOf(schema), ...Object.values(schema.$defs).flatMap(fieldsOf)]);
    expect([...fields].filter((field) => !new RegExp(`\\b${field}\\b`).test(reference))).toEqual([]);
  });
});

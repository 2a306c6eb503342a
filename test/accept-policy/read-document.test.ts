import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../functions/accept-policy/read-document.ts';

describe('the attribute policy', () => {
  it.each([
    ['a map', { group: 'w' }, { group: 'w' }],
    ['YAML', 'group: w\nsize: 3\nscaling: [{ alarm: a, adjust: +20% }]', { group: 'w', size: 3, scaling: [{ alarm: 'a', adjust: '+20%' }] }],
    ['JSON', '{"group": "w",\t"size": 3}', { group: 'w', size: 3 }],
    ['an empty text in quotes', "''", ''],
    ['an empty document after it', 'group: w\n---\n', { group: 'w' }],
    ['YAML between markers', '---\ngroup: w\n...\n---\n', { group: 'w' }],
    ['YAML with an anchor', 'a: &x { cap: 3 }\nb: *x', { a: { cap: 3 }, b: { cap: 3 } }],
  ])('may be %s', (_, attribute, document) => {
    expect(readDocument(attribute)).toEqual({ kind: 'read', document });
  });

  it.each([
    ['YAML that does not end', 'size: [', /^text that is not YAML \(.*line 1/],
    ['a key written twice', 'size: 1\nsize: 2', /Map keys must be unique/],
    ['an alias to nothing', 'a: *x', /^text that is not YAML/],
    ['a document and a text in quotes', "size: 1\n---\n''", /^a second document/],
    ['two documents', 'size: 1\n---\nsize: 2', /^a second document at line 2/],
    ['a document and more after its end', 'size: 1\n...\nsize: 2', /^a second document at line 3/],
    ['text with a tag of its own', 'size: !count 3', /^text that is not YAML \(Unresolved tag: !count at line 1/],
    ['text that nests without end', '['.repeat(50_000), /^text that nests too deep to read$/],
    ['a number', 7, /^7$/],
    ['binary data', new Uint8Array([103, 58]), /^binary data$/],
    ['a set', new Set(['group']), /^a set$/],
    ['no value (null)', null, /^no value \(null\)$/],
    ['nothing', undefined, /^no attribute policy in the item$/],
  ])('is unreadable as %s, and the error states that', (_, attribute, found) => {
    expect(readDocument(attribute)).toMatchObject({ kind: 'unreadable', problems: [{ path: '', found: expect.stringMatching(found) }] });
  });

  const yamlLike = fc.string({ unit: fc.constantFrom('a', ':', ' ', '\n', '&', '*', '[', '{', '-', '!', '|', '<', '"') });
  it('never throws, whatever the text', () =>
    fc.assert(
      fc.property(fc.oneof(fc.string(), yamlLike), (text) => {
        expect(readDocument(text).kind).toMatch(/^(read|unreadable)$/);
      }),
    ));

  it('that multiplies its aliases beyond measure is unreadable', () => {
    const lines = ['a0: &a0 [x]', ...Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(9)}*a${n}]`)];
    expect(readDocument(lines.join('\n')).kind).toBe('unreadable');
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyReason } from '../sim/reach/codes.ts';

const page = (name: string): Promise<string> => readFile(join(import.meta.dirname, '../../docs', name), 'utf8');
const pages = { 'decisions.md': await page('decisions.md'), 'drains.md': await page('drains.md') };

const pageOf = (kind: string): keyof typeof pages => (kind === 'shortfalls' || kind === 'leaving' ? 'drains.md' : 'decisions.md');

/** The part of a page under a heading, where the page has a table of these codes; otherwise the whole page. */
const headings: Readonly<Record<string, string>> = {
  causes: '## Causes',
  against: '### Rejected',
  turns: '### Reasons',
  removals: '### Removals',
  remarks: '### Remarks',
  sizes: '## Sizes',
  outcomes: '## Outcome',
  overtaken: '## Outcome',
  shortfalls: '## Shortfalls',
  leaving: '| the instance leaves because of | who ends it |',
};

const sectionOf = (kind: string): string => {
  const text = pages[pageOf(kind)];
  const heading = headings[kind] ?? '';
  const start = text.indexOf(`${heading}\n`);
  const end = text.slice(start + heading.length).search(heading.startsWith('#') ? /\n##/ : /\n\n/);
  return start < 0 ? '' : text.slice(start, end < 0 ? undefined : start + heading.length + end);
};

describe('the reference of stored codes', () => {
  it.each(Object.keys(headings))('has every code of %s', (kind) => {
    const codes = everyReason.filter((reason) => reason.startsWith(`${kind}: `)).map((reason) => reason.slice(kind.length + 2));
    expect(codes).not.toEqual([]);
    expect(codes.filter((code) => !sectionOf(kind).includes(`\`${code}\``))).toEqual([]);
  });
});

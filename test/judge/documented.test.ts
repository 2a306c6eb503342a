import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allowances } from '../../sandbox/judge/allowances.ts';
import { rules } from '../../sandbox/judge/rules.ts';

const judgePage = readFileSync(new URL('../../docs/judge.md', import.meta.url), 'utf8');

describe('docs/judge.md', () => {
  it('lists every rule with its meaning, and nothing beside them', () => {
    const tables = judgePage.split('| rule | means |\n|---|---|\n').slice(1);
    const rows = tables.flatMap((table) => table.split('\n\n')[0]?.split('\n') ?? []);
    expect(rows.toSorted()).toEqual(rules.map(({ name, meaning }) => `| ${name} | ${meaning} |`).toSorted());
  });
  it('lists every allowance, and nothing beside them', () => {
    const rows = judgePage.split('| allowance | trouble | reaches |\n|---|---|---|\n')[1]?.split('\n\n')[0]?.split('\n') ?? [];
    expect(rows.toSorted()).toEqual(allowances.map(({ name, trouble, reaches }) => `| ${name} | ${trouble} | ${reaches} |`).toSorted());
  });
});

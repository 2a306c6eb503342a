import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allowances } from '../../sandbox/judge/allowances.ts';
import { rules } from '../../sandbox/judge/rules.ts';

const reliability = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');

describe('docs/reliability.md', () => {
  it('lists every rule with its meaning', () => {
    for (const { name, meaning } of rules) expect(reliability).toContain(`| ${name} | ${meaning} |`);
  });
  it('lists every allowance', () => {
    for (const { name, trouble, reaches } of allowances) expect(reliability).toContain(`| ${name} | ${trouble} | ${reaches} |`);
  });
});

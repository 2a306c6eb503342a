import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { play } from '../sim/play.ts';
import { workflows } from '../sim/workflows.ts';
import { neverNeeded } from './never-needed.ts';
import { situations } from './situations.ts';
import { createUsage, type Right } from './usage.ts';

const usage = createUsage();

beforeAll(async () => {
  for (const make of [...Object.values(workflows), ...situations]) await play(make(), { onEnd: ({ sandbox }) => usage.note(sandbox) });
}, 600_000);

const named = (rights: readonly Pick<Right, 'role' | 'action'>[]): readonly string[] =>
  [...new Set(rights.map(({ role, action }) => `${role} ${action}`))].sort();

describe('the roles of the stack, over every workflow', () => {
  test('no call of a function is outside its role', () => {
    expect(usage.denied).toEqual([]);
  });

  test('every right is needed, except those that are listed with a reason', () => {
    const listed = neverNeeded.flatMap(({ roles, actions }) => roles.flatMap((role) => actions.map((action) => ({ role, action }))));
    expect(named(usage.unused)).toEqual(named(listed));
    for (const { reason } of neverNeeded) expect(reason.length).toBeGreaterThan(40);
  });

  test('every wildcard is in docs/security.md, beside the page of AWS that leaves nothing narrower', async () => {
    const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'security.md'), 'utf8');
    const section = /\n## Wildcards\n([\s\S]*?)\n## /.exec(text)?.[1] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    for (const row of rows) expect(row).toContain('https://docs.aws.amazon.com/');
    const told = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([a-z0-9]+:[A-Za-z]+)`/g)].map(([, action]) => String(action)));
    const wild = usage.rights.filter(({ resources }) => resources.some((resource) => resource.includes('*'))).map(({ action }) => action);
    expect([...new Set(told)].sort()).toEqual([...new Set(wild)].sort());
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { relationsThatHold } from '../../core/times/time-relations.ts';
import * as times from '../../core/times/times.ts';
import { timesTable, withTimes } from '../../scripts/times-table.ts';

const read = (file: string): string => readFileSync(join(import.meta.dirname, '..', '..', file), 'utf8');

test('the table of docs/architecture.md has the times of core/times/times.ts (npm run times writes it)', () => {
  expect(read('docs/architecture.md')).toBe(withTimes(read('docs/architecture.md')));
});

test('the table has every time, with a length', () => {
  const table = timesTable();
  expect(Object.keys(times).filter((name) => !table.includes(`| \`${name}\` |`))).toEqual([]);
  expect(table).not.toContain('NaN');
  expect(table).toContain('| `leaseMs` | 35 s |');
});

test('the stack checks what the times must be to each other', () => {
  expect(relationsThatHold).toBeGreaterThan(10);
  expect(read('lib/holdfast.ts')).toContain("import '../core/times/time-relations.ts';");
});

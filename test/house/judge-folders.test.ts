import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const judge = join(import.meta.dirname, '..', '..', 'sandbox', 'judge');

/** Each folder imports itself, those before it, and the files at the root of the judge (CONTRIBUTING.md, the map). */
const order = ['world', 'policy', 'told', 'members', 'said', 'capacity', 'rules', 'allowances'];

const folderOf = (path: string): string => path.split('/')[0] ?? path;

const importsIn = (path: string): readonly string[] =>
  [...readFileSync(join(judge, path), 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, to = '']) => normalize(join(dirname(path), to)));

it('every folder of the judge imports only those before it', () => {
  const files = readdirSync(judge, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts') && path.includes('/'));
  expect(files.length).toBeGreaterThan(100);
  expect([...new Set(files.map(folderOf))].sort()).toEqual([...order].sort());
  const wrong = files.flatMap((path) =>
    importsIn(path)
      .filter((to) => to.includes('/') && !to.startsWith('..') && order.indexOf(folderOf(to)) > order.indexOf(folderOf(path)))
      .map((to) => `${path} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

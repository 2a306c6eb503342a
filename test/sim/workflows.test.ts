import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workflows } from './workflows.ts';

it('docs/reliability.md has the crash points of every workflow', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'reliability.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| [^|]+ \| [\d,]+ \| [\d,]+ \|$/gm)].map(([, name]) => name);
  expect(rows).toEqual(Object.keys(workflows));
});

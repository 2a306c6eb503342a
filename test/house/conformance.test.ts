import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { conformancePage } from '../../scripts/emulators/conformance-page.ts';
import { conformanceFile } from '../../scripts/emulators/write-conformance.ts';
import { listedFindings } from '../emulators/contract/services.ts';

test('docs/conformance.md is what a green run of npm run test:emulators writes', async () => {
  expect(await readFile(conformanceFile, 'utf8')).toBe(conformancePage(listedFindings()));
});

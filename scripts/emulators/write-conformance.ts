import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clouds, conformancePage, type Finding } from './conformance-page.ts';
import { emulatorsDir, root } from './paths.ts';

export const findingsFile = join(emulatorsDir, 'findings.json');

export const conformanceFile = join(root, 'docs', 'conformance.md');

/**
 * Writes `docs/conformance.md` from a run with all three clouds. `partial`: a cloud was missing, and nothing is written. `changed`: the file was different
 * before.
 */
export const writeConformance = async (): Promise<'same' | 'changed' | 'partial'> => {
  const findings = JSON.parse(await readFile(findingsFile, 'utf8')) as readonly Finding[];
  const rules = new Set(findings.map(({ call, rule }) => `${call} ${rule}`));
  if (findings.length < rules.size * clouds.length) return 'partial';
  const page = conformancePage(findings);
  if ((await readFile(conformanceFile, 'utf8')) === page) return 'same';
  await writeFile(conformanceFile, page);
  return 'changed';
};

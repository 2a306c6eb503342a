import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { synthesize } from '../../assembly/assemble.ts';
import { edited } from './break-code.ts';
import type { Edit } from './mutant.ts';

const root = dirname(dirname(import.meta.dirname));

/** What the stack is made of, and what it only needs to find. */
const made = ['bin', 'lib', 'core'];
const found = ['dist', 'node_modules', 'package.json'];

/**
 * Synthesizes the stack with these edits, from a copy of its sources in this folder. The tree itself is never touched.
 * @returns the directory of its templates
 * @throws with what the app said, when it refuses to be synthesized
 */
export const synthesizeBroken = async (home: string, edits: readonly Edit[]): Promise<string> => {
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  for (const path of made) await cp(join(root, path), join(home, path), { recursive: true });
  for (const path of found) await symlink(join(root, path), join(home, path));
  for (const [file, here] of Map.groupBy(edits, (edit) => edit.file)) await writeFile(join(home, file), await edited(file, here));
  const out = join(home, 'cdk.out');
  await synthesize(home, out);
  return out;
};

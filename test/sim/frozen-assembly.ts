import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { assemble } from '../../assembly/assemble.ts';

type AssetFile = { readonly files: Readonly<Record<string, { readonly source: { readonly path: string } }>> };

/**
 * A copy of the synthesized app that nobody builds over: a long simulation plays one and the same code from its first run to its last.
 * @returns its directory, and how to remove it
 */
export const freezeAssembly = async (): Promise<{ readonly directory: string; readonly remove: () => Promise<void> }> => {
  const from = await assemble();
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-sim-'));
  const { files } = JSON.parse(await readFile(join(from, 'holdfast.assets.json'), 'utf8')) as AssetFile;
  const wanted = new Set(Object.values(files).map(({ source }) => source.path));
  const filter = (path: string): boolean => !basename(path).startsWith('asset.') || wanted.has(basename(path));
  await cp(from, directory, { recursive: true, filter });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
};

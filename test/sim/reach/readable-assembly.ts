import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from '../../../assembly/bundle.ts';
import { functionNames } from '../../../core/contract.ts';
import { foldersIn } from '../../mutants/broken-assembly.ts';
import { freezeAssembly } from '../frozen-assembly.ts';
import { sourceFinder } from './blocks.ts';
import type { Script } from './ledger.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Folders whose code is measured. */
const measured = ['core', 'functions'];

/** Bundles as they deploy except for one thing: they are not minified, so that every branch keeps its place. */
const bundled = async (): Promise<ReadonlyMap<string, string>> => {
  const { outputFiles } = await build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(functionNames.map((name) => [name, join(root, 'functions', name, 'handler.ts')])),
    outdir: 'out',
    write: false,
    minify: false,
    sourcemap: 'external',
  });
  return new Map(outputFiles.map(({ path, text }) => [path.split('/').at(-1) ?? '', text]));
};

/** A copy of the synthesized app whose functions can be read, and the scripts that it is made of. */
export const readableAssembly = async (): Promise<Awaited<ReturnType<typeof freezeAssembly>> & { readonly scripts: readonly Script[] }> => {
  const { directory, remove } = await freezeAssembly();
  const [folders, files] = await Promise.all([foldersIn(directory), bundled()]);
  const scripts: Script[] = [];
  for (const name of functionNames) {
    const [code = '', map = '{}'] = [files.get(`${name}.mjs`), files.get(`${name}.mjs.map`)];
    const path = join(directory, folders.get(name) ?? name, 'index.mjs');
    await writeFile(path, code);
    scripts.push({ url: pathToFileURL(path).href, placeOf: sourceFinder(code, JSON.parse(map), measured) });
  }
  return { directory, remove, scripts };
};

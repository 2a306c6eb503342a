import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { assemble } from '../assembly/assemble.ts';
import { type FunctionName, functionNames } from '../core/contract.ts';

const root = dirname(import.meta.dirname);

/** Bytes that packages take in each function's bundle, by the package's path. */
export type BundledPackages = Readonly<Record<FunctionName, ReadonlyMap<string, number>>>;

/** The package that a source file belongs to, by path; undefined for our own. */
const packageOf = (file: string): string | undefined => /^(?:.*:)?(?<path>.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(file)?.groups?.path;

const contentsOf = ({ outputs }: Metafile, name: FunctionName): ReadonlyMap<string, number> => {
  const output = outputs[`dist/functions/${name}/index.mjs`];
  if (output === undefined) throw new Error(`dist/metafile.json has no bundle of ${name}: build again (npm run build).`);
  const bytes = new Map<string, number>();
  for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) {
    const path = packageOf(file);
    if (path !== undefined && bytesInOutput > 0) bytes.set(path, (bytes.get(path) ?? 0) + bytesInOutput);
  }
  return bytes;
};

/** What the bundler put into each function that deploys, by its own account. Builds first, unless what is there is current. */
export const bundledPackages = async (): Promise<BundledPackages> => {
  await assemble();
  const metafile = JSON.parse(await readFile(join(root, 'dist', 'metafile.json'), 'utf8')) as Metafile;
  return Object.fromEntries(functionNames.map((name) => [name, contentsOf(metafile, name)])) as BundledPackages;
};

import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { type FunctionName, functionNames } from '../core/contract.ts';
import { compactSdkErrors } from './compact-sdk-errors.ts';
import { leanSdk } from './lean-sdk.ts';
import { minifyAgain } from './minify-again.ts';
import { pureSdkSchemas } from './pure-sdk-schemas.ts';

const root = dirname(import.meta.dirname);
const outdir = join(root, 'dist', 'functions');

/** One function's bundle as it deploys. */
export type Bundle = { readonly name: FunctionName; readonly file: string; readonly bytes: number };

/** What every bundle has in common; benchmarks bundle their probes the same way. */
export const bundleOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  minify: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  mainFields: ['module', 'main'],
  plugins: [pureSdkSchemas, compactSdkErrors, leanSdk],
  metafile: true,
  logLevel: 'warning',
  // CommonJS packages inside an ES module bundle still call require for Node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
} as const satisfies BuildOptions;

const handlerOf = (name: FunctionName): string => join(root, 'functions', name, 'handler.ts');

/** Unchanged files keep their time stamp; changed ones appear at once and whole, because a sandbox may be reading them. */
const writeChanged = async (path: string, contents: string): Promise<void> => {
  if (existsSync(path) && (await readFile(path, 'utf8')) === contents) return;
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, contents);
  await rename(draft, path);
};

const finish = async (file: string, files: ReadonlyMap<string, string>): Promise<number> => {
  const { code, map } = await minifyAgain(files.get(file) ?? '', files.get(`${file}.map`) ?? '');
  await mkdir(dirname(file), { recursive: true });
  // The map first: a bundle never points to one that is not there.
  await writeChanged(`${file}.map`, map);
  await writeChanged(file, code);
  return Buffer.byteLength(code);
};

/**
 * Bundles every function of the contract to `dist/functions/<name>/index.mjs`, all in one esbuild run, and writes `dist/metafile.json`.
 * The bytes in the metafile are those of that run; the files themselves are smaller by what minifying once more saves.
 * @throws when a function has no `handler.ts`, or with esbuild's own errors.
 */
export const bundle = async (): Promise<readonly Bundle[]> => {
  const missing = functionNames.filter((name) => !existsSync(handlerOf(name)));
  if (missing.length > 0)
    throw new Error(`Nothing was bundled: core/contract.ts names ${missing.join(', ')}, but there is no handler.ts in that folder.`);
  const entryPoints = Object.fromEntries(functionNames.map((name) => [`${name}/index`, handlerOf(name)]));
  const built = await build({ ...bundleOptions, absWorkingDir: root, entryPoints, outdir, write: false });
  const files = new Map(built.outputFiles.map(({ path, text }) => [path, text]));
  const bundleOf = async (name: FunctionName): Promise<Bundle> => {
    const file = join(outdir, name, 'index.mjs');
    return { name, file, bytes: await finish(file, files) };
  };
  const bundles = await Promise.all(functionNames.map(bundleOf));
  await writeFile(join(root, 'dist', 'metafile.json'), JSON.stringify(built.metafile satisfies Metafile));
  return bundles;
};

if (import.meta.main) {
  for (const { name, bytes } of await bundle()) console.log(`${name.padEnd(14)} ${(bytes / 1024).toFixed(1).padStart(7)} KB`);
}

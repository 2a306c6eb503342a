import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { besideName } from './beside.ts';
import { edited } from './break-code.ts';
import type { Edit } from './mutant.ts';

const root = dirname(dirname(import.meta.dirname));
const ofCore = (path: string): string | undefined => {
  const file = relative(root, path);
  return file.startsWith('core/') ? file : undefined;
};

/** Files that import one of these, directly or through others. */
const importersOf = (files: readonly string[], { inputs }: Metafile): ReadonlySet<string> => {
  const found = new Set(files);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const [file, { imports }] of Object.entries(inputs)) if (imports.some(({ path }) => found.has(path))) found.add(file);
  }
  return found;
};

const exportedBy = (source: string): readonly string[] =>
  [...source.matchAll(/^export (?:const|function\*?|class) (\w+)/gm)].map(([, name = '']) => name);

/** A module that exports what a file of `core/` exports, each value beside those of the broken builds. */
const pairOf = async (file: string, builds: readonly number[]): Promise<string> => {
  const path = join(root, file);
  const names = exportedBy(await readFile(path, 'utf8'));
  const others = (name: string): string => builds.map((build) => `[${build},broken${build}.${name}]`).join(',');
  return [
    `import * as whole from 'whole:${path}';`,
    ...builds.map((build) => `import * as broken${build} from 'broken-${build}:${path}';`),
    ...names.map((name) => `export const ${name}=globalThis.${besideName}(whole.${name},[${others(name)}]);`),
  ].join('\n');
};

/**
 * Lets code outside of `core/` run these broken builds of `core/` beside the code as it is. A build consists of what is broken and of all that imports
 * it. The rest is shared.
 *
 * @param whole what the bundles of the code as it is import
 * @param counting sources with counters, which run in place of the code as it is
 */
export const besidePlugin = (builds: readonly (readonly Edit[])[], whole: Metafile, counting: ReadonlyMap<string, string>): Plugin => {
  const reached = builds.map((edits) =>
    importersOf(
      edits.map(({ file }) => file),
      whole,
    ),
  );
  const buildsOf = (file: string): readonly number[] => builds.flatMap((_, build) => (reached[build]?.has(file) ? [build] : []));
  return {
    name: 'beside',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^(?:whole|broken-\d+):/ }, ({ path }) => {
        const [namespace = '', at = ''] = path.split(':');
        return namespace === 'whole' ? { path: at } : { path: at, namespace };
      });
      onResolve({ filter: /^\.\.?\// }, ({ path, importer, namespace }) => {
        const at = join(dirname(importer), path);
        const file = ofCore(at);
        if (file === undefined || namespace === 'pair') return undefined;
        const build = Number(namespace.split('broken-')[1]);
        if (!Number.isNaN(build)) return reached[build]?.has(file) ? { path: at, namespace } : { path: at };
        return ofCore(importer) === undefined && buildsOf(file).length > 0 ? { path: at, namespace: 'pair' } : undefined;
      });
      onLoad({ filter: /./, namespace: 'pair' }, async ({ path }) => {
        const file = relative(root, path);
        return { contents: await pairOf(file, buildsOf(file)), loader: 'ts', resolveDir: dirname(path) };
      });
      onLoad({ filter: /\.ts$/, namespace: 'file' }, ({ path }) => {
        const contents = counting.get(relative(root, path));
        return contents === undefined ? undefined : { contents, loader: 'ts' };
      });
      for (const [build, edits] of builds.entries())
        onLoad({ filter: /./, namespace: `broken-${build}` }, async ({ path }) => {
          const file = relative(root, path);
          const own = edits.filter((edit) => edit.file === file);
          return { contents: await edited(file, own), loader: 'ts', resolveDir: dirname(path) };
        });
    },
  };
};

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { bundleOptions } from '../../assembly/bundle.ts';
import { type FunctionName, functionNames } from '../../core/contract.ts';
import type { Edit } from './mutant.ts';

const root = dirname(dirname(import.meta.dirname));

/** Finds a text however the formatter breaks its lines: any white space stands for any other, and a comma may end a list. */
export const anywhere = (text: string): RegExp => {
  const words = text.trim().match(/[\w$]+|[^\w$\s]/g) ?? [];
  const spaced = words.map((word, at) => {
    const literal = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return at > 0 && /^[)\]}]$/.test(word) && words[at - 1] !== ',' ? `,?\\s*${literal}` : literal;
  });
  return new RegExp(spaced.join('\\s*'), 'g');
};

/**
 * A file as it reads with these edits.
 * @throws when a text to be replaced does not occur exactly once: the code has changed, and the mutant no longer says what it breaks.
 */
export const edited = async (file: string, edits: readonly Edit[]): Promise<string> => {
  let source = await readFile(join(root, file), 'utf8');
  for (const { from, to } of edits) {
    const found = anywhere(from);
    const times = source.match(found)?.length ?? 0;
    if (times !== 1) throw new Error(`${file} holds this text ${times} times, and a mutant needs it exactly once:\n${from}`);
    const [lead = ''] = /^\s*/.exec(from) ?? [];
    const [trail = ''] = /\s*$/.exec(from) ?? [];
    source = source.replace(found, () => to.slice(to.startsWith(lead) ? lead.length : 0, to.endsWith(trail) ? to.length - trail.length : undefined));
  }
  return source;
};

const loading = (load: ReadonlyMap<string, () => Promise<string>>): Plugin => ({
  name: 'other-code',
  setup: ({ onLoad }) => {
    for (const [file, contents] of load) {
      const filter = new RegExp(`^${join(root, file).replaceAll(/[.\\/]/g, '\\$&')}$`);
      onLoad({ filter }, async () => ({ contents: await contents(), loader: 'ts' }));
    }
  },
});

const broken = (edits: readonly Edit[]): ReadonlyMap<string, () => Promise<string>> =>
  new Map([...Map.groupBy(edits, (edit) => edit.file)].map(([file, here]) => [file, () => edited(file, here)]));

/** Which functions are made of which sources. */
export type Sources = ReadonlyMap<FunctionName, ReadonlySet<string>>;

const bundleBy = (names: readonly FunctionName[], plugin: Plugin) =>
  build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: Object.fromEntries(names.map((name) => [name, join(root, 'functions', name, 'handler.ts')])),
    outdir: 'out',
    write: false,
    sourcemap: false,
    plugins: [plugin, ...bundleOptions.plugins],
  });

const bundleWith = (names: readonly FunctionName[], load: ReadonlyMap<string, () => Promise<string>>) => bundleBy(names, loading(load));

/** Bundles all functions with other sources in place of some of the tree's. */
export const bundleInstead = async (instead: ReadonlyMap<string, string>): Promise<ReadonlyMap<FunctionName, Uint8Array>> => {
  const load = new Map([...instead].map(([file, text]) => [file, async () => text] as const));
  const { outputFiles } = await bundleWith(functionNames, load);
  return bundlesOf(functionNames, outputFiles);
};

const bundlesOf = (names: readonly FunctionName[], files: readonly OutputFile[]): ReadonlyMap<FunctionName, Uint8Array> =>
  new Map(names.flatMap((name) => files.filter(({ path }) => path.endsWith(`/${name}.mjs`)).map(({ contents }) => [name, contents] as const)));

/** Bundles all functions by a plugin that decides what they import. */
export const bundlePlugged = async (plugin: Plugin): Promise<ReadonlyMap<FunctionName, Uint8Array>> => {
  const { outputFiles } = await bundleBy(functionNames, plugin);
  return bundlesOf(functionNames, outputFiles);
};

/** The bundles of the code as it is, and what they are made of. */
type Whole = { readonly bundles: ReadonlyMap<FunctionName, Uint8Array>; readonly sources: Sources; readonly metafile: Metafile };

/** Bundles the code as it is. */
export const bundleWhole = async (): Promise<Whole> => {
  const { outputFiles, metafile } = await bundleWith(functionNames, new Map());
  const inputs = Object.entries(metafile.outputs).map(([output, { inputs: from }]) => [output, new Set(Object.keys(from))] as const);
  const sources = functionNames.map((name) => [name, inputs.find(([output]) => output.endsWith(`${name}.mjs`))?.[1] ?? new Set<string>()] as const);
  return { bundles: bundlesOf(functionNames, outputFiles), sources: new Map(sources), metafile };
};

/**
 * Bundles the functions that a breakage reaches, broken. The tree itself is never touched.
 * @throws when no function is made of what is broken, or an edit finds its text not exactly once.
 */
export const bundleBroken = async (edits: readonly Edit[], sources: Sources): Promise<ReadonlyMap<FunctionName, Uint8Array>> => {
  const names = functionNames.filter((name) => edits.some(({ file }) => sources.get(name)?.has(file)));
  if (names.length === 0) throw new Error(`No function is made of ${edits.map(({ file }) => file).join(', ')}.`);
  const { outputFiles } = await bundleWith(names, broken(edits));
  return bundlesOf(names, outputFiles);
};

import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assemble } from '../../assembly/assemble.ts';
import type { FunctionName } from '../../core/contract.ts';
import { bundleBroken, bundleInstead, bundlePlugged, bundleWhole } from './break-code.ts';
import { synthesizeBroken } from './break-stack.ts';
import { besidePlugin } from './bundle-beside.ts';
import type { Edit } from './mutant.ts';

/** Copies of the synthesized app in a folder of their own, whole or with broken functions. */
export type Workshop = {
  readonly whole: string;
  /** Returns the directory of a copy whose functions, or whose stack, hold these edits. */
  breakCode(name: string, edits: readonly Edit[]): Promise<string>;
  /** Returns the directory of a copy whose functions are made of these sources instead of the tree's. */
  replaceCode(name: string, sources: ReadonlyMap<string, string>): Promise<string>;
  /**
   * Returns the directory of a copy that plays as the code is, and notes which of these builds of `core/` would decide something else. These sources
   * run in place of the tree's: they do the same, and count what runs.
   */
  putBeside(builds: readonly (readonly Edit[])[], counting: ReadonlyMap<string, string>): Promise<string>;
  /** Removes what was made for a name. */
  discard(name: string): Promise<void>;
  close(): Promise<void>;
};

type Resource = { readonly Type: string; readonly Metadata?: Readonly<Record<string, unknown>> };

/** Folder of each function's code, as the template's metadata names it. */
export const foldersIn = async (directory: string): Promise<ReadonlyMap<string, string>> => {
  const file = (await readdir(directory)).find((name) => name.endsWith('.template.json'));
  if (file === undefined) throw new Error(`${directory} holds no synthesized stack.`);
  const { Resources } = JSON.parse(await readFile(join(directory, file), 'utf8')) as { readonly Resources: Readonly<Record<string, Resource>> };
  const functions = Object.values(Resources).filter(({ Type, Metadata }) => Type === 'AWS::Lambda::Function' && Metadata?.['aws:asset:path']);
  return new Map(
    functions.map(({ Metadata = {} }) => [String(Metadata['aws:cdk:path']).split('/').at(-2) ?? '', String(Metadata['aws:asset:path'])]),
  );
};

const copyStack = async (from: string, to: string): Promise<void> => {
  await mkdir(to);
  const files = (await readdir(from, { withFileTypes: true })).filter((entry) => entry.isFile() && entry.name.endsWith('.json'));
  for (const { name } of files) await cp(join(from, name), join(to, name));
};

const writeBundles = async (
  directory: string,
  folders: ReadonlyMap<string, string>,
  bundles: ReadonlyMap<FunctionName, Uint8Array>,
): Promise<void> => {
  for (const [name, contents] of bundles) {
    const folder = join(directory, folders.get(name) ?? name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'index.mjs'), contents);
  }
};

/** Functions that are not broken are loaded from one place, so that a hundred mutants do not fill the memory with copies of them. */
const linkRest = async (from: string, to: string, paths: readonly string[]): Promise<void> => {
  for (const path of paths) await symlink(join(from, path), join(to, path));
};

/** Sets up a folder outside the tree. Whatever others build meanwhile, all copies are of the stack and the code as they are now. */
export const openWorkshop = async (): Promise<Workshop> => {
  const deployed = await assemble();
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-mutants-'));
  const whole = join(folder, 'whole');
  await copyStack(deployed, whole);
  const { bundles, sources, metafile } = await bundleWhole();
  const folders = await foldersIn(whole);
  await writeBundles(whole, folders, bundles);
  const directoryOf = (name: string): string => join(folder, name.replaceAll(/\W+/g, '-'));
  /** A copy of a stack with these bundles, and the whole ones for the other functions. */
  const copyWith = async (name: string, stack: string, broken: ReadonlyMap<FunctionName, Uint8Array>): Promise<string> => {
    const directory = directoryOf(name);
    await copyStack(stack, directory);
    const rest = [...folders].filter(([owner]) => !broken.has(owner as FunctionName)).map(([, path]) => path);
    await linkRest(whole, directory, rest);
    await writeBundles(directory, folders, broken);
    return directory;
  };
  return {
    whole,
    breakCode: async (name, edits) => {
      if (edits.every(({ file }) => !file.startsWith('lib/'))) return copyWith(name, whole, await bundleBroken(edits, sources));
      const home = directoryOf(`stack of ${name}`);
      const broken = await copyWith(name, await synthesizeBroken(home, edits), new Map());
      await rm(home, { recursive: true });
      return broken;
    },
    replaceCode: async (name, instead) => copyWith(name, whole, await bundleInstead(instead)),
    putBeside: async (builds, counting) => copyWith('beside', whole, await bundlePlugged(besidePlugin(builds, metafile, counting))),
    discard: (name) => rm(directoryOf(name), { recursive: true, force: true }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
};

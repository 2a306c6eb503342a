import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Drawn } from './draw.ts';
import { filesBelow } from './instrument.ts';
import type { World } from './reach.ts';

const root = dirname(dirname(dirname(import.meta.dirname)));

/** What became of a mutant. One that does not bundle, or whose stack cannot be synthesized, was never in a world. */
export type Fate =
  | { readonly kind: 'killed'; readonly worlds: number; readonly by: World; readonly broken: readonly string[] }
  | { readonly kind: 'survived'; readonly worlds: number }
  | { readonly kind: 'not reached' }
  | { readonly kind: 'not built'; readonly why: string };

/** A drawn mutant, the worlds that run its code, in the order in which they are played, and what became of it so far. */
export type Entry = Drawn & { readonly reachedBy: readonly World[]; fate?: Fate };

/** A sample with all that is known of it. It holds for one state of the code, of the worlds and of the judge. */
export type Sample = { readonly code: string; readonly entries: readonly Entry[] };

/** All that a verdict follows from. */
const folders = ['core', 'aws', 'functions', 'lib', 'sandbox', 'test/sim'];

export const digestOfCode = async (): Promise<string> => {
  const hash = createHash('sha256');
  for (const file of (await Promise.all(folders.map(filesBelow))).flat().toSorted()) hash.update(file).update(await readFile(join(root, file)));
  return hash.digest('hex');
};

const fileOf = (count: number, seed: number): string => join(root, '.mutants', `generated-${count}-${seed}.json`);

export const readSample = async (count: number, seed: number, code: string): Promise<Sample | undefined> => {
  try {
    const sample: Sample = JSON.parse(await readFile(fileOf(count, seed), 'utf8'));
    return sample.code === code ? sample : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

export const writeSample = async (count: number, seed: number, sample: Sample): Promise<void> => {
  await mkdir(join(root, '.mutants'), { recursive: true });
  await writeFile(fileOf(count, seed), JSON.stringify(sample, null, 1));
};

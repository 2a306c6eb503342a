import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join, posix } from 'node:path';
import { edited } from './break-code.ts';
import { type Edit, editsOf } from './mutant.ts';

type Broken = Edit & { readonly name: string; readonly also?: readonly Edit[] };

const root = dirname(dirname(import.meta.dirname));
const folders = ['core', 'aws', 'functions', 'lib'];

/** What breaks code may leave a name without a user. All other rules of types are those of the tree. */
const tsconfig = { extends: join(root, 'tsconfig.json'), include: folders, exclude: [] };

const copyOf = (file: string, index: number): string => file.replace(/\.ts$/, `.broken-${index}.ts`);

const importOf = (from: string, file: string): string => {
  const path = posix.relative(posix.dirname(from), file);
  return path.startsWith('.') ? path : `./${path}`;
};

/** The source of an edited file beside the tree's. What the same breakage edits elsewhere is imported from its copy. */
const copied = async (file: string, edits: readonly Edit[], index: number): Promise<string> => {
  const others = new Set(edits.map((edit) => edit.file).filter((other) => other !== file));
  const source = await edited(
    file,
    edits.filter((edit) => edit.file === file),
  );
  return [...others].reduce((text, other) => text.replaceAll(`'${importOf(file, other)}'`, `'${importOf(file, copyOf(other, index))}'`), source);
};

const writeCopies = async (scratch: string, breakages: readonly Broken[]): Promise<void> => {
  for (const [index, breakage] of breakages.entries()) {
    const edits = editsOf(breakage);
    for (const file of new Set(edits.map((edit) => edit.file))) await writeFile(join(scratch, copyOf(file, index)), await copied(file, edits, index));
  }
};

const check = (scratch: string): Promise<string> =>
  new Promise((done) => {
    execFile(join(root, 'node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false'], { cwd: scratch, maxBuffer: 2 ** 26 }, (_, out) => done(out));
  });

const faultIn = /^(?<file>\S+)\.broken-(?<index>\d+)\.ts\(\d+,\d+\): (?<what>.*)$/;

/**
 * What the compiler says against breakages, by their names: code that names what is gone throws at once, and every run would seem to catch it.
 * Each is compiled as a copy beside the tree's own sources, all of them in one program.
 * @throws when an edit finds its text not exactly once.
 */
export const typeFaults = async (breakages: readonly Broken[]): Promise<ReadonlyMap<string, readonly string[]>> => {
  const scratch = await mkdtemp(join(tmpdir(), 'holdfast-typed-'));
  try {
    for (const folder of folders)
      await cp(join(root, folder), join(scratch, folder), { recursive: true, filter: (path) => ['', '.ts'].includes(extname(path)) });
    await symlink(join(root, 'node_modules'), join(scratch, 'node_modules'));
    await writeFile(join(scratch, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(scratch, 'tsconfig.json'), JSON.stringify(tsconfig));
    await writeCopies(scratch, breakages);
    const found = (await check(scratch)).split('\n').flatMap((line) => {
      const { file, index, what } = faultIn.exec(line)?.groups ?? {};
      const name = breakages[Number(index)]?.name;
      return name === undefined ? [] : [{ name, text: `${file}.ts: ${what}` }];
    });
    return new Map([...Map.groupBy(found, ({ name }) => name)].map(([name, list]) => [name, list.map(({ text }) => text)]));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};

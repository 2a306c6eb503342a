import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

export const root = join(import.meta.dirname, '..', '..');
export const folders = ['core', 'aws', 'functions'];
/** Beside the folders: what reads a union elsewhere. */
const readers = ['cli/reason-text.ts', 'cli/time.ts', 'lib/signal-rules.ts', 'lib/signals.ts', 'test/react/event-samples.ts'];

/** A copy of the code that decides and acts, in which a union gets one more member. */
export const createScratch = () => {
  const house = mkdtempSync(join(tmpdir(), 'holdfast-unions-'));
  for (const folder of folders) cpSync(join(root, folder), join(house, folder), { recursive: true });
  for (const file of readers) cpSync(join(root, file), join(house, file));
  cpSync(join(root, 'package.json'), join(house, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as { compilerOptions: object };
  writeFileSync(join(house, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [...folders, ...readers] }));
  return {
    house,
    /** Replaces a text that occurs once. */
    edit: (file: string, from: string, to: string): void => {
      const text = readFileSync(join(house, file), 'utf8');
      expect(text.split(from)).toHaveLength(2);
      writeFileSync(join(house, file), text.replace(from, to));
    },
    write: (file: string, text: string): void => writeFileSync(join(house, file), text),
    load: (file: string) => import(join(house, file)),
    /** The files that do not compile, each once. */
    filesWithErrors: (): readonly string[] => {
      const { stdout } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', '.', '--pretty', 'false'], { cwd: house, encoding: 'utf8' });
      return [...new Set([...stdout.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, file]) => file ?? ''))].sort();
    },
    remove: (): void => rmSync(house, { recursive: true, force: true }),
  };
};

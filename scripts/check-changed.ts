import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

type Result = { readonly name: string; readonly ok: boolean; readonly output: string; readonly seconds: number };

/** Runs a program to its end and keeps its output. */
const run = (name: string, command: string, ...args: readonly string[]): Promise<Result> =>
  new Promise((resolve, reject) => {
    const startedMs = Date.now();
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ name, ok: code === 0, output, seconds: (Date.now() - startedMs) / 1_000 }));
  });

const git = (...args: readonly string[]): readonly string[] => {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr.trim()}`);
  return stdout.split('\n').filter((line) => line !== '');
};

/** Files that differ from a commit: committed since, staged, in the working tree, or new. */
const changedSince = (base: string): readonly string[] =>
  [...new Set([...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')])].filter((file) => existsSync(file));

const base = process.argv[2] ?? 'HEAD';
const changed = changedSince(base).filter((file) => !file.startsWith('test/lint-fixtures/'));
const sources = changed.filter((file) => /\.(ts|mjs)$/.test(file));
const linted = changed.filter((file) => /\.(ts|mjs|json)$/.test(file));
console.log(`${changed.length} files changed since ${base}.`);

const results = await Promise.all([
  run('types', 'tsc', '-p', '.'),
  ...(linted.length === 0 ? [] : [run('lint', 'biome', 'check', '--error-on-warnings', '--no-errors-on-unmatched', ...linted)]),
  run('tests', 'vitest', 'related', '--run', '--passWithNoTests', '--config', 'vitest.quick.config.ts', 'test/house/style.test.ts', ...sources),
]);
for (const { name, ok, output, seconds } of results)
  console.log(`\n=== ${name}: ${ok ? 'passed' : 'FAILED'} in ${seconds.toFixed(1)} s${ok && name !== 'tests' ? '' : `\n${output.trimEnd()}`}`);
if (results.some(({ ok }) => !ok)) process.exitCode = 1;

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const fixtures = join(root, 'test', 'lint-fixtures');
const biome = join(root, 'node_modules', '.bin', 'biome');

type Diagnostic = { readonly severity: string; readonly category: string; readonly location: { readonly path: string } };

/** Each fixture lies where the rule that it breaks applies, and its first line names that rule (or `nothing`). */
const cases = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .map((path) => ({
    path,
    expected: /^\/\/ expects (\S+)/.exec(readFileSync(join(fixtures, path), 'utf8'))?.[1] ?? 'a first line that says what it expects',
  }));

/** The fixtures are linted as a house of their own, under the very configuration of this one, which leaves them out. */
const lintFixtures = (house: string): readonly Diagnostic[] => {
  cpSync(fixtures, house, { recursive: true });
  for (const file of ['biome.json', 'package.json', 'scripts/no-math-random.grit', 'scripts/no-promise-all.grit'])
    cpSync(join(root, file), join(house, file));
  const { stdout } = spawnSync(biome, ['lint', '.', '--max-diagnostics=none', '--reporter=json'], { cwd: house, encoding: 'utf8' });
  return (JSON.parse(stdout) as { diagnostics: readonly Diagnostic[] }).diagnostics;
};

describe('the house rules', () => {
  let house: string;
  let diagnostics: readonly Diagnostic[];

  beforeAll(() => {
    house = mkdtempSync(join(tmpdir(), 'holdfast-lint-'));
    diagnostics = lintFixtures(house);
  });
  afterAll(() => rmSync(house, { recursive: true, force: true }));

  test.each(cases)('$path is caught by $expected', ({ path, expected }) => {
    const found = diagnostics.filter(({ location }) => location.path === path);
    expect([...new Set(found.map(({ category }) => category))]).toEqual(expected === 'nothing' ? [] : [expected]);
    expect(found.every(({ severity }) => severity === 'error')).toBe(true);
  });

  test('each folder with import rules has a file that breaks them and a file that keeps them', () => {
    const broken = new Set(cases.filter(({ expected }) => expected === 'lint/style/noRestrictedImports').map(({ path }) => path.split('/')[0]));
    const kept = new Set(cases.filter(({ expected }) => expected === 'nothing').map(({ path }) => path.split('/')[0]));
    expect([...broken].sort()).toEqual(['assembly', 'aws', 'bin', 'cli', 'core', 'functions', 'lib', 'sandbox', 'scripts']);
    expect([...kept].sort()).toEqual(['assembly', 'aws', 'cli', 'core', 'functions', 'lib', 'sandbox']);
  });
});

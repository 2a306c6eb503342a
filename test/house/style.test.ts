import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forbidden, isLong, longLines, phrasesIn } from './style.ts';

const root = join(import.meta.dirname, '..', '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** They quote the phrases that they forbid. */
const quoting = ['docs/style.md', 'CHANGELOG.md', 'test/house/style.ts', 'test/house/style.test.ts'];
const isProduct = (file: string): boolean => /^(core|functions|aws|lib|cli)\/.*\.ts$/.test(file);
const isText = (file: string): boolean => /\.(ts|mjs|md)$/.test(file) && !quoting.includes(file);

describe('lines of product code', () => {
  test('have at most 120 columns, unless they hold only a URL', () => {
    expect(files.filter(isProduct).flatMap((file) => longLines(file, read(file)))).toEqual([]);
  });

  test('are found when they are longer', () => {
    expect(longLines('core/planted.ts', `const a = 1;\nconst b = '${'x'.repeat(120)}';`)).toEqual(['core/planted.ts:2: 133 columns']);
    expect(longLines('core/planted.ts', `  'https://docs.aws.amazon.com/${'x'.repeat(120)}',`)).toEqual([]);
  });
});

test('product files have at most 250 lines', () => {
  expect(files.filter(isProduct).filter((file) => isLong(read(file)))).toEqual([]);
  expect([250, 251].map((lines) => isLong('a\n'.repeat(lines)))).toEqual([false, true]);
});

describe('what people read', () => {
  test('holds no phrase of the list', () => {
    expect(files.filter(isText).flatMap((file) => phrasesIn(file, read(file)))).toEqual([]);
  });

  test.each(forbidden.map(({ example, instead }) => [example, instead]))('does not hold "%s"', (example, instead) => {
    expect(phrasesIn('docs/planted.md', `Before.\n${example}\nAfter.`)).toEqual([expect.stringContaining(`docs/planted.md:2: "`)]);
    expect(phrasesIn('docs/planted.md', example)[0]).toContain(instead);
    expect(phrasesIn('core/planted.ts', `/** ${example} */`)).toHaveLength(1);
    expect(phrasesIn('test/planted.test.ts', `test('${example.replaceAll("'", '’')}', () => {});`)).toHaveLength(1);
  });
});

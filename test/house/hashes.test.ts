import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).trim();

/** Abbreviated hashes of commits in a text. Eight digits without a letter are the seed of a world. */
const hashesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([0-9a-f]{8,40})`/g)].flatMap(([, hash = '']) => (/[a-f]/.test(hash) && /[0-9]/.test(hash) ? [hash] : []));

/** Why the history is not all here. Undefined where it is. */
const lacking = ((): string | undefined => {
  try {
    return git('rev-parse', '--is-shallow-repository') === 'true' ? 'the clone is shallow' : undefined;
  } catch {
    return 'this folder is no clone';
  }
})();

test('hashes of commits are told from seeds and words', () => {
  expect(hashesIn('`11310063` broke on `5206927b`, see `deadbeef` and 96d41805')).toEqual(['5206927b']);
});

test.skipIf(lacking)(`commits that the documentation names are in the history${lacking ? ` (not checked: ${lacking})` : ''}`, () => {
  const commits = git('rev-list', 'HEAD').split('\n');
  const pages = git('ls-files', '*.md').split('\n');
  const unknown = pages.flatMap((page) =>
    hashesIn(readFileSync(join(root, page), 'utf8'))
      .filter((hash) => !commits.some((commit) => commit.startsWith(hash)))
      .map((hash) => `${page}: ${hash}`),
  );
  expect(unknown).toEqual([]);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBreakages } from './of-file.ts';

describe('a file of mutants', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-mine-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const read = async (text: string) => {
    const path = join(folder, 'mine.json');
    await writeFile(path, text);
    return readBreakages(path);
  };
  const mutant = { name: 'one', file: 'core/decide/surplus.ts', from: 'a', to: '' };

  it('is a list of edits, with further ones where both together break the code', async () => {
    const also = [{ file: 'core/pool/price.ts', from: 'b', to: 'c' }];
    await expect(read(JSON.stringify([mutant, { ...mutant, name: 'two', also }]))).resolves.toEqual([mutant, { ...mutant, name: 'two', also }]);
  });
  it.each([
    ['no JSON', '{', /is not JSON.*Expected a list like/s],
    ['no list', '{}', /expected array.*Expected a list like/s],
    ['an empty list', '[]', /Expected a list like/],
    ['an edit without its text', JSON.stringify([{ ...mutant, from: undefined }]), /from/],
    ['an unknown field', JSON.stringify([{ ...mutant, form: 'x' }]), /"form"/],
    ['one name twice', JSON.stringify([mutant, mutant]), /a name of its own/],
  ])('is rejected with what was expected: %s', async (_what, text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

import { transform } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditSituations } from '../sim/audit/situations.ts';
import { putBacks } from './audit/put-backs.ts';
import { survivors } from './audit/survivors.ts';
import { bundleWhole, edited, type Sources } from './break-code.ts';
import { mutants } from './list.ts';
import { editsOf } from './mutant.ts';
import { runs } from './runs.ts';

describe('mutants', () => {
  let sources: Sources;
  beforeAll(async () => {
    ({ sources } = await bundleWhole());
  });

  it('are two dozen at least, each under a name of its own', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(24);
    const names = [...mutants, ...putBacks, ...survivors].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([...mutants, ...putBacks, ...survivors])('$name: changes code that deploys, and what comes of it is code', async (mutant) => {
    for (const [file, edits] of Map.groupBy(editsOf(mutant), (edit) => edit.file)) {
      expect([...sources.values()].some((files) => files.has(file))).toBe(true);
      const source = await edited(file, edits);
      await expect(transform(source, { loader: 'ts' })).resolves.toBeDefined();
    }
  });

  it('of the audit are each shown by a situation of the audit', () => {
    expect(putBacks.filter(({ situation }) => !Object.hasOwn(auditSituations, situation)).map(({ name }) => name)).toEqual([]);
  });

  it('all go through runs that exist, and no run is for nothing', () => {
    const used = new Set(mutants.flatMap(({ caughtBy }) => caughtBy));
    expect(Object.keys(runs).filter((run) => !used.has(run as keyof typeof runs))).toEqual([]);
  });
});

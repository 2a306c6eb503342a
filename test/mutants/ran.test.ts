import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Edit } from './mutant.ts';
import { counted, whatRan } from './ran.ts';

const root = join(import.meta.dirname, '..', '..');
const file = 'core/units/percentage.ts';

const countersOf = async (edit: Edit): Promise<readonly string[] | undefined> => (await counted([[edit]])).countersOf([edit]);

describe('counters of what a breakage changes', () => {
  it('are those within the change', async () => {
    const edit = { file: 'core/decide/strays.ts', from: 'if (!isOld || isKept) return [];', to: 'if (isKept) return [];' };
    const counters = await countersOf(edit);
    expect(counters).toBeDefined();
    expect(counters?.length).toBeGreaterThan(0);
  });

  it('are in the same function as the change, since a function is made in other worlds than it is called in', async () => {
    // Nothing within this function is counted, and the list around it is made as the file is loaded.
    const edit = { file: 'core/drain/targets.ts', from: 'namedTargetGroups(group).length,', to: 'namedTargetGroups(group).length + 3,' };
    expect(await countersOf(edit)).toBeUndefined();
  });

  it('are unknown where code runs as it is loaded', async () => {
    expect(await countersOf({ file: 'core/drain/look.ts', from: 'const settleMs = 1_000;', to: 'const settleMs = 10_000;' })).toBeUndefined();
  });

  it('are in the code as it is, for all files but those of the stack', async () => {
    const { sources } = await counted([
      [
        { file, from: 'export', to: 'export ' },
        { file: 'lib/drain-workflow.ts', from: 'x', to: 'y' },
      ],
    ]);
    expect([...sources.keys()]).toEqual([file]);
    expect(sources.get(file)).not.toBe(await readFile(join(root, file), 'utf8'));
  });

  it('are told for each world on its own', async () => {
    const shared = globalThis as { __stryker__?: { currentTestId?: string; mutantCoverage?: { perTest: Record<string, Record<string, number>> } } };
    const run = (counter: string) => async (): Promise<void> => {
      const counters = shared.__stryker__ ?? {};
      counters.mutantCoverage ??= { perTest: {} };
      counters.mutantCoverage.perTest[counters.currentTestId ?? ''] = { [counter]: 1 };
    };
    expect((await whatRan(run('7')))[1]).toEqual(['7']);
    expect((await whatRan(run('8')))[1]).toEqual(['8']);
    expect((await whatRan(async () => undefined))[1]).toEqual([]);
  });
});

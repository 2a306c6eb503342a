import { Session } from 'node:inspector/promises';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { countAt, countsOf, sourceFinder } from './blocks.ts';
import { everyReason, reasonsIn } from './codes.ts';
import { createLedger, ranIn } from './ledger.ts';

const range = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });
const ran = (...ranges: ReturnType<typeof range>[]) => ({ functionName: '', isBlockCoverage: true, ranges });

describe('counts of a script', () => {
  it('are those of the innermost range, and of the outer one behind it', () => {
    const counts = countsOf([ran(range(0, 100, 1)), ran(range(10, 60, 5), range(20, 30, 0), range(40, 50, 3))]);
    expect([0, 9, 10, 19, 20, 29, 30, 40, 50, 59, 60, 99].map((offset) => countAt(counts, offset))).toEqual([1, 1, 5, 5, 0, 0, 5, 3, 5, 5, 1, 1]);
  });

  it('keep apart what ends where the next begins', () => {
    const counts = countsOf([ran(range(0, 40, 2), range(10, 20, 0), range(20, 30, 1))]);
    expect([10, 20, 30].map((offset) => countAt(counts, offset))).toEqual([0, 1, 2]);
  });
});

const place = (offset: number) => ({ file: 'core/a.ts', line: 1, column: offset + 1 });

describe('the ledger', () => {
  it('looks up what one run reports in every other', () => {
    const scripts = [{ url: 'file:///a.mjs', placeOf: place }];
    const ledger = createLedger(scripts);
    // V8 says nothing of the block at 10 in the second run: it ran as often as what is around it.
    ledger.add('one', ranIn(scripts, [{ scriptId: '1', url: 'file:///a.mjs', functions: [ran(range(0, 40, 1), range(10, 20, 0))] }]));
    ledger.add('two', ranIn(scripts, [{ scriptId: '1', url: 'file:///a.mjs', functions: [ran(range(0, 40, 3))] }]));
    expect([...ledger.places()]).toEqual(['core/a.ts:1:1', 'core/a.ts:1:11']);
    expect([...ledger.reached('one')]).toEqual(['core/a.ts:1:1']);
    expect([...ledger.reached('two')]).toEqual(['core/a.ts:1:1', 'core/a.ts:1:11']);
    expect([...ledger.reached('nobody')]).toEqual([]);
  });

  it('counts a place once, in however many bundles it lies', () => {
    const scripts = ['file:///a.mjs', 'file:///b.mjs'].map((url) => ({ url, placeOf: () => place(0) }));
    const ledger = createLedger(scripts);
    ledger.add('one', ranIn(scripts, [{ scriptId: '2', url: 'file:///b.mjs', functions: [ran(range(7, 9, 1))] }]));
    expect(ledger.places().size).toBe(1);
    expect(ledger.reached('one').size).toBe(1);
  });
});

describe('what ran of a script', () => {
  it('leaves out functions that come from elsewhere', () => {
    const scripts = [{ url: 'file:///a.mjs', placeOf: (offset: number) => (offset >= 50 ? undefined : place(offset)) }];
    const functions = [ran(range(0, 100, 1)), ran(range(10, 20, 3)), ran(range(60, 70, 2))];
    const found = ranIn(scripts, [
      { scriptId: '1', url: 'file:///a.mjs', functions },
      { scriptId: '2', url: 'file:///sdk.mjs', functions },
    ]);
    expect(Object.keys(found)).toEqual(['file:///a.mjs']);
    expect(found['file:///a.mjs']?.starts).toEqual([0, 10]);
  });
});

describe('places of a bundle', () => {
  it('are found in the sources that are measured, branch by branch, with what ran of them', async () => {
    const contents = 'export const pick = (n: number): string => {\n  if (n > 3) return "many";\n  return n === 0 ? "none" : "few";\n};\n';
    const { outputFiles } = await build({
      stdin: { contents, sourcefile: 'core/pick.ts', loader: 'ts' },
      format: 'esm',
      sourcemap: 'external',
      outfile: 'pick.mjs',
      write: false,
    });
    const [map = '{}', code = ''] = outputFiles.map(({ text }) => text);
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    const url = `data:text/javascript,${encodeURIComponent(code)}`;
    const { pick } = (await import(/* @vite-ignore */ url)) as { pick: (n: number) => string };
    expect([pick(0), pick(1)]).toEqual(['none', 'few']);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    session.disconnect();
    const scripts = [{ url, placeOf: sourceFinder(code, JSON.parse(map), ['core']) }];
    const ledger = createLedger(scripts);
    ledger.add('here', ranIn(scripts, result));
    const missed = [...ledger.places()].filter((one) => !ledger.reached('here').has(one));
    expect(missed).toEqual(['core/pick.ts:2:14']);
  });

  it('are none where the source is not measured', () => {
    const map = { version: 3, file: 'a.mjs', sources: ['../node_modules/x.js'], sourcesContent: [], names: [], mappings: 'AAAA', sourceRoot: '' };
    expect(sourceFinder('x', map, ['core'])(0)).toBeUndefined();
  });
});

describe('reasons', () => {
  it('are found where stored items and events hold them, by their kind', () => {
    const decisions = [
      {
        causes: [{ code: 'alarm' }],
        rounds: [{ rejected: [{ code: 'at-cap' }], removals: [{ why: { code: 'surplus' } }] }],
        outcome: { code: 'carried-out' },
      },
    ];
    const swaps = [{ reason: 'hook', shortfall: { code: 'still-draining' } }];
    const detail = { instances: ['i-1'], shortfalls: [{ code: 'still-in-service', awsCode: 'AccessDenied' }] };
    const events = [{ kind: 'announced', atMs: 1, detailType: 'Holdfast Drain Finished', detail }];
    const played = { evidence: { decisions, swaps }, history: { events } };
    const found = [...reasonsIn(played as never)].toSorted();
    expect(found).toEqual([
      'against: at-cap',
      'causes: alarm',
      'leaving: hook',
      'outcomes: carried-out',
      'removals: surplus',
      'shortfalls: still-draining',
      'shortfalls: still-in-service',
    ]);
    expect(everyReason).toEqual(expect.arrayContaining(found));
  });
});

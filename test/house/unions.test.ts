import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveReasons } from '../../core/leave-reason.ts';
import type { Swap } from '../../core/swap.ts';
import type { View } from '../../core/view.ts';
import { members } from '../core/members.ts';
import { nowMs, onDemandB, spotA, spotB, view } from '../core/views.ts';

const root = join(import.meta.dirname, '..', '..');
const folders = ['core', 'aws', 'functions'];

/** A copy of the code that decides and acts, in which a union gets one more member. */
const createScratch = () => {
  const house = mkdtempSync(join(tmpdir(), 'holdfast-unions-'));
  for (const folder of folders) cpSync(join(root, folder), join(house, folder), { recursive: true });
  cpSync(join(root, 'package.json'), join(house, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as { compilerOptions: object };
  writeFileSync(join(house, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: folders }));
  return {
    house,
    /** Replaces a text that occurs once. */
    edit: (file: string, from: string, to: string): void => {
      const text = readFileSync(join(house, file), 'utf8');
      expect(text.split(from)).toHaveLength(2);
      writeFileSync(join(house, file), text.replace(from, to));
    },
    /** The files that do not compile, each once. */
    filesWithErrors: (): readonly string[] => {
      const { stdout } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', '.', '--pretty', 'false'], { cwd: house, encoding: 'utf8' });
      return [...new Set([...stdout.matchAll(/^(\S+)\(\d+,\d+\): error/gm)].map(([, file]) => file ?? ''))].sort();
    },
    remove: (): void => rmSync(house, { recursive: true, force: true }),
  };
};

describe('a reason to leave that is new', () => {
  let scratch: ReturnType<typeof createScratch>;
  beforeAll(() => {
    scratch = createScratch();
  });
  afterAll(() => scratch.remove());

  const table = 'core/leave-reason.ts';

  it('would not be forgotten by a comparison: nothing compares a reason with one of the names', () => {
    const names = Object.keys(leaveReasons).join('|');
    const compares = new RegExp(`\\breason (===|!==) '(${names})'`);
    const files = folders.flatMap((folder) => globSync(join(root, folder, '**/*.ts')));
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => compares.test(readFileSync(file, 'utf8')))).toEqual([]);
  });

  const row = [
    '  retired: {',
    "    endedBy: 'holdfast',",
    '    isReplaced: true,',
    '    waitsForSurge: true,',
    '    isAdvice: false,',
    '    isAnnounced: true,',
    '    isMove: false,',
    "    withdrawnWhen: 'never',",
    '  },',
    '  rebalance: {',
  ].join('\n');

  it('needs one row: the compiler names its place, and no other', { timeout: 60_000 }, () => {
    scratch.edit(table, "  | 'rebalance'\n", "  | 'rebalance'\n  | 'retired'\n");
    expect(scratch.filesWithErrors()).toEqual([table]);
    scratch.edit(table, '  rebalance: {', row);
    expect(scratch.filesWithErrors()).toEqual([]);
  });

  it('leaves then: it is claimed, read back, waits for its replacement, and begins', async () => {
    const load = (file: string) => import(join(scratch.house, file));
    const [{ claimAll }, { leaveReason }, { decide }, { bind }, { kindOf }] = await Promise.all(
      ['functions/react/claims.ts', 'aws/state/shapes.ts', 'core/decide.ts', 'core/group-state/binding.ts', 'core/swap-life/drain-kind.ts'].map(load),
    );
    const ten = [...members(spotA, 5), ...members(spotB, 5)];
    const { swaps } = (await claimAll([{ instance: 'spot-a#1', reason: 'retired', atMs: nowMs }], [], {
      store: { claim: async () => ({ kind: 'claimed' }) },
      group: 'web',
      nowMs,
      decision: 'd-1',
      drainFor: () => expect.unreachable('no drain is ordered yet'),
      members: new Map(ten.map((member) => [member.instance, member])),
      asgs: new Set(),
      ended: new Set(),
    })) as { readonly swaps: readonly Swap[] };
    expect(swaps).toMatchObject([{ reason: 'retired', state: 'waiting', warnedAtMs: nowMs }]);
    expect(leaveReason('retired')).toBeUndefined();
    expect(leaveReason('retried')).toBeDefined();

    const before: View = view({ members: ten, swaps });
    expect(decide(before)).toMatchObject({ placements: [{ count: 1 }], drains: [] });
    expect(bind(decide(before), before, { decision: 'd-1', round: 0, leaseMs: 35_000 }).fresh).toMatchObject([{ replaces: ['spot-a#1'] }]);
    expect(decide({ ...before, members: [...ten, ...members(onDemandB, 1)] })).toMatchObject({ placements: [], drains: ['spot-a#1'] });
    expect(swaps.map(kindOf)).toEqual(['mend']);
  });
});

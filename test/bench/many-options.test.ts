import { describe, expect, test } from 'vitest';
import { manyOptions } from '../../bench/many-options.ts';
import { OptionError } from '../../scripts/command-line.ts';

describe('the options of storms over many groups', () => {
  test('name one storm', () => {
    const usual = { groups: 40, members: 15, case: 'zone', held: 'mixed', concurrency: 1_000, seed: 1 };
    expect(manyOptions(['--groups', '40', '--members', '15'])).toEqual({ storm: usual, calls: false, hold: false });
    const all = ['--groups=40', '--members=15', '--case=all', '--held=tag', '--concurrency=10', '--seed=2', '--hold'];
    expect(manyOptions(all)).toEqual({ storm: { ...usual, case: 'all', held: 'tag', concurrency: 10, seed: 2 }, calls: false, hold: true });
  });

  test('without a size select the published table', () => {
    expect(manyOptions(['--calls'])).toEqual({ calls: true, hold: false });
  });

  test('of one storm are refused without a size: they would have no effect', () => {
    expect(() => manyOptions(['--case', 'all', '--seed', '2', '--hold'])).toThrow(OptionError);
    expect(() => manyOptions(['--case', 'all', '--seed', '2', '--hold'])).toThrow(/^--case, --seed: expected --groups and --members too/);
    expect(() => manyOptions(['--concurrency=10'])).toThrow(/^--concurrency: /);
  });
});

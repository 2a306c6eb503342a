import { describe, expect, test } from 'vitest';
import { readTracesOptions } from '../../bench/traces-options.ts';
import { policyName } from '../../bench/traces-rows.ts';

const read = (...args: string[]) => {
  const options = readTracesOptions(args);
  if (options === 'help') throw new Error('Expected options, found a question for help.');
  return options;
};

describe('the options of the bench of traces', () => {
  test('without any: every row of the table that the product can play, with two seeds', () => {
    const { rows, jobs, days, folder } = read();
    expect([jobs, days, folder]).toEqual([1, undefined, undefined]);
    expect(new Set(rows.map(({ seed }) => seed))).toEqual(new Set([1, 2]));
    expect(new Set(rows.map((row) => `${row.trace} ${row.drainS} ${policyName(row)}`)).size).toBe(rows.length / 2);
    expect(rows).toContainEqual({ trace: 'aws-2', members: 4, tree: 'spread', spare: 0, prices: 'flat', drainS: 30, seed: 2 });
    expect(rows).toContainEqual({ trace: 'h100', members: 4, tree: 'cheapest', spare: 0, prices: 'trace', drainS: 0, seed: 1 });
  });

  test('choose among the rows, and set what else is played', () => {
    const { rows, ...rest } = read(
      '--trace',
      'aws-1',
      '--policy',
      'spread',
      '--drain',
      '30',
      '--seed',
      '7',
      '--members',
      '16',
      '--days',
      '0.5',
      '--jobs',
      '2',
      '--traces',
      'here',
    );
    expect(rows).toEqual([{ trace: 'aws-1', members: 16, tree: 'spread', spare: 0, prices: 'flat', drainS: 30, seed: 7 }]);
    expect(rest).toEqual({ days: 0.5, jobs: 2, folder: 'here' });
  });

  test('are help when --help is given', () => {
    expect(readTracesOptions(['--help'])).toBe('help');
  });

  test.each([
    [['--trace', 'aws-9'], /^--trace: expected aws-1 or aws-2 or aws-3 or h100, found "aws-9"\.$/],
    [['--drain', '20'], /^--drain: expected 0 or 30, found "20"\.$/],
    [['--seed', '0'], /^--seed: expected a whole number of at least 1, found "0"\.$/],
    [['--members', 'four'], /^--members: expected a whole number of at least 1, found "four"\.$/],
    [['--jobs', ''], /^--jobs: expected a whole number of at least 1, found ""\.$/],
    [['--days=-1'], /^--days: expected a number above 0, found "-1"\.$/],
    [['--day', '1'], /Unknown option --day\. Did you mean --days\?.*--days N/s],
    [['--trace', 'h100', '--drain', '30'], /^No row of the table is all of this\. There are:\n--trace aws-1 --policy "spread" --drain 0\n/],
  ])('are refused: %j', (args, message) => {
    expect(() => readTracesOptions(args)).toThrow(message);
  });
});

import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { atLeastOne, atLeastZero, atMost, helpOfCommand, needs, OptionError, oneOf, readCommand } from '../../scripts/command-line.ts';

const command = {
  name: 'npm run play',
  does: 'Plays worlds.',
  examples: ['--worlds 3    three of them'],
  options: {
    worlds: { type: 'string', default: '20', value: 'N', help: 'so many worlds' },
    trace: { type: 'boolean', default: false, help: 'prints their traces' },
  },
} as const;

const help = [
  'npm run play -- [options]',
  '',
  'Plays worlds.',
  '',
  '  npm run play -- --worlds 3    three of them',
  '',
  '  --worlds N  so many worlds (20)',
  '  --trace     prints their traces',
  '  --help      prints this text',
].join('\n');

describe('the command line of a developer command', () => {
  test('has a help with one line for each option, and its default', () => {
    expect(helpOfCommand(command)).toBe(help);
    expect(readCommand(command, ['--help'])).toBe(help);
  });

  test('is read with the defaults of what it leaves out', () => {
    expect(readCommand(command, ['--trace'])).toEqual({ values: { worlds: '20', trace: true }, positionals: [] });
  });

  test('refuses an unknown option, with the nearest name and the help', () => {
    expect(() => readCommand(command, ['--world', '3'])).toThrow(new OptionError(`Unknown option --world. Did you mean --worlds?\n\n${help}`));
  });

  test('refuses words besides options, unless the command takes some', () => {
    expect(() => readCommand(command, ['14'])).toThrow(OptionError);
    expect(readCommand({ ...command, positionals: 'SEED' }, ['14'])).toMatchObject({ positionals: ['14'] });
  });

  test('refuses a value that is not valid, with what was expected and found', () => {
    expect(atLeastOne('worlds', '3')).toBe(3);
    expect(() => atLeastOne('worlds', '0')).toThrow(new OptionError('--worlds: expected a whole number above 0, found "0".'));
    expect(atLeastZero('from', '0')).toBe(0);
    expect(() => atLeastZero('from', '')).toThrow(new OptionError('--from: expected a whole number of 0 or more, found "".'));
    expect(atMost(100, 'often', 100)).toBe(100);
    expect(() => atMost(100, 'often', 150)).toThrow(new OptionError('--often: expected at most 100, found "150".'));
    expect(() => oneOf('pass', ['back', 'lost'], 'bakc')).toThrow(new OptionError('--pass: expected back, lost, found "bakc".'));
  });
});

describe('an option that has no effect without another one', () => {
  test('is refused where none of them is given', () => {
    expect(needs('often', { seeds: '3' })).toBeUndefined();
    expect(needs('profile', { seeds: undefined, slack: '3' })).toBeUndefined();
    const refused = new OptionError('--profile: has no effect without --seeds or --slack.');
    expect(() => needs('profile', { seeds: undefined, slack: undefined })).toThrow(refused);
  });
});

const root = join(import.meta.dirname, '..', '..');
const run = (file: string, ...args: string[]) =>
  new Promise<{ readonly code: number; readonly error: string }>((resolve) => {
    execFile(process.execPath, [join(root, file), ...args], { cwd: root }, (failure, _, error) =>
      resolve({ code: typeof failure?.code === 'number' ? failure.code : 0, error }),
    );
  });

describe.each([
  ['npm run sim', 'test/sim/run.ts'],
  ['npm run sim:mutants', 'test/mutants/run.ts'],
  ['npm run sim:coverage', 'test/sim/reach/run.ts'],
  ['npm run mutate:units', 'test/mutants/units/run.ts'],
])('%s', (name, file) => {
  test('names the unknown option, and prints its help, without a stack trace', async () => {
    const { code, error } = await run(file, '--sed', '3');
    expect({ code, lines: error.split('\n').slice(0, 3) }).toEqual({
      code: 2,
      lines: [expect.stringMatching(/^Unknown option --sed\./), '', expect.stringContaining(`${name} -- `)],
    });
  });
});

describe('npm run sim', () => {
  test.each([
    [['--often', 'outside:33'], '--often: has no effect without --seeds.'],
    [['--seeds', '1', '--often', 'outside:150'], '--often: expected at most 100, found "150".'],
    [['--profile', 'nope'], '--profile: has no effect without --seeds or --shrink SEED or --seed-twice or --slack.'],
    [['--profile', 'nope', '--shrink', '14'], '--profile: expected small, faulty, '],
    [['--always', 'zones', '--crash-points'], '--always: has no effect without '],
  ])('refuses %j', async (args, text) => {
    expect(await run('test/sim/run.ts', ...args)).toEqual({ code: 2, error: expect.stringContaining(text) });
  });
});

describe('scripts/draw-run.ts', () => {
  const draw = (...args: string[]) => run('scripts/draw-run.ts', ...args);
  test('says what is wrong with what it is given, without a stack trace', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-'));
    const write = async (name: string, text: string): Promise<string> => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const refused = async (...args: string[]) => {
      const { code, error } = await draw(...args);
      expect(code).toBe(2);
      expect(error).not.toMatch(/^\s+at /m);
      return error;
    };
    const svg = join(folder, 'run.svg');
    expect(await refused()).toContain('Give a report and the file to draw.');
    expect(await refused(join(folder, 'none.json'), svg)).toContain('cannot be read: ENOENT');
    expect(await refused(await write('text.json', 'no report'), svg)).toContain('is no JSON');
    expect(await refused(await write('other.json', '{}'), svg)).toContain('is no report of a scenario');
    const empty = await write('empty.json', '{"scenario":"calm","interruptions":[],"groups":[],"requests":{}}');
    expect(await refused(empty, svg)).toContain('Nothing was interrupted in calm');
  });
});

import { describe, expect, test } from 'vitest';
import { benchHelp, benchNamed, helpOf } from '../../bench/command-line.ts';
import { OptionError, optionsIn } from '../../scripts/command-line.ts';

const options = { groups: { type: 'string' }, calls: { type: 'boolean', default: false } } as const;
const read = (...args: string[]) => optionsIn(args, options, 'the help');

describe('the command line of the benches', () => {
  test('names each bench and its options in the help', () => {
    for (const name of Object.keys(benchHelp)) expect(helpOf()).toContain(`\n  ${name} `);
    expect(helpOf('many')).toContain('--concurrency N');
    expect(helpOf('many')).not.toContain('--minutes');
  });

  test('refuses a bench that there is not, with the nearest name and the help', () => {
    expect(benchNamed('large')).toBe('large');
    expect(() => benchNamed('larg')).toThrow(new OptionError(`Expected a bench, found "larg". Did you mean large?\n\n${helpOf()}`));
    expect(() => benchNamed('zzz')).toThrow(new OptionError(`Expected a bench, found "zzz".\n\n${helpOf()}`));
    expect(() => benchNamed('--hlp')).toThrow('Expected an option of all benches, found "--hlp". Did you mean --help?');
  });

  test('reads options, and refuses those that a bench does not have', () => {
    expect(read('--groups', '40', '--calls')).toEqual({ groups: '40', calls: true });
    expect(() => read('--group', '40')).toThrow(/Unknown option --group\. Did you mean --groups\?\n\nthe help$/s);
    expect(() => read('--members=40')).toThrow(/Unknown option --members\.\n\nthe help$/s);
    expect(() => read('--members=40')).not.toThrow(/Did you mean/);
    expect(() => read('40')).toThrow(OptionError);
  });
});

import { atLeastOne, OptionError, oneOf, optionsIn } from '../scripts/command-line.ts';
import { helpOf } from './command-line.ts';
import { type ManyStorm, manyCases } from './many-world.ts';
import { type HoldingName, holdings } from './storm-world.ts';

export const heldBy = ['mixed', ...holdings] as const satisfies readonly (HoldingName | 'mixed')[];

/** The options of `many`. `storm`: one storm. Absent: all storms of the published table. */
export type ManyOptions = { readonly storm?: ManyStorm; readonly calls: boolean; readonly hold: boolean };

/** Options of one storm: the published table has its own. */
const ofOneStorm = ['case', 'held', 'concurrency', 'seed'] as const;

/** @throws OptionError if an option is not valid, or if an option of one storm comes without a size */
export const manyOptions = (args: readonly string[]): ManyOptions => {
  const options = {
    calls: { type: 'boolean', default: false },
    hold: { type: 'boolean', default: false },
    groups: { type: 'string' },
    members: { type: 'string' },
    case: { type: 'string' },
    held: { type: 'string' },
    concurrency: { type: 'string' },
    seed: { type: 'string' },
  } as const;
  const { calls, hold, ...values } = optionsIn(args, options, helpOf('many'));
  if (values.groups === undefined && values.members === undefined) {
    const without = ofOneStorm.filter((name) => values[name] !== undefined);
    if (without.length === 0) return { calls, hold };
    const named = without.map((name) => `--${name}`).join(', ');
    throw new OptionError(`${named}: expected --groups and --members too, because the published table has storms of its own.\n\n${helpOf('many')}`);
  }
  const storm = {
    groups: atLeastOne('groups', values.groups ?? '10'),
    members: atLeastOne('members', values.members ?? '10'),
    case: oneOf('case', manyCases, values.case ?? 'zone'),
    held: oneOf('held', heldBy, values.held ?? 'mixed'),
    concurrency: atLeastOne('concurrency', values.concurrency ?? '1000'),
    seed: atLeastOne('seed', values.seed ?? '1'),
  };
  return { storm, calls, hold };
};

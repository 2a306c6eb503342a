import { expect, test } from 'vitest';
import { putBacks } from './audit/put-backs.ts';
import { survivors } from './audit/survivors.ts';
import { mutants } from './list.ts';
import { typeFaults } from './typed.ts';

const file = 'aws/providers/act-on.ts';
const gone = {
  name: 'names what is gone',
  file,
  from: 'const culprits = known.length === 0 ? rest : known;',
  to: 'const culprits = gone ? rest : known;',
};
const elsewhere = {
  name: 'imports what the same breakage adds elsewhere',
  file: 'core/decision/chosen-members.ts',
  from: "import type { Swap } from '../swap/swap.ts';",
  to: "import { added } from '../swap/kept-members.ts'; import type { Swap } from '../swap/swap.ts'; export const more: number = added;",
  also: [{ file: 'core/swap/kept-members.ts', from: 'export const seeKept', to: 'export const added = 1; export const seeKept' }],
};

test('every mutant and every fault that is put back compiles, so that it is caught for what it does', { timeout: 120_000 }, async () => {
  const faults = await typeFaults([gone, elsewhere, ...mutants, ...putBacks, ...survivors]);
  expect([...faults]).toEqual([[gone.name, [`${file}: error TS2304: Cannot find name 'gone'.`]]]);
});

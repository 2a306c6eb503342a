import type { RunName } from './runs.ts';

/** A piece of source text, and what is put in its place. It must occur exactly once in the file. */
export type Edit = { readonly file: string; readonly from: string; readonly to: string };

/** A small deliberate breakage of the real code, and the simulations of which one must notice it: the likeliest first. */
export type Mutant = Edit & {
  readonly name: string;
  /** Further edits, where the code guards the same thing twice and only both together break it. */
  readonly also?: readonly Edit[];
  readonly caughtBy: readonly [RunName, ...RunName[]];
};

/** A fault that an audit found in an earlier version, as an edit that puts it back into this one. */
export type PutBack = Edit & {
  readonly name: string;
  readonly also?: readonly Edit[];
  /** Name of the audit's situation (test/sim/audit) that shows it; random worlds must show it too. */
  readonly situation: string;
};

export const editsOf = ({ file, from, to, also = [] }: Edit & { readonly also?: readonly Edit[] }): readonly Edit[] => [{ file, from, to }, ...also];

import type { GroupState } from './view.ts';

/**
 * What we changed in Auto Scaling groups and must put back: maximum sizes that we raised, what attaching added to sizes
 * that others set, and processes that we suspended.
 */
export type Notes = Pick<GroupState, 'raised' | 'added' | 'suspended'>;

type Note = { readonly asg: string };

/** The notes of several states, in their order. */
export const allNotes = (of: readonly Notes[]): Required<Notes> => ({
  raised: of.flatMap(({ raised }) => raised),
  added: of.flatMap(({ added = [] }) => added),
  suspended: of.flatMap(({ suspended = [] }) => suspended),
});

/** The notes that pass. `kind`: what was changed. */
export const notesThat = (
  { raised, added = [], suspended = [] }: Notes,
  passes: (note: Note, kind: keyof Notes) => boolean,
): Required<Notes> => ({
  raised: raised.filter((note) => passes(note, 'raised')),
  added: added.filter((note) => passes(note, 'added')),
  suspended: suspended.filter((note) => passes(note, 'suspended')),
});

/** A state with these notes in place of its own. */
export const withNotes = (
  { added: _added, suspended: _suspended, ...state }: GroupState,
  { raised, added = [], suspended = [] }: Notes,
): GroupState => ({
  ...state,
  raised,
  ...(added.length > 0 && { added }),
  ...(suspended.length > 0 && { suspended }),
});

/** Auto Scaling groups with changes that are to be put back. */
export const notedAsgs = (notes: Notes): ReadonlySet<string> =>
  new Set(
    Object.values(allNotes([notes]))
      .flat()
      .map(({ asg }) => asg),
  );

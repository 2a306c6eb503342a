import { createHash } from 'node:crypto';
import type { GroupState } from '../../core/view/view.ts';

/** The latest writes of a state item that it keeps marks of. */
const mostMarks = 16;

/** Identifies one write of a state item. Two writes with the same content under the same version are the same write. */
const markOf = (state: GroupState): string =>
  createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 16);

/** A state as it is written: with the mark of this write after those of the writes before it. */
export const withMark = (state: GroupState): GroupState => ({
  ...state,
  marks: [...(state.marks ?? []), markOf(state)].slice(-mostMarks),
});

/**
 * Whether the table holds this write, also below later ones. The SDK repeats a write whose response was lost. The
 * repeat then fails its condition, although the first attempt was carried out, and other functions may have written
 * since, on top of it. The mark separates this case from a lost race.
 */
export const holdsWrite = (stored: GroupState | undefined, state: GroupState): boolean =>
  stored?.marks?.includes(markOf(state)) === true;

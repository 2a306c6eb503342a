import { createHash } from 'node:crypto';
import type { GroupState } from '../../core/view/view.ts';

/** The latest writes of a state item that it keeps marks of. */
const mostMarks = 16;

/**
 * Identifies one write of a state item. Two writes of one environment with the same content under the same version are
 * the same write. Two environments may write the same content under the same version, and only one of them succeeds.
 */
const markOf = (state: GroupState, writer: string): string =>
  createHash('sha256')
    .update(JSON.stringify([writer, state]))
    .digest('base64url')
    .slice(0, 16);

/** A state as an environment writes it: with the mark of this write after those of the writes before it. */
export const withMark = (state: GroupState, writer: string): GroupState => ({
  ...state,
  marks: [...(state.marks ?? []), markOf(state, writer)].slice(-mostMarks),
});

/**
 * Whether the table holds this write of this environment, also below later ones. The SDK repeats a write whose response
 * was lost. The repeat then fails its condition, although the first attempt was carried out, and other functions may
 * have written since, on top of it. The mark separates this case from a lost race.
 */
export const holdsWrite = (stored: GroupState | undefined, state: GroupState, writer: string): boolean =>
  stored?.marks?.includes(markOf(state, writer)) === true;

import type { Window } from './window.ts';

/** How many members may move: a number, or a share of the desired size. */
export type MoveLimit =
  | { readonly kind: 'count'; readonly by: number }
  | { readonly kind: 'share'; readonly percent: number };

/** When members move to a better place of the tree (`return` of a policy). */
export type Returning = {
  /** For this time, no refusal or warning came from an offering, and the size and the policy did not change. */
  readonly afterMs: number;
  /** At most `atMost` members move within this time. */
  readonly everyMs: number;
  readonly atMost: MoveLimit;
  /** Moves begin only then. Absent: at any time. */
  readonly windows?: readonly Window[];
  /** IANA name of the time zone of the windows. */
  readonly timezone: string;
};

/** The number of members that a limit allows. A share is rounded down, and is one member at least. */
export const mostMoves = (limit: MoveLimit, desired: number): number =>
  limit.kind === 'count' ? limit.by : Math.max(1, Math.floor((desired * limit.percent) / 100));

import type { Placement } from './placement.ts';

/**
 * A placement that is written to the group's state item before it is launched, and stays there until its instances are
 * seen.
 * What it says wins over what a describe does not show yet, until `forgetAtMs`. The request itself stands in an item of
 * its own (`LaunchRequest`).
 */
export type Reservation = {
  /** Unique in the group; tagged on the instances. */
  readonly id: string;
  /**
   * Client token of this request: the same for a repeat of the same request, never for another request. At most 64
   * characters.
   */
  readonly token: string;
  /**
   * Of the offerings the first alone is kept in the state item: where the tree meant it to land. Items of the first
   * version hold all.
   */
  readonly placement: Placement;
  readonly decision: string;
  /** Instances that leave and that these replace, in order; may be shorter than the count. */
  readonly replaces: readonly string[];
  readonly atMs: number;
  /** Whoever wrote it works on it until then; afterwards anyone may repeat the request under the same token. */
  readonly leaseUntilMs: number;
  /** Instance ids, once EC2 has answered. Absent: open. */
  readonly instances?: readonly string[];
  /**
   * Open, and no repeat will be answered (the token is taken, or the request is wrong by now): describes tell until
   * `forgetAtMs` what was launched.
   */
  readonly unanswerable?: true;
  /**
   * Until then a describe that does not show its instances is believed to lag behind. Counted from the last attempt
   * that may have been carried out:
   * whatever no describe has shown by then does not exist.
   */
  readonly forgetAtMs: number;
};

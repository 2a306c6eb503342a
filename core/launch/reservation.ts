import type { Placement } from '../placement/placement.ts';

/**
 * A placement that is written to the group's state item before it is launched, and stays there until describes show its
 * instances. It outweighs a describe that does not show them yet, until `forgetAtMs`. The request itself is a separate
 * item (`LaunchRequest`).
 */
export type Reservation = {
  /** Unique in the group; tagged on the instances. */
  readonly id: string;
  /** Client token of this request: the same for every repeat, never used for another request. At most 64 characters. */
  readonly token: string;
  /**
   * The state item keeps only the first offering: where the tree placed the instances. Items of the first version hold
   * all offerings.
   */
  readonly placement: Placement;
  readonly decision: string;
  /** Leaving instances that these replace, in order. May be shorter than the count. */
  readonly replaces: readonly string[];
  readonly atMs: number;
  /** Its writer works on it until then. Afterwards any invocation may repeat the request under the same token. */
  readonly leaseUntilMs: number;
  /** Instance ids, once EC2 has answered. Absent while the reservation is open. */
  readonly instances?: readonly string[];
  /**
   * Open, and no repeat will be answered (the token is used, or the request is wrong by now). Until `forgetAtMs`,
   * describes show what was launched.
   */
  readonly unanswerable?: true;
  /**
   * Until then, a describe that does not show its instances is taken to lag behind. Counted from the last attempt that
   * may have been carried out: an instance that no describe has shown by then does not exist.
   */
  readonly forgetAtMs: number;
};

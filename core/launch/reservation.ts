import type { Placement } from '../placement/placement.ts';

/**
 * A placement that is written to the group's state item before it is launched, and stays there until describes show its
 * instances. Until `forgetAtMs`, its instances count even if a describe does not show them yet. The request itself is a
 * separate item (`LaunchRequest`).
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
  /** Until then its writer may begin an attempt. Afterwards it leaves the request to others. */
  readonly leaseUntilMs: number;
  /**
   * From then on any invocation may repeat the request, although its writer may still live: the token is the same, so
   * EC2 launches for it once. Absent: from the end of the lease.
   */
  readonly repeatFromMs?: number;
  /** Instance ids from the response of EC2. Absent while the reservation is open. */
  readonly instances?: readonly string[];
  /**
   * The reservation is open, and no repeat can succeed, because the request is wrong by now. Until `forgetAtMs`,
   * describes show which instances were launched.
   */
  readonly unanswerable?: true;
  /**
   * When the policy was written anew while the request was open. What it had launched by then does not count in the
   * policy's limit of launches.
   */
  readonly rewrittenAtMs?: number;
  /**
   * Until then, a describe without its instances is considered late. The time counts from the last attempt that may
   * have been carried out. An instance that no describe shows by then does not exist.
   */
  readonly forgetAtMs: number;
};

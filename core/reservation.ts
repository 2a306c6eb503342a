import type { Placement } from './placement.ts';

/**
 * A placement that is written to the group's state item before it is launched, and stays there until its instances are seen.
 * What it says wins over what a describe does not show yet, until `forgetAtMs`.
 */
export type Reservation = {
  /** Unique in the group; tagged on the instances. */
  readonly id: string;
  /** Client token of this attempt: the same for a repeat of the same request, never for another request. At most 64 characters. */
  readonly token: string;
  readonly placement: Placement;
  readonly decision: string;
  /** Instances that leave and that these replace, in order; may be shorter than the count. */
  readonly replaces: readonly string[];
  readonly atMs: number;
  /** Whoever wrote it works on it until then; afterwards anyone may repeat the request under the same token. */
  readonly leaseUntilMs: number;
  /** Instance ids, once EC2 has answered. */
  readonly instances?: readonly string[];
  /** After this an instance that no describe ever showed counts as lost. */
  readonly forgetAtMs: number;
};

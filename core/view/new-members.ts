import type { Arriving } from './arriving.ts';
import type { Registered } from './registered.ts';

/** What a group's state remembers of its new members. */
export type NewMembers = {
  /** Launched instances that no decision has reported as serving. Absent: none. */
  readonly arriving?: Arriving;
  /** New members that a look found serving. If they fail now, they are not given up. */
  readonly cameUp?: readonly string[];
  /** New members that Holdfast registered with the target groups of this policy version. Absent: none. */
  readonly registered?: Registered;
};

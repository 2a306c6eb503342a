import type { Group } from '../group/group.ts';
import { asgsFor, namedTargetGroups } from '../group/holders.ts';
import type { BucketName } from '../limits/account-buckets.ts';
import type { Swap } from '../swap/swap.ts';

/** What drains take members out of. */
export type DrainTargetName = 'load-balancers' | 'auto-scaling';

/** The tokens that a target needs from the account's buckets, and how long its calls may wait for other groups. */
export type TargetNeeds = {
  /** Its name in the stored budget of the account. After a change of the name, groups would wait twice. */
  readonly ask: string;
  readonly bucket: Exclude<BucketName, 'instances'>;
  /** Calls that take these members out of service. */
  releaseCalls(group: Group, swaps: readonly Swap[]): number;
  /** Whether the turn of a look already covers these calls. */
  readonly isPaidByLook: boolean;
  /** How long these calls wait for their turn: for the slack of the start, or as long as the deadline allows. */
  readonly waitsFor: 'start-slack' | 'deadline';
};

/** Calls to Auto Scaling of a look that releases its batch at once: one read, and a call for each group. */
export const asgCalls = (group: Group, swaps: readonly Swap[]): number => {
  const asgs = new Set(swaps.flatMap(({ asg }) => asg ?? []));
  return asgsFor(group, swaps).length === 0 ? 0 : 1 + Math.max(1, asgs.size);
};

/** Targets in the order in which members leave them. */
export const drainTargets: Readonly<Record<DrainTargetName, TargetNeeds>> = {
  'load-balancers': {
    ask: 'targets',
    bucket: 'targets',
    releaseCalls: (group) => namedTargetGroups(group).length,
    isPaidByLook: false,
    waitsFor: 'start-slack',
  },
  'auto-scaling': {
    ask: 'ends',
    bucket: 'autoScaling',
    releaseCalls: asgCalls,
    isPaidByLook: true,
    waitsFor: 'deadline',
  },
};

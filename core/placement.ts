import type { Offering } from './offering.ts';

/**
 * n instances from one pool: one part of a decision, one request to EC2 (possibly batched with others of the same
 * shape).
 */
export type Placement = {
  readonly pool: string;
  readonly count: number;
  /** What may be tried, best first: the pool's offerings less those that are cooling. */
  readonly offerings: readonly Offering[];
  /** Subnets of the pool that had no free addresses a moment ago; absent when there are none. */
  readonly avoidSubnets?: readonly string[];
};

import type { Offering } from '../pool/offering.ts';

/**
 * n instances from one pool: one part of a decision, one request to EC2 (possibly batched with others of the same
 * shape).
 */
export type Placement = {
  readonly pool: string;
  readonly count: number;
  /** The offerings to try, best first: those of the pool that do not rest. */
  readonly offerings: readonly Offering[];
  /** Subnets of the pool that had no free addresses a moment ago; absent when there are none. */
  readonly avoidSubnets?: readonly string[];
  /** Members that move here. Each leaves once its replacement serves. Absent: the launch fills a free place. */
  readonly moves?: readonly string[];
  /** One launch that tests whether a breaker can be closed. */
  readonly trial?: true;
};

import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { EC2Client } from '@aws-sdk/client-ec2';
import type { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Missed } from '../calls/optional-read.ts';

/** What every way of holding a group needs. */
export type ProviderDeps = {
  readonly ec2: EC2Client;
  readonly autoScaling: AutoScalingClient;
  readonly elb: ElasticLoadBalancingV2Client;
  /** How long a read of Auto Scaling groups is used again. Absent: each use reads them. */
  readonly asgsKeptMs?: number;
  /**
   * How long what a look read of Auto Scaling groups suffices to end members through them. Absent: each release reads
   * them.
   */
  readonly asgsKnownMs?: number;
  /** The deployment's name: first part of the group tag's value. */
  readonly deployment: string;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Called with problems that do not change an outcome, for the log. */
  readonly note: (what: string, detail: Readonly<Record<string, unknown>>) => void;
  /** Called with reads that only improve a decision, and failed. */
  readonly missed: Missed;
};

import type { Timer } from '../../clock.ts';
import type { InstanceRecord } from '../instance.ts';
import type { LoadSpec } from '../spec.ts';

type TargetState = 'initial' | 'healthy' | 'unhealthy' | 'unused' | 'draining';

/** Requests that began together on one instance and end together. */
type Cohort = { readonly endsAtMs: number; readonly count: number };

export type Target = {
  readonly instance: InstanceRecord;
  readonly port: number;
  state: TargetState;
  /** The next change of state that is due. */
  timer?: Timer;
  /** In flight; those that ended are removed and counted by the load. */
  inFlight: Cohort[];
};

export type TargetGroup = {
  readonly name: string;
  readonly arn: string;
  readonly protocol: string;
  readonly port: number;
  readonly vpcId: string;
  /** The load balancer whose listener sends requests to it. Without one, its targets are not checked and are `unused`. */
  loadBalancerArn?: string;
  readonly intervalSeconds: number;
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
  readonly mostTargets: number;
  readonly attributes: Map<string, string>;
  readonly targets: Map<string, Target>;
  /** Targets that get new requests. An instance that ended stays here until its health checks fail. */
  readonly rotation: Set<Target>;
  load?: LoadSpec;
  served: number;
  dropped: number;
};

export const delayAttribute = 'deregistration_delay.timeout_seconds';

export const deregistrationDelayMs = (group: TargetGroup): number => Number(group.attributes.get(delayAttribute) ?? 300) * 1000;

export const inFlightOf = (target: Target, nowMs: number): number =>
  target.inFlight.reduce((sum, { endsAtMs, count }) => sum + (endsAtMs > nowMs ? count : 0), 0);

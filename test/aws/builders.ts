import type { Group } from '../../core/group/group.ts';
import type { Reservation } from '../../core/launch/reservation.ts';
import { type Offering, offeringKey } from '../../core/pool/offering.ts';
import type { LeaveReason } from '../../core/removal/leave-reason.ts';
import type { Swap } from '../../core/swap/swap.ts';

export const nowMs = Date.UTC(2026, 10, 20, 12);

export const offering = (instanceType: string, zone: string, market: Offering['market'] = 'spot'): Offering => ({ instanceType, zone, market });

export const group = (more: Partial<Group> = {}): Group => ({
  name: 'workers',
  policyVersion: 1,
  size: { min: 0, max: 100, desired: 3 },
  capacity: { kind: 'pool', pool: 'spot-a' },
  pools: {
    'spot-a': {
      name: 'spot-a',
      market: 'spot',
      launchTemplate: 'web',
      subnets: [
        { id: 'subnet-a', zone: 'z-a' },
        { id: 'subnet-b', zone: 'z-b' },
      ],
      instanceTypes: ['m7g.large', 'm6g.large'],
    },
    od: { name: 'od', market: 'on-demand', launchTemplate: 'lt-0abc:7', subnets: [{ id: 'subnet-a', zone: 'z-a' }], instanceTypes: ['m7g.large'] },
  },
  holding: { kind: 'tag' },
  removal: { order: 'dearest-first' },
  swap: { order: 'launch-first', maxSurge: 3 },
  rebalance: { act: true },
  drain: { timeoutMs: 300_000, loadBalancers: 'auto' },
  scaling: [],
  tags: { team: 'web' },
  ...more,
});

const asgPool = (name: string, market: Offering['market'], zone: string) => ({
  name,
  market,
  asg: `asg-${name}`,
  subnets: [{ id: `subnet-${zone}`, zone }],
  instanceTypes: ['m7g.large'],
});

/** A group over two single-market Auto Scaling groups. */
export const groupOfAsgs = (): Group =>
  group({ holding: { kind: 'launch-instances' }, pools: { a: asgPool('a', 'spot', 'z-a'), b: asgPool('b', 'on-demand', 'z-b') } });

export const reservation = (pool: string, count: number, offerings: readonly Offering[], more: Partial<Reservation> = {}): Reservation => ({
  id: 'r-1',
  token: 'token-1',
  placement: { pool, count, offerings },
  decision: 'd-1',
  replaces: [],
  atMs: nowMs,
  leaseUntilMs: nowMs,
  forgetAtMs: nowMs,
  ...more,
});

export const swap = (instance: string, reason: LeaveReason = 'rebalance', more: Partial<Swap> = {}): Swap => ({
  group: 'workers',
  instance,
  reason,
  state: 'leaving',
  pool: 'spot-a',
  offering: offeringKey(offering('m7g.large', 'z-a')),
  claimedAtMs: nowMs,
  decision: 'd-1',
  ...more,
});

/** An instance as DescribeInstances shows it. */
export const ec2Instance = (
  id: string,
  tags: Record<string, string> = {},
  more: { state?: string; type?: string; zone?: string; market?: Offering['market']; launchedAtMs?: number } = {},
) => ({
  InstanceId: id,
  InstanceType: more.type ?? 'm7g.large',
  Placement: { AvailabilityZone: more.zone ?? 'z-a' },
  State: { Name: more.state ?? 'running' },
  LaunchTime: new Date(more.launchedAtMs ?? nowMs),
  ...(more.market !== 'on-demand' && { InstanceLifecycle: 'spot' }),
  Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
});

export const ours = { 'holdfast:group': 'prod/workers', 'holdfast:pool': 'spot-a', 'holdfast:reservation': 'r-1' };

/** An Auto Scaling group as DescribeAutoScalingGroups shows it. */
export const autoScalingGroup = (
  name: string,
  members: Record<string, string>,
  more: {
    min?: number;
    max?: number;
    desired?: number;
    targetGroups?: string[];
    suspended?: string[];
    protected?: string[];
    unhealthy?: string[];
  } = {},
) => ({
  AutoScalingGroupName: name,
  MinSize: more.min ?? 0,
  MaxSize: more.max ?? 10,
  DesiredCapacity: more.desired ?? Object.keys(members).length,
  TargetGroupARNs: more.targetGroups ?? [],
  SuspendedProcesses: (more.suspended ?? []).map((ProcessName) => ({ ProcessName })),
  Instances: Object.entries(members).map(([InstanceId, LifecycleState]) => ({
    InstanceId,
    LifecycleState,
    HealthStatus: more.unhealthy?.includes(InstanceId) ? 'Unhealthy' : 'Healthy',
    ProtectedFromScaleIn: more.protected?.includes(InstanceId) ?? false,
  })),
});

export const targetHealth = (states: Record<string, string>, reason?: string) => ({
  TargetHealthDescriptions: Object.entries(states).map(([Id, State]) => ({
    Target: { Id },
    TargetHealth: { State, ...(reason && { Reason: reason }) },
  })),
});

import type { Act } from '../../acting.ts';
import { ApiError } from '../../api.ts';
import type { Timer } from '../../clock.ts';
import type { TokenBucket } from '../../throttle/token-bucket.ts';
import type { Base } from '../base.ts';
import type { LaunchTemplates } from '../ec2/launch-templates.ts';
import type { Fulfil } from '../fulfilment.ts';
import type { InstanceRecord, TemplateReference } from '../instance.ts';
import type { Instances } from '../instances.ts';
import type { TargetGroupBook } from '../load-balancing/target-group-book.ts';
import type { Targets } from '../load-balancing/targets.ts';
import type { Network, Subnet } from '../network.ts';
import type { Past } from './late-describes.ts';

/** Instances that a group keeps ready in addition to its members. They do not count until the group uses them. */
export type WarmPool = { readonly size: number; readonly state: 'Stopped' | 'Running' };

/** Which deletions of a group are refused. It restricts DeleteAutoScalingGroup alone (user guide, Configure deletion protection). */
export const deletionProtections = ['none', 'prevent-force-deletion', 'prevent-all-deletion'] as const;
export type DeletionProtection = (typeof deletionProtections)[number];

type LifecycleState =
  | 'Pending'
  | 'Pending:Wait'
  | 'Pending:Proceed'
  | 'InService'
  | 'Standby'
  | 'Warmed:Pending'
  | 'Warmed:Stopped'
  | 'Warmed:Running'
  | 'Terminating'
  | 'Terminating:Wait'
  | 'Terminating:Proceed'
  | 'Terminating:Retained';

export type Transition = 'autoscaling:EC2_INSTANCE_LAUNCHING' | 'autoscaling:EC2_INSTANCE_TERMINATING';
export type HookResult = 'CONTINUE' | 'ABANDON';

export type Hook = {
  readonly name: string;
  readonly transition: Transition;
  readonly heartbeatSeconds: number;
  readonly defaultResult: HookResult;
  readonly metadata?: string;
  readonly targetArn?: string;
  readonly roleArn?: string;
};

/** A hook that holds an instance now. */
export type LifecycleAction = {
  readonly hook: Hook;
  readonly token: string;
  /** Heartbeats cannot extend the action beyond this time. */
  readonly latestMs: number;
  timer: Timer;
  readonly finish: (result: HookResult, how: 'completed' | 'expired' | 'gone') => void;
};

export type Member = {
  readonly instance: InstanceRecord;
  state: LifecycleState;
  healthy: boolean;
  isProtected: boolean;
  /** EC2 advised to replace it, or takes it, while the group had Capacity Rebalancing. */
  isAtRisk?: true;
  /** The member at risk that it replaces. */
  insteadOf?: string;
  /** Its state in the warm pool. Absent when it is not in the warm pool. */
  pool?: WarmPool['state'];
  /** The actor that began its end. */
  endedBy?: Act;
  readonly actions: Map<string, LifecycleAction>;
};

export type Activity = {
  readonly id: string;
  readonly description: string;
  readonly cause: string;
  readonly startMs: number;
  endMs?: number;
  status: 'InProgress' | 'Successful' | 'Failed';
  message?: string;
};

export type GroupTag = { readonly Key: string; readonly Value: string; readonly PropagateAtLaunch: boolean };

export type Group = {
  readonly name: string;
  readonly arn: string;
  readonly createdAtMs: number;
  min: number;
  max: number;
  desired: number;
  template: TemplateReference;
  instanceTypes: readonly string[];
  /** The group has a launch template in place of a MixedInstancesPolicy. */
  isPlain: boolean;
  /** Share of on-demand above a base, as a MixedInstancesPolicy has it; undefined for a plain template on demand. */
  mixed?: { readonly base: number; readonly percentAbove: number; readonly spotStrategy: string };
  subnets: readonly Subnet[];
  targetGroups: string[];
  healthCheckType: string;
  gracePeriodSeconds: number;
  protectsNew: boolean;
  deletionProtection: DeletionProtection;
  tags: GroupTag[];
  readonly hooks: Map<string, Hook>;
  readonly suspended: Set<string>;
  /** It replaces members at risk by itself. */
  rebalancesCapacity: boolean;
  /** What an instance of each type counts towards its sizes. Absent: each counts as one. */
  weights?: ReadonlyMap<string, number> | undefined;
  /** Scaling policies and scheduled actions, by name. */
  readonly policies: Map<
    string,
    { readonly name: string; readonly type: string; readonly isEnabled: boolean; readonly predictive?: { readonly Mode?: string } }
  >;
  readonly actions: Map<string, { readonly name: string; readonly start: Date; readonly timer: Timer }>;
  readonly members: Map<string, Member>;
  readonly activities: Activity[];
  deleting: boolean;
  warmPool?: WarmPool;
  /** Keeps an instance whose terminating hook is abandoned, until it is terminated by a call. */
  retains?: boolean;
  /** Its numbers when they were last reported. */
  told?: string;
  /** Members launched to even out its zones whose counterparts elsewhere still run. */
  surplusForZones?: number;
  /** Its base or percentage changed: members of the wrong market are still to be replaced. `launched`: one more runs than it should have. */
  redistribution?: 'due' | 'launched';
  /** The time of its next check of itself, if one is due. */
  look?: Timer;
};

/** What the parts of Auto Scaling share. */
export type Scaling = {
  readonly base: Base;
  readonly instances: Instances;
  readonly fulfil: Fulfil;
  readonly templates: LaunchTemplates;
  readonly network: Network;
  readonly targets: Targets;
  readonly targetBook: TargetGroupBook;
  readonly budget: TokenBucket;
  readonly periodMs: number;
  /** How far a describe of groups may lie in the past, drawn anew for each. */
  readonly drawLagMs: () => number;
  /** What describes showed before. Absent where none is late. */
  readonly past?: Past;
  readonly groups: Map<string, Group>;
  /** Delivers a hook's notification straight to its target, as hooks with a NotificationTargetARN do. */
  readonly notify: (targetArn: string, message: Readonly<Record<string, unknown>>) => void;
  /** Lets the group look at its size and health when its next period begins. */
  readonly wake: (group: Group) => void;
};

export const isHeld = ({ state }: Member): boolean => state === 'InService' || state.startsWith('Pending');
export const isTerminating = ({ state }: Member): boolean => state.startsWith('Terminating');

/** Members that count towards the desired capacity: neither standby nor on their way out. */
export const held = (group: Group): Member[] => [...group.members.values()].filter(isHeld);

export const invalid = (message: string): ApiError => new ApiError('ValidationError', message);

export const findGroup = ({ groups }: Scaling, name: string | undefined): Group => {
  const group = groups.get(name ?? '');
  if (group === undefined) throw invalid(`AutoScalingGroup name not found - AutoScalingGroup '${name}' not found`);
  return group;
};

export const zonesOf = (group: Group): string[] => [...new Set(group.subnets.map(({ zone }) => zone))];

/** Held members per zone of the group; zones without any are in it too. */
export const countByZone = (group: Group): Map<string, number> => {
  const counts = new Map<string, number>(zonesOf(group).map((zone) => [zone, 0]));
  for (const { instance } of held(group)) counts.set(instance.zone, (counts.get(instance.zone) ?? 0) + 1);
  return counts;
};

/** AWS's error text for an action that would break the size limits. */
export const sizes = ({ name, min, max, desired }: Group): string =>
  `AutoScalingGroup ${name} has min-size=${min}, max-size=${max}, and desired-size=${desired}.`;

export const mustKeepMin = (group: Group, decrement: number): void => {
  if (decrement === 0 || group.desired - decrement >= group.min) return;
  throw invalid(
    `Currently, desiredSize equals minSize (${group.min}). Terminating instance without replacement will violate group's min size constraint. ` +
      "Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.",
  );
};

export const describeTemplate = ({ template }: Group) => ({
  LaunchTemplateId: template.id,
  LaunchTemplateName: template.name,
  Version: template.version,
});

import { ApiError } from '../api.ts';
import type { Timer, WorldClock } from '../clock.ts';

/** A number over time. Each value applies from its second on, counted from the start of the writer. */
export type Plan = readonly { readonly atSeconds: number; readonly value: number }[];

/** The numbers of an Auto Scaling group as a describe shows them. */
export type Reading = {
  readonly min: number;
  readonly max: number;
  readonly desired: number;
  readonly inService: number;
  /** How many are on their way into service. */
  readonly pending: number;
  /** Those in service, the longest in the group first. */
  readonly members: readonly string[];
  readonly suspended: readonly string[];
};

/** What a writer uses. It reads and changes Auto Scaling groups only by calls, as scalers outside Holdfast do. */
export type Surroundings = {
  readonly clock: WorldClock;
  /** Makes a call under the writer's name. Throws the error of the service. */
  readonly call: (operation: string, input: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly random: () => number;
};

export type Writer = { stop(): void };

/** The value of a plan at a moment. Nothing before its first. */
export const valueAt = (plan: Plan, sinceMs: number): number | undefined => plan.findLast(({ atSeconds }) => 1_000 * atSeconds <= sinceMs)?.value;

type Described = {
  readonly AutoScalingGroups: readonly {
    readonly MinSize: number;
    readonly MaxSize: number;
    readonly DesiredCapacity: number;
    readonly Instances: readonly { readonly InstanceId: string; readonly LifecycleState: string }[];
    readonly SuspendedProcesses: readonly { readonly ProcessName: string }[];
  }[];
};

/** Undefined: there is no such group, or the call failed. Scalers look again in their next period. */
export const read = async ({ call }: Surroundings, asg: string): Promise<Reading | undefined> => {
  const answer = (await unlessRefused(() => call('DescribeAutoScalingGroups', { AutoScalingGroupNames: [asg] }))) as Described | undefined;
  const group = answer?.AutoScalingGroups[0];
  const members = (group?.Instances ?? []).filter(({ LifecycleState }) => LifecycleState === 'InService').map(({ InstanceId }) => InstanceId);
  return (
    group && {
      min: group.MinSize,
      max: group.MaxSize,
      desired: group.DesiredCapacity,
      inService: members.length,
      pending: group.Instances.filter(({ LifecycleState }) => LifecycleState.startsWith('Pending')).length,
      members,
      suspended: group.SuspendedProcesses.map(({ ProcessName }) => ProcessName),
    }
  );
};

/** Sets a size within the group's bounds. */
export const write = async ({ call }: Surroundings, asg: string, { min, max }: Pick<Reading, 'min' | 'max'>, size: number): Promise<void> => {
  await unlessRefused(() => call('SetDesiredCapacity', { AutoScalingGroupName: asg, DesiredCapacity: Math.min(max, Math.max(min, size)) }));
};

/** A call that the service refuses (throttled, changed meanwhile) is repeated in the next period. */
export const unlessRefused = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};

/** Does this once each period until it is stopped; a round that takes longer than a period delays the next. */
export const everyPeriod = ({ clock }: Surroundings, periodMs: number, round: (sinceMs: number) => Promise<void>): Writer => {
  const beganAtMs = clock.now();
  let isStopped = false;
  let timer: Timer | undefined;
  const next = async (): Promise<void> => {
    await round(clock.now() - beganAtMs);
    if (!isStopped) timer = clock.after(periodMs, next);
  };
  timer = clock.after(0, next);
  return {
    stop: () => {
      isStopped = true;
      timer?.cancel();
    },
  };
};

import { everyPeriod, type Plan, type Reading, read, type Surroundings, unlessRefused, valueAt, type Writer, write } from './writer.ts';

/**
 * Schedulers that set a size and choose themselves who leaves, by the calls that their sources make.
 *
 * - `buildkite` (Elastic CI Stack): compares its running agents with what its jobs need. If there are too few, it writes that size, even where the desired
 *   capacity is that already. If there are too many, it stops the agents that the desired capacity has too many, the oldest first. An agent that has
 *   stopped ends its instance with the capacity that it holds, or without it where the minimum keeps that (buildkite/buildkite-agent-scaler 004dd0d,
 *   scaler.go: `Run`, `scaleIn`, `scaleOut`; buildkite/elastic-ci-stack-for-aws 009b801, terminate-instance).
 * - `fleeting` (GitLab Runner): raises the desired capacity from what it last read, and ends single instances with the capacity that they hold
 *   (gitlab.com/gitlab-org/fleeting/plugins/aws, provider.go: `Increase`, `Decrease`, `getInstances`).
 * - `ec2-fleet` (Jenkins): writes bounds, size and protection of new instances together, then ends instances without their capacity
 *   (jenkinsci/ec2-fleet-plugin 1d7b416, AutoScalingGroupFleet.java: `modify`, `terminateInstances`).
 * - `ecs` (a capacity provider with managed scaling and managed termination protection): a size by what tasks need, and protection of instances that
 *   run some (Amazon ECS Developer Guide, cluster auto scaling).
 * - `terraform`: an apply writes the numbers of its configuration that a read of the group does not show, and makes no call if it shows all of them
 *   (hashicorp/terraform-provider-aws eeecacf, internal/service/autoscaling/group.go). The bounds of the configuration are those of the group at first.
 */
export type ScalerSpec =
  | { readonly kind: 'buildkite' | 'fleeting' | 'ec2-fleet'; readonly asg: string; readonly everySeconds: number; readonly wants: Plan }
  | { readonly kind: 'ecs'; readonly asg: string; readonly tasks: Plan; readonly tasksPerInstance: number }
  | {
      readonly kind: 'terraform';
      readonly asg: string;
      /** When a user applies, with the desired capacity of the configuration. */
      readonly applies: Plan;
      /** `ignore_changes = [desired_capacity]`: an apply leaves that number alone. */
      readonly ignoresDesired: boolean;
    };

type Of<Kind extends ScalerSpec['kind']> = Extract<ScalerSpec, { readonly kind: Kind }>;
type Sized = Extract<ScalerSpec, { readonly wants: Plan }>;

/** Youngest in service first, because the scheduler knows which of its runners have no job. */
const youngest = (members: readonly string[], count: number): readonly string[] => (count <= 0 ? [] : members.slice(-count).toReversed());

const end = async ({ call }: Surroundings, instances: readonly string[], withCapacity: boolean): Promise<void> => {
  for (const InstanceId of instances)
    await unlessRefused(() => call('TerminateInstanceInAutoScalingGroup', { InstanceId, ShouldDecrementDesiredCapacity: withCapacity }));
};

/** The script of an agent sleeps before it ends its instance, so that its logs get out. */
const agentSleepsMs = 10_000;

/** `terminate-instance` of the stack: each call is tried only where the one before failed. */
const endItself = async ({ call }: Surroundings, InstanceId: string): Promise<void> => {
  const end = (ShouldDecrementDesiredCapacity: boolean) => () =>
    call('TerminateInstanceInAutoScalingGroup', { InstanceId, ShouldDecrementDesiredCapacity });
  const unhealthy = () => call('SetInstanceHealth', { InstanceId, HealthStatus: 'Unhealthy' });
  for (const attempt of [end(true), end(false), unhealthy]) if ((await unlessRefused(attempt)) !== undefined) return;
};

/** What a Buildkite scaler does about its agents. Undefined: nothing, because they are as many as needed, or more are still on their way. */
const buildkiteStep = (wanted: number, shown: Reading): { readonly size: number } | { readonly stops: readonly string[] } | undefined => {
  const size = Math.min(shown.max, Math.max(shown.min, wanted));
  const running = shown.inService || shown.desired;
  if (size === running || (size < running && shown.pending > 0)) return undefined;
  const tooMany = shown.desired - size;
  return size > running || tooMany <= 0 ? { size } : { stops: shown.members.slice(0, tooMany) };
};

const buildkite = (world: Surroundings, { asg, everySeconds, wants }: Sized): Writer => {
  const told = new Set<string>();
  return everyPeriod(world, 1_000 * everySeconds, async (sinceMs) => {
    const [wanted, shown] = [valueAt(wants, sinceMs), await read(world, asg)];
    if (wanted === undefined || shown === undefined) return;
    const step = buildkiteStep(wanted, shown);
    if (step === undefined) return;
    if ('size' in step) return write(world, asg, shown, step.size);
    for (const instance of step.stops.filter((id) => !told.has(id))) {
      told.add(instance);
      world.clock.after(agentSleepsMs, () => endItself(world, instance));
    }
  });
};

const fleeting = (world: Surroundings, { asg, everySeconds, wants }: Sized): Writer =>
  everyPeriod(world, 1_000 * everySeconds, async (sinceMs) => {
    const [wanted, shown] = [valueAt(wants, sinceMs), await read(world, asg)];
    if (wanted === undefined || shown === undefined) return;
    if (wanted > shown.desired) await write(world, asg, shown, wanted);
    else await end(world, youngest(shown.members, shown.desired - Math.max(wanted, shown.min)), true);
  });

const ec2Fleet = (world: Surroundings, { asg, everySeconds, wants }: Sized): Writer => {
  let bounds: { readonly min: number; readonly max: number } | undefined;
  return everyPeriod(world, 1_000 * everySeconds, async (sinceMs) => {
    const [wanted, shown] = [valueAt(wants, sinceMs), await read(world, asg)];
    if (wanted === undefined || shown === undefined) return;
    // The plugin takes the bounds from its own configuration, and writes them with each change.
    bounds ??= { min: shown.min, max: shown.max };
    const { min, max } = bounds;
    const size = Math.min(max, Math.max(min, wanted));
    if (size === shown.desired) return;
    await unlessRefused(() =>
      world.call('UpdateAutoScalingGroup', {
        AutoScalingGroupName: asg,
        MinSize: min,
        MaxSize: max,
        DesiredCapacity: size,
        NewInstancesProtectedFromScaleIn: true,
      }),
    );
    await end(world, youngest(shown.members, shown.members.length - size), false);
  });
};

/** ECS publishes how much of the group its tasks need each minute; one datapoint scales out, fifteen scale in. */
const ecsPeriodMs = 60_000;
const lowPeriods = 15;

const ecs = (world: Surroundings, { asg, tasks, tasksPerInstance }: Of<'ecs'>): Writer => {
  let low = 0;
  return everyPeriod(world, ecsPeriodMs, async (sinceMs) => {
    const [count, shown] = [valueAt(tasks, sinceMs), await read(world, asg)];
    if (count === undefined || shown === undefined) return;
    const needed = Math.ceil(count / tasksPerInstance);
    const protect = (InstanceIds: readonly string[], ProtectedFromScaleIn: boolean) =>
      InstanceIds.length === 0
        ? undefined
        : unlessRefused(() => world.call('SetInstanceProtection', { AutoScalingGroupName: asg, InstanceIds, ProtectedFromScaleIn }));
    await protect(shown.members.slice(0, needed), true);
    await protect(shown.members.slice(needed), false);
    low = needed < shown.desired ? low + 1 : 0;
    if (needed > shown.desired || low >= lowPeriods) await write(world, asg, shown, needed);
  });
};

const terraform = (world: Surroundings, { asg, applies, ignoresDesired }: Of<'terraform'>): Writer => {
  let configured: { readonly min: number; readonly max: number } | undefined;
  const apply = async (value: number): Promise<void> => {
    const shown = await read(world, asg);
    if (shown === undefined || configured === undefined) return;
    const { min, max } = configured;
    const change = {
      ...(shown.min !== min && { MinSize: min }),
      ...(shown.max !== max && { MaxSize: max }),
      ...(!ignoresDesired && shown.desired !== value && { DesiredCapacity: value }),
    };
    if (Object.keys(change).length > 0) await unlessRefused(() => world.call('UpdateAutoScalingGroup', { AutoScalingGroupName: asg, ...change }));
  };
  const timers = [
    world.clock.after(0, async () => {
      configured = await read(world, asg);
    }),
    ...applies.map(({ atSeconds, value }) => world.clock.after(1_000 * atSeconds, () => apply(value))),
  ];
  return {
    stop: () => {
      for (const timer of timers) timer.cancel();
    },
  };
};

export const startScaler = (world: Surroundings, spec: ScalerSpec): Writer => {
  switch (spec.kind) {
    case 'buildkite':
      return buildkite(world, spec);
    case 'fleeting':
      return fleeting(world, spec);
    case 'ec2-fleet':
      return ec2Fleet(world, spec);
    case 'ecs':
      return ecs(world, spec);
    case 'terraform':
      return terraform(world, spec);
  }
};

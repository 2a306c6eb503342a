import { type Acting, createActing } from '../../../sandbox/acting.ts';
import { ApiError, type BusEvent } from '../../../sandbox/api.ts';
import type { WorldEvent } from '../../../sandbox/judge/history.ts';
import { createVirtualClock, type VirtualClock } from '../../../sandbox/platform/virtual-clock.ts';
import { createRandom } from '../../../sandbox/random.ts';
import { createWorld } from '../../../sandbox/world/create-world.ts';
import type { AutoScalingGroupSpec, TargetGroupSpec, TimingSpec, WorldSpec } from '../../../sandbox/world/spec.ts';
import type { InstanceSnapshot, World, WorldFact } from '../../../sandbox/world/world.ts';

export const startMs = Date.UTC(2026, 0, 1);

export const timing: TimingSpec = {
  pendingSeconds: [5, 5],
  bootSeconds: [10, 10],
  lagSeconds: [0, 0],
  shutdownSeconds: [4, 4],
  asgPeriodSeconds: 10,
  latencyMs: {},
};

const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;

export const plainSpec: WorldSpec = {
  zones,
  subnets: zones.map((zone) => ({ id: `subnet-${zone.at(-1)}`, zone })),
  offerings: zones.flatMap((zone) => [
    { instanceType: 'm7g.large', zone, market: 'spot' as const, capacity: 10, priceUsdPerHour: 0.03 },
    { instanceType: 'm6g.large', zone, market: 'spot' as const, capacity: 20, priceUsdPerHour: 0.04 },
    { instanceType: 'm7g.large', zone, market: 'on-demand' as const, capacity: null, priceUsdPerHour: 0.1 },
  ]),
  launchTemplates: [{ name: 'web', instanceType: 'm7g.large' }],
  autoScalingGroups: [],
  targetGroups: [],
  timing,
};

export const targetGroup = (change: Partial<TargetGroupSpec> = {}): TargetGroupSpec => ({
  name: 'web',
  deregistrationDelaySeconds: 30,
  healthCheckIntervalSeconds: 5,
  healthyThreshold: 2,
  ...change,
});

export const asg = (change: Partial<AutoScalingGroupSpec> = {}): AutoScalingGroupSpec => ({
  name: 'workers',
  launchTemplate: 'web',
  subnets: ['subnet-a', 'subnet-b', 'subnet-c'],
  instanceTypes: ['m7g.large', 'm6g.large'],
  market: 'spot',
  min: 0,
  max: 10,
  desired: 3,
  ...change,
});

type Event = Pick<BusEvent, 'detail-type' | 'source' | 'resources' | 'detail'>;
type Answer = Record<string, unknown>;

export type TestWorld = {
  readonly world: World;
  readonly clock: VirtualClock;
  readonly events: Event[];
  readonly facts: WorldFact[];
  readonly history: WorldEvent[];
  /** Calls are made on account of whoever acts; nobody else does: EC2. */
  readonly acting: Acting;
  readonly notifications: { readonly target: string; readonly message: Readonly<Record<string, unknown>> }[];
  call<T = Answer>(service: string, operation: string, input?: Answer): T;
  ec2<T = Answer>(operation: string, input?: Answer): T;
  autoScaling<T = Answer>(operation: string, input?: Answer): T;
  elb<T = Answer>(operation: string, input?: Answer): T;
  /** The error's code and message; fails when there is none. */
  refusal(call: () => unknown): { readonly code: string; readonly message: string };
  seconds(count: number): Promise<void>;
  eventsOf(detailType: string): Event[];
  /** Launches by an instant fleet and answers the ids. */
  launch(count: number, change?: Answer): string[];
  instance(id: string): InstanceSnapshot;
  group(name?: string): World['snapshot'] extends () => infer S ? (S extends { autoScalingGroups: readonly (infer G)[] } ? G : never) : never;
  /** Held members: in service or on their way there. */
  inService(name?: string): string[];
};

export const fleetInput = (count: number, change: Answer = {}): Answer => ({
  Type: 'instant',
  LaunchTemplateConfigs: [
    {
      LaunchTemplateSpecification: { LaunchTemplateName: 'web', Version: '$Default' },
      Overrides: [{ InstanceType: 'm7g.large', SubnetId: 'subnet-a' }],
    },
  ],
  TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: 'spot' },
  SpotOptions: { AllocationStrategy: 'price-capacity-optimized' },
  ...change,
});

const refusal = (call: () => unknown): { code: string; message: string } => {
  try {
    call();
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('The call was expected to be refused, and was not.');
};

export const createTestWorld = (change: Partial<WorldSpec> = {}, seed = 7): TestWorld => {
  const clock = createVirtualClock(startMs);
  const events: Event[] = [];
  const facts: WorldFact[] = [];
  const history: WorldEvent[] = [];
  const acting = createActing();
  const notifications: TestWorld['notifications'] = [];
  const world = createWorld({
    spec: { ...plainSpec, ...change },
    clock,
    random: createRandom(seed),
    seed,
    acting,
    place: { accountId: '123456789012', region: 'us-east-1' },
    emit: (event) => events.push(event),
    notify: (target, message) => notifications.push({ target, message }),
  });
  world.observe((fact) => facts.push(fact));
  world.follow((event) => history.push(event));
  const call = <T>(service: string, operation: string, input: Answer = {}): T => {
    const run = world.services.find((known) => known.service === service)?.operations[operation];
    if (run === undefined) throw new Error(`No such operation: ${service}:${operation}`);
    return run(input, { kind: 'operator' }) as T;
  };
  const group: TestWorld['group'] = (name = 'workers') => {
    const found = world.snapshot().autoScalingGroups.find((known) => known.name === name);
    if (found === undefined) throw new Error(`No such group: ${name}`);
    return found;
  };
  return {
    world,
    clock,
    events,
    facts,
    history,
    acting,
    notifications,
    call,
    ec2: (operation, input) => call('ec2', operation, input),
    autoScaling: (operation, input) => call('autoscaling', operation, input),
    elb: (operation, input) => call('elasticloadbalancing', operation, input),
    refusal,
    seconds: async (count) => {
      await clock.run({ untilMs: clock.now() + count * 1000 });
    },
    eventsOf: (detailType) => events.filter((event) => event['detail-type'] === detailType),
    launch: (count, fleet) =>
      call<{ Instances: { InstanceIds: string[] }[] }>('ec2', 'CreateFleet', fleetInput(count, fleet)).Instances.flatMap(
        ({ InstanceIds }) => InstanceIds,
      ),
    instance: (id) => {
      const found = world.snapshot().instances.find((known) => known.id === id);
      if (found === undefined) throw new Error(`No such instance: ${id}`);
      return found;
    },
    group,
    inService: (name) =>
      group(name)
        .instances.filter(({ lifecycleState }) => lifecycleState === 'InService')
        .map(({ id }) => id),
  };
};

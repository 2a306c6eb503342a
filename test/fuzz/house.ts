import { assemble } from '../../assembly/assemble.ts';
import { type Sandbox, startSandbox } from '../../sandbox/door.ts';
import type { WorldSpec } from '../../sandbox/world/spec.ts';

const zones = ['eu-west-1a', 'eu-west-1b'] as const;
const instanceType = 'm7g.large';

export const houseSpec: WorldSpec = {
  zones,
  subnets: [
    { id: 'subnet-a', zone: zones[0] },
    { id: 'subnet-b', zone: zones[1] },
  ],
  offerings: [
    ...zones.flatMap((zone) => [
      { instanceType, zone, market: 'spot' as const, capacity: 20, priceUsdPerHour: 0.03 },
      { instanceType, zone, market: 'on-demand' as const, capacity: null, priceUsdPerHour: 0.08 },
    ]),
    // Known and never there: what a fuzzed policy asks for is refused, so that the fleet stays as it is.
    ...zones.map((zone) => ({ instanceType: 'm7g.none', zone, market: 'spot' as const, capacity: 0, priceUsdPerHour: 0.01 })),
  ],
  launchTemplates: [{ name: 'web' }],
  targetGroups: [{ name: 'spare', deregistrationDelaySeconds: 30, healthCheckIntervalSeconds: 5, healthyThreshold: 2 }],
  autoScalingGroups: [
    {
      name: 'fleet',
      launchTemplate: 'web',
      subnets: ['subnet-a', 'subnet-b'],
      instanceTypes: [instanceType],
      market: 'mixed',
      min: 0,
      max: 4,
      desired: 2,
    },
    { name: 'others', launchTemplate: 'web', subnets: ['subnet-a'], instanceTypes: [instanceType], market: 'on-demand', min: 1, max: 1, desired: 1 },
  ],
  timing: { pendingSeconds: [2, 4], bootSeconds: [2, 4], lagSeconds: [0, 1], asgPeriodSeconds: 15, latencyMs: { '*': [5, 20] } },
};

const pools = {
  a: { market: 'spot', subnets: ['subnet-a'] },
  b: { market: 'on-demand', subnets: ['subnet-b'] },
};
const defaults = { launchTemplate: 'web', instanceTypes: [instanceType] };

/** The policy of a group kept by tag, with an alarm. */
export const goodPolicy = {
  group: 'web',
  size: { min: 2, max: 6, desired: 4 },
  capacity: { tiered: ['a', 'b'] },
  defaults,
  pools,
  scaling: [{ alarm: 'web-cpu-high', adjust: '+50%', cooldown: '1m' }],
  tags: { team: 'web' },
};
const attachedPolicy = { group: 'attached', size: 2, capacity: { spread: ['a', 'b'] }, defaults, pools, asg: 'fleet' };

export type House = {
  readonly sandbox: Sandbox;
  /** Living instances: id, and what holds it. */
  fleet(): readonly string[];
  instanceOf(group: 'web' | 'attached'): string;
  /** Numbers of the versions in force, by group. */
  inForce(): Promise<Readonly<Record<string, number>>>;
  /** Ends of functions that were no answer. */
  failures(): readonly string[];
  /** Lets seconds of world time pass. */
  pass(seconds: number): Promise<void>;
};

const isAlive = ({ state }: { readonly state: string }): boolean => state === 'running' || state === 'pending';

/** Two groups at their sizes, one kept by tag and one in an Auto Scaling group, and an instance that is nobody's. */
export const openHouse = async (seed: number): Promise<House> => {
  const sandbox = await startSandbox({
    mode: 'simulated',
    spec: houseSpec,
    seed,
    assembly: await assemble(),
    policies: [goodPolicy, attachedPolicy],
  });
  const living = () => sandbox.world.snapshot().instances.filter(isAlive);
  const pass = async (seconds: number): Promise<void> => {
    await sandbox.run({ untilMs: sandbox.clock.now() + seconds * 1_000 });
  };
  await pass(150);
  return {
    sandbox,
    pass,
    fleet: () =>
      living()
        .map(({ id, asg }) => `${id} ${asg?.name ?? ''}`)
        .sort(),
    instanceOf: (group) => living().find(({ asg }) => (group === 'web' ? asg === undefined : asg?.name === 'fleet'))?.id ?? 'none',
    inForce: async () => {
      const accepted = (await sandbox.items('groups')).filter(({ item }) => item === 'accepted');
      return Object.fromEntries(accepted.map(({ group, version }) => [String(group), Number(version)]));
    },
    failures: () =>
      sandbox
        .invocations()
        .flatMap(({ functionName, result }) => (result.kind === 'error' ? [`${functionName}: ${result.errorType} ${result.errorMessage}`] : [])),
  };
};

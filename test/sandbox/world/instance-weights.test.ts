import { describe, expect, it } from 'vitest';
import { asg, createTestWorld, plainSpec } from './build.ts';

const named = { AutoScalingGroupName: 'workers' };
type Change = Parameters<typeof asg>[0];

/** `m7g.large` counts three units, `m6g.large` two. The spot pools of the first are empty unless a test says otherwise. */
const weights = { 'm7g.large': 3, 'm6g.large': 2 };
const only = (type: string) => plainSpec.offerings.map((offering) => ({ ...offering, capacity: offering.instanceType === type ? 20 : 0 }));
const build = async (change: Change = {}, spec: Partial<typeof plainSpec> = {}) => {
  const world = createTestWorld({ autoScalingGroups: [asg({ weights, max: 12, ...change })], offerings: only('m7g.large'), ...spec });
  await world.seconds(60);
  return world;
};
type TestWorld = Awaited<ReturnType<typeof build>>;

const numbers = ({ group, inService }: TestWorld): readonly number[] => [group().desired, inService().length];
const described = ({ autoScaling }: TestWorld) =>
  autoScaling<{ AutoScalingGroups: { Instances: { WeightedCapacity?: string }[]; MixedInstancesPolicy: object }[] }>('DescribeAutoScalingGroups')
    .AutoScalingGroups[0];

describe('a group whose instance types have weights', () => {
  it('launches until its units are there, and holds more than those where no instance fits', async () => {
    expect(numbers(await build({ desired: 6 }))).toEqual([6, 2]);
    expect(numbers(await build({ desired: 7 }))).toEqual([7, 3]);
    expect(numbers(await build({ desired: 7 }, { offerings: only('m6g.large') }))).toEqual([7, 4]);
    expect(numbers(await build({ desired: 7, max: 7 }))).toEqual([7, 3]);
  });

  it('shows the weight of each type and of each member', async () => {
    const shown = described(await build({ desired: 3 }));
    expect(shown?.Instances).toMatchObject([{ WeightedCapacity: '3' }]);
    expect(shown?.MixedInstancesPolicy).toMatchObject({
      LaunchTemplate: {
        Overrides: [
          { InstanceType: 'm7g.large', WeightedCapacity: '3' },
          { InstanceType: 'm6g.large', WeightedCapacity: '2' },
        ],
      },
    });
    expect(described(await build({ desired: 3, weights: undefined }))?.Instances[0]).not.toHaveProperty('WeightedCapacity');
  });

  it('scales in without going below the desired capacity', async () => {
    const world = await build({ desired: 9 });
    world.autoScaling('SetDesiredCapacity', { ...named, DesiredCapacity: 7 });
    await world.seconds(60);
    expect(numbers(world)).toEqual([7, 3]);
    world.autoScaling('SetDesiredCapacity', { ...named, DesiredCapacity: 6 });
    await world.seconds(60);
    expect(numbers(world)).toEqual([6, 2]);
  });

  it('counts units when members are attached, detached, set aside and terminated', async () => {
    const world = await build({ desired: 6 });
    const ids = world.launch(1);
    await world.seconds(10);
    world.autoScaling('AttachInstances', { ...named, InstanceIds: ids });
    expect(world.group().desired).toBe(9);
    const one = { ...named, InstanceIds: ids, ShouldDecrementDesiredCapacity: true };
    world.autoScaling('EnterStandby', one);
    expect(world.group().desired).toBe(6);
    world.autoScaling('ExitStandby', { ...named, InstanceIds: ids });
    expect(world.group().desired).toBe(9);
    world.autoScaling('DetachInstances', one);
    expect(world.group().desired).toBe(6);
    world.autoScaling('TerminateInstanceInAutoScalingGroup', { InstanceId: world.inService()[0], ShouldDecrementDesiredCapacity: true });
    expect(world.group().desired).toBe(3);
    world.autoScaling('UpdateAutoScalingGroup', { ...named, MinSize: 1 });
    const last = { InstanceId: world.inService()[0], ShouldDecrementDesiredCapacity: true };
    expect(world.refusal(() => world.autoScaling('TerminateInstanceInAutoScalingGroup', last)).code).toBe('ValidationError');
    world.autoScaling('UpdateAutoScalingGroup', { ...named, MaxSize: 5 });
    expect(world.refusal(() => world.autoScaling('AttachInstances', { ...named, InstanceIds: ids })).message).toContain('To attach 1 instance,');
  });

  it('launches synchronously by units, up to its maximum', async () => {
    const world = await build({ desired: 0 });
    const ask = { ...named, RequestedCapacity: 4, AvailabilityZones: ['us-east-1a'] };
    expect(world.autoScaling('LaunchInstances', { ...ask, ClientToken: 'a' })).toMatchObject({ Instances: [{}, {}] });
    expect(world.group().desired).toBe(6);
    const beyond = { ...ask, RequestedCapacity: 7, ClientToken: 'b' };
    expect(world.refusal(() => world.autoScaling('LaunchInstances', beyond)).code).toBe('ValidationError');
  });

  it('counts base and percentage in units', async () => {
    const world = await build({ desired: 0 });
    const mixed = {
      MixedInstancesPolicy: {
        LaunchTemplate: {
          LaunchTemplateSpecification: { LaunchTemplateName: 'web' },
          Overrides: [{ InstanceType: 'm7g.large', WeightedCapacity: '3' }],
        },
        InstancesDistribution: { OnDemandBaseCapacity: 4, OnDemandPercentageAboveBaseCapacity: 0 },
      },
    };
    world.autoScaling('UpdateAutoScalingGroup', { ...named, ...mixed, DesiredCapacity: 12 });
    await world.seconds(60);
    const markets = world.inService().map((id) => world.instance(id).market);
    expect(markets.sort()).toEqual(['on-demand', 'on-demand', 'spot', 'spot']);
  });

  it('launches or terminates after a change of weights, and a type that is left out keeps its last one', async () => {
    const world = await build({ desired: 6 });
    const change = (...types: readonly (readonly [string, string])[]) =>
      world.autoScaling('UpdateAutoScalingGroup', {
        ...named,
        MixedInstancesPolicy: {
          LaunchTemplate: {
            LaunchTemplateSpecification: { LaunchTemplateName: 'web' },
            Overrides: types.map(([InstanceType, WeightedCapacity]) => ({ InstanceType, WeightedCapacity })),
          },
          InstancesDistribution: { OnDemandPercentageAboveBaseCapacity: 0 },
        },
      });
    change(['m7g.large', '1'], ['m6g.large', '1']);
    await world.seconds(60);
    expect(numbers(world)).toEqual([6, 6]);
    change(['m7g.large', '2'], ['m6g.large', '1']);
    await world.seconds(60);
    expect(numbers(world)).toEqual([6, 3]);
    change(['m6g.large', '1']);
    await world.seconds(60);
    expect(numbers(world)).toEqual([6, 3]);
  });

  it('takes the lowest price of a unit, where its strategy is the lowest price', async () => {
    const typeOf = async (weight: number) => {
      const world = await build({ desired: 0 }, { offerings: plainSpec.offerings });
      const Overrides = [
        { InstanceType: 'm7g.large', WeightedCapacity: '2' },
        { InstanceType: 'm6g.large', WeightedCapacity: String(weight) },
      ];
      const InstancesDistribution = { OnDemandPercentageAboveBaseCapacity: 0, SpotAllocationStrategy: 'lowest-price' };
      const LaunchTemplate = { LaunchTemplateSpecification: { LaunchTemplateName: 'web' }, Overrides };
      world.autoScaling('UpdateAutoScalingGroup', { ...named, DesiredCapacity: 1, MixedInstancesPolicy: { LaunchTemplate, InstancesDistribution } });
      await world.seconds(60);
      return world.instance(world.inService()[0] ?? '').instanceType;
    };
    expect([await typeOf(2), await typeOf(4)]).toEqual(['m7g.large', 'm6g.large']);
  });

  it('is refused with weights for some of its types, and with weights that Auto Scaling does not take', async () => {
    const { autoScaling, refusal } = await build();
    const refused = (...found: readonly (string | undefined)[]) => {
      const Overrides = found.map((WeightedCapacity, index) => ({ InstanceType: ['m7g.large', 'm6g.large'][index], WeightedCapacity }));
      const LaunchTemplate = { LaunchTemplateSpecification: { LaunchTemplateName: 'web' }, Overrides };
      return refusal(() => autoScaling('UpdateAutoScalingGroup', { ...named, MixedInstancesPolicy: { LaunchTemplate } })).code;
    };
    expect([refused('2', undefined), refused('0', '1'), refused('1000', '1'), refused('1.5', '1')]).toEqual(Array(4).fill('ValidationError'));
  });
});

it('replaces a member at risk by as many units as it counts', async () => {
  const world = await build({ desired: 3, rebalancesCapacity: true });
  for (const zone of plainSpec.zones) {
    world.world.setOffering({ instanceType: 'm7g.large', zone, market: 'spot' }, { capacity: 0 });
    world.world.setOffering({ instanceType: 'm6g.large', zone, market: 'spot' }, { capacity: 5 });
  }
  world.world.recommendRebalance(world.inService());
  await world.seconds(90);
  expect(world.inService().map((id) => world.instance(id).instanceType)).toEqual(['m6g.large', 'm6g.large']);
});

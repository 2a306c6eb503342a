import { describe, expect, it } from 'vitest';
import { createTestWorld, fleetInput, plainSpec } from './build.ts';

type FleetError = { Lifecycle: string; ErrorCode: string; LaunchTemplateAndOverrides: { Overrides: { InstanceType: string; SubnetId: string } } };
type FleetAnswer = {
  FleetId: string;
  Instances: { InstanceIds: string[]; InstanceType: string; Lifecycle: string; LaunchTemplateAndOverrides: { Overrides: { SubnetId: string } } }[];
  Errors: FleetError[];
};

const overrides = (...list: [type: string, subnet: string, more?: object][]) => ({
  LaunchTemplateConfigs: [
    {
      LaunchTemplateSpecification: { LaunchTemplateName: 'web', Version: '$Default' },
      Overrides: list.map(([InstanceType, SubnetId, more]) => ({ InstanceType, SubnetId, ...more })),
    },
  ],
});

const onDemand = (count: number) => ({ TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: 'on-demand' } });

describe('CreateFleet', () => {
  const fleet = (count: number, change: Record<string, unknown> = {}, spec: Partial<typeof plainSpec> = {}) => {
    const test = createTestWorld(spec);
    return { ...test, answer: test.ec2<FleetAnswer>('CreateFleet', fleetInput(count, change)) };
  };
  const count = ({ Instances }: FleetAnswer) => Instances.reduce((sum, { InstanceIds }) => sum + InstanceIds.length, 0);

  it('launches what was requested, in one call, pending', () => {
    const { answer, world } = fleet(3);
    expect(count(answer)).toBe(3);
    expect(answer.Errors).toEqual([]);
    expect(world.snapshot().instances.map(({ state, market, subnet }) => ({ state, market, subnet }))).toEqual(
      Array.from({ length: 3 }, () => ({ state: 'pending', market: 'spot', subnet: 'subnet-a' })),
    );
  });

  it('refuses a type that does not run the image of the template, and launches one that does', () => {
    const launchTemplates = [{ name: 'web', architecture: 'arm64' as const }];
    const offerings = [
      ...plainSpec.offerings,
      { instanceType: 'm7i.large', zone: 'us-east-1a', market: 'spot' as const, capacity: 50, priceUsdPerHour: 0.01 },
    ];
    const both = fleet(2, overrides(['m7i.large', 'subnet-a'], ['m7g.large', 'subnet-b']), { launchTemplates, offerings }).answer;
    expect(both.Instances.map(({ InstanceType }) => InstanceType)).toEqual(['m7g.large']);
    expect(both.Errors.map(({ ErrorCode }) => ErrorCode)).toEqual(['InvalidParameterValue']);
    expect(fleet(1, overrides(['m7i.large', 'subnet-a']), { offerings }).answer.Errors).toEqual([]);
  });

  it('takes spot from the pool with the most free capacity, then the cheapest', () => {
    const { answer } = fleet(5, overrides(['m7g.large', 'subnet-a'], ['m6g.large', 'subnet-a'], ['m7g.large', 'subnet-b']));
    expect(answer.Instances.map(({ InstanceType }) => InstanceType)).toEqual(['m6g.large']);
  });

  it('keeps what it launched and names every pool that had less capacity', () => {
    const { answer } = fleet(15);
    expect(count(answer)).toBe(10);
    expect(answer.Errors.map(({ ErrorCode, Lifecycle }) => [ErrorCode, Lifecycle])).toEqual([['InsufficientInstanceCapacity', 'spot']]);
  });

  it('returns UnfulfillableCapacity for each override when every spot pool is empty', () => {
    const offerings = plainSpec.offerings.map((offering) => (offering.market === 'spot' ? { ...offering, capacity: 0 } : offering));
    const { answer } = fleet(2, overrides(['m7g.large', 'subnet-a'], ['m6g.large', 'subnet-b']), { offerings });
    expect(answer.Instances).toEqual([]);
    expect(answer.Errors.map(({ ErrorCode }) => ErrorCode)).toEqual(['UnfulfillableCapacity', 'UnfulfillableCapacity']);
  });

  it('returns Unsupported for an offering that does not exist', () => {
    const { answer } = fleet(1, overrides(['p5.48xlarge', 'subnet-a']));
    expect(answer.Errors.map(({ ErrorCode }) => ErrorCode)).toEqual(['Unsupported']);
  });

  it.each([
    ['1.50', 10],
    ['0.80', 8],
    ['0.79', 7],
    ['0.05', 0],
  ])('of ten on-demand instances at 0.10 stops before they cost more than %s together, without a word', (MaxTotalPrice, launched) => {
    const { answer } = fleet(10, { ...onDemand(10), OnDemandOptions: { AllocationStrategy: 'prioritized', MaxTotalPrice } });
    expect(count(answer)).toBe(launched);
    expect(answer.Errors).toEqual([]);
  });

  it('returns SpotMaxPriceTooLow when the limit is under the price', () => {
    const { answer } = fleet(1, overrides(['m7g.large', 'subnet-a', { MaxPrice: '0.02' }], ['m6g.large', 'subnet-b', { MaxPrice: '0.03' }]));
    expect(answer.Errors.map(({ ErrorCode }) => ErrorCode)).toEqual(['SpotMaxPriceTooLow', 'SpotMaxPriceTooLow']);
  });

  it('names the subnet that has no address left', () => {
    const subnets = [{ id: 'subnet-a', zone: 'us-east-1a', freeAddresses: 2 }];
    const { answer } = fleet(3, {}, { subnets });
    expect(count(answer)).toBe(2);
    expect(answer.Errors.map(({ ErrorCode }) => ErrorCode)).toEqual(['InsufficientFreeAddressesInSubnet']);
  });

  it('returns an error when the account may launch no more of a market', () => {
    const quotas = { spot: 4, 'on-demand': 0 };
    const spot = fleet(6, {}, { quotas });
    expect(count(spot.answer)).toBe(4);
    expect(spot.answer.Errors.map(({ ErrorCode }) => ErrorCode)).toEqual(['MaxSpotInstanceCountExceeded']);
    expect(fleet(1, onDemand(1), { quotas }).answer.Errors.map(({ ErrorCode }) => ErrorCode)).toEqual(['VcpuLimitExceeded']);
  });

  it('orders on-demand by priority, or by price', () => {
    const offerings = [
      { instanceType: 'm7g.large', zone: 'us-east-1a', market: 'on-demand' as const, capacity: 1, priceUsdPerHour: 0.2 },
      { instanceType: 'm6g.large', zone: 'us-east-1a', market: 'on-demand' as const, capacity: null, priceUsdPerHour: 0.1 },
    ];
    const pools = overrides(['m7g.large', 'subnet-a', { Priority: 1 }], ['m6g.large', 'subnet-a', { Priority: 2 }]);
    const prioritized = fleet(2, { ...pools, ...onDemand(2), OnDemandOptions: { AllocationStrategy: 'prioritized' } }, { offerings });
    expect(prioritized.answer.Instances.map(({ InstanceType }) => InstanceType)).toEqual(['m7g.large', 'm6g.large']);
    expect(prioritized.answer.Errors.map(({ ErrorCode, Lifecycle }) => [ErrorCode, Lifecycle])).toEqual([
      ['InsufficientInstanceCapacity', 'on-demand'],
    ]);
    const cheapest = fleet(2, { ...pools, ...onDemand(2) }, { offerings });
    expect(cheapest.answer.Instances.map(({ InstanceType }) => InstanceType)).toEqual(['m6g.large']);
  });

  it('gives nothing below MinTargetCapacity', () => {
    const { answer } = fleet(15, {
      SpotOptions: { AllocationStrategy: 'price-capacity-optimized', MinTargetCapacity: 12, SingleAvailabilityZone: true },
    });
    expect(count(answer)).toBe(0);
    expect(answer.Errors.map(({ ErrorCode }) => ErrorCode)).toEqual(['UnfulfillableCapacity']);
  });

  it('puts the tags of the request on the instances', () => {
    const { world } = fleet(1, { TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'team', Value: 'web' }] }] });
    expect(world.snapshot().instances[0]?.tags).toEqual({ team: 'web' });
  });

  it('returns the same response for the same token, and refuses the token with other parameters', () => {
    const { ec2, refusal, world } = createTestWorld();
    const first = ec2('CreateFleet', fleetInput(2, { ClientToken: 'token-1' }));
    expect(ec2('CreateFleet', fleetInput(2, { ClientToken: 'token-1' }))).toEqual(first);
    expect(world.snapshot().instances).toHaveLength(2);
    expect(refusal(() => ec2('CreateFleet', fleetInput(3, { ClientToken: 'token-1' }))).code).toBe('IdempotentParameterMismatch');
  });

  it('throttles inside Errors[] when the account has launched too much at once', () => {
    const offerings = [{ instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' as const, capacity: null, priceUsdPerHour: 0.03 }];
    const { answer } = fleet(1100, {}, { offerings });
    expect(count(answer)).toBe(1000);
    expect(answer.Errors.map(({ ErrorCode }) => ErrorCode)).toEqual(['RequestLimitExceeded']);
  });

  it('refuses two subnets of one zone for one type, and what it cannot simulate', () => {
    const spec = { subnets: [...plainSpec.subnets, { id: 'subnet-a2', zone: 'us-east-1a' }] };
    const { ec2, refusal } = createTestWorld(spec);
    const twice = fleetInput(1, overrides(['m7g.large', 'subnet-a'], ['m7g.large', 'subnet-a2']));
    expect(refusal(() => ec2('CreateFleet', twice)).code).toBe('InvalidFleetConfig');
    expect(refusal(() => ec2('CreateFleet', fleetInput(1, { Type: 'maintain' }))).code).toBe('InvalidParameterValue');
    expect(refusal(() => ec2('CreateFleet', fleetInput(1, overrides(['m7g.large', 'subnet-zzz'])))).code).toBe('InvalidSubnetID.NotFound');
  });

  it('has no template that was deleted', () => {
    const { ec2, refusal } = createTestWorld();
    ec2('DeleteLaunchTemplate', { LaunchTemplateName: 'web' });
    expect(refusal(() => ec2('CreateFleet', fleetInput(1))).code).toBe('InvalidLaunchTemplateName.NotFoundException');
  });
});

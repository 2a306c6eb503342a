import { expect } from 'vitest';
import { scopeOfRefusal } from '../../../aws/calls/errors.ts';
import { type Cloud, instanceType, smallSubnet, zones } from './cloud.ts';
import type { Expectation } from './expectation.ts';
import { api, errorCodes, fleet } from './instances.ts';

const noCapacity = 'every request is fulfilled: there is no capacity that could run out';
const emulatorsHaveNoCapacity = { ministack: noCapacity, moto: noCapacity };
const noQuota = 'accounts have no limits there';
const instantFleets = 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instant-fleet.html';

type Change = Parameters<typeof fleet>[2];

const overriding = (cloud: Cloud, ...overrides: readonly object[]): Change => ({
  LaunchTemplateConfigs: [
    {
      LaunchTemplateSpecification: { LaunchTemplateName: cloud.template.name, Version: '$Default' },
      Overrides: overrides.map((override) => ({ InstanceType: instanceType, SubnetId: cloud.subnets[1], ...override })) as never,
    },
  ],
});

const onDemand = (count: number, more: object = {}): Change => ({
  TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: 'on-demand' },
  SpotOptions: undefined,
  OnDemandOptions: { AllocationStrategy: 'prioritized', ...more },
});

const ask = async (cloud: Cloud, count: number, change: Change) => {
  const { Instances = [], Errors = [] } = await cloud.ec2.send(fleet(cloud, count, change));
  return { got: Instances.flatMap(({ InstanceIds = [] }) => InstanceIds).length, errors: Errors };
};

/** While these zones have only so many instances of the type left on spot; only our own world supports this. */
const withCapacity = async (cloud: Cloud, some: readonly string[], capacity: number, work: () => Promise<void>): Promise<void> => {
  const set = (left: number | null) => {
    for (const zone of some) cloud.world?.setOffering({ instanceType, zone, market: 'spot' }, { capacity: left });
  };
  set(capacity);
  try {
    await work();
  } finally {
    set(null);
  }
};

/** What CreateFleet says of what it did not give. */
export const refusals: readonly Expectation[] = [
  {
    call: 'CreateFleet',
    rule: 'of type instant keeps what it got when capacity runs out, and names each override that refused in Errors, in a successful response',
    source: instantFleets,
    cannot: emulatorsHaveNoCapacity,
    check: (cloud) =>
      withCapacity(cloud, [zones[1]], 1, async () => {
        const { got, errors } = await ask(cloud, 3, {});
        expect(got).toBeLessThan(3);
        expect(errors.map(({ ErrorCode }) => scopeOfRefusal(ErrorCode ?? ''))).toEqual(['offering']);
        expect(errors[0]?.LaunchTemplateAndOverrides?.Overrides).toMatchObject({ InstanceType: instanceType, SubnetId: cloud.subnets[1] });
      }),
  },
  {
    call: 'CreateFleet',
    rule: 'whose overrides are all out of capacity gives nothing, and says in Errors that capacity is what is missing',
    source: errorCodes,
    cannot: emulatorsHaveNoCapacity,
    check: (cloud) =>
      withCapacity(cloud, zones, 0, async () => {
        const { got, errors } = await ask(cloud, 2, overriding(cloud, {}, { SubnetId: cloud.subnets[0], Priority: 1 }));
        expect(got).toBe(0);
        expect(errors.length).toBeGreaterThan(0);
        for (const { ErrorCode } of errors) expect(scopeOfRefusal(ErrorCode ?? '')).toBe('offering');
      }),
  },
  {
    call: 'CreateFleet',
    rule: 'with a MaxPrice below the spot price returns SpotMaxPriceTooLow in Errors',
    source: errorCodes,
    cannot: { ministack: 'there are no spot prices that a launch is compared with', moto: 'there are no spot prices that a launch is compared with' },
    async check(cloud) {
      const { got, errors } = await ask(cloud, 1, overriding(cloud, { MaxPrice: '0.0001' }));
      expect(got).toBe(0);
      expect(errors[0]?.ErrorCode).toBe('SpotMaxPriceTooLow');
    },
  },
  {
    call: 'CreateFleet',
    rule: 'of on-demand instances stops before they cost more than MaxTotalPrice together, and says nothing about it',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-fleet-control-spending.html',
    differs: { ministack: 'MaxTotalPrice is ignored', moto: 'MaxTotalPrice is ignored' },
    async check(cloud) {
      const { got, errors } = await ask(cloud, 3, onDemand(3, { MaxTotalPrice: '0.17' }));
      expect(got).toBe(2);
      expect(errors).toEqual([]);
    },
  },
  {
    call: 'CreateFleet',
    rule: 'with a type that a zone does not have returns Unsupported in Errors',
    source: errorCodes,
    cannot: { ministack: 'every type is available in every zone', moto: 'every type is available in every zone' },
    async check(cloud) {
      const { got, errors } = await ask(cloud, 1, overriding(cloud, { InstanceType: 'x2gd.metal' }));
      expect(got).toBe(0);
      expect(errors[0]?.ErrorCode).toBe('Unsupported');
      expect(scopeOfRefusal('Unsupported')).toBe('zone-permanent');
    },
  },
  {
    call: 'CreateFleet',
    rule: 'gives as many as a subnet has addresses, and says InsufficientFreeAddressesInSubnet in Errors',
    source: errorCodes,
    cannot: { ministack: 'subnets are never full', moto: 'subnets are never full' },
    async check(cloud) {
      const { got, errors } = await ask(cloud, 3, overriding(cloud, { SubnetId: smallSubnet }));
      expect(got).toBe(1);
      expect(errors[0]?.ErrorCode).toBe('InsufficientFreeAddressesInSubnet');
    },
  },
  {
    call: 'CreateFleet',
    rule: 'gives as many on-demand instances as the account may have, and says VcpuLimitExceeded in Errors',
    source: errorCodes,
    cannot: { ministack: noQuota, moto: noQuota },
    async check(cloud) {
      const { got, errors } = await ask(cloud, 50, onDemand(50));
      expect(got).toBeLessThan(50);
      expect(errors[0]?.ErrorCode).toBe('VcpuLimitExceeded');
      expect(scopeOfRefusal('VcpuLimitExceeded')).toBe('market');
    },
  },
  {
    call: 'CreateFleet',
    rule: 'takes several overrides with priorities under capacity-optimized-prioritized, and gives the whole count',
    source: api('SpotOptionsRequest'),
    async check(cloud) {
      const overrides = overriding(cloud, {}, { SubnetId: cloud.subnets[0], Priority: 1 });
      const { got, errors } = await ask(cloud, 4, { ...overrides, SpotOptions: { AllocationStrategy: 'capacity-optimized-prioritized' } });
      expect(got).toBe(4);
      expect(errors).toEqual([]);
    },
  },
  {
    call: 'CreateFleet',
    rule: 'takes a launch template by its id, with the number of a version',
    source: api('FleetLaunchTemplateSpecificationRequest'),
    async check(cloud) {
      const Overrides = [{ InstanceType: instanceType, SubnetId: cloud.subnets[1] }] as never;
      const LaunchTemplateConfigs = [{ LaunchTemplateSpecification: { LaunchTemplateId: cloud.template.id, Version: '1' }, Overrides }];
      expect((await ask(cloud, 1, { LaunchTemplateConfigs })).got).toBe(1);
    },
  },
];

import { expect } from 'vitest';
import { codeOf, isUnknownTemplate } from '../../../aws/calls/errors.ts';
import { instanceType, zones } from './cloud.ts';
import { type Expectation, refusal } from './expectation.ts';
import { api, describe, errorCodes, fleet, idempotency, instanceOf, launch, tagged, unique } from './instances.ts';
import { refusals } from './refusals.ts';

/** The call that launches what Holdfast keeps itself. */
export const createFleet: readonly Expectation[] = [
  {
    call: 'CreateFleet',
    rule: 'of type instant returns every instance at once: its id, its type, and the override that it came from',
    source: api('CreateFleet'),
    differs: { ministack: 'an instance does not say which override it came from' },
    async check(cloud) {
      const { Instances = [], Errors = [] } = await cloud.ec2.send(fleet(cloud, 3));
      expect(Errors).toEqual([]);
      expect(Instances.flatMap(({ InstanceIds = [] }) => InstanceIds)).toHaveLength(3);
      expect(Instances[0]).toMatchObject({ InstanceType: instanceType });
      expect(Instances[0]?.LaunchTemplateAndOverrides?.Overrides).toMatchObject({ InstanceType: instanceType, SubnetId: cloud.subnets[1] });
    },
  },
  {
    call: 'CreateFleet',
    rule: 'launches into the subnet of the override, and so into its zone',
    source: api('FleetLaunchTemplateOverridesRequest'),
    differs: { ministack: 'every instance is in the first zone, whatever its subnet' },
    async check(cloud) {
      const ids = await launch(cloud, 1);
      const instance = await instanceOf(cloud, ids[0]);
      expect(instance).toMatchObject({ SubnetId: cloud.subnets[1], Placement: { AvailabilityZone: zones[1] } });
    },
  },
  {
    call: 'CreateFleet',
    rule: 'says in Lifecycle which market instances came from, and a spot instance has InstanceLifecycle spot',
    source: api('CreateFleetInstance'),
    differs: { ministack: 'no instance has a lifecycle: a spot request gives instances like any other' },
    async check(cloud) {
      const { Instances = [] } = await cloud.ec2.send(fleet(cloud, 1));
      expect(Instances[0]?.Lifecycle).toBe('spot');
      expect((await instanceOf(cloud, Instances[0]?.InstanceIds?.[0]))?.InstanceLifecycle).toBe('spot');
    },
  },
  {
    call: 'CreateFleet',
    rule: 'launches on-demand instances without InstanceLifecycle',
    source: api('CreateFleet'),
    async check(cloud) {
      const ids = await launch(cloud, 1, {
        TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
        SpotOptions: undefined,
        OnDemandOptions: { AllocationStrategy: 'prioritized' },
      });
      const instance = await instanceOf(cloud, ids[0]);
      expect(instance).toBeDefined();
      expect(instance?.InstanceLifecycle).toBeUndefined();
    },
  },
  {
    call: 'CreateFleet',
    rule: 'puts the tags of TagSpecifications for instances on every instance from the start',
    source: api('CreateFleet'),
    async check(cloud) {
      const value = unique('fleet');
      const ids = await launch(cloud, 2, { TagSpecifications: tagged(value) });
      expect((await describe(cloud, 'tag:contract', value)).map(({ InstanceId }) => InstanceId).toSorted()).toEqual(ids.toSorted());
    },
  },
  {
    call: 'CreateFleet',
    rule: 'repeated with the same ClientToken and parameters launches nothing more and returns the same instances',
    source: idempotency,
    differs: { ministack: 'ClientToken is ignored', moto: 'ClientToken is ignored' },
    async check(cloud) {
      const command = { ClientToken: unique('again') };
      const first = await launch(cloud, 2, command);
      expect(await launch(cloud, 2, command)).toEqual(first);
    },
  },
  {
    call: 'CreateFleet',
    rule: 'with a ClientToken used for other parameters fails with IdempotentParameterMismatch',
    source: idempotency,
    differs: { ministack: 'ClientToken is ignored', moto: 'ClientToken is ignored' },
    async check(cloud) {
      const command = { ClientToken: unique('mismatch') };
      await launch(cloud, 1, command);
      expect(codeOf(await refusal(launch(cloud, 2, command)))).toBe('IdempotentParameterMismatch');
    },
  },
  {
    call: 'CreateFleet',
    rule: 'with a launch template that does not exist fails with InvalidLaunchTemplateName.NotFoundException',
    source: errorCodes,
    differs: { ministack: 'it fails with another code' },
    async check(cloud) {
      const LaunchTemplateConfigs = [{ LaunchTemplateSpecification: { LaunchTemplateName: 'nobody', Version: '$Default' } }];
      expect(isUnknownTemplate(await refusal(launch(cloud, 1, { LaunchTemplateConfigs })))).toBe(true);
    },
  },
  ...refusals,
];

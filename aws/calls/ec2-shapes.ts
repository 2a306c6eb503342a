import type {
  FleetLaunchTemplateOverrides as SdkFleetLaunchTemplateOverrides,
  FleetLaunchTemplateOverridesRequest as SdkFleetLaunchTemplateOverridesRequest,
  Instance as SdkInstance,
  InstanceStatus as SdkInstanceStatus,
} from '@aws-sdk/client-ec2';

/**
 * What functions use of EC2's largest structures. Bundles leave out all other members (`assembly/used-members.ts`).
 * With the SDK's own types, code could read a member that is never there, or set one that is never sent.
 */
export type Instance = Pick<
  SdkInstance,
  'InstanceLifecycle' | 'Tags' | 'StateReason' | 'InstanceId' | 'State' | 'InstanceType' | 'LaunchTime' | 'Placement'
>;

export type InstanceStatus = Pick<SdkInstanceStatus, 'InstanceId'> & {
  readonly InstanceStatus?: Pick<NonNullable<SdkInstanceStatus['InstanceStatus']>, 'Status'>;
  readonly SystemStatus?: Pick<NonNullable<SdkInstanceStatus['SystemStatus']>, 'Status'>;
};

export type FleetLaunchTemplateOverrides = Pick<
  SdkFleetLaunchTemplateOverrides,
  'InstanceType' | 'SubnetId' | 'AvailabilityZone'
>;

export type FleetLaunchTemplateOverridesRequest = Pick<
  SdkFleetLaunchTemplateOverridesRequest,
  'InstanceType' | 'MaxPrice' | 'SubnetId' | 'Priority'
>;

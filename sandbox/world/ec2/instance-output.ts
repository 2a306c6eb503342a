import { type InstanceRecord, type InstanceView, stateCodes } from '../instance.ts';
import { toTagList } from './tag-lists.ts';

const stateOf = (state: InstanceView['state']) => ({ Code: stateCodes[state], Name: state });

/** An instance as `DescribeInstances` and `RunInstances` return it. Values that change come from the view, which may lag behind. */
export const describeInstance = (instance: InstanceRecord, view: InstanceView, vpcId: string) => ({
  InstanceId: instance.id,
  ImageId: instance.imageId,
  InstanceType: instance.instanceType,
  State: stateOf(view.state),
  LaunchTime: new Date(instance.startedAtMs ?? instance.launchedAtMs),
  Placement: { AvailabilityZone: instance.zone, Tenancy: 'default' },
  ...(view.state === 'terminated' ? {} : { SubnetId: instance.subnet.id, VpcId: vpcId, PrivateIpAddress: instance.privateIp }),
  PrivateDnsName: view.state === 'terminated' ? '' : `ip-${instance.privateIp.replaceAll('.', '-')}.ec2.internal`,
  Architecture: /^\w+g[a-z]*\./.test(instance.instanceType) ? 'arm64' : 'x86_64',
  Monitoring: { State: 'disabled' },
  RootDeviceType: 'ebs',
  ...(instance.market === 'spot' ? { InstanceLifecycle: 'spot', SpotInstanceRequestId: instance.spotRequestId } : {}),
  ...(instance.clientToken === undefined ? {} : { ClientToken: instance.clientToken }),
  ...(view.reason === undefined ? {} : { StateReason: view.reason, StateTransitionReason: view.reason.Message }),
  Tags: toTagList(view.tags),
});

/** Each instance is in a reservation of its own, as fleets return them. A reader of the first reservation alone finds one instance. */
export const describeReservation = (instance: InstanceRecord, view: InstanceView, vpcId: string, ownerId: string) => ({
  ReservationId: instance.reservationId,
  OwnerId: ownerId,
  Groups: [],
  Instances: [describeInstance(instance, view, vpcId)],
});

export const describeStateChange = (id: string, before: InstanceView['state'], after: InstanceView['state']) => ({
  InstanceId: id,
  PreviousState: stateOf(before),
  CurrentState: stateOf(after),
});

/**
 * DescribeInstanceStatus: the checks are initializing until EC2 has made them. The instance check fails on a broken machine, and if the system hangs so that
 * its software does not respond.
 */
export const describeStatus = (instance: InstanceRecord, view: InstanceView) => {
  const status = view.state !== 'running' ? 'not-applicable' : instance.checks === undefined ? 'initializing' : 'ok';
  const isBroken = instance.checks === 'failed' || instance.isFailing === true;
  const own = status === 'ok' && isBroken ? 'impaired' : status;
  const details = (said: string) => [{ Name: 'reachability', Status: said === 'ok' ? 'passed' : said === 'impaired' ? 'failed' : 'initializing' }];
  return {
    InstanceId: instance.id,
    AvailabilityZone: instance.zone,
    InstanceState: stateOf(view.state),
    InstanceStatus: { Status: own, Details: details(own) },
    SystemStatus: { Status: status, Details: details(status) },
  };
};

import { expect, test } from 'vitest';
import { callEvents } from '../../sandbox/judge/told/calls-told.ts';

const invocation = { id: 'one', functionName: 'react' };
const logged = { caller: 'role', atMs: 1, realMs: 1, outcome: 'ok', applied: true, invocation };
const called = { kind: 'called', invocation: 'one', function: 'react', askedAtMs: 1, outcome: 'ok', applied: true };

const fleet = {
  ClientToken: 'r-1',
  TagSpecifications: [
    {
      ResourceType: 'instance',
      Tags: [
        { Key: 'holdfast:group', Value: 'holdfast/web' },
        { Key: 'holdfast:pool', Value: 'spot-a' },
      ],
    },
  ],
  TargetCapacitySpecification: { TotalTargetCapacity: 3 },
};
const fleetError = (code: string, zone: string, SubnetId?: string) => ({
  ErrorCode: code,
  Lifecycle: 'spot',
  LaunchTemplateAndOverrides: { Overrides: { InstanceType: 'm7g.large', AvailabilityZone: zone, ...(SubnetId && { SubnetId }) } },
});

test('a fleet says what it requested, and which offerings were refused', () => {
  const output = { Errors: [fleetError('InsufficientInstanceCapacity', 'a'), fleetError('RequestLimitExceeded', 'b')] };
  expect(callEvents({ ...logged, service: 'ec2', operation: 'CreateFleet' }, { input: fleet, output })).toEqual([
    { ...called, service: 'ec2', operation: 'CreateFleet', isMutating: true, launch: { group: 'web', pool: 'spot-a', count: 3, token: 'r-1' } },
    {
      kind: 'refused',
      invocation: 'one',
      group: 'web',
      instanceType: 'm7g.large',
      zone: 'a',
      market: 'spot',
      code: 'InsufficientInstanceCapacity',
      token: 'r-1',
    },
  ]);
});

test('a dry run says whose launch it tries, and requests none', () => {
  const refused = { ...logged, outcome: 'UnauthorizedOperation', applied: false, service: 'ec2', operation: 'CreateFleet' };
  expect(callEvents(refused, { input: { ...fleet, DryRun: true }, output: undefined })).toEqual([
    { ...called, service: 'ec2', operation: 'CreateFleet', outcome: 'UnauthorizedOperation', applied: false, isMutating: false, tries: 'web' },
  ]);
});

test('so do launches into an Auto Scaling group', () => {
  const input = { ClientToken: 'r-2', AutoScalingGroupName: 'spot-a', RequestedCapacity: 2 };
  const error = { ErrorCode: 'InsufficientInstanceCapacity', MarketType: 'on-demand', InstanceType: 'm7g.large', AvailabilityZone: 'a' };
  const events = callEvents({ ...logged, service: 'autoscaling', operation: 'LaunchInstances' }, { input, output: { Errors: [error] } });
  expect(events).toMatchObject([
    { launch: { asg: 'spot-a', count: 2, token: 'r-2' } },
    { kind: 'refused', asg: 'spot-a', instanceType: 'm7g.large', zone: 'a', market: 'on-demand', token: 'r-2' },
  ]);
});

test('a refusal says whether its own response gave all that was requested, and a part of it there', () => {
  const given = (count: number, zone: string) => ({
    ...{ Lifecycle: 'spot', InstanceType: 'm7g.large', InstanceIds: Array.from({ length: count }, (_, index) => `i-${zone}-${index}`) },
    LaunchTemplateAndOverrides: { Overrides: { InstanceType: 'm7g.large', AvailabilityZone: zone } },
  });
  const ofError = (error: object, ...instances: readonly object[]) => {
    const output = { Errors: [error], Instances: instances };
    return callEvents({ ...logged, service: 'ec2', operation: 'CreateFleet' }, { input: fleet, output })[1];
  };
  const ofFleet = (...instances: readonly object[]) => ofError(fleetError('InsufficientInstanceCapacity', 'a'), ...instances);
  expect(ofFleet(given(2, 'a'), given(1, 'b'))).toMatchObject({ isBesideWhole: true });
  expect(ofFleet(given(3, 'b'))).not.toHaveProperty('isBesideWhole');
  expect(ofFleet(given(2, 'a'))).not.toHaveProperty('isBesideWhole');
  const noAddress = (subnet?: string) => ofError(fleetError('InsufficientFreeAddressesInSubnet', 'a', subnet), given(2, 'a'), given(1, 'b'));
  expect(noAddress('subnet-a')).not.toHaveProperty('isBesideWhole');
  expect(noAddress()).toMatchObject({ isBesideWhole: true });

  const input = { AutoScalingGroupName: 'spot-a', RequestedCapacity: 1 };
  const place = { MarketType: 'spot', InstanceType: 'm7g.large', AvailabilityZone: 'a' };
  const ofAsg = (error: object) => {
    const output = { Errors: [{ ...place, ...error }], Instances: [{ ...place, InstanceIds: ['i-1'] }] };
    return callEvents({ ...logged, service: 'autoscaling', operation: 'LaunchInstances' }, { input, output })[1];
  };
  expect(ofAsg({ ErrorCode: 'InsufficientInstanceCapacity' })).toMatchObject({ isBesideWhole: true });
  expect(ofAsg({ ErrorCode: 'InsufficientFreeAddressesInSubnet', SubnetId: 'subnet-a' })).toMatchObject({ isBesideWhole: true });
});

test('a response that was lost is no refusal that a function received', () => {
  const lost = { ...logged, service: 'ec2', operation: 'CreateFleet', outcome: 'lost', trouble: 'fault' as const };
  expect(callEvents(lost, { input: fleet, output: undefined })).toMatchObject([{ outcome: 'lost', trouble: 'fault', applied: true }]);
});

test('members stay whose end EC2 denies to a function', () => {
  const end = (outcome: string, operation = 'TerminateInstances') =>
    callEvents({ ...logged, service: 'ec2', operation, outcome, applied: false }, { input: { InstanceIds: ['i-1', 'i-2'] }, output: undefined })
      .filter(({ kind }) => kind === 'end-refused')
      .map((event) => ('instance' in event ? event.instance : undefined));
  expect(end('UnauthorizedOperation')).toEqual(['i-1', 'i-2']);
  for (const outcome of ['ok', 'InternalError', 'RequestLimitExceeded', 'InvalidInstanceID.NotFound']) expect(end(outcome)).toEqual([]);
  expect(end('UnauthorizedOperation', 'DescribeInstances')).toEqual([]);
});

test('calls of others are not recorded', () => {
  const { invocation: _, ...byUser } = logged;
  expect(callEvents({ ...byUser, service: 'ec2', operation: 'CreateFleet' }, { input: fleet, output: {} })).toEqual([]);
});

test('a call to the load balancer lists the instances that it was to take out of service', () => {
  const input = { TargetGroupArn: 'tg-1', Targets: [{ Id: 'i-1' }, { Id: 'i-2' }] };
  const events = (operation: string) => callEvents({ ...logged, service: 'elasticloadbalancing', operation }, { input, output: {} });
  expect(events('DeregisterTargets')).toMatchObject([{ takesOut: ['i-1', 'i-2'], takesOutOf: 'tg-1' }]);
  expect(events('RegisterTargets')[0]).not.toHaveProperty('takesOut');
});

test('a call that puts instances into a group names them', () => {
  const attached = callEvents(
    { ...logged, service: 'autoscaling', operation: 'AttachInstances' },
    { input: { InstanceIds: ['i-1', 'i-2'] }, output: {} },
  );
  const input = { TargetGroupArn: 'arn', Targets: [{ Id: 'i-3' }] };
  const registered = callEvents({ ...logged, service: 'elasticloadbalancing', operation: 'RegisterTargets' }, { input, output: {} });
  expect([attached, registered]).toMatchObject([[{ putsIn: ['i-1', 'i-2'] }], [{ putsIn: ['i-3'] }]]);
});

test('a query says of which partition it reads, and no other call does', () => {
  const input = {
    KeyConditionExpression: '#group = :registry AND begins_with(#item, :entry)',
    ExpressionAttributeValues: { ':entry': { S: 'group#' }, ':registry': { S: '@registry' } },
  };
  const read = { ...logged, service: 'dynamodb', operation: 'Query' };
  expect(callEvents(read, { input, output: undefined })).toEqual([
    { ...called, service: 'dynamodb', operation: 'Query', isMutating: false, partition: '@registry' },
  ]);
  expect(callEvents({ ...read, operation: 'Scan' }, { input, output: undefined })[0]).not.toHaveProperty('partition');
  expect(callEvents(read, { input: {}, output: undefined })[0]).not.toHaveProperty('partition');
});

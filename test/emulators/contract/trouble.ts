import { LaunchInstancesCommand } from '@aws-sdk/client-auto-scaling';
import { expect } from 'vitest';
import { codeOf, type LaunchTrouble, scopeOfRefusal, troubleOf } from '../../../aws/calls/errors.ts';
import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { type Cloud, groups } from './cloud.ts';
import type { Expectation } from './expectation.ts';
import { launch } from './instances.ts';
import { throttles } from './throttles.ts';
import { under } from './under-fault.ts';

const neverInTrouble = 'the server never fails';
const onlyHere = { cannot: { ministack: neverInTrouble, moto: neverInTrouble } };

const fail = (operation: string, code: string, status: number): FaultInput => ({
  on: 'call',
  kind: 'error',
  code,
  status,
  match: { operation, caller: 'operator' },
});

const ec2Errors = 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html';
const commonErrors = 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/CommonErrors.html';
const scalingApi = 'https://docs.aws.amazon.com/autoscaling/ec2/APIReference';

type Send = (cloud: Cloud) => Promise<unknown>;

const launchFleet: Send = (cloud) => launch(cloud, 1);
const launchIntoGroup: Send = ({ autoScaling }) =>
  autoScaling.send(new LaunchInstancesCommand({ AutoScalingGroupName: groups.plain, RequestedCapacity: 1, RetryStrategy: 'none' }));

/** Each of these codes, as the wire carries it to the SDK and the SDK to us. */
const meaning = (
  call: string,
  send: Send,
  means: LaunchTrouble,
  says: string,
  source: string,
  status: number,
  codes: readonly string[],
): Expectation => ({
  call,
  rule: `that fails with ${codes.join(', ')} ${says}`,
  source,
  ...onlyHere,
  async check(cloud) {
    for (const code of codes) {
      const error = await under(cloud, fail(call, code, status), () => send(cloud));
      expect(codeOf(error)).toMatch(new RegExp(`^${code}(Fault|Exception)?$`));
      expect([code, troubleOf(error)]).toEqual([code, means]);
    }
  },
});

const capacity = [
  'InsufficientInstanceCapacity',
  'InsufficientHostCapacity',
  'InsufficientCapacityOnHost',
  'InsufficientCapacity',
  'UnfulfillableCapacity',
  'SpotMaxPriceTooLow',
  'MaxTotalPriceExceeded',
  'InsufficientFreeAddressesInSubnet',
  'ReservationCapacityExceeded',
];
const quotas = ['MaxSpotInstanceCountExceeded', 'VcpuLimitExceeded', 'InstanceLimitExceeded'];
const contention = ['ResourceContention', 'ScalingActivityInProgress', 'ResourceInUse'];

export const trouble: readonly Expectation[] = [
  ...throttles,
  meaning('CreateFleet', launchFleet, 'refused', 'has nothing to give here and now', ec2Errors, 400, capacity),
  meaning('CreateFleet', launchFleet, 'refused', 'has not this type in this zone', ec2Errors, 400, ['Unsupported']),
  {
    ...meaning('CreateFleet', launchFleet, 'refused', 'gives no more of this market to this account', ec2Errors, 400, quotas),
    async check(cloud) {
      for (const code of quotas) {
        const error = await under(cloud, fail('CreateFleet', code, 400), () => launch(cloud, 1));
        expect([troubleOf(error), scopeOfRefusal(codeOf(error))]).toEqual(['refused', 'market']);
      }
    },
  },
  meaning('CreateFleet', launchFleet, 'throttled', 'was not carried out, and says nothing about capacity', ec2Errors, 400, [
    'RequestLimitExceeded',
    'EC2ThrottledException',
    'MaxFleetCountExceeded',
    'IncorrectInstanceState',
  ]),
  meaning('CreateFleet', launchFleet, 'ambiguous', 'may have been carried out', commonErrors, 500, [
    'InternalError',
    'InternalFailure',
    'InternalServerError',
    'Unavailable',
    'ServiceUnavailable',
    'ServiceUnavailableException',
    'RequestTimeout',
    'RequestTimeoutException',
  ]),
  {
    call: 'CreateFleet',
    rule: 'that fails with 500 and a code that nobody listed may have been carried out; with 400 it was wrong',
    source: commonErrors,
    ...onlyHere,
    async check(cloud) {
      const means = async (status: number) => troubleOf(await under(cloud, fail('CreateFleet', 'NobodyListedThis', status), () => launch(cloud, 1)));
      expect(await means(500)).toBe('ambiguous');
      expect(await means(400)).toBe('invalid');
    },
  },
  {
    call: 'CreateFleet',
    rule: 'whose response never arrives, because the connection breaks or times out, may have been carried out',
    source: 'https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html',
    ...onlyHere,
    async check(cloud) {
      const lost = (as: 'reset' | 'timeout'): FaultInput => ({
        on: 'call',
        kind: 'lose-answer',
        when: 'after',
        as,
        match: { operation: 'CreateFleet', caller: 'operator' },
      });
      for (const as of ['reset', 'timeout'] as const) expect(troubleOf(await under(cloud, lost(as), () => launch(cloud, 1)))).toBe('ambiguous');
    },
  },
  meaning(
    'LaunchInstances',
    launchIntoGroup,
    'throttled',
    'waits for another change to the group',
    `${scalingApi}/API_LaunchInstances.html`,
    500,
    contention,
  ),
  meaning('LaunchInstances', launchIntoGroup, 'ambiguous', 'is under way with the same token', `${scalingApi}/API_LaunchInstances.html`, 500, [
    'IdempotentCallInProgress',
  ]),
];

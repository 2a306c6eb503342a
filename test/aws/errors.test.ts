import { describe, expect, test } from 'vitest';
import {
  attachedTo,
  codeOf,
  instancesNamedIn,
  isAboveMax,
  isBelowMin,
  isConditionFailed,
  isDenied,
  isExecutionAlreadyStarted,
  isFromAws,
  isGone,
  isInvalidTarget,
  isNoActiveLifecycleAction,
  isNotRunningYet,
  isUnknownAsg,
  isUnknownInstance,
  messageOf,
  retryOf,
  scopeOfRefusal,
  troubleOf,
  troubleOfCode,
} from '../../aws/calls/errors.ts';
import { awsError } from './fake-aws.ts';

const inClass = (codes: readonly string[], trouble: string) => codes.map((code) => [code, trouble] as const);

describe('a code means for a launch', () => {
  test.each([
    ...inClass(
      [
        'InsufficientInstanceCapacity',
        'InsufficientHostCapacity',
        'InsufficientCapacityOnHost',
        'InsufficientCapacity',
        'UnfulfillableCapacity',
        'SpotMaxPriceTooLow',
        'InsufficientFreeAddressesInSubnet',
        'ReservationCapacityExceeded',
        'MaxTotalPriceExceeded',
        'Unsupported',
        'MaxSpotInstanceCountExceeded',
        'VcpuLimitExceeded',
        'InstanceLimitExceeded',
      ],
      'refused',
    ),
    ...inClass(
      [
        'RequestLimitExceeded',
        'Throttling',
        'ThrottlingException',
        'ThrottledException',
        'RequestThrottled',
        'RequestThrottledException',
        'RateExceeded',
        'TooManyRequestsException',
        'EC2ThrottledException',
        'ProvisionedThroughputExceededException',
        'MaxFleetCountExceeded',
        'ResourceContention',
        'ResourceContentionFault',
        'ScalingActivityInProgress',
        'ScalingActivityInProgressFault',
        'ResourceInUse',
        'ResourceInUseFault',
        'IncorrectInstanceState',
      ],
      'throttled',
    ),
    ...inClass(
      [
        'InternalError',
        'InternalFailure',
        'InternalServerError',
        'Unavailable',
        'ServiceUnavailable',
        'ServiceUnavailableException',
        'RequestTimeout',
        'RequestTimeoutException',
        'TimeoutError',
        'AbortError',
        'ECONNRESET',
        'ECONNREFUSED',
        'EPIPE',
        'ETIMEDOUT',
        'EHOSTUNREACH',
        'ENOTFOUND',
        'EAI_AGAIN',
        'IdempotentCallInProgress',
        'IdempotentCallInProgressFault',
      ],
      'ambiguous',
    ),
    ...inClass(['IdempotentParameterMismatch', 'IdempotentParameterMismatchError', 'IdempotentParameterMismatchException'], 'made-before'),
    ...inClass(['UnauthorizedOperation', 'InvalidParameterValue'], 'invalid'),
  ])('%s: %s', (code, trouble) => {
    expect(troubleOfCode(code)).toBe(trouble);
    expect(troubleOf(awsError(code))).toBe(trouble);
  });

  test('of an unknown code: by its HTTP status', () => {
    expect(troubleOf(awsError('Strange', 'x', 503))).toBe('ambiguous');
    expect(troubleOf(awsError('Strange', 'x', 400))).toBe('invalid');
  });
});

describe('a refusal reaches', () => {
  test.each([
    ['InsufficientInstanceCapacity', 'offering'],
    ['Unsupported', 'zone-permanent'],
    ['VcpuLimitExceeded', 'market'],
    ['RequestLimitExceeded', undefined],
  ])('%s: %s', (code, scope) => {
    expect(scopeOfRefusal(code)).toBe(scope);
  });
});

describe('the code of an error', () => {
  test('is its name, else the code of the network error, and reading it never throws', () => {
    expect(codeOf(awsError('Throttling'))).toBe('Throttling');
    expect(codeOf(Object.assign(new Error('x'), { code: 'ECONNRESET' }))).toBe('ECONNRESET');
    expect(codeOf(Object.assign(new Error('x'), { Code: 'Wire' }))).toBe('Wire');
    expect(codeOf(new Error('x'))).toBe('Error');
    expect(codeOf('text')).toBe('Unknown');
    expect(codeOf(undefined)).toBe('Unknown');
    expect(messageOf('text')).toBe('text');
    expect(messageOf(awsError('Code', ''))).toBe('Code');
  });

  test('distinguishes errors of AWS and the network from bugs of ours', () => {
    expect(isFromAws(awsError('Anything'))).toBe(true);
    expect(isFromAws(Object.assign(new Error('x'), { name: 'TimeoutError' }))).toBe(true);
    expect(isFromAws(new TypeError('undefined is not a function'))).toBe(false);
  });
});

describe('texts of ValidationError', () => {
  const says = (message: string) => awsError('ValidationError', message);
  test.each([
    [isNoActiveLifecycleAction, 'No active Lifecycle Action found with token 1b2'],
    [isUnknownAsg, "AutoScalingGroup name not found - AutoScalingGroup 'web' not found"],
    [isAboveMax, 'AutoScalingGroup web has max-size=4. Attaching 1 instance(s) would exceed the max size.'],
    [isAboveMax, "New desired capacity 12 is above the group's MaxSize 10"],
    [isBelowMin, "Currently, desiredSize equals minSize (2). Terminating instance without replacement will violate group's min size constraint."],
    [isNotRunningYet, 'Instance i-1 is not in correct state. Instance(s) must be in running state.'],
    [isNotRunningYet, 'Instance i-1 is not in running state'],
    [isUnknownInstance, 'Instance Id not found - No managed instance found for instance ID: i-1'],
    [isUnknownInstance, 'The instance i-1 is not part of Auto Scaling group web.'],
  ] as const)('%o: %s', (predicate, message) => {
    expect(predicate(says(message))).toBe(true);
    expect(predicate(awsError('OtherError', message))).toBe(false);
    expect(predicate(says('Something else'))).toBe(false);
  });

  test('name the group that has the instance already', () => {
    expect(attachedTo(says('Instance i-1 is already part of AutoScalingGroup:web'))).toBe('web');
    expect(attachedTo(says("Instance i-1 is already part of Auto Scaling group 'web-2'."))).toBe('web-2');
    expect(attachedTo(says('nothing of the kind'))).toBeUndefined();
    expect(attachedTo(awsError('Other', 'already part of AutoScalingGroup:web'))).toBeUndefined();
  });

  test('name each instance once', () => {
    expect(instancesNamedIn(says("'i-0a1, i-0a2' and i-0a1 of api-3"))).toEqual(['i-0a1', 'i-0a2']);
    expect(instancesNamedIn(says('none'))).toEqual([]);
  });
});

describe('an action that failed', () => {
  test.each([
    ['Throttling', 'x', 'later'],
    ['InternalError', 'x', 'later'],
    ['ScalingActivityInProgressFault', 'x', 'later'],
    ['ValidationError', 'would exceed the maximum size', 'later'],
    ['ValidationError', 'must be in running state', 'later'],
    ['ValidationError', 'malformed', 'never'],
    ['AccessDenied', 'x', 'never'],
    ['OperationNotPermitted', 'x', 'never'],
  ])('%s (%s) is worth another try: %s', (code, message, retry) => {
    expect(retryOf(awsError(code, message))).toBe(retry);
  });

  test.each(['InvalidInstanceID.NotFound', 'TargetGroupNotFound', 'TargetGroupNotFoundException'])('%s is gone', (code) => {
    expect(isGone(awsError(code))).toBe(true);
  });

  test('is recognised for what it is', () => {
    expect(isInvalidTarget(awsError('InvalidTargetException'))).toBe(true);
    expect(isConditionFailed(awsError('ConditionalCheckFailedException'))).toBe(true);
    expect(isExecutionAlreadyStarted(awsError('ExecutionAlreadyExists'))).toBe(true);
  });
});

test('a call is denied where AWS refused its only attempt for good', () => {
  const refused = (code: string, attempts?: number) => Object.assign(awsError(code), { $metadata: { attempts } });
  expect(isDenied(refused('AccessDenied'))).toBe(true);
  expect(isDenied(refused('AccessDenied', 1))).toBe(true);
  // The attempt before may have been carried out.
  expect(isDenied(refused('AccessDenied', 2))).toBe(false);
  expect(isDenied(refused('Throttling', 1))).toBe(false);
});

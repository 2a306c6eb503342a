import type { Refusal } from '../../core/ports/launches.ts';
import { belowMinSize } from '../../core/swap/shortfall.ts';

/**
 * Every AWS error code that Holdfast distinguishes, and what it means for us. Error codes are compared nowhere else.
 * Sources: EC2 API reference "Error codes", Auto Scaling, Elastic Load Balancing, DynamoDB and Step Functions API
 * references. Codes are as the wire carries them and, where the two differ, also as the SDK names its exception
 * classes.
 */

/** EC2 granted fewer than requested and gave no reason. */
export const unexplainedShortfall = 'UnexplainedShortfall';

/** EC2 has no capacity (at this price, in this subnet) now. Other offerings may still be granted. */
const refusedHere = new Set([
  'InsufficientInstanceCapacity',
  'InsufficientHostCapacity',
  'InsufficientCapacityOnHost',
  'InsufficientCapacity',
  'UnfulfillableCapacity',
  'SpotMaxPriceTooLow',
  'ReservationCapacityExceeded',
  'MaxTotalPriceExceeded',
  unexplainedShortfall,
]);

/** This subnet has no free addresses, for any type. Another subnet of the zone may have. */
const refusedInSubnet = new Set(['InsufficientFreeAddressesInSubnet']);

/** This type is not offered in this zone. */
const refusedForGood = new Set(['Unsupported']);

/** An account quota that counts a whole market. */
const refusedForMarket = new Set(['MaxSpotInstanceCountExceeded', 'VcpuLimitExceeded', 'InstanceLimitExceeded']);

/** Too many calls, or a change to the same resource that is still under way. It is no statement about capacity. */
const throttled = new Set([
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
]);

/** A change to the same resource is under way. The request was not carried out. */
const contended = new Set([
  'ResourceContention',
  'ResourceContentionFault',
  'ScalingActivityInProgress',
  'ScalingActivityInProgressFault',
  'ResourceInUse',
  'ResourceInUseFault',
  'IncorrectInstanceState',
]);

/** The request may have been carried out, or may still be. */
const ambiguous = new Set([
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
]);

/**
 * The client token was used already, for a request that differs from this one. That request was made, and may have been
 * carried out.
 */
const tokenTaken = new Set([
  'IdempotentParameterMismatch',
  'IdempotentParameterMismatchError',
  'IdempotentParameterMismatchException',
]);

/** The resource that we wanted to remove does not exist any more. */
const gone = new Set([
  'InvalidInstanceID.NotFound',
  'InvalidInstanceID.Malformed',
  'TargetGroupNotFound',
  'TargetGroupNotFoundException',
  'ResourceNotFoundException',
  'ExecutionDoesNotExist',
]);

/** `ValidationError` is Auto Scaling's only code for most errors. The text tells which one it is. */
const texts = {
  /** CompleteLifecycleAction and RecordLifecycleActionHeartbeat, late or repeated. */
  noActiveLifecycleAction: /no active lifecycle action/i,
  /** Every call that names an Auto Scaling group that was deleted. */
  unknownAsg: /AutoScalingGroup name not found/i,
  /** The error of AttachInstances and LaunchInstances when the group would exceed its maximum size. */
  aboveMax: /(?:exceed|greater than|above|more than|larger than)[^.]*max|max[^.]*(?:exceed|size)/i,
  /** TerminateInstanceInAutoScalingGroup with decrement at the minimum size. */
  belowMin: /minsize|min size|minimum size/i,
  /** AttachInstances of an instance that still boots, or is ending. */
  notRunning:
    /not in (?:a |the )?(?:correct|running|valid) state|not (?:in )?running|must be (?:in )?(?:a |the )?running/i,
  /** AttachInstances of an instance that an Auto Scaling group holds already. */
  attachedTo: /already (?:part of|attached to|in) (?:AutoScalingGroup|Auto Scaling group)?[:\s]*['"]?([^\s'".,]+)/i,
  /** TerminateInstanceInAutoScalingGroup and AttachInstances of an instance that EC2 or the group no longer has. */
  unknownInstance:
    /(?:not found|does not exist|invalid instance|not part of|no managed instance|not (?:a member|managed))/i,
  instanceIds: /\bi-[0-9a-z-]+/g,
} as const;

type ErrorLike = {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly Code?: unknown;
  readonly message?: unknown;
} & {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
  readonly $fault?: unknown;
};

const isErrorLike = (error: unknown): error is ErrorLike => typeof error === 'object' && error !== null;
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The service's code, the SDK's exception name, or the network's code (`ECONNRESET`), in this order. */
export const codeOf = (error: unknown): string => {
  if (!isErrorLike(error)) return 'Unknown';
  const name = text(error.name);
  const generic = name === undefined || name === 'Error' || name === 'TypeError';
  return (generic ? (text(error.Code) ?? text(error.code)) : name) ?? name ?? 'Unknown';
};

export const messageOf = (error: unknown): string =>
  isErrorLike(error) ? (text(error.message) ?? codeOf(error)) : String(error);

export const statusOf = (error: unknown): number => (isErrorLike(error) ? (error.$metadata?.httpStatusCode ?? 0) : 0);

/** What an error means for a launch. */
export type LaunchTrouble = 'refused' | 'throttled' | 'ambiguous' | 'made-before' | 'invalid';

export const scopeOfRefusal = (code: string): Refusal['scope'] | undefined => {
  if (refusedHere.has(code)) return 'offering';
  if (refusedInSubnet.has(code)) return 'subnet';
  if (refusedForGood.has(code)) return 'zone-permanent';
  return refusedForMarket.has(code) ? 'market' : undefined;
};

/** The meaning of a code alone, as in the `Errors[]` of a fleet. */
export const troubleOfCode = (code: string): LaunchTrouble => {
  if (scopeOfRefusal(code)) return 'refused';
  if (throttled.has(code) || contended.has(code)) return 'throttled';
  if (tokenTaken.has(code)) return 'made-before';
  return ambiguous.has(code) ? 'ambiguous' : 'invalid';
};

/** Whether the error is a response of AWS or a network failure. Any other error of a launch is a bug. */
export const isFromAws = (error: unknown): boolean =>
  isErrorLike(error) && (error.$fault !== undefined || ambiguous.has(codeOf(error)));

/**
 * The meaning of a thrown error for a launch. No room in an Auto Scaling group is a refusal. After a server error
 * without a known code, the launch may have been carried out.
 */
export const troubleOf = (error: unknown): LaunchTrouble => {
  if (isAboveMax(error)) return 'refused';
  const known = troubleOfCode(codeOf(error));
  return known === 'invalid' && statusOf(error) >= 500 ? 'ambiguous' : known;
};

/** Another transaction holds the item for a moment. The request was not carried out. */
export const isHeldByTransaction = (error: unknown): error is Error =>
  error instanceof Error && codeOf(error) === 'TransactionConflictException';

export const isGone = (error: unknown): boolean => gone.has(codeOf(error));
export const isInvalidTarget = (error: unknown): boolean =>
  ['InvalidTarget', 'InvalidTargetException'].includes(codeOf(error));
/** A target group holds 1,000 instances (Elastic Load Balancing quotas); those that drain count. */
export const isTargetGroupFull = (error: unknown): boolean =>
  ['TooManyTargets', 'TooManyTargetsException'].includes(codeOf(error));

const isValidation = (error: unknown): boolean => ['ValidationError', 'ValidationException'].includes(codeOf(error));
const says = (error: unknown, what: RegExp): boolean => isValidation(error) && what.test(messageOf(error));

export const isNoActiveLifecycleAction = (error: unknown): boolean => says(error, texts.noActiveLifecycleAction);
export const isUnknownAsg = (error: unknown): boolean => says(error, texts.unknownAsg);
export const isAboveMax = (error: unknown): boolean => says(error, texts.aboveMax);
export const isBelowMin = (error: unknown): boolean => says(error, texts.belowMin);
export const isNotRunningYet = (error: unknown): boolean =>
  says(error, texts.notRunning) || codeOf(error) === 'IncorrectInstanceState';
export const isUnknownInstance = (error: unknown): boolean => isGone(error) || says(error, texts.unknownInstance);
/** Name of the Auto Scaling group that holds the instance already, from the refusal to attach it. */
export const attachedTo = (error: unknown): string | undefined =>
  isValidation(error) ? (texts.attachedTo.exec(messageOf(error))?.[1] ?? undefined) : undefined;

/** Whether a failed action may succeed later without a change by a user. */
export const retryOf = (error: unknown): 'later' | 'never' => {
  const trouble = troubleOf(error);
  if (trouble === 'throttled' || trouble === 'ambiguous') return 'later';
  return isAboveMax(error) || isBelowMin(error) || isNotRunningYet(error) ? 'later' : 'never';
};

/** Whether a call was certainly not carried out. A refusal says nothing about an earlier attempt. */
export const isNotDone = (error: unknown): boolean =>
  troubleOf(error) !== 'ambiguous' && isErrorLike(error) && (error.$metadata?.attempts ?? 1) <= 1;

/** Whether a call was certainly not carried out, and will not be without a change by a user. */
export const isDenied = (error: unknown): boolean => retryOf(error) === 'never' && isNotDone(error);

/** Instances that an error names: AWS fails a whole call for one bad id and names it. */
export const instancesNamedIn = (error: unknown): readonly string[] => [
  ...new Set(messageOf(error).match(texts.instanceIds) ?? []),
];

export const isConditionFailed = (error: unknown): boolean => codeOf(error) === 'ConditionalCheckFailedException';
export const isExecutionAlreadyStarted = (error: unknown): boolean => codeOf(error) === 'ExecutionAlreadyExists';

/** EC2 throttled by a bucket of requests or of launched instances, and not for lack of room for fleets. */
export const isRequestLimit = (code: string): boolean => code === 'RequestLimitExceeded';

/** Our own codes, where AWS gives none. {@link unexplainedShortfall} is another one. */
export const notOurs = 'NotOurs';
/** Whether a failure with this code certainly changed nothing. */
export const wasNotDone = (code: string | undefined): boolean =>
  code !== undefined && (code === belowMinSize || troubleOfCode(code) === 'throttled');
export const leaseOver = 'LeaseOver';

const unknownTemplate = new Set([
  'InvalidLaunchTemplateId.NotFound',
  'InvalidLaunchTemplateId.Malformed',
  'InvalidLaunchTemplateId.VersionNotFound',
  'InvalidLaunchTemplateName.NotFoundException',
]);
/** The launch template, or that version of it, does not exist in this account and region. */
export const isUnknownTemplate = (error: unknown): boolean => unknownTemplate.has(codeOf(error));

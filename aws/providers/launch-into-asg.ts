import {
  LaunchInstancesCommand,
  type LaunchInstancesRequest,
  type LaunchInstancesResult,
} from '@aws-sdk/client-auto-scaling';
import { CreateTagsCommand } from '@aws-sdk/client-ec2';
import { joinedTagValue, tags } from '../../core/contract.ts';
import type { Group } from '../../core/group/group.ts';
import type { LaunchRequest } from '../../core/launch/launch-request.ts';
import type { Reservation } from '../../core/launch/reservation.ts';
import type { Market } from '../../core/pool/offering.ts';
import type { LaunchedInstance, LaunchOrder, LaunchResult } from '../../core/ports/launches.ts';
import { chunks } from '../calls/chunks.ts';
import { codeOf, messageOf, retryOf, scopeOfRefusal } from '../calls/errors.ts';
import { inParallel } from '../calls/in-parallel.ts';
import { instanceTags } from './create-fleet.ts';
import { type Complaint, refusedAll, toLaunchResult } from './launch-result.ts';
import type { ProviderDeps } from './provider-deps.ts';
import { isFailure, type LaunchFailure, sendLaunch } from './send-launch.ts';

/** Instances that one LaunchInstances call takes. */
export const instancesPerCall = 100;
/** Resources that one CreateTags call takes. */
const tagsPerCall = 1_000;
/**
 * Parts for one group under way at once: a launch takes seconds, and hundreds of replacements must be requested within
 * ten.
 */
const partsAtOnce = 3;
const longestToken = 64;

/** Parts of a reservation that fit into one call, each under a token of its own. */
export const partsOf = ({
  token,
  placement,
}: Reservation): readonly { readonly token: string; readonly count: number }[] => {
  const calls = Math.ceil(placement.count / instancesPerCall);
  if (calls <= 1) return [{ token, count: placement.count }];
  return Array.from({ length: calls }, (_, index) => {
    const suffix = `-${index + 1}`;
    const count = Math.min(instancesPerCall, placement.count - index * instancesPerCall);
    return { token: `${token.slice(0, longestToken - suffix.length)}${suffix}`, count };
  });
};

type Progress = { readonly given: LaunchedInstance[]; readonly complaints: Complaint[]; failure?: LaunchFailure };

const instancesIn = ({ Instances }: LaunchInstancesResult, market: Market): readonly LaunchedInstance[] =>
  (Instances ?? []).flatMap(({ InstanceIds, InstanceType, AvailabilityZone }) =>
    (InstanceIds ?? []).map((instance) => ({
      instance,
      offering: { instanceType: InstanceType ?? 'unknown', zone: AvailabilityZone ?? 'unknown', market },
    })),
  );

const complaintsIn = ({ Errors }: LaunchInstancesResult): readonly Complaint[] =>
  (Errors ?? []).map(({ InstanceType, AvailabilityZone, ErrorCode, ErrorMessage }) => ({
    instanceType: InstanceType,
    zone: AvailabilityZone,
    code: ErrorCode ?? 'Unknown',
    message: ErrorMessage ?? '',
  }));

/** They are launched into their group. One that is no longer in it was taken out. */
const tagsIn = (
  asg: string,
  deployment: string,
  group: Group,
  reservation: Reservation,
): LaunchRequest['tagsAfterwards'] => [
  ...instanceTags(deployment, group, reservation),
  { Key: tags.joined, Value: joinedTagValue(asg, reservation.atMs) },
];

/**
 * LaunchInstances into the pool's group, at most 100 a call. The pool's group has one zone, so none is named. The group
 * does not retry by itself: Holdfast places a missing instance again.
 */
export const asgRequest = (
  { deployment }: Pick<ProviderDeps, 'deployment'>,
  group: Group,
  reservation: Reservation,
): LaunchRequest | undefined => {
  const { placement } = reservation;
  const pool = group.pools[placement.pool];
  if (!pool?.asg) return undefined;
  const inputs = partsOf(reservation).map(
    ({ token, count }): LaunchInstancesRequest => ({
      AutoScalingGroupName: pool.asg,
      RequestedCapacity: count,
      ClientToken: token,
      RetryStrategy: 'none',
    }),
  );
  return {
    api: 'LaunchInstances',
    calls: inputs.map((input) => JSON.stringify(input)),
    placement,
    market: pool.market,
    zones: {},
    tagsAfterwards: tagsIn(pool.asg, deployment, group, reservation),
  };
};

const launchPart = (
  { autoScaling, now }: ProviderDeps,
  part: string,
  leaseUntilMs: number,
): Promise<LaunchInstancesResult | LaunchFailure> => {
  const command = new LaunchInstancesCommand(JSON.parse(part) as LaunchInstancesRequest);
  return sendLaunch(
    (watch, where) => command.middlewareStack.add(watch, where),
    { leaseUntilMs, now },
    () => autoScaling.send(command),
  );
};

/** Stores the result of a part. False when it gave no instance: the pool has no capacity, or the call was refused. */
const note = (progress: Progress, answer: LaunchInstancesResult | LaunchFailure, market: Market): boolean => {
  if (isFailure(answer)) {
    // A part that may have been carried out decides about the whole request.
    if (progress.failure === undefined || !leavesOpen(progress.failure)) progress.failure = answer;
    return false;
  }
  const given = instancesIn(answer, market);
  progress.given.push(...given);
  progress.complaints.push(...complaintsIn(answer));
  return given.length > 0;
};

const leavesOpen = ({ kind }: LaunchFailure): boolean =>
  kind === 'ambiguous' || kind === 'made-before' || kind === 'not-asked';

/** The first part runs alone and shows whether there is capacity. Then several run at once, until one gives none. */
const launchParts = async (deps: ProviderDeps, { request, leaseUntilMs }: LaunchOrder): Promise<Progress> => {
  const progress: Progress = { given: [], complaints: [] };
  const { calls, market } = request;
  for (const batch of [calls.slice(0, 1), ...chunks(calls.slice(1), partsAtOnce)]) {
    const answers = await inParallel(batch, partsAtOnce, (part) => launchPart(deps, part, leaseUntilMs));
    const gave = answers.map((answer) => note(progress, answer, market));
    if (gave.includes(false)) break;
  }
  return progress;
};

/**
 * Whether the group had no room. This is no statement about capacity, so the request counts as denied. It is not final
 * for a repeat, because an earlier attempt may have taken the room.
 */
const withoutRoom = (failure: LaunchFailure, isRepeat: boolean): LaunchFailure => {
  const { kind, code } = failure;
  if (kind !== 'refused' || scopeOfRefusal(code) !== undefined) return failure;
  return isRepeat ? { kind: 'throttled', code } : { ...failure, kind: 'invalid' };
};

/**
 * The combined result of all parts. A part that may have been carried out leaves the whole reservation open: a repeat
 * gets the parts that had a response again, under their tokens. A failed part of a repeat leaves it open too, because
 * an earlier attempt of this part may have been carried out. After any other failure the granted instances are kept.
 */
const resultOf = (
  { request: { placement }, isRepeat }: LaunchOrder,
  { given, complaints, failure: found }: Progress,
): LaunchResult => {
  if (found === undefined) return toLaunchResult(placement, given, complaints);
  const failure = withoutRoom(found, isRepeat);
  if (failure.kind === 'refused' && given.length === 0) return refusedAll(placement, failure.code, failure.message);
  if (failure.kind !== 'refused' && (leavesOpen(failure) || isRepeat || given.length === 0)) return failure;
  return toLaunchResult(placement, given, [
    ...complaints,
    { code: failure.code, message: 'message' in failure ? failure.message : '' },
  ]);
};

/**
 * LaunchInstances cannot set tags, so our tags follow afterwards. Without them, the Auto Scaling group still identifies
 * the instances. `later`: another attempt may succeed where this one failed.
 */
const tagAfterwards = async (
  deps: ProviderDeps,
  Tags: LaunchRequest['tagsAfterwards'] = [],
  given: readonly string[],
): Promise<'done' | 'later'> => {
  let result: 'done' | 'later' = 'done';
  for (const Resources of chunks(given, tagsPerCall)) {
    await deps.ec2
      .send(new CreateTagsCommand({ Resources: [...Resources], Tags: [...Tags] }))
      .catch((error: unknown) => {
        if (retryOf(error) === 'later') result = 'later';
        deps.note('Instances were launched but could not be tagged; their Auto Scaling group identifies them.', {
          instances: Resources,
          code: codeOf(error),
          reason: messageOf(error),
        });
      });
  }
  return result;
};

/** Makes the calls of a request as they were stored. */
export const launchIntoAsg = async (deps: ProviderDeps, order: LaunchOrder): Promise<LaunchResult> => {
  const progress = await launchParts(deps, order);
  await tagAfterwards(
    deps,
    order.request.tagsAfterwards,
    progress.given.map(({ instance }) => instance),
  );
  return resultOf(order, progress);
};

/** Tags instances of a launch whose tags could not be written then. */
export const tagLaunched = async (
  deps: ProviderDeps,
  group: Group,
  reservation: Reservation,
  instances: readonly string[],
): Promise<'done' | 'later'> => {
  const asg = group.pools[reservation.placement.pool]?.asg;
  if (asg === undefined) return 'done';
  return tagAfterwards(deps, tagsIn(asg, deps.deployment, group, reservation), instances);
};

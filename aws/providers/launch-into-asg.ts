import { LaunchInstancesCommand, type LaunchInstancesResult } from '@aws-sdk/client-auto-scaling';
import { CreateTagsCommand } from '@aws-sdk/client-ec2';
import type { Group } from '../../core/group.ts';
import type { Market } from '../../core/offering.ts';
import type { LaunchedInstance, LaunchResult } from '../../core/ports.ts';
import type { Reservation } from '../../core/reservation.ts';
import { chunks } from '../chunks.ts';
import { codeOf, messageOf } from '../errors.ts';
import { inParallel } from '../in-parallel.ts';
import { instanceTags } from './create-fleet.ts';
import { type Complaint, refusedAll, toLaunchResult } from './launch-result.ts';
import type { ProviderDeps } from './provider-deps.ts';
import { isFailure, type LaunchFailure, sendLaunch } from './send-launch.ts';

/** Instances that one LaunchInstances call takes, and resources that one CreateTags call takes. */
const instancesPerCall = 100;
const tagsPerCall = 1_000;
const launchesAtOnce = 10;
/** Parts for one group under way together: a launch takes seconds, and hundreds of replacements must be asked for within ten. */
const partsAtOnce = 3;
const longestToken = 64;

/** Parts of a reservation that one call can take. A repeat makes the same parts under the same tokens. */
export const partsOf = ({ token, placement }: Reservation): readonly { readonly token: string; readonly count: number }[] => {
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

type Part = ReturnType<typeof partsOf>[number];

const launchPart = (deps: ProviderDeps, asg: string, { token, count }: Part): Promise<LaunchInstancesResult | LaunchFailure> => {
  const command = new LaunchInstancesCommand({ AutoScalingGroupName: asg, RequestedCapacity: count, ClientToken: token, RetryStrategy: 'none' });
  return sendLaunch(
    (watch, where) => command.middlewareStack.add(watch, where),
    () => deps.autoScaling.send(command),
  );
};

/** Notes what a part came to. False when it gave nothing: the pool is dry, or the way to it is blocked. */
const note = (progress: Progress, answer: LaunchInstancesResult | LaunchFailure, market: Market): boolean => {
  if (isFailure(answer)) {
    // An ambiguous part decides about the whole, whatever became of the others.
    if (progress.failure?.kind !== 'ambiguous') progress.failure = answer;
    return false;
  }
  const given = instancesIn(answer, market);
  progress.given.push(...given);
  progress.complaints.push(...complaintsIn(answer));
  return given.length > 0;
};

/** The first part alone finds out whether there is anything to be had; then several at once, and no further once one gives nothing. */
const launchParts = async (deps: ProviderDeps, asg: string, market: Market, reservation: Reservation): Promise<Progress> => {
  const progress: Progress = { given: [], complaints: [] };
  const parts = partsOf(reservation);
  for (const batch of [parts.slice(0, 1), ...chunks(parts.slice(1), partsAtOnce)]) {
    const answers = await inParallel(batch, partsAtOnce, (part) => launchPart(deps, asg, part));
    const gave = answers.map((answer) => note(progress, answer, market));
    if (gave.includes(false)) break;
  }
  return progress;
};

/**
 * What all parts together came to. An ambiguous part makes the whole reservation ambiguous: the repeat gets the answered parts again from their tokens.
 * After any other failure what was given is kept.
 */
const resultOf = ({ placement }: Reservation, { given, complaints, failure }: Progress): LaunchResult => {
  if (failure === undefined) return toLaunchResult(placement, given, complaints);
  if (failure.kind === 'ambiguous') return failure;
  if (failure.kind === 'refused' && given.length === 0) return refusedAll(placement, failure.code, failure.message);
  if (failure.kind !== 'refused' && given.length === 0) return failure;
  const message = failure.kind === 'throttled' ? '' : failure.message;
  return toLaunchResult(placement, given, [...complaints, { code: failure.code, message }]);
};

/** LaunchInstances passes no tags on, so ours follow. Without them the Auto Scaling group still says whose the instances are. */
const tagAfterwards = async (deps: ProviderDeps, group: Group, reservation: Reservation, given: readonly LaunchedInstance[]): Promise<void> => {
  const Tags = instanceTags(deps.deployment, group, reservation);
  for (const part of chunks(given, tagsPerCall)) {
    const Resources = part.map(({ instance }) => instance);
    await deps.ec2.send(new CreateTagsCommand({ Resources, Tags })).catch((error: unknown) =>
      deps.note('Instances were launched but could not be tagged; their Auto Scaling group identifies them.', {
        reservation: reservation.id,
        instances: Resources,
        code: codeOf(error),
        reason: messageOf(error),
      }),
    );
  }
};

const launchOne = async (deps: ProviderDeps, group: Group, reservation: Reservation): Promise<LaunchResult> => {
  const pool = group.pools[reservation.placement.pool];
  if (!pool?.asg) {
    return {
      kind: 'invalid',
      code: 'NoSuchPool',
      message: `the policy in force has no Auto Scaling group for ${reservation.placement.pool} any more`,
    };
  }
  const progress = await launchParts(deps, pool.asg, pool.market, reservation);
  await tagAfterwards(deps, group, reservation, progress.given);
  return resultOf(reservation, progress);
};

/**
 * LaunchInstances into each pool's group, at most 100 a call, pools side by side. The pool's group has one zone, so none is named. No retry by the
 * group itself: a missing instance is ours to place again.
 */
export const launchIntoAsgs = (deps: ProviderDeps, group: Group, reservations: readonly Reservation[]): Promise<readonly LaunchResult[]> =>
  inParallel(reservations, launchesAtOnce, (reservation) => launchOne(deps, group, reservation));

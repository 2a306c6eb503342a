import {
  DeregisterTargetsCommand,
  DescribeTargetGroupAttributesCommand,
  DescribeTargetHealthCommand,
  type ElasticLoadBalancingV2Client,
  RegisterTargetsCommand,
  type TargetHealthDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { registeredPerCall } from '../../core/decide/admissions.ts';
import type { ActionResult, Released } from '../../core/ports/capacity-provider.ts';
import { defaultDeregistrationDelayMs } from '../../core/times/times.ts';
import { chunks } from '../calls/chunks.ts';
import { codeOf, isGone, isInvalidTarget, isTargetGroupFull } from '../calls/errors.ts';
import { inParallel } from '../calls/in-parallel.ts';
import { hasty, type Missed, optionalRead } from '../calls/optional-read.ts';
import { remembered } from '../calls/remembered.ts';
import { actOn, allOf, ordinaryVerdict, together, type Verdict } from './act-on.ts';

/**
 * The state of an instance in a target group. `ready`: takes work, or nothing checks it. `coming`: registered, not
 * healthy yet. `failing`: fails its checks. `draining`: deregistered, connections may go on.
 */
export type TargetState = 'ready' | 'coming' | 'failing' | 'draining';
export type TargetHealth = ReadonlyMap<string, TargetState>;

const callsAtOnce = 5;

/**
 * Undefined: not registered. A target group that no load balancer uses checks nothing, so there is nothing to wait for.
 */
const stateOf = ({ TargetHealth: health }: TargetHealthDescription): TargetState | undefined => {
  switch (health?.State) {
    case 'healthy':
    case 'unavailable':
      return 'ready';
    case 'unhealthy':
      return 'failing';
    case 'draining':
    case 'unhealthy.draining':
      return 'draining';
    case 'unused':
      return health.Reason === 'Target.NotInUse' ? 'ready' : undefined;
    default:
      return 'coming';
  }
};

const worst: readonly TargetState[] = ['ready', 'coming', 'failing', 'draining'];

/** One state per instance. Of several ports the worst counts. */
const byInstance = (descriptions: readonly TargetHealthDescription[]): TargetHealth => {
  const states = new Map<string, TargetState>();
  for (const description of descriptions) {
    const id = description.Target?.Id;
    const state = stateOf(description);
    if (id === undefined || state === undefined) continue;
    const before = states.get(id);
    if (before === undefined || worst.indexOf(state) > worst.indexOf(before)) states.set(id, state);
  }
  return states;
};

type Reading = { readonly elb: ElasticLoadBalancingV2Client; readonly missed: Missed };

/**
 * How long a target group lets connections of a deregistered target go on. Undefined: there is no such target group.
 * Throws when that cannot be read.
 */
export const readDelay = async (
  elb: ElasticLoadBalancingV2Client,
  arn: string,
  options: Partial<typeof hasty> = {},
): Promise<number | undefined> => {
  const command = new DescribeTargetGroupAttributesCommand({ TargetGroupArn: arn });
  const answer = await elb.send(command, options).catch(goneOnly);
  if (answer === undefined) return undefined;
  const seconds = answer.Attributes?.find(({ Key }) => Key === 'deregistration_delay.timeout_seconds')?.Value;
  return seconds === undefined ? defaultDeregistrationDelayMs : Number(seconds) * 1000;
};

/**
 * Health of every target, by target group ARN. A deleted target group is missing, because nothing waits for it. A
 * target group that could not be read is `unread`.
 */
export const describeHealth = async (
  { elb, missed }: Reading,
  arns: readonly string[],
): Promise<ReadonlyMap<string, TargetHealth | 'unread'>> => {
  const found = await inParallel(arns, callsAtOnce, async (arn) => {
    const command = new DescribeTargetHealthCommand({ TargetGroupArn: arn });
    const read = await optionalRead('target health', missed, async () => ({
      answer: await elb.send(command, hasty).catch(goneOnly),
    }));
    if (read === undefined) return [[arn, 'unread'] as const];
    return read.answer === undefined ? [] : [[arn, byInstance(read.answer.TargetHealthDescriptions ?? [])] as const];
  });
  return new Map<string, TargetHealth | 'unread'>(found.flat());
};

/**
 * How long a target group lets connections of a deregistered target go on, by ARN. One that could not be read is
 * missing.
 */
export const describeDelays = async (
  { elb, missed }: Reading,
  arns: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const found = await inParallel(arns, callsAtOnce, async (arn) => {
    const read = await optionalRead('target group attributes', missed, async () => ({
      delayMs: await readDelay(elb, arn, hasty),
    }));
    return read === undefined ? [] : [[arn, read.delayMs ?? defaultDeregistrationDelayMs] as const];
  });
  return new Map(found.flat());
};

const targetsOf = (ids: readonly string[]) => ids.map((Id) => ({ Id }));

/** What this environment registered, by client: used when a target group cannot be read. */
const registrations = remembered<ElasticLoadBalancingV2Client>();

/** Whether this environment itself has registered an instance with all of these target groups. */
export const hasRegistered = (elb: ElasticLoadBalancingV2Client, arns: readonly string[], instance: string): boolean =>
  arns.every((arn) => registrations.has(elb, `${arn} ${instance}`));

/**
 * Registers instances with every target group. An instance that is not running yet, or that finds the target group
 * full, is left for later.
 */
export const registerTargets = async (
  elb: ElasticLoadBalancingV2Client,
  arns: readonly string[],
  ids: readonly string[],
): Promise<ActionResult> => {
  const results = await inParallel(arns, callsAtOnce, async (arn) => {
    const result = await inBatches(ids, (batch) =>
      actOn(
        batch,
        (part) => elb.send(new RegisterTargetsCommand({ TargetGroupArn: arn, Targets: targetsOf(part) })),
        registerVerdict,
      ),
    );
    registrations.add(
      elb,
      result.done.map((instance) => `${arn} ${instance}`),
    );
    return result;
  });
  return allOf(ids, results);
};

/** A full target group has room again as soon as members leave it. */
const registerVerdict = (error: unknown): Verdict => {
  if (isInvalidTarget(error)) return { code: 'InvalidTarget', retry: 'later' };
  return isTargetGroupFull(error) ? { code: codeOf(error), retry: 'later' } : ordinaryVerdict(error);
};

const inBatches = async (
  ids: readonly string[],
  act: (batch: readonly string[]) => Promise<ActionResult>,
): Promise<ActionResult> => together(await inParallel(chunks(ids, registeredPerCall), 1, act));

/**
 * Deregisters instances from every target group. An instance that is not registered, or a target group
 * that is gone, counts as success. Of an instance that one does not let go, the result says which others did.
 */
export const deregisterTargets = async (
  elb: ElasticLoadBalancingV2Client,
  arns: readonly string[],
  ids: readonly string[],
): Promise<Released> => {
  const results = await inParallel(arns, callsAtOnce, (arn) =>
    inBatches(ids, (batch) =>
      actOn(
        batch,
        (part) => elb.send(new DeregisterTargetsCommand({ TargetGroupArn: arn, Targets: targetsOf(part) })),
        (error) => (isInvalidTarget(error) ? 'done' : ordinaryVerdict(error)),
      ),
    ),
  );
  const all = allOf(ids, results);
  const left = all.failed.flatMap(({ instance }) => {
    const by = arns.filter((_, index) => results[index]?.done.includes(instance));
    return by.length === 0 ? [] : [[instance, by] as const];
  });
  return left.length === 0 ? all : { ...all, leftTargetGroups: Object.fromEntries(left) };
};

const goneOnly = (error: unknown): undefined => {
  if (isGone(error)) return undefined;
  throw error;
};

import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { holdToQuota } from './capacity-steps.ts';
import { hookFor } from './member-steps.ts';
import { stopDrains } from './operator-steps.ts';
import { calmAfter, type DrawnWorld, minutes, seconds } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import { isInAsgs } from './random-trouble.ts';
import type { Step } from './situation.ts';
import { deletePolicy, endThroughAsg, interrupt, kill, putPolicy, recommendRebalance } from './steps.ts';

type Policy = Readonly<Record<string, unknown>>;
/** Steps, and faults, that meet each other. Undefined: the world has no room for them. */
type Met = { readonly steps: readonly Step[]; readonly faults?: readonly FaultInput[] } | undefined;
type Meeting = (draw: Draw, world: DrawnWorld, policy: Policy) => Met;

/** A share of the worlds that may have one. */
const share = 0.4;
/** A hook holds an instance for some minutes, and a quota lasts as long. */
const overWithinMs = 1_500_000;

const calls = (operation: string, fromMs: number, forMs: number) => ({ on: 'call', match: { operation }, fromMs, untilMs: fromMs + forMs }) as const;
const otherTags = (draw: Draw, policy: Policy): Policy => ({ ...policy, tags: { run: String(draw.between(200, 299)) } });
const asgOf = ({ spec }: DrawnWorld): string => spec.autoScalingGroups.map(({ name }) => name).filter((name) => name !== 'strangers')[0] ?? '';

/**
 * Whether a hook may be put on its Auto Scaling group. What hooks do to instances of a warm pool is an open question of its own (docs/reliability.md, open
 * worlds).
 */
const mayHaveHook = (world: DrawnWorld): boolean => isInAsgs(world) && world.spec.autoScalingGroups.every(({ warmPool }) => warmPool === undefined);

/** EC2 warns while there is no policy, and the policy returns before EC2 takes the members. */
const warnedWithoutPolicy: Meeting = (draw, _, policy) => {
  const deletedMs = seconds(draw, 5, 60);
  const warnedMs = deletedMs + seconds(draw, 2, 30);
  const backMs = warnedMs + seconds(draw, 5, 80);
  return {
    steps: [
      deletePolicy(deletedMs),
      interrupt(warnedMs, draw.between(1, 2)),
      putPolicy(backMs, policy, 'the policy is written again', 'policy-written-again'),
    ],
  };
};

/** The policy no longer names one of its target groups, in which its members are still registered. Then members leave. */
const targetGroupDropped: Meeting = (draw, _, policy) => {
  const drain = policy.drain as { readonly loadBalancers?: readonly string[] } | undefined;
  const [, ...others] = drain?.loadBalancers ?? [];
  if (others.length === 0) return undefined;
  const atMs = seconds(draw, 5, 60);
  const edit = putPolicy(atMs, { ...policy, drain: { ...drain, loadBalancers: others } }, 'the policy drops a target group');
  const loss = draw.one([interrupt, recommendRebalance])(atMs + seconds(draw, 5, 90), draw.between(1, 2));
  return { steps: [edit, loss] };
};

/** A hook holds members that end, and the policy is deleted meanwhile and returns. */
const letGoOnHook: Meeting = (draw, world, policy) => {
  if (!mayHaveHook(world)) return undefined;
  const atMs = seconds(draw, 5, 40);
  const deletedMs = atMs + seconds(draw, 5, 30);
  const back = putPolicy(deletedMs + seconds(draw, 20, 120), policy, 'the policy is written again', 'policy-written-again');
  return {
    steps: [
      hookFor(atMs - 2_000, asgOf(world), 'terminating', draw.one([120, 300]), 'CONTINUE', minutes(draw, 5, 8)),
      endThroughAsg(atMs, draw.between(1, 2)),
      deletePolicy(deletedMs),
      back,
    ],
  };
};

/** A hook holds members that end, and the messages about that are lost. */
const hookUnheard: Meeting = (draw, world) => {
  if (!mayHaveHook(world)) return undefined;
  const atMs = seconds(draw, 5, 60);
  const lost = {
    on: 'event',
    kind: 'drop',
    match: { detailType: 'EC2 Instance-terminate Lifecycle Action' },
    fromMs: atMs,
    untilMs: atMs + 30_000,
  } as const;
  return {
    steps: [
      hookFor(atMs - 2_000, asgOf(world), 'terminating', draw.one([60, 120]), draw.one(['CONTINUE', 'ABANDON']), minutes(draw, 5, 8)),
      endThroughAsg(atMs, draw.between(1, 2)),
    ],
    faults: [lost],
  };
};

/** The event bus takes nothing while the policy changes twice. */
const editedWhileBusFails: Meeting = (draw, _, policy) => {
  const atMs = seconds(draw, 5, 60);
  const againMs = atMs + seconds(draw, 3, 40);
  return {
    steps: [
      putPolicy(atMs, otherTags(draw, policy), 'the policy gets other tags', 'tags-edited'),
      putPolicy(againMs, policy, 'the first policy is written again', 'policy-written-again'),
    ],
    faults: [{ kind: 'throttle', ...calls('PutEvents', atMs, seconds(draw, 5, 30)) }],
  };
};

/** A user stops drains soon after they were started, once or twice. */
const drainsStoppedSoon: Meeting = (draw) => {
  const atMs = seconds(draw, 5, 60);
  const stops = [seconds(draw, 1, 15), seconds(draw, 16, 60)].slice(0, draw.between(1, 2));
  return { steps: [interrupt(atMs, draw.between(1, 2)), ...stops.map((afterMs) => stopDrains(atMs + afterMs))] };
};

/** The account has no room for spot when EC2 takes members on spot. */
const quotaWhileTaken: Meeting = (draw) => {
  const atMs = seconds(draw, 5, 60);
  return { steps: [holdToQuota(atMs, minutes(draw, 2, 5), 'spot', 0), interrupt(atMs + seconds(draw, 1, 30), draw.between(1, 2))] };
};

/** Target health cannot be read while new members join. */
const joinUnread: Meeting = (draw) => {
  const atMs = seconds(draw, 5, 60);
  return {
    steps: [draw.one([interrupt, kill])(atMs, draw.between(1, 2))],
    faults: [{ kind: 'throttle', ...calls('DescribeTargetHealth', atMs + seconds(draw, 0, 20), seconds(draw, 40, 200)) }],
  };
};

/** Auto Scaling takes long to end members that EC2 takes. */
const endsHang: Meeting = (draw, world) => {
  if (!isInAsgs(world)) return undefined;
  const atMs = seconds(draw, 5, 60);
  return {
    steps: [interrupt(atMs, draw.between(1, 2), draw.one([30_000, 120_000]))],
    faults: [{ kind: 'delay', delayMs: seconds(draw, 3, 9), ...calls('TerminateInstanceInAutoScalingGroup', atMs, 150_000) }],
  };
};

/** With a policy that moved the group, or before one does, the policy is deleted and EC2 takes members. */
const movedAndLetGo: Meeting = (draw, { steps }, policy) => {
  const moved = steps.find(({ kind }) => kind === 'asg-edited' || kind === 'holding-edited');
  if (moved === undefined) return undefined;
  const deletedMs = moved.atMs + seconds(draw, 2, 60);
  const warnedMs = deletedMs + seconds(draw, 1, 30);
  const back = putPolicy(warnedMs + seconds(draw, 5, 80), policy, 'the first policy is written again', 'policy-written-again');
  return { steps: [deletePolicy(deletedMs), interrupt(warnedMs, draw.between(1, 2)), back] };
};

const meetings: readonly Meeting[] = [
  warnedWithoutPolicy,
  targetGroupDropped,
  letGoOnHook,
  hookUnheard,
  editedWhileBusFails,
  drainsStoppedSoon,
  quotaWhileTaken,
  joinUnread,
  endsHang,
  movedAndLetGo,
];

/**
 * The world with two things that meet within seconds: a change by its owner and a loss, or a loss and a call that fails. Drawn apart from each other, they
 * almost never do, and much of the code is for such moments.
 */
export const withMeetings = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const [policy, ...others] = world.policies;
  if (!draw.chance(share) || policy === undefined || policy.group !== 'web' || others.length > 0) return world;
  const met = Array.from({ length: draw.between(1, 2) }, () => draw.one(meetings)(draw, world, policy)).filter((one) => one !== undefined);
  const steps = [...world.steps, ...met.flatMap((one) => one.steps)];
  const faults = [...(world.faults ?? []), ...met.flatMap((one) => one.faults ?? [])];
  return {
    ...world,
    steps,
    faults,
    calmAtMs: Math.max(world.calmAtMs, calmAfter(steps, faults)),
    restWithinMs: Math.max(world.restWithinMs, overWithinMs),
  };
};

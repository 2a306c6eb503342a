import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { calmAfter, type DrawnWorld, seconds } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import type { Step } from './situation.ts';

/** A share of the worlds in which EC2 warns, advises or takes. */
const share = 0.45;

type Window = { readonly fromMs: number; readonly untilMs: number };

/** Calls of one part of the work, and how many seconds after a loss they are usually made: a fault at another time meets none of them. */
type Work = { readonly operation: [string, ...string[]]; readonly afterS: readonly [least: number, most: number] };

const works: readonly Work[] = [
  { operation: ['CreateFleet', 'LaunchInstances'], afterS: [0, 5] },
  { operation: ['AttachInstances', 'RegisterTargets', 'CreateTags'], afterS: [3, 40] },
  { operation: ['DeregisterTargets'], afterS: [0, 80] },
  { operation: ['TerminateInstanceInAutoScalingGroup'], afterS: [0, 80] },
  { operation: ['DescribeTargetHealth', 'DescribeTargetGroupAttributes'], afterS: [0, 90] },
  { operation: ['DescribeInstances', 'DescribeAutoScalingGroups'], afterS: [0, 60] },
  { operation: ['TerminateInstances', 'CompleteLifecycleAction', 'RecordLifecycleActionHeartbeat'], afterS: [10, 120] },
  { operation: ['UpdateAutoScalingGroup', 'SuspendProcesses', 'ResumeProcesses'], afterS: [0, 90] },
  { operation: ['StartExecution'], afterS: [0, 3] },
  { operation: ['PutEvents', 'SendMessage', 'SendMessageBatch'], afterS: [0, 60] },
  { operation: ['UpdateItem', 'PutItem', 'DeleteItem'], afterS: [0, 60] },
];

const faults: readonly ((draw: Draw, match: { operation: [string, ...string[]] }, window: Window) => FaultInput)[] = [
  (draw, match, window) => ({
    on: 'call',
    kind: 'crash-caller',
    when: draw.one(['before', 'after', 'answered']),
    times: draw.between(1, 2),
    match,
    ...window,
  }),
  (draw, match, window) => ({ on: 'call', kind: 'throttle', probability: draw.one([0.5, 1]), match, ...window }),
  (draw, match, window) => ({ on: 'call', kind: 'lose-answer', when: draw.one(['before', 'after']), times: draw.between(1, 3), match, ...window }),
  (draw, match, window) => ({ on: 'call', kind: 'delay', delayMs: seconds(draw, 1, 6), match, ...window }),
];

const moments = new Set<Step['kind']>([
  'interrupted',
  'rebalance-advised',
  'zone-lost',
  'ended-by-user',
  'ended-through-asg',
  'warned-in-vain',
  'died',
]);

/** The world in which one kind of call fails for some seconds after EC2 warned, advised or took: while the group answers that. */
export const withFaultsWhileWarned = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  const losses = world.steps.filter(({ kind }) => moments.has(kind));
  if (losses.length === 0 || !draw.chance(share)) return world;
  const { operation, afterS } = draw.one(works);
  const fromMs = draw.one(losses).atMs + draw.between(...afterS) * 1_000;
  const window = { fromMs, untilMs: fromMs + draw.between(10, 40) * 1_000 };
  const fault = draw.one(faults)(draw, { operation }, window);
  const all = [...(world.faults ?? []), fault];
  return { ...world, faults: all, calmAtMs: Math.max(world.calmAtMs, calmAfter(world.steps, all)) };
};

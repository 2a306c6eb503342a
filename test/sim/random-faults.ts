import type { FaultInput } from '../../sandbox/fault-schema.ts';
import type { Draw } from './random-draw.ts';

const service: [string, ...string[]] = ['ec2', 'autoscaling', 'elasticloadbalancing', 'dynamodb', 'sqs', 'states', 'events'];

const eventFaults: readonly ((draw: Draw) => FaultInput)[] = [
  (draw) => ({ on: 'event', kind: 'drop', probability: draw.one([0.3, 1]) }),
  () => ({ on: 'event', kind: 'duplicate', copies: 2, withinMs: 20_000 }),
  () => ({ on: 'event', kind: 'reorder', withinMs: 15_000 }),
  (draw) => ({ on: 'event', kind: 'delay', delayMs: draw.between(1, 40) * 1_000 }),
];

const tableError =
  (code: string, status: number, operation?: [string, ...string[]]) =>
  (draw: Draw): FaultInput => ({
    on: 'call',
    kind: 'error',
    code,
    status,
    probability: draw.one([0.05, 0.2]),
    match: { service: 'dynamodb', ...(operation && { operation }) },
  });

/** SQS delivers batches twice: two environments read, decide and write at the same time, and each finds what the other wrote in between. */
const rivals = (draw: Draw): FaultInput => ({
  on: 'message',
  kind: 'duplicate',
  withinMs: draw.one([0, 50, 2_000]),
  probability: draw.one([0.3, 1]),
});

const clockSteps = (draw: Draw): FaultInput => ({
  on: 'clock',
  kind: 'step',
  withinMs: draw.one([2_000, 10_000, 60_000]),
  probability: draw.one([0.01, 0.1]),
});

const callFaults: readonly ((draw: Draw) => FaultInput)[] = [
  (draw) => ({ on: 'call', kind: 'throttle', probability: draw.one([0.1, 0.4]), match: { service } }),
  () => ({
    on: 'call',
    kind: 'lose-answer',
    when: 'after',
    probability: 0.1,
    match: { operation: ['CreateFleet', 'LaunchInstances', 'AttachInstances', 'PutItem'] },
  }),
  (draw) => ({ on: 'call', kind: 'lose-answer', when: draw.one(['before', 'after'] as const), probability: 0.05, match: { service } }),
  () => ({
    on: 'call',
    kind: 'lose-answer',
    when: 'after',
    as: 'timeout',
    afterMs: 6_000,
    probability: 0.1,
    match: { operation: ['CreateFleet', 'LaunchInstances'] },
  }),
  (draw) => ({
    on: 'call',
    kind: 'crash-caller',
    when: draw.one(['before', 'after', 'answered'] as const),
    probability: 0.02,
    match: { service },
  }),
  (draw) => ({ on: 'call', kind: 'delay', delayMs: draw.between(1, 8) * 1_000, probability: 0.1, match: { service: ['ec2', 'autoscaling'] } }),
  tableError('InternalServerError', 500),
  tableError('ProvisionedThroughputExceededException', 400),
  tableError('ThrottlingException', 400),
  // Holdfast's own writes are in no transaction; somebody else's may hold the item for a moment.
  tableError('TransactionConflictException', 400, ['PutItem', 'UpdateItem', 'DeleteItem']),
];

/** What goes wrong with events and calls, together or alone, or nothing. */
export const drawFaults = (draw: Draw): readonly FaultInput[] => [
  ...(draw.chance(0.5) ? [draw.one(eventFaults)(draw)] : []),
  ...(draw.chance(0.6) ? [draw.one(callFaults)(draw)] : []),
  ...(draw.chance(0.2) ? [draw.one(callFaults)(draw)] : []),
  ...(draw.has('rivals', 0.2) ? [rivals(draw)] : []),
  ...(draw.has('clock-steps', 0.15) ? [clockSteps(draw)] : []),
];

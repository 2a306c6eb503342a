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
  (code: string, status: number) =>
  (draw: Draw): FaultInput => ({
    on: 'call',
    kind: 'error',
    code,
    status,
    probability: draw.one([0.05, 0.2]),
    match: { service: 'dynamodb' },
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
];

/** What goes wrong with events and calls, together or alone, or nothing. */
export const drawFaults = (draw: Draw): readonly FaultInput[] => [
  ...(draw.chance(0.5) ? [draw.one(eventFaults)(draw)] : []),
  ...(draw.chance(0.6) ? [draw.one(callFaults)(draw)] : []),
  ...(draw.chance(0.2) ? [draw.one(callFaults)(draw)] : []),
];

import * as z from 'zod/mini';
import { instancesCause, signalKind } from './signal-kind.ts';

type ScheduledChange = {
  readonly kind: 'scheduled-change';
  readonly instance: string;
  /** When AWS may begin: the instance is retired, rebooted or stopped from then on. */
  readonly startsAtMs: number;
  readonly endsAtMs?: number;
  readonly atMs: number;
};

/** Without an end, the window counts as over a day after it began. */
const windowMs = 24 * 3_600_000;

const overAtMs = ({ startsAtMs, endsAtMs = startsAtMs + windowMs }: ScheduledChange): number => endsAtMs;

/** Changes that end an instance, or interrupt its work (EC2 User Guide, "Scheduled events for your instances"). */
const disturbs = /_(RETIREMENT|STOP|REBOOT|MAINTENANCE|TERMINATION)(_\w+)?_(SCHEDULED|EXPEDITED|EVENT)$/;

/** An entity is an instance id, or an ARN that ends with one. */
const instanceAtEnd = /(?:^|\/)(i-[0-9a-f]{8,17})$/;

/**
 * AWS Health announces days ahead that EC2 will retire, stop or reboot instances. One event may name many. It comes
 * also to a second region, as a backup (AWS Health User Guide, "Amazon EventBridge schema").
 */
export const scheduledChange = signalKind({
  kind: 'scheduled-change',
  source: 'aws.health',
  detailType: 'AWS Health Event',
  comes: { by: 'rule', where: { service: ['EC2'], eventTypeCategory: ['scheduledChange'] } },
  detail: z.object({
    service: z.string(),
    eventTypeCode: z.string(),
    eventTypeCategory: z.string(),
    statusCode: z.optional(z.string()),
    startTime: z.optional(z.string()),
    endTime: z.optional(z.string()),
    affectedEntities: z.optional(z.array(z.object({ entityValue: z.string() }))),
  }),
  toSignal: (detail, atMs, timeOf) => {
    const { eventTypeCode, statusCode, startTime, endTime, affectedEntities = [] } = detail;
    if (detail.service !== 'EC2' || detail.eventTypeCategory !== 'scheduledChange' || !disturbs.test(eventTypeCode))
      return { kind: 'ignored', why: 'it ends or interrupts no instance' };
    if (statusCode === 'closed') return { kind: 'ignored', why: 'the scheduled change is over' };
    const endsAtMs = timeOf(endTime);
    const window = { startsAtMs: timeOf(startTime) ?? atMs, ...(endsAtMs !== undefined && { endsAtMs }) };
    const instances = affectedEntities.flatMap(({ entityValue }) => instanceAtEnd.exec(entityValue)?.[1] ?? []);
    if (instances.length === 0) return { kind: 'ignored', why: 'it names no instance' };
    return [...new Set(instances)].map(
      (instance): ScheduledChange => ({ kind: 'scheduled-change', instance, ...window, atMs }),
    );
  },
  about: ({ instance }: ScheduledChange) => ({ instance }),
  isOver: (signal, _, nowMs) => nowMs > overAtMs(signal),
  comesAgain: 'always',
  adds: (signal, owner) => {
    const { instance, atMs } = signal;
    return { leaving: [{ instance, reason: 'maintenance', atMs, untilMs: overAtMs(signal), ...(owner && { owner }) }] };
  },
  ...instancesCause,
});

import * as z from 'zod/mini';
import { timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

/**
 * A CloudWatch alarm changed its state. Only ALARM scales. The time of the state is when the change happened, also in a
 * repeated delivery.
 */
export const alarm = signalType({
  source: 'aws.cloudwatch',
  detailType: 'CloudWatch Alarm State Change',
  detail: z.object({
    alarmName: z.string().check(z.minLength(1), z.maxLength(255)),
    state: z.object({ value: z.enum(['ALARM', 'OK', 'INSUFFICIENT_DATA']) }),
  }),
  toReading: (detail, event) => {
    if (detail.state.value !== 'ALARM') return { kind: 'ignored', why: `alarm is ${detail.state.value}` };
    return {
      kind: 'signal',
      signal: { kind: 'alarm', alarm: detail.alarmName, state: detail.state.value, atMs: timeOf(event) },
    };
  },
});

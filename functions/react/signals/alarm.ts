import * as z from 'zod/mini';
import type { Signal } from '../../../core/signal.ts';
import { timeOf } from './envelope.ts';
import { signalType } from './signal-type.ts';

type Quiet = Extract<Signal, { readonly kind: 'alarm' }>['quiet'];

/**
 * A CloudWatch alarm changed its state. `ALARM` scales, and the end of it tells how long that lasts: CloudWatch sends
 * nothing while a state stays. A composite alarm says what suppresses its actions; a mute rule adds `muteDetail`. The
 * time of the state is when the change happened, also in a repeated delivery.
 */
export const alarm = signalType({
  source: 'aws.cloudwatch',
  detailType: 'CloudWatch Alarm State Change',
  detail: z.object({
    alarmName: z.string().check(z.minLength(1), z.maxLength(255)),
    state: z.object({
      value: z.enum(['ALARM', 'OK', 'INSUFFICIENT_DATA']),
      actionsSuppressedBy: z.optional(z.nullable(z.string())),
    }),
    muteDetail: z.optional(z.unknown()),
  }),
  toReading: ({ alarmName, state: { value: state, actionsSuppressedBy }, muteDetail }, event) => {
    const muted: Quiet = muteDetail === undefined || muteDetail === null ? undefined : 'muted';
    const quiet: Quiet = actionsSuppressedBy ? 'suppressed' : muted;
    return {
      kind: 'signal',
      signal: { kind: 'alarm', alarm: alarmName, state, ...(quiet && { quiet }), atMs: timeOf(event) },
    };
  },
});

import * as z from 'zod/mini';
import { neverOver, signalKind } from './signal-kind.ts';

type Alarm = {
  readonly kind: 'alarm';
  readonly alarm: string;
  readonly state: 'ALARM' | 'OK' | 'INSUFFICIENT_DATA';
  /** Its actions are suppressed by another alarm, or muted. */
  readonly quiet?: 'suppressed' | 'muted';
  /** The latest value of its metric less its threshold. Absent if the event does not contain it. */
  readonly fromThreshold?: number;
  readonly atMs: number;
};

/** `state` is absent when it is `ALARM`. */
type AlarmCause = Pick<Alarm, 'alarm' | 'atMs'> & { readonly state?: Exclude<Alarm['state'], 'ALARM'> };

/** What CloudWatch evaluated, as text within the event. Composite alarms and anomaly detection have no threshold. */
const reasonData = z.object({
  threshold: z.number(),
  recentDatapoints: z.optional(z.array(z.number())),
  evaluatedDatapoints: z.optional(z.array(z.object({ timestamp: z.string(), value: z.optional(z.number()) }))),
});

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The latest value less the threshold. Undefined if the text does not contain it. The alarm counts anyway. */
const fromThreshold = (text: string | null | undefined): number | undefined => {
  const read = z.safeParse(reasonData, parsed(text ?? ''));
  if (!read.success) return undefined;
  const { threshold, recentDatapoints = [], evaluatedDatapoints = [] } = read.data;
  // CloudWatch writes all timestamps in one form, in UTC, so the order of the texts is the order of the times.
  const [latest] = evaluatedDatapoints
    .filter(({ value }) => value !== undefined)
    .toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
  const value = latest?.value ?? recentDatapoints.at(-1);
  return value === undefined ? undefined : value - threshold;
};

/**
 * A CloudWatch alarm went to `ALARM`, or left it. `ALARM` scales. Its end matters too, because CloudWatch sends
 * nothing while a state stays. A composite alarm names what suppresses its actions, and a mute rule adds `muteDetail`.
 * The time of the state is when the change happened, also in a repeated delivery. Scaling has its own limit for the
 * age of a change.
 */
export const alarm = signalKind({
  kind: 'alarm',
  source: 'aws.cloudwatch',
  detailType: 'CloudWatch Alarm State Change',
  // Any alarm of the account may flap between OK and INSUFFICIENT_DATA. That says nothing about load. CloudWatch
  // guarantees delivery of the event with which an alarm leaves ALARM, so those between the other states are not
  // needed.
  comes: { by: 'rule', where: { $or: [{ state: { value: ['ALARM'] } }, { previousState: { value: ['ALARM'] } }] } },
  detail: z.object({
    alarmName: z.string().check(z.minLength(1), z.maxLength(255)),
    state: z.object({
      value: z.enum(['ALARM', 'OK', 'INSUFFICIENT_DATA']),
      reasonData: z.optional(z.nullable(z.string())),
      actionsSuppressedBy: z.optional(z.nullable(z.string())),
    }),
    muteDetail: z.optional(z.unknown()),
  }),
  toSignal: ({ alarmName, state: { value: state, reasonData: why, actionsSuppressedBy }, muteDetail }, atMs): Alarm => {
    const muted: Alarm['quiet'] = muteDetail === undefined || muteDetail === null ? undefined : 'muted';
    const quiet: Alarm['quiet'] = actionsSuppressedBy ? 'suppressed' : muted;
    const distance = fromThreshold(why);
    return {
      kind: 'alarm',
      alarm: alarmName,
      state,
      ...(quiet && { quiet }),
      ...(distance !== undefined && { fromThreshold: distance }),
      atMs,
    };
  },
  about: ({ alarm }) => ({ alarm }),
  isOver: neverOver,
  comesAgain: 'always',
  adds: ({ alarm, atMs, state, quiet, fromThreshold: distance }) => ({
    alarms: [
      {
        alarm,
        atMs,
        isOn: state === 'ALARM',
        ...(quiet && { quiet }),
        ...(distance !== undefined && { fromThreshold: distance }),
      },
    ],
  }),
  cause: { alarm: z.string(), atMs: z.number(), state: z.optional(z.enum(['OK', 'INSUFFICIENT_DATA'])) },
  causeOf: ({ alarm, atMs, state }): AlarmCause => ({ alarm, atMs, ...(state !== 'ALARM' && { state }) }),
});

import { eventSource, ownMessages } from '../../../core/contract.ts';
import type { InvocationResult, InvocationStart } from '../../platform/functions/invocation.ts';
import type { Told } from '../world/message.ts';

/**
 * A message as it reached an invocation. `happenedAtMs`: when what it reports happened, as the message says it (EventBridge cuts off milliseconds).
 * `sentAtMs`: when the queue took it; absent of a stream, and in histories that are not about that.
 */
export type Message = { readonly message: string; readonly told: Told; readonly happenedAtMs: number; readonly sentAtMs?: number };

type Detail = { readonly [field: string]: string | readonly string[] | undefined; readonly groups?: readonly string[] };
type Envelope = { readonly id?: string; readonly source?: string; readonly 'detail-type'?: string; readonly time?: string; readonly detail?: Detail };
type SqsRecord = { readonly messageId: string; readonly body: string; readonly attributes?: { readonly SentTimestamp?: string } };
type StreamRecord = {
  readonly eventID: string;
  readonly dynamodb: {
    readonly SequenceNumber: string;
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Readonly<Record<string, { readonly S?: string }>>;
  };
};
type Batch = { readonly Records?: readonly (SqsRecord | StreamRecord)[] };

const other: Told = { about: 'other' };

type AlarmDetail = {
  readonly alarmName?: string;
  readonly state?: { readonly value?: string; readonly reasonData?: string; readonly actionsSuppressedBy?: string };
  readonly muteDetail?: unknown;
};

/** The latest value less the threshold, where CloudWatch says both. */
const distanceOf = (reasonData: string | undefined): number | undefined => {
  const { threshold, recentDatapoints } = parse(reasonData ?? '') as { readonly threshold?: number; readonly recentDatapoints?: readonly number[] };
  const latest = recentDatapoints?.at(-1);
  return threshold === undefined || latest === undefined ? undefined : latest - threshold;
};

const toldOfAlarm = ({ alarmName, state, muteDetail }: AlarmDetail): Told => ({
  about: 'alarm',
  alarm: String(alarmName),
  ...((state?.value ?? 'ALARM') !== 'ALARM' && { isOn: false as const }),
  ...((state?.actionsSuppressedBy ?? muteDetail) !== undefined && { isQuiet: true as const }),
  ...(distanceOf(state?.reasonData) !== undefined && { fromThreshold: distanceOf(state?.reasonData) as number }),
});

const toldOfHook = ({ EC2InstanceId, LifecycleHookName: hook }: Readonly<Record<string, unknown>>): Told => ({
  about: 'hook',
  instance: String(EC2InstanceId),
  ...(typeof hook === 'string' && { hook }),
});

/** One event of AWS Health names all instances of a change. */
const toldOfHealth = (detail: Readonly<Record<string, unknown>>): Told => {
  const { statusCode, affectedEntities } = detail;
  const named = (Array.isArray(affectedEntities) ? affectedEntities : []) as readonly { readonly entityValue?: unknown }[];
  return statusCode === 'upcoming' ? { about: 'maintenance', instances: named.map(({ entityValue }) => String(entityValue)) } : other;
};

/** The content of each kind of event. */
const byType: Readonly<Record<string, (detail: Detail) => Told>> = {
  'aws.ec2 EC2 Spot Instance Interruption Warning': (detail) => ({ about: 'warning', instance: String(detail['instance-id']) }),
  'aws.ec2 EC2 Capacity Reservation Instance Interruption Warning': (detail) => ({ about: 'warning', instance: String(detail['instance-id']) }),
  'aws.ec2 EC2 Instance Rebalance Recommendation': (detail) => ({ about: 'advice', instance: String(detail['instance-id']) }),
  'aws.ec2 EC2 Instance State-change Notification': (detail) => ({
    about: 'state',
    instance: String(detail['instance-id']),
    state: String(detail.state),
  }),
  'aws.autoscaling EC2 Instance-terminate Lifecycle Action': (detail) => toldOfHook(detail),
  'aws.autoscaling EC2 Instance Launch Unsuccessful': (detail) => ({ about: 'launch-unsuccessful', asg: String(detail.AutoScalingGroupName) }),
  'aws.health AWS Health Event': (detail) => toldOfHealth(detail),
  'aws.states Step Functions Execution Status Change': (detail) => ({ about: 'drain-stopped', drain: String(detail.name) }),
  'aws.cloudwatch CloudWatch Alarm State Change': (detail) => toldOfAlarm(detail as AlarmDetail),
  [`${eventSource} ${ownMessages.tick}`]: ({ group, groups = [String(group)] }) => ({
    about: 'tick',
    groups,
  }),
  [`${eventSource} ${ownMessages.policyChange}`]: (detail) => ({ about: 'policy', group: String(detail.group) }),
};

const timeOf = (text: unknown, otherwiseMs: number): number => {
  const ms = Date.parse(String(text));
  return Number.isNaN(ms) ? otherwiseMs : ms;
};

const ofEnvelope = (message: string, event: Envelope, nowMs: number): Message => ({
  message,
  told: byType[`${event.source} ${event['detail-type']}`]?.(event.detail ?? {}) ?? other,
  happenedAtMs: timeOf(event.time, nowMs),
});

const parse = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

/** A lifecycle hook may tell the queue itself, past the bus and with or without an envelope of SNS. */
const ofBody = (message: string, body: string, nowMs: number): Message => {
  const parsed = parse(body);
  if (typeof parsed.Message === 'string') return ofBody(message, parsed.Message, nowMs);
  if (parsed.LifecycleTransition !== 'autoscaling:EC2_INSTANCE_TERMINATING') return ofEnvelope(message, parsed, nowMs);
  return { message, told: toldOfHook(parsed), happenedAtMs: timeOf(parsed.Time, nowMs) };
};

const ofRecord = ({ messageId, body, attributes }: SqsRecord, nowMs: number): Message => {
  const sentAtMs = Number(attributes?.SentTimestamp);
  return { ...ofBody(messageId, body, nowMs), ...(Number.isFinite(sentAtMs) && { sentAtMs }) };
};

const ofStream = ({ eventID, dynamodb }: StreamRecord): Message => ({
  message: eventID,
  told: { about: 'policy', group: String(dynamodb.Keys.group?.S) },
  happenedAtMs: dynamodb.ApproximateCreationDateTime * 1000,
});

/** The messages that an invocation was given: of a queue, of a stream, or an event of the bus itself. A step of a workflow is no message. */
export const messagesOf = ({ event, beganAtMs }: Pick<InvocationStart, 'event' | 'beganAtMs'>): readonly Message[] => {
  const { Records: records } = (event ?? {}) as Batch;
  if (records !== undefined) return records.map((record) => ('body' in record ? ofRecord(record, beganAtMs) : ofStream(record)));
  const envelope = (event ?? {}) as Envelope;
  return envelope['detail-type'] === undefined ? [] : [ofEnvelope(String(envelope.id), envelope, beganAtMs)];
};

/** The drain of whose workflow an invocation is a step. */
export const drainOf = ({ event }: Pick<InvocationStart, 'event'>): { readonly drain?: string } => {
  const { drain } = (event ?? {}) as { readonly drain?: unknown };
  return typeof drain === 'string' ? { drain } : {};
};

type ItemFailures = { readonly batchItemFailures?: readonly { readonly itemIdentifier?: string }[] };

/** Messages that an invocation gave back: all of them where it failed. */
export const givenBack = ({ event, beganAtMs }: Pick<InvocationStart, 'event' | 'beganAtMs'>, result: InvocationResult): readonly string[] => {
  if (result.kind === 'error') return messagesOf({ event, beganAtMs }).map(({ message }) => message);
  const failures = (result.value as ItemFailures | null)?.batchItemFailures ?? [];
  if (failures.length === 0) return [];
  const records = ((event ?? {}) as Batch).Records ?? [];
  const named = new Map(
    records.map((record) => ('body' in record ? [record.messageId, record.messageId] : [record.dynamodb.SequenceNumber, record.eventID])),
  );
  return failures.map(({ itemIdentifier = '' }) => named.get(itemIdentifier) ?? itemIdentifier);
};

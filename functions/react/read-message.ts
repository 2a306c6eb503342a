import * as z from 'zod/mini';
import { signalsRetentionDays } from '../../core/contract.ts';
import type { Reading } from '../../core/signal.ts';
import { alarm } from './signals/alarm.ts';
import { drainStopped } from './signals/drain-stopped.ts';
import { type Envelope, envelope, firstProblem, timeOf } from './signals/envelope.ts';
import { interruption } from './signals/interruption.ts';
import { launchUnsuccessful } from './signals/launch-unsuccessful.ts';
import { policyChange, tick } from './signals/own.ts';
import { rebalance } from './signals/rebalance.ts';
import type { SignalType } from './signals/signal-type.ts';
import { stateChange } from './signals/state-change.ts';
import { lifecycleAction, readLifecycleAction, terminateHook } from './signals/terminate-hook.ts';

const signalTypes: readonly SignalType[] = [
  interruption,
  rebalance,
  stateChange,
  terminateHook,
  launchUnsuccessful,
  alarm,
  drainStopped,
  policyChange,
  tick,
];
const typeOf = new Map(signalTypes.map((type) => [`${type.source} ${type.detailType}`, type]));

/** SNS wraps messages that it delivers to a queue, unless raw delivery is on. */
const snsNotification = z.object({ Type: z.literal('Notification'), Message: z.string() });
/** Auto Scaling sends this once when a hook with a notification target is created. */
const testNotification = z.object({ Event: z.literal('autoscaling:TEST_NOTIFICATION') });

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The account and region of the queue. */
export type Home = { readonly account?: string | undefined; readonly region?: string | undefined };
/** When a message was sent, epoch milliseconds, and to which queue. */
type Arrival = Home & { readonly sentAtMs: number };

/** Older than anything that waited in the queue: somebody replays an old message. */
const tooOldMs = signalsRetentionDays * 24 * 3_600_000;

/**
 * Names of alarms and Auto Scaling groups are unique only within one account and region. A message without account and
 * region counts as one of this account and region. Instances need no such check: their ids are unique, and only an
 * instance that EC2 shows us here, with our tag, is ours.
 */
const isFromElsewhere = (account: string | undefined, region: string | undefined, arrival: Arrival): boolean =>
  (account ?? arrival.account) !== (arrival.account ?? account) ||
  (region ?? arrival.region) !== (arrival.region ?? region);

const fromElsewhere: Reading = { kind: 'ignored', why: 'it happened in another account or region' };

const readDirect = (body: unknown, arrival: Arrival): Reading | undefined => {
  if (z.safeParse(testNotification, body).success)
    return { kind: 'ignored', why: 'test notification of a lifecycle hook' };
  const action = z.safeParse(lifecycleAction, body);
  if (!action.success) return undefined;
  return isFromElsewhere(action.data.AccountId, undefined, arrival)
    ? fromElsewhere
    : readLifecycleAction(action.data, arrival.sentAtMs);
};

/**
 * Nothing can have happened after its message was sent: a sender's clock that runs ahead must not extend deadlines and
 * cooldowns.
 */
const notAfter = (event: Envelope, sentAtMs: number): Envelope =>
  timeOf(event) > sentAtMs ? { ...event, time: new Date(sentAtMs).toISOString() } : event;

const readEvent = (event: Envelope, arrival: Arrival): Reading => {
  const type = typeOf.get(`${event.source} ${event['detail-type']}`);
  if (type === undefined) return { kind: 'invalid', why: 'unknown detail-type' };
  if (event.source !== 'aws.ec2' && isFromElsewhere(event.account, event.region, arrival)) return fromElsewhere;
  if (timeOf(event) < arrival.sentAtMs - tooOldMs)
    return { kind: 'ignored', why: 'the event is much older than its message' };
  return type.read(notAfter(event, arrival.sentAtMs));
};

const readBody = (body: unknown, arrival: Arrival): Reading => {
  const event = z.safeParse(envelope, body);
  if (!event.success) return readDirect(body, arrival) ?? { kind: 'invalid', why: firstProblem(event.error) };
  return readEvent(event.data, arrival);
};

/**
 * Reads one message of the signals queue: an event in EventBridge's envelope, a lifecycle action in its direct form,
 * either of them wrapped by SNS. Never throws, whatever the text. `sentAtMs`, when the message was sent, is used as the
 * time of forms without one, and as an upper bound for the others.
 */
export const readMessage = (text: string, sentAtMs: number, home: Home = {}): Reading => {
  const arrival = { ...home, sentAtMs };
  const body = parseJson(text);
  if (body === undefined) return { kind: 'invalid', why: 'message is not JSON' };
  const wrapped = z.safeParse(snsNotification, body);
  if (!wrapped.success) return readBody(body, arrival);
  const inner = parseJson(wrapped.data.Message);
  return inner === undefined ? { kind: 'invalid', why: 'the SNS message is not JSON' } : readBody(inner, arrival);
};

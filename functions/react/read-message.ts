import * as z from 'zod/mini';
import type { Reading } from '../../core/signal.ts';
import { alarm } from './signals/alarm.ts';
import { envelope, firstProblem } from './signals/envelope.ts';
import { interruption } from './signals/interruption.ts';
import { launchUnsuccessful } from './signals/launch-unsuccessful.ts';
import { policyChange, tick } from './signals/own.ts';
import { rebalance } from './signals/rebalance.ts';
import type { SignalType } from './signals/signal-type.ts';
import { stateChange } from './signals/state-change.ts';
import { lifecycleAction, readLifecycleAction, terminateHook } from './signals/terminate-hook.ts';

const signalTypes: readonly SignalType[] = [interruption, rebalance, stateChange, terminateHook, launchUnsuccessful, alarm, policyChange, tick];
const typeOf = new Map(signalTypes.map((type) => [`${type.source} ${type.detailType}`, type]));

/** SNS wraps what it delivers to a queue, unless raw delivery is on. */
const snsNotification = z.object({ Type: z.literal('Notification'), Message: z.string() });
/** Auto Scaling sends this once when a hook with a notification target is made. */
const testNotification = z.object({ Event: z.literal('autoscaling:TEST_NOTIFICATION') });

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const readDirect = (body: unknown, sentAtMs: number): Reading | undefined => {
  if (z.safeParse(testNotification, body).success) return { kind: 'ignored', why: 'test notification of a lifecycle hook' };
  const action = z.safeParse(lifecycleAction, body);
  return action.success ? readLifecycleAction(action.data, sentAtMs) : undefined;
};

const readBody = (body: unknown, sentAtMs: number): Reading => {
  const event = z.safeParse(envelope, body);
  if (!event.success) return readDirect(body, sentAtMs) ?? { kind: 'invalid', why: firstProblem(event.error) };
  const type = typeOf.get(`${event.data.source} ${event.data['detail-type']}`);
  return type?.read(event.data) ?? { kind: 'invalid', why: 'no such detail-type is known' };
};

/**
 * Reads one message of the signals queue: an event in EventBridge's envelope, a lifecycle action in its direct form, either of them wrapped by SNS.
 * Never throws, whatever the text. `sentAtMs` is when the message was sent, for forms that carry no time of their own.
 */
export const readMessage = (text: string, sentAtMs: number): Reading => {
  const body = parseJson(text);
  if (body === undefined) return { kind: 'invalid', why: 'message is not JSON' };
  const wrapped = z.safeParse(snsNotification, body);
  if (!wrapped.success) return readBody(body, sentAtMs);
  const inner = parseJson(wrapped.data.Message);
  return inner === undefined ? { kind: 'invalid', why: 'the SNS message is not JSON' } : readBody(inner, sentAtMs);
};

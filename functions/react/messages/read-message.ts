import * as z from 'zod/mini';
import { firstProblem } from '../../../core/signals/fields.ts';
import { type Reading, signalKinds } from '../../../core/signals/signal.ts';
import type { TimeOf } from '../../../core/signals/signal-kind.ts';
import { lifecycleAction, readLifecycleAction } from '../../../core/signals/terminate-hook.ts';
import { signalsRetentionMs } from '../../../core/times/times.ts';

/** The parts of EventBridge's envelope that we rely on. Other members are ignored: AWS adds some over time. */
const envelope = z.object({
  'detail-type': z.string(),
  source: z.string(),
  time: z.optional(z.union([z.iso.datetime({ offset: true }), z.literal('')])),
  account: z.optional(z.string()),
  region: z.optional(z.string()),
  detail: z.record(z.string(), z.unknown()),
});
type Envelope = z.infer<typeof envelope>;

const kindByName = new Map<string, (typeof signalKinds)[number]>(
  signalKinds.map((kind) => [`${kind.source} ${kind.detailType}`, kind]),
);

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

/** An event that is older than any waiting message was replayed. */
const tooOldMs = signalsRetentionMs;

/**
 * Names of alarms and Auto Scaling groups are unique only within one account and region. A message without account and
 * region counts as one of this account and region. Instances need no such check: their ids are unique, and only an
 * instance that EC2 shows us here, with our tag, is ours.
 */
const isFromElsewhere = (account: string | undefined, region: string | undefined, arrival: Arrival): boolean =>
  (account ?? arrival.account) !== (arrival.account ?? account) ||
  (region ?? arrival.region) !== (arrival.region ?? region);

/** Sources whose events are about instances. AWS Health sends some to a second region, too. */
const aboutInstances: ReadonlySet<string> = new Set(['aws.ec2', 'aws.health']);

const fromElsewhere: Reading = { kind: 'ignored', why: 'it happened in another account or region' };

const readDirect = (body: unknown, arrival: Arrival): Reading | undefined => {
  if (z.safeParse(testNotification, body).success)
    return { kind: 'ignored', why: 'test notification of a lifecycle hook' };
  const action = z.safeParse(lifecycleAction, body);
  if (!action.success) return undefined;
  if (isFromElsewhere(action.data.AccountId, undefined, arrival)) return fromElsewhere;
  const read = readLifecycleAction(action.data, arrival.sentAtMs);
  return 'why' in read ? read : { kind: 'signals', signals: [read] };
};

const timeOf: TimeOf = (text) => {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
};

const readEvent = (event: Envelope, arrival: Arrival): Reading => {
  const kind = kindByName.get(`${event.source} ${event['detail-type']}`);
  if (kind === undefined) return { kind: 'invalid', why: 'unknown detail-type' };
  if (!aboutInstances.has(event.source) && isFromElsewhere(event.account, event.region, arrival)) return fromElsewhere;
  const saidMs = timeOf(event.time);
  if (saidMs === undefined && kind.mayLackTime !== true) return { kind: 'invalid', why: 'time: is missing' };
  const atMs = saidMs ?? arrival.sentAtMs;
  if (atMs < arrival.sentAtMs - tooOldMs) return { kind: 'ignored', why: 'the event is much older than its message' };
  // An event happens before its message is sent. So a sender's clock that runs ahead does not extend deadlines and
  // cooldowns.
  return kind.read(event.detail, Math.min(atMs, arrival.sentAtMs), timeOf);
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

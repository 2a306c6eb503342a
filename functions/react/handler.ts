import * as z from 'zod/mini';
import { reactTimeoutMs } from '../../core/times/times.ts';
import { correctedClock } from '../runtime/clock.ts';
import { sha256 } from '../runtime/sha256.ts';
import { withRuntime } from '../runtime/with-runtime.ts';
import { type Message, react } from './react.ts';
import { wire } from './wire.ts';

const sqsEvent = z.object({
  Records: z.array(
    z.object({
      messageId: z.string(),
      receiptHandle: z.string(),
      body: z.string(),
      eventSourceARN: z.string(),
      attributes: z.object({ SentTimestamp: z.string(), ApproximateFirstReceiveTimestamp: z.string() }),
    }),
  ),
});

const toMessage = ({
  messageId,
  receiptHandle,
  body,
  eventSourceARN,
  attributes,
}: z.infer<typeof sqsEvent>['Records'][number]): Message => {
  const [, , , region, account] = eventSourceARN.split(':');
  return { id: messageId, receipt: receiptHandle, body, sentAtMs: Number(attributes.SentTimestamp), account, region };
};

/** A message is read after it was received. A wake was sent long before that. */
const firstReceivedAtMs = ({ attributes }: z.infer<typeof sqsEvent>['Records'][number]): number =>
  Number(attributes.ApproximateFirstReceiveTimestamp);

/**
 * Handles every signal, in batches: reads them, brings their groups to what their policies say, and returns the
 * messages that must be delivered again.
 */
export const { handler, create } = withRuntime('react', (surroundings, telemetry) => {
  const clock = correctedClock(surroundings);
  const ports = wire({ ...surroundings, now: clock.now }, telemetry);
  return async (event, context) => {
    const { Records } = z.parse(sqsEvent, event);
    const messages = Records.map(toMessage);
    const timed = { timeoutMs: reactTimeoutMs, leftMs: () => context.getRemainingTimeInMillis() };
    clock.begin({ atLeastMs: Math.max(0, ...Records.map(firstReceivedAtMs)), timed });
    const { again } = await react(messages, ports, sha256);
    return { batchItemFailures: again.map((itemIdentifier) => ({ itemIdentifier })) };
  };
});

import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ownMessages } from '../../core/contract.ts';
import type { Wakes } from '../../core/ports/surroundings.ts';
import { ownMessage } from './own-message.ts';

/**
 * Longest delay of a message (SQS Developer Guide). A later wake is sent with this delay; the tick comes long before
 * it.
 */
const longestDelaySeconds = 900;

type Deps = { readonly client: SQSClient; readonly queueUrl: string; readonly now: () => number };

/**
 * A group that this environment wakes in time already is not woken once more. Each look arranges the next one, so two
 * wakes at a time would go on as two, and a wake that SQS delivers twice would become two at each step.
 */
export const createWakes = ({ client, queueUrl, now }: Deps): Wakes => {
  /** When each group is woken next, as far as this environment sent it. */
  const next = new Map<string, number>();
  const isWoken = (group: string, nowMs: number, atMs: number): boolean => {
    const sentForMs = next.get(group);
    return sentForMs !== undefined && sentForMs > nowMs && sentForMs <= atMs;
  };
  return {
    async wake(groups, atMs) {
      const nowMs = now();
      const wanted = groups.filter((group) => !isWoken(group, nowMs, atMs));
      if (wanted.length === 0) return;
      const DelaySeconds = Math.min(longestDelaySeconds, Math.max(0, Math.ceil((atMs - nowMs) / 1000)));
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: ownMessage(ownMessages.tick, wanted, nowMs),
          DelaySeconds,
        }),
      );
      for (const group of wanted) next.set(group, atMs);
    },
  };
};

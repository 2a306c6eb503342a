import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { ownMessages } from '../../core/contract.ts';
import type { Wakes } from '../../core/ports/surroundings.ts';
import { isCommonMark } from '../../core/times/again.ts';
import { inParallel } from '../calls/in-parallel.ts';
import type { JoinLook } from '../state/common-looks.ts';
import { type ClaimWake, soonEnoughMs } from '../state/wake-claims.ts';
import { ownMessage } from './own-message.ts';

/**
 * Longest delay of a message (SQS Developer Guide). A later wake is sent with this delay; the tick comes long before
 * it.
 */
const longestDelaySeconds = 900;

const claimsAtOnce = 50;

type Deps = {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly claim: ClaimWake;
  readonly joinLook: JoinLook;
  readonly now: () => number;
};

/**
 * Sends no second wake for a group that is woken in time already. Each look arranges the next one, so two wakes at a
 * time would stay two, and a wake that SQS delivers twice would double them. An environment remembers the wakes that it
 * sent, and environments claim each wake before they send it. Groups that are woken together for a common mark share
 * one message of all environments: the first environment sends it, and the groups of the others join its look.
 */
export const createWakes = ({ client, queueUrl, claim, joinLook, now }: Deps): Wakes => {
  /** Wakes of each group that this environment sent. An earlier one may be sent while a later one is still to come. */
  const sent = new Map<string, readonly number[]>();
  /** The last wake of each group that came here. Its time may be ahead of this clock. */
  const last = new Map<string, number>();
  const isWoken = (group: string, nowMs: number, atMs: number): boolean =>
    (sent.get(group) ?? []).some((sentForMs) => {
      if (sentForMs === last.get(group)) return false;
      return sentForMs > nowMs && sentForMs <= atMs + soonEnoughMs;
    });
  const noteSent = (group: string, atMs: number): void => {
    const nowMs = now();
    sent.set(group, [...(sent.get(group) ?? []).filter((sentForMs) => sentForMs > nowMs), atMs]);
  };
  const claimed = async (groups: readonly string[], atMs: number): Promise<readonly string[]> => {
    const claims = await inParallel(groups, claimsAtOnce, async (group) =>
      (await claim(group, atMs, last.get(group))) ? group : [],
    );
    return claims.flat();
  };
  const send = async (groups: readonly string[], atMs: number, isShared: boolean): Promise<void> => {
    const nowMs = now();
    const DelaySeconds = Math.min(longestDelaySeconds, Math.max(0, Math.ceil((atMs - nowMs) / 1000)));
    const MessageBody = ownMessage(ownMessages.tick, groups, nowMs, { forMs: atMs, ...(isShared && { isShared }) });
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody, DelaySeconds }));
  };
  return {
    async wake(groups, atMs, how) {
      const unsent = groups.filter((group) => !isWoken(group, now(), atMs));
      const wanted = await claimed(unsent, atMs);
      if (wanted.length === 0) return;
      const joining = how === 'together' && isCommonMark(atMs) ? await joinLook(wanted, atMs) : 'alone';
      if (joining !== 'joined') await send(wanted, atMs, joining === 'first');
      for (const group of wanted) noteSent(group, atMs);
    },
    came(groups, atMs) {
      for (const group of groups) last.set(group, atMs);
    },
  };
};

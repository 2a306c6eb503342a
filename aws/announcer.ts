import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import type { Announcement, Announcer } from '../core/ports.ts';
import { eventSource } from '../functions/contract.ts';
import { chunks } from './chunks.ts';
import { inParallel } from './in-parallel.ts';

/** Entries that one PutEvents takes (EventBridge API reference). */
const entriesPerCall = 10;
const callsAtOnce = 8;
const attempts = 3;

export type AnnouncerDeps = { readonly client: EventBridgeClient; readonly eventBusName: string };

/** Puts our events on the bus. The bus may take some entries of a call and refuse others: those are sent again, and thrown about in the end. */
export const createAnnouncer = ({ client, eventBusName }: AnnouncerDeps): Announcer => {
  const entryOf = ({ detailType, group, detail }: Announcement): PutEventsRequestEntry => ({
    EventBusName: eventBusName,
    Source: eventSource,
    DetailType: detailType,
    Detail: JSON.stringify({ ...detail, group }),
  });

  const put = async (entries: readonly PutEventsRequestEntry[], attempt = 1): Promise<void> => {
    const { Entries } = await client.send(new PutEventsCommand({ Entries: [...entries] }));
    const refused = entries.filter((_, index) => Entries?.[index]?.ErrorCode);
    if (refused.length === 0) return;
    if (attempt < attempts) return put(refused, attempt + 1);
    const codes = [...new Set((Entries ?? []).flatMap(({ ErrorCode }) => ErrorCode ?? []))].join(', ');
    throw new Error(`The event bus ${eventBusName} did not take ${refused.length} events (${codes}). What they tell of is done and stored.`);
  };

  return {
    async announce(announcements) {
      await inParallel(chunks(announcements, entriesPerCall), callsAtOnce, (part) => put(part.map(entryOf)));
    },
  };
};

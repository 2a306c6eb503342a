import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { eventSource } from '../../core/contract.ts';
import type { Announcement, Announcer } from '../../core/ports/surroundings.ts';
import { inParallel } from '../calls/in-parallel.ts';

/** The most entries that one PutEvents takes, and half of their total size (EventBridge API reference: 10, 256 KB). */
const entriesPerCall = 10;
const bytesPerCall = 131_072;
const callsAtOnce = 8;
const attempts = 3;

export type AnnouncerDeps = { readonly client: EventBridgeClient; readonly eventBusName: string };

/** Consecutive entries that fit into one call. */
const callsOf = (entries: readonly PutEventsRequestEntry[]): readonly (readonly PutEventsRequestEntry[])[] => {
  const calls: PutEventsRequestEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.Detail ?? '');
    const last = calls.at(-1);
    if (last !== undefined && last.length < entriesPerCall && bytes + size <= bytesPerCall) {
      last.push(entry);
      bytes += size;
    } else {
      calls.push([entry]);
      bytes = size;
    }
  }
  return calls;
};

/**
 * Puts our events on the bus. The bus may take some entries of a call and refuse others. Refused entries are sent
 * again; if they are refused to the end, this throws an error with the code of the first.
 */
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
    const codes = [...new Set((Entries ?? []).flatMap(({ ErrorCode }) => ErrorCode ?? []))];
    throw Object.assign(
      new Error(
        `The event bus ${eventBusName} did not take ${refused.length} events (${codes.join(', ')}). ` +
          'What they report is stored.',
      ),
      { name: codes[0], $fault: 'server' },
    );
  };

  return {
    async announce(announcements) {
      await inParallel(callsOf(announcements.map(entryOf)), callsAtOnce, (entries) => put(entries));
    },
  };
};

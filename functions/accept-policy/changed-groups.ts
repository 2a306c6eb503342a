import * as z from 'zod/mini';
import { items } from '../contract.ts';

const text = z.object({ S: z.string() });
const record = z.object({
  dynamodb: z.object({ SequenceNumber: z.optional(z.string()), Keys: z.object({ group: text, item: text }) }),
});

/** A group whose policy item changed, and the first record of that change. */
export type ChangedGroup = { readonly group: string; readonly sequenceNumber: string | undefined };

export type Changes = {
  readonly groups: readonly ChangedGroup[];
  /** Records that are not about a policy item. A repeat would not change that, so they are acknowledged. */
  readonly unreadable: number;
};

/**
 * The groups of a batch of stream records, each once. The images in the records are not used: the item may have changed
 * again since, and only its present content counts.
 */
export const changedGroups = (event: unknown): Changes => {
  const records = z.safeParse(z.object({ Records: z.array(z.unknown()) }), event).data?.Records ?? [];
  const read = records.map((one) => z.safeParse(record, one).data?.dynamodb);
  const first = new Map<string, ChangedGroup>();
  for (const change of read) {
    const group = change?.Keys.group.S;
    if (group === undefined || change?.Keys.item.S !== items.policy || first.has(group)) continue;
    first.set(group, { group, sequenceNumber: change.SequenceNumber });
  }
  return { groups: [...first.values()], unreadable: read.filter((change) => change === undefined).length };
};

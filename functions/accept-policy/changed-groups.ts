import * as z from 'zod/mini';
import { items, registryPartition } from '../../core/contract.ts';

const text = z.object({ S: z.string() });
const record = z.object({
  dynamodb: z.object({
    SequenceNumber: z.optional(z.string()),
    Keys: z.object({ group: text, item: text }),
    NewImage: z.optional(z.unknown()),
  }),
});

/**
 * A group in whose partition an item changed, and the first record about it. `others` are the sort keys of items that
 * Holdfast neither writes nor reads.
 */
export type ChangedGroup = {
  readonly group: string;
  readonly sequenceNumber: string | undefined;
  readonly others: readonly string[];
};

export type Changes = {
  readonly groups: readonly ChangedGroup[];
  /** Records that cannot be read: they can never become a change of a policy, so they are acknowledged. */
  readonly unreadable: number;
};

/** Whether `accept-policy` writes this item itself. */
const isOwn = (group: string, item: string): boolean =>
  item === items.status ||
  item === items.accepted ||
  item.startsWith(items.versionPrefix) ||
  (group === registryPartition && item !== items.policy);

/**
 * The groups of a batch of stream records, each once. The images in the records are not used: the item may have changed
 * again since, and only its present content counts.
 */
export const changedGroups = (event: unknown): Changes => {
  const records = z.safeParse(z.object({ Records: z.array(z.unknown()) }), event).data?.Records ?? [];
  const read = records.map((one) => z.safeParse(record, one).data?.dynamodb);
  const first = new Map<string, ChangedGroup>();
  for (const change of read) {
    if (change === undefined) continue;
    const { group, item } = { group: change.Keys.group.S, item: change.Keys.item.S };
    if (isOwn(group, item)) continue;
    const { sequenceNumber = change.SequenceNumber, others = [] } = first.get(group) ?? {};
    const removed = change.NewImage === undefined;
    const more = item === items.policy || removed || others.includes(item) ? [] : [item];
    first.set(group, { group, sequenceNumber, others: [...others, ...more] });
  }
  return { groups: [...first.values()], unreadable: read.filter((change) => change === undefined).length };
};

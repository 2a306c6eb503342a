import * as z from 'zod/mini';
import { items, registryPartition } from '../../core/contract.ts';

const text = z.object({ S: z.string() });
const record = z.object({
  dynamodb: z.object({
    SequenceNumber: z.optional(z.string()),
    ApproximateCreationDateTime: z.optional(z.number()),
    Keys: z.object({ group: text, item: text }),
    NewImage: z.optional(z.unknown()),
  }),
});

/** What a batch of records says about a group. */
export type Changed = {
  /** The sort keys of items that Holdfast neither writes nor reads. */
  readonly others: readonly string[];
  /** When its policy item was last written, epoch ms. Absent where no record says that it was. */
  readonly writtenAtMs?: number;
};

/** A group in whose partition an item changed, and the first record about it. */
export type ChangedGroup = Changed & { readonly group: string; readonly sequenceNumber: string | undefined };

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

/** The latest moment that the time of a record may mean: a number of whole seconds, rounded down. */
const latestMs = (seconds: number): number => seconds * 1000 + 999;

type Change = z.infer<typeof record>['dynamodb'];

/** A group with one more record about it. */
const withChange = (before: ChangedGroup | undefined, change: Change): ChangedGroup => {
  const item = change.Keys.item.S;
  const { sequenceNumber = change.SequenceNumber, others = [], writtenAtMs } = before ?? {};
  const start = { group: change.Keys.group.S, sequenceNumber };
  const known = writtenAtMs === undefined ? {} : { writtenAtMs };
  if (item !== items.policy) {
    const isKnown = change.NewImage === undefined || others.includes(item);
    return { ...start, others: isKnown ? others : [...others, item], ...known };
  }
  const seconds = change.ApproximateCreationDateTime;
  const written = seconds === undefined ? known : { writtenAtMs: Math.max(latestMs(seconds), writtenAtMs ?? 0) };
  return { ...start, others, ...written };
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
    if (change === undefined || isOwn(change.Keys.group.S, change.Keys.item.S)) continue;
    first.set(change.Keys.group.S, withChange(first.get(change.Keys.group.S), change));
  }
  return { groups: [...first.values()], unreadable: read.filter((change) => change === undefined).length };
};

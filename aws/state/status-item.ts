import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { items, keys } from '../../core/contract.ts';
import type { LaunchCheck } from '../../core/launch/launch-checks.ts';
import type { PolicyStatus } from '../../core/policy/ports.ts';
import { number, problemsOf, text, texts } from './common-schema.ts';
import { UnreadableItem } from './unreadable.ts';

/** The status of a group's policy, with the results of checks of its launches. */
export type Status = Omit<PolicyStatus, 'problems' | 'warnings'> & {
  readonly problems: readonly { readonly message: string }[];
  readonly warnings: readonly { readonly message: string }[];
  readonly checks?: readonly LaunchCheck[];
  readonly checkedAt?: string;
  /** The problems that the version in force would have today, and when that was looked up. */
  readonly refusedNow?: readonly { readonly message: string }[];
  readonly lookedUpAt?: string;
};

const inWords = z.array(z.object({ message: text }));

const check = z.object({
  code: z.enum(['refused', 'not-tried', 'over-budget', 'no-dry-run']),
  pools: texts,
  launchTemplate: z.optional(text),
  market: z.optional(z.enum(['spot', 'on-demand'])),
  subnet: z.optional(text),
  awsCode: z.optional(text),
  missing: z.optional(z.object({ action: text, resource: text })),
  message: text,
}) as z.ZodMiniType<LaunchCheck>;

const status = z.object({
  group: text,
  status: z.enum(['accepted', 'rejected', 'let-go']),
  message: text,
  digest: z.optional(text),
  version: z.optional(number),
  problems: inWords,
  warnings: inWords,
  checks: z.optional(z.array(check)),
  checkedAt: z.optional(text),
  refusedNow: z.optional(inWords),
  lookedUpAt: z.optional(text),
  atMs: number,
}) as z.ZodMiniType<Status>;

/** Reads the status item of a group. Undefined when no policy was ever written. */
export const readStatus = async (
  client: DynamoDBDocumentClient,
  table: string,
  group: string,
): Promise<Status | undefined> => {
  const Key = { [keys.group]: group, [keys.item]: items.status };
  const { Item } = await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
  if (Item === undefined) return undefined;
  const parsed = z.safeParse(status, Item);
  if (parsed.success) return parsed.data;
  throw new UnreadableItem({ group, item: items.status, problems: problemsOf(parsed.error) });
};

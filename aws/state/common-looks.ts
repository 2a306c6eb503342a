import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { accountPartition, items, keys, ttlAttribute } from '../../core/contract.ts';
import type { CommonLooks } from '../../core/ports/surroundings.ts';
import { isConditionFailed, isFromAws } from '../calls/errors.ts';
import { expiresAt } from './expires.ts';

type Deps = { readonly client: DynamoDBDocumentClient; readonly table: string; readonly now: () => number };

/** Longer than from the first group that joins a look to that look. */
const keptForSeconds = 3_600;

/**
 * Adds groups to the look at that time. `first`: nobody has arranged it, so the caller does. `joined`: somebody has.
 * `begun`: it has begun without them.
 */
export type JoinLook = (groups: readonly string[], atMs: number) => Promise<'first' | 'joined' | 'begun'>;

/**
 * The looks at common times: one item for each time, with the groups that are looked at then. The items only save
 * messages and looks. Where one cannot be written, each environment arranges a look for its own groups. If the first
 * environment dies before it has arranged the look, the next tick comes in any case.
 *
 * The client must not repeat a call: a repeat of a write that was carried out without a response would find its own
 * groups there, and nobody would arrange the look.
 */
export const createCommonLooks = ({ client, table, now }: Deps): CommonLooks & { readonly join: JoinLook } => {
  const itemOf = (atMs: number) => ({
    TableName: table,
    Key: { [keys.group]: accountPartition, [keys.item]: items.look(atMs) },
  });
  const names = { '#begun': 'begunAtMs', '#expires': ttlAttribute };
  const expires = (): number => expiresAt(now(), keptForSeconds);
  return {
    async join(groups, atMs) {
      const command = new UpdateCommand({
        ...itemOf(atMs),
        UpdateExpression: 'ADD #groups :groups SET #expires = :expires',
        ConditionExpression: 'attribute_not_exists(#begun)',
        ExpressionAttributeNames: { ...names, '#groups': 'groups' },
        ExpressionAttributeValues: { ':groups': new Set(groups), ':expires': expires() },
        ReturnValues: 'UPDATED_OLD',
      });
      try {
        const { Attributes } = await client.send(command);
        return Attributes?.groups === undefined ? 'first' : 'joined';
      } catch (error) {
        if (isConditionFailed(error)) return 'begun';
        if (!isFromAws(error)) throw error;
        return 'first';
      }
    },

    async begin(atMs) {
      const command = new UpdateCommand({
        ...itemOf(atMs),
        UpdateExpression: 'SET #begun = :now, #expires = :expires',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ':now': now(), ':expires': expires() },
        ReturnValues: 'ALL_NEW',
      });
      try {
        const { Attributes } = await client.send(command);
        return [...((Attributes?.groups as ReadonlySet<string> | undefined) ?? [])];
      } catch (error) {
        if (!isFromAws(error)) throw error;
        return [];
      }
    },
  };
};

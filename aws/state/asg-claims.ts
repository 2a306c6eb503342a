import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { items, keys, registryPartition } from '../../core/contract.ts';
import type { AsgClaim, PolicyStore } from '../../core/policy/ports.ts';
import { isConditionFailed } from '../calls/errors.ts';
import { type Item, queryAll } from './query-all.ts';

const keyOf = (asg: string) => ({ [keys.group]: registryPartition, [keys.item]: items.claim(asg) });

/**
 * The text that identifies a claim. It is unique, because the records of one group are handled one after another, so
 * two writers never write for one group at the same time. Another group that begins to wait moves its time on.
 */
const stampOf = ({ group, atMs, released }: AsgClaim): string => `${group}@${atMs}${released ? '!' : ''}`;

const claimIn = ({ [keys.group]: _, [keys.item]: item, stamp: _stamp, holder, ...claim }: Item): AsgClaim =>
  ({ ...claim, asg: String(item).slice(items.claimPrefix.length), group: String(holder) }) as AsgClaim;

/** Which group holds an Auto Scaling group: one item each. Every write is conditional on the claim that was read. */
export const createAsgClaims = (
  client: DynamoDBDocumentClient,
  table: string,
): Pick<PolicyStore, 'claimOf' | 'waitedFor' | 'claim'> => {
  const read = async (asg: string) =>
    (await client.send(new GetCommand({ TableName: table, Key: keyOf(asg), ConsistentRead: true }))).Item;
  return {
    async claimOf(asg) {
      const item = await read(asg);
      return item && claimIn(item);
    },

    async waitedFor() {
      const found = await queryAll(client, {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: '#group = :registry AND begins_with(#item, :claim)',
        FilterExpression: 'attribute_exists(#waiting)',
        ExpressionAttributeNames: { '#group': keys.group, '#item': keys.item, '#waiting': 'waiting' },
        ExpressionAttributeValues: { ':registry': registryPartition, ':claim': items.claimPrefix },
      });
      return found.map(claimIn);
    },

    async claim({ asg, group, ...rest }, seen) {
      const stamp = stampOf({ asg, group, ...rest });
      const command = new PutCommand({
        TableName: table,
        Item: { ...rest, ...keyOf(asg), holder: group, stamp },
        ConditionExpression: seen === undefined ? 'attribute_not_exists(#stamp)' : '#stamp = :seen',
        ExpressionAttributeNames: { '#stamp': 'stamp' },
        ...(seen !== undefined && { ExpressionAttributeValues: { ':seen': stampOf(seen) } }),
      });
      try {
        await client.send(command);
        return 'done';
      } catch (error) {
        if (!isConditionFailed(error)) throw error;
        // A repeat after a lost response fails its condition, although the first attempt was carried out.
        return (await read(asg))?.stamp === stamp ? 'done' : 'conflict';
      }
    },
  };
};

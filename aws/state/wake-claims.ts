import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { items, keys, ttlAttribute } from '../../core/contract.ts';
import { isConditionFailed, isFromAws } from '../calls/errors.ts';
import { expiresAt } from './expires.ts';

type Deps = { readonly client: DynamoDBDocumentClient; readonly table: string; readonly now: () => number };

/** A wake that comes so much later than wanted will do. */
export const soonEnoughMs = 1_000;

/** Longer than any wake lasts. */
const keptForSeconds = 24 * 3600;

/**
 * Claims the next wake of a group. Returns false if the group is woken in time already, by whichever environment.
 * `cameMs`: a claimed wake for that time has come.
 */
export type ClaimWake = (group: string, atMs: number, cameMs?: number) => Promise<boolean>;

/**
 * The next wake of each group: one item, which guards that one environment sends it. The item only saves looks. Where
 * it cannot be written, the wake counts as claimed, so no wake depends on it. A claim whose wake was never sent
 * (because its function died or the queue failed) is over at the time of that wake. The next tick comes in any case.
 *
 * The client must not repeat a call: a repeat of a write that was carried out without a response would fail, and each
 * environment would leave the wake to another one.
 */
export const createWakeClaims =
  ({ client, table, now }: Deps): ClaimWake =>
  async (group, atMs, cameMs = 0) => {
    const nowMs = now();
    const command = new UpdateCommand({
      TableName: table,
      Key: { [keys.group]: group, [keys.item]: items.wake },
      UpdateExpression: 'SET #atMs = :atMs, #expires = :expires',
      // A later wake than this one is no use, and neither is a time that is far ahead because its writer's clock is.
      ConditionExpression: 'attribute_not_exists(#atMs) OR #atMs <= :now OR #atMs > :soonEnough OR #atMs = :came',
      ExpressionAttributeNames: { '#atMs': 'atMs', '#expires': ttlAttribute },
      ExpressionAttributeValues: {
        ':atMs': atMs,
        ':now': nowMs,
        ':came': cameMs,
        ':soonEnough': atMs + soonEnoughMs,
        ':expires': expiresAt(nowMs, keptForSeconds),
      },
    });
    try {
      await client.send(command);
      return true;
    } catch (error) {
      if (isConditionFailed(error)) return false;
      if (!isFromAws(error)) throw error;
      return true;
    }
  };

import { type DynamoDBDocumentClient, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
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

/** The stored time of the next wake, where a claim failed. Not every service that speaks DynamoDB's protocol tells. */
const nextIn = (error: unknown): number => {
  const { Item } = error as { readonly Item?: { readonly atMs?: { readonly N?: string } } };
  return Number(Item?.atMs?.N ?? Number.POSITIVE_INFINITY);
};

const isOver = (at: string): string => `attribute_not_exists(${at}) OR ${at} <= :now OR ${at} = :came`;

/** A claim where no wake is to come that is soon enough. */
const afterOthers = {
  UpdateExpression: 'SET #atMs = :atMs, #expires = :expires',
  ConditionExpression: `(${isOver('#atMs')}) AND (${isOver('#later')} OR #later > :soonEnough)`,
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
} as const;

/**
 * A claim before a later wake, which is no use now, and neither is a time that is far ahead because its writer's clock
 * is.
 */
const beforeOther = {
  UpdateExpression: 'SET #later = #atMs, #atMs = :atMs, #expires = :expires',
  ConditionExpression: '#atMs > :soonEnough',
} as const;

/**
 * The next wake of each group: one item, which guards that one environment sends it. The item only saves looks. Where
 * it cannot be written, the wake counts as claimed, so no wake depends on it. A claim whose wake was never sent
 * (because its function died or the queue failed) is over at the time of that wake. The next tick comes in any case.
 *
 * `laterAtMs`: a wake that was claimed before an earlier one was. Its message comes too, so the look at the earlier
 * time claims no second one for that time.
 *
 * The client must not repeat a call: a repeat of a write that was carried out without a response would fail, and each
 * environment would leave the wake to another one.
 */
export const createWakeClaims = ({ client, table, now }: Deps): ClaimWake => {
  /** Undefined: claimed. Otherwise the time of the wake that is claimed already. */
  const claim = async (input: Omit<UpdateCommandInput, 'TableName'>): Promise<number | undefined> => {
    try {
      await client.send(new UpdateCommand({ TableName: table, ...input }));
      return undefined;
    } catch (error) {
      if (isConditionFailed(error)) return nextIn(error);
      if (!isFromAws(error)) throw error;
      return undefined;
    }
  };
  return async (group, atMs, cameMs = 0) => {
    const nowMs = now();
    const soonEnough = atMs + soonEnoughMs;
    const item = {
      Key: { [keys.group]: group, [keys.item]: items.wake },
      ExpressionAttributeNames: { '#atMs': 'atMs', '#later': 'laterAtMs', '#expires': ttlAttribute },
    };
    const expires = expiresAt(nowMs, keptForSeconds);
    const values = { ':atMs': atMs, ':soonEnough': soonEnough, ':expires': expires };
    const also = { ':now': nowMs, ':came': cameMs };
    const next = await claim({ ...item, ...afterOthers, ExpressionAttributeValues: { ...values, ...also } });
    if (next === undefined || next <= soonEnough) return next === undefined;
    return (await claim({ ...item, ...beforeOther, ExpressionAttributeValues: values })) === undefined;
  };
};

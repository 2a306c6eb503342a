import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { accountPartition, items, keys } from '../../core/contract.ts';
import { type AccountBudget, emptyBudget } from '../../core/limits/account-budget.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { isConditionFailed } from '../calls/errors.ts';
import { fullAtIn, hasty } from './pace-item.ts';

type BudgetItem = Pick<StateStore, 'budget' | 'putBudget'>;
type Deps = { readonly client: DynamoDBDocumentClient; readonly table: string };

/**
 * Every writer of a version writes the same fields, so the text is not checked field by field. Text that is not JSON,
 * or has another schema, counts as no budget, because nothing depends on it.
 */
const schema = 2;

const parsed = (text: unknown): Partial<AccountBudget> => {
  try {
    return JSON.parse(String(text)) as AccountBudget;
  } catch {
    return {};
  }
};

/** The budget of the account: one item, as text, guarded by attribute `version`. */
export const createBudgetItem = ({ client, table }: Deps): BudgetItem => {
  const Key = { [keys.group]: accountPartition, [keys.item]: items.budget };
  return {
    async budget() {
      const { Item } = await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }), hasty);
      if (Item === undefined) return emptyBudget;
      return {
        ...emptyBudget,
        ...(Item.schema === schema && parsed(Item.budget)),
        version: Number(Item.version ?? 0),
        fullAt: fullAtIn(Item),
      };
    },

    async putBudget({ version, fullAt: _, ...budget }) {
      // An update and not a put: drains may change items, and not replace them.
      const command = new UpdateCommand({
        TableName: table,
        Key,
        UpdateExpression: 'SET #schema = :schema, #version = :version, #budget = :budget',
        ConditionExpression: version === 1 ? 'attribute_not_exists(#version)' : '#version = :read',
        ExpressionAttributeNames: { '#schema': 'schema', '#version': 'version', '#budget': 'budget' },
        ExpressionAttributeValues: {
          ':schema': schema,
          ':version': version,
          ':budget': JSON.stringify(budget),
          ...(version > 1 && { ':read': version - 1 }),
        },
      });
      return client.send(command, hasty).then(
        () => 'done' as const,
        (error: unknown) => {
          if (isConditionFailed(error)) return 'conflict' as const;
          throw error;
        },
      );
    },
  };
};

import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { items, keys } from '../core/contract.ts';
import type { StateStore } from '../core/ports/state-store.ts';
import { isConditionFailed, troubleOf } from './calls/errors.ts';
import { createAsgClaims } from './state/asg-claims.ts';
import { createBudgetItem } from './state/budget-item.ts';
import { createCheckItems } from './state/check-items.ts';
import { createDecisionItems } from './state/decision-items.ts';
import { readGroup } from './state/group-schema.ts';
import { latestVersion } from './state/latest-version.ts';
import { createRegistry } from './state/registry.ts';
import { createRequestItems } from './state/request-items.ts';
import { toState } from './state/state-item.ts';
import { stateSchema } from './state/state-schema.ts';
import { createSwapItems } from './state/swap-items.ts';
import type { TellUnreadable } from './state/unreadable.ts';
import { holdsWrite, withMark } from './state/write-marks.ts';

export type StateStoreDeps = {
  readonly client: DynamoDBDocumentClient;
  readonly groupsTable: string;
  readonly stateTable: string;
  /** Separates the writes of states from those of other environments. Absent where none are written. */
  readonly writer?: string;
  readonly now: () => number;
  readonly tell: TellUnreadable;
};

/**
 * The state table, and what is in force from the groups table.
 *
 * A group's state is one item under attribute `state`, guarded by attribute `version`. Its writer keeps it below half
 * of DynamoDB's 400 KB (`core/group-state/state-size.ts`): a launch of 1,000 adds about 22 KB of instance ids until a
 * describe shows them. Conditions compare single values only, never lists or maps, and a failed condition returns no
 * item.
 */
export const createStateStore = (deps: StateStoreDeps): StateStore => {
  const { client, stateTable: table, now, tell } = deps;
  return {
    ...createGroupItems(deps),
    ...createSwapItems({ client, table, now, tell }),
    ...createRequestItems({ client, table, now }),
    ...createDecisionItems({ client, table, now }),
    ...createCheckItems(deps),
    ...createBudgetItem({ client, table }),
  };
};

const createGroupItems = ({
  client,
  groupsTable,
  stateTable: table,
  writer = '',
  tell,
}: StateStoreDeps): Pick<StateStore, 'group' | 'lastGroup' | 'registry' | 'claimOf' | 'state' | 'putState'> => {
  const get = async (TableName: string, group: string, item: string) => {
    const Key = { [keys.group]: group, [keys.item]: item };
    return (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  };
  const state: StateStore['state'] = async (group) => toState(group, await get(table, group, items.state), tell);

  return {
    state,

    async group(name) {
      const item = await get(groupsTable, name, items.accepted);
      return item && readGroup(name, items.accepted, item.resolved);
    },

    async lastGroup(name) {
      const item = await latestVersion(client, groupsTable, name);
      return item && readGroup(name, String(item[keys.item]), item.resolved);
    },

    registry: createRegistry({ client, table: groupsTable, tell }),
    claimOf: createAsgClaims(client, groupsTable).claimOf,

    async putState(group, next) {
      const first = next.version === 1;
      const command = new PutCommand({
        TableName: table,
        Item: {
          [keys.group]: group,
          [keys.item]: items.state,
          schema: stateSchema,
          version: next.version,
          state: withMark(next, writer),
        },
        ConditionExpression: first ? 'attribute_not_exists(#version)' : '#version = :previous',
        ExpressionAttributeNames: { '#version': 'version' },
        ...(!first && { ExpressionAttributeValues: { ':previous': next.version - 1 } }),
      });
      try {
        await client.send(command);
        return 'done';
      } catch (error) {
        // A write without a response may have been carried out. Nobody else would make the launches that it reserves
        // before their lease is over.
        if (!isConditionFailed(error) && troubleOf(error) !== 'ambiguous') throw error;
        if (holdsWrite(await state(group), next, writer)) return 'done';
        if (isConditionFailed(error)) return 'conflict';
        throw error;
      }
    },
  };
};

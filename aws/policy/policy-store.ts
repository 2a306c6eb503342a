import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { items, keys, registryPartition } from '../../core/contract.ts';
import type { PolicyStatus, PolicyStore, PolicyVersion, WrittenPolicy } from '../../core/policy/ports.ts';
import type { Problem } from '../../core/policy/problem.ts';
import type { RegistryEntry } from '../../core/ports/state-store.ts';
import { isConditionFailed } from '../calls/errors.ts';
import { createAsgClaims } from '../state/asg-claims.ts';
import { latestVersion } from '../state/latest-version.ts';
import { noteOnStatus } from '../state/note-on-status.ts';
import { createRegistry } from '../state/registry.ts';
import { readHolders } from '../state/state-schema.ts';
import { type TellUnreadable, UnreadableItem } from '../state/unreadable.ts';
import { readVersion } from '../state/version-schema.ts';

export type PolicyStoreDeps = {
  readonly client: DynamoDBDocumentClient;
  readonly groupsTable: string;
  readonly stateTable: string;
  readonly tell: TellUnreadable;
};

const keyOf = (group: string, item: string) => ({ [keys.group]: group, [keys.item]: item });

/** Policy items, their versions and status, and the registry of groups. */
export const createPolicyStore = ({ client, groupsTable, stateTable, tell }: PolicyStoreDeps): PolicyStore => ({
  ...createReads(client, groupsTable, tell),
  ...createWrites(client, groupsTable),
  ...createRegistration(client, groupsTable),
  ...createAsgClaims(client, groupsTable),
  registry: createRegistry({ client, table: groupsTable, tell }),

  async holders(group) {
    const command = new GetCommand({
      TableName: stateTable,
      Key: keyOf(group, items.state),
      ConsistentRead: true,
      ProjectionExpression: '#group, #state.#holders, #state.#policyVersion, #state.#suspended',
      ExpressionAttributeNames: {
        '#group': keys.group,
        '#state': 'state',
        '#holders': 'holders',
        '#policyVersion': 'policyVersion',
        '#suspended': 'suspended',
      },
    });
    const { Item } = await client.send(command);
    return Item && readHolders(Item.state);
  },
});

/** The attributes of a policy item that Holdfast reads. */
const readAttributes: readonly string[] = [keys.group, keys.item, items.policy];

const createReads = (client: DynamoDBDocumentClient, TableName: string, tell: TellUnreadable) => {
  const get = async (group: string, item: string) =>
    (await client.send(new GetCommand({ TableName, Key: keyOf(group, item), ConsistentRead: true }))).Item;
  return {
    async written(group: string): Promise<WrittenPolicy | undefined> {
      const item = await get(group, items.policy);
      if (item === undefined) return undefined;
      const others = Object.keys(item).filter((name) => !readAttributes.includes(name));
      return { document: item.policy, others: others.sort() };
    },

    async accepted(group: string): Promise<PolicyVersion | undefined> {
      const item = await get(group, items.accepted);
      if (item === undefined) return undefined;
      const read = readVersion(group, item);
      if (read.kind === 'read') return read.version;
      // It counts as no version in force, so the policy is validated again and the next version replaces it.
      tell(read.unreadable);
      return undefined;
    },

    async latest(group: string): Promise<PolicyVersion | undefined> {
      const item = await latestVersion(client, TableName, group);
      const read = item && readVersion(group, item);
      if (read?.kind === 'unreadable') throw new UnreadableItem(read.unreadable);
      return read?.version;
    },
  };
};

const createWrites = (client: DynamoDBDocumentClient, TableName: string) => {
  const putIf = async (
    Item: Record<string, unknown>,
    condition: string,
    values?: Record<string, unknown>,
  ): Promise<'done' | 'conflict'> => {
    const names = { '#version': 'version' };
    const command = new PutCommand({
      TableName,
      Item,
      ConditionExpression: condition,
      ExpressionAttributeNames: names,
      ...(values && { ExpressionAttributeValues: values }),
    });
    try {
      await client.send(command);
      return 'done';
    } catch (error) {
      if (isConditionFailed(error)) return 'conflict';
      throw error;
    }
  };
  return {
    addVersion: (version: PolicyVersion) =>
      putIf({ ...version, ...keyOf(version.group, items.version(version.version)) }, 'attribute_not_exists(#version)'),

    /** The same version again is no conflict: an interrupted run repeats it. */
    putInForce: (version: PolicyVersion) =>
      putIf(
        { ...version, ...keyOf(version.group, items.accepted) },
        'attribute_not_exists(#version) OR #version <= :version',
        {
          ':version': version.version,
        },
      ),

    noteTold: ({ untold: _, ...version }: PolicyVersion) =>
      putIf({ ...version, ...keyOf(version.group, items.accepted) }, '#version = :version', {
        ':version': version.version,
      }),

    async removeInForce(group: string): Promise<void> {
      await client.send(new DeleteCommand({ TableName, Key: keyOf(group, items.accepted) }));
    },

    async putStatus(status: PolicyStatus): Promise<void> {
      const Item = { ...status, at: new Date(status.atMs).toISOString(), ...keyOf(status.group, items.status) };
      await client.send(new PutCommand({ TableName, Item }));
    },

    putRefusedNow: (group: string, version: number, refusedNow: readonly Problem[], atMs: number) =>
      noteOnStatus(client, TableName, {
        group,
        version,
        attributes: { refusedNow, lookedUpAt: new Date(atMs).toISOString() },
      }),
  };
};

const createRegistration = (client: DynamoDBDocumentClient, TableName: string) => ({
  async register(entry: RegistryEntry): Promise<void> {
    await client.send(
      new PutCommand({ TableName, Item: { ...entry, ...keyOf(registryPartition, items.entry(entry.group)) } }),
    );
  },
});

import { gunzipSync, gzipSync } from 'node:zlib';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { items, keys, ttlAttribute } from '../../core/contract.ts';
import type { LaunchRequest } from '../../core/launch/launch-request.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { listOf, mapOf, objectOf, oneOf, optional, text } from './checks.ts';
import { expiresAt } from './expires.ts';
import { placement } from './shapes.ts';
import { UnreadableItem } from './unreadable.ts';

type RequestItems = Pick<StateStore, 'putRequest' | 'request'>;
type Deps = { readonly client: DynamoDBDocumentClient; readonly table: string; readonly now: () => number };

/** Longer than any request is repeated. */
const keptForSeconds = 24 * 3600;

/**
 * A request of six thousand overrides is more than half a megabyte of similar text: compressed it is a twentieth of
 * that. Stored as text, which keeps the order of its fields.
 */
const packed = (request: LaunchRequest): string => gzipSync(JSON.stringify(request)).toString('base64');
const unpacked = (text: unknown): unknown => JSON.parse(gunzipSync(Buffer.from(String(text), 'base64')).toString());

const launchRequest = objectOf<LaunchRequest>({
  api: oneOf('CreateFleet', 'LaunchInstances'),
  calls: listOf(text),
  placement,
  market: oneOf('spot', 'on-demand'),
  zones: mapOf(text),
  tagsAfterwards: optional(
    listOf(objectOf<{ readonly Key: string; readonly Value: string }>({ Key: text, Value: text })),
  ),
});

/**
 * A different request under the same token would be refused, and the first one could not be repeated either. So a
 * launch needs its stored request.
 */
const readRequest = (group: string, reservation: string, raw: unknown): LaunchRequest => {
  const problem = launchRequest(raw);
  if (problem !== undefined) throw new UnreadableItem({ group, item: items.request(reservation), problems: [problem] });
  return raw as LaunchRequest;
};

/**
 * Launch requests, one item each, because the group's state item has no room for them. Each is written once, before the
 * reservation that names it.
 */
export const createRequestItems = ({ client, table, now }: Deps): RequestItems => {
  const keyOf = (group: string, reservation: string) => ({
    [keys.group]: group,
    [keys.item]: items.request(reservation),
  });
  return {
    async putRequest(group, reservation, request) {
      const [{ api }, expires] = [request, expiresAt(now(), keptForSeconds)];
      const Item = { ...keyOf(group, reservation), api, request: packed(request), [ttlAttribute]: expires };
      await client.send(new PutCommand({ TableName: table, Item }));
    },

    async request(group, reservation) {
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: keyOf(group, reservation), ConsistentRead: true }),
      );
      return Item && readRequest(group, reservation, unpacked(Item.request));
    },
  };
};

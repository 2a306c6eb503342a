import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { StateStore } from '../../core/ports/state-store.ts';
import { noteOnStatus } from './note-on-status.ts';

type Deps = { readonly client: DynamoDBDocumentClient; readonly groupsTable: string };

/** The results of checks of launches: two attributes of a group's status item. */
export const createCheckItems = ({ client, groupsTable }: Deps): Pick<StateStore, 'putChecks'> => ({
  putChecks: (group, version, checks, atMs) =>
    noteOnStatus(client, groupsTable, {
      group,
      version,
      attributes: { checks, checkedAt: new Date(atMs).toISOString() },
    }),
});

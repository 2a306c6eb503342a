import { createDocumentClient } from '../../aws/calls/clients.ts';
import { createStateStore } from '../../aws/state-store.ts';
import { env, type Surroundings } from '../../core/contract.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { requireEnv } from './env.ts';
import type { Telemetry } from './telemetry.ts';
import { tellUnreadable } from './tell-unreadable.ts';

/** The state table, and what is in force from the groups table, under the names that the construct set. */
export const stateStore = (surroundings: Surroundings, telemetry: Telemetry): StateStore =>
  createStateStore({
    client: createDocumentClient(surroundings.clientConfig),
    groupsTable: requireEnv(surroundings, env.groupsTable),
    stateTable: requireEnv(surroundings, env.stateTable),
    writer: surroundings.id,
    now: surroundings.now,
    tell: tellUnreadable(telemetry),
  });

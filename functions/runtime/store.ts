import { createDocumentClient } from '../../aws/clients.ts';
import { createStateStore } from '../../aws/state-store.ts';
import type { StateStore } from '../../core/ports.ts';
import { env, metrics, type Surroundings } from '../contract.ts';
import { requireEnv } from './env.ts';
import type { Telemetry } from './telemetry.ts';

/** The state table, and what is in force from the groups table, as the construct named them. */
export const stateStore = (surroundings: Surroundings, { count, logger }: Telemetry): StateStore =>
  createStateStore({
    client: createDocumentClient(surroundings.clientConfig),
    groupsTable: requireEnv(surroundings, env.groupsTable),
    stateTable: requireEnv(surroundings, env.stateTable),
    now: surroundings.now,
    tell: (found) => {
      count(metrics.unreadableItems);
      logger.error('A stored item could not be read in full. What could not be read counts as lost.', { ...found });
    },
  });

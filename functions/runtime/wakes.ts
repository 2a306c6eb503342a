import { createDocumentClient, createSqsClient } from '../../aws/calls/clients.ts';
import { createWakes } from '../../aws/messages/wakes.ts';
import { createWakeClaims } from '../../aws/state/wake-claims.ts';
import { env, type Surroundings } from '../../core/contract.ts';
import type { Wakes } from '../../core/ports/surroundings.ts';
import { requireEnv } from './env.ts';

/** Wakes by the queue of signals of this deployment, each claimed in its state table. */
export const wakesIn = (surroundings: Surroundings): Wakes => {
  const { clientConfig, now } = surroundings;
  return createWakes({
    client: createSqsClient(clientConfig),
    queueUrl: requireEnv(surroundings, env.signalsQueueUrl),
    claim: createWakeClaims({
      client: createDocumentClient({ ...clientConfig, maxAttempts: 1 }),
      table: requireEnv(surroundings, env.stateTable),
      now,
    }),
    now,
  });
};

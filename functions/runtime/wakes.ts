import { createDocumentClient, createSqsClient } from '../../aws/calls/clients.ts';
import { createWakes } from '../../aws/messages/wakes.ts';
import { createCommonLooks } from '../../aws/state/common-looks.ts';
import { createWakeClaims } from '../../aws/state/wake-claims.ts';
import { env, type Surroundings } from '../../core/contract.ts';
import type { CommonLooks, Wakes } from '../../core/ports/surroundings.ts';
import { requireEnv } from './env.ts';

const itemsIn = (surroundings: Surroundings) => {
  const { clientConfig, now } = surroundings;
  const client = createDocumentClient({ ...clientConfig, maxAttempts: 1 });
  return { client, table: requireEnv(surroundings, env.stateTable), now };
};

/** Looks at common times, in the state table of this deployment. */
export const commonLooksIn = (surroundings: Surroundings): CommonLooks => createCommonLooks(itemsIn(surroundings));

/** Wakes by the queue of signals of this deployment, each claimed or joined to a common look in its state table. */
export const wakesIn = (surroundings: Surroundings): Wakes => {
  const { clientConfig, now } = surroundings;
  const items = itemsIn(surroundings);
  return createWakes({
    client: createSqsClient(clientConfig),
    queueUrl: requireEnv(surroundings, env.signalsQueueUrl),
    claim: createWakeClaims(items),
    joinLook: createCommonLooks(items).join,
    now,
  });
};

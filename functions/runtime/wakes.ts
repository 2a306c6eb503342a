import { createDocumentClient, createSqsClient } from '../../aws/calls/clients.ts';
import { createWakes } from '../../aws/messages/wakes.ts';
import { createCommonLooks } from '../../aws/state/common-looks.ts';
import { createWakeClaims } from '../../aws/state/wake-claims.ts';
import { env, type Surroundings } from '../../core/contract.ts';
import type { CommonLooks, Wakes } from '../../core/ports/surroundings.ts';
import { requireEnv } from './env.ts';

/**
 * Wakes by the queue of signals of this deployment, each claimed or joined to a common look in its state table; and
 * these looks.
 */
export const wakesAndLooksIn = (surroundings: Surroundings): { readonly wakes: Wakes; readonly looks: CommonLooks } => {
  const { clientConfig, now } = surroundings;
  const client = createDocumentClient({ ...clientConfig, maxAttempts: 1 });
  const items = { client, table: requireEnv(surroundings, env.stateTable), now };
  const looks = createCommonLooks(items);
  const wakes = createWakes({
    client: createSqsClient(clientConfig),
    queueUrl: requireEnv(surroundings, env.signalsQueueUrl),
    claim: createWakeClaims(items),
    joinLook: looks.join,
    now,
  });
  return { wakes, looks };
};

/** Wakes alone. */
export const wakesIn = (surroundings: Surroundings): Wakes => wakesAndLooksIn(surroundings).wakes;

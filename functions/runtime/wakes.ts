import { createSqsClient } from '../../aws/calls/clients.ts';
import { createWakes } from '../../aws/messages/wakes.ts';
import { env, type Surroundings } from '../../core/contract.ts';
import type { Wakes } from '../../core/ports/surroundings.ts';
import { requireEnv } from './env.ts';

/** Wakes by the queue of signals of this deployment. */
export const wakesIn = (surroundings: Surroundings): Wakes =>
  createWakes({
    client: createSqsClient(surroundings.clientConfig),
    queueUrl: requireEnv(surroundings, env.signalsQueueUrl),
    now: surroundings.now,
  });

import { createDocumentClient, createSqsClient } from '../../aws/calls/clients.ts';
import { createTickQueue } from '../../aws/messages/tick-queue.ts';
import { createRegistry } from '../../aws/state/registry.ts';
import { env } from '../../core/contract.ts';
import { registryKnownMs } from '../../core/times/times.ts';
import { requireEnv } from '../runtime/env.ts';
import { tellUnreadable } from '../runtime/tell-unreadable.ts';
import { withRuntime } from '../runtime/with-runtime.ts';
import { knownFor } from './known-for.ts';
import { tick } from './tick.ts';

/** Every minute: one tick message per group. */
export const { handler, create } = withRuntime('tick', (surroundings, telemetry) => {
  const queue = createTickQueue({
    client: createSqsClient(surroundings.clientConfig),
    queueUrl: requireEnv(surroundings, env.signalsQueueUrl),
    now: surroundings.now,
  });
  const registry = knownFor(
    registryKnownMs,
    surroundings.now,
    createRegistry({
      client: createDocumentClient(surroundings.clientConfig),
      table: requireEnv(surroundings, env.groupsTable),
      tell: tellUnreadable(telemetry),
    }),
  );
  return () => tick({ registry, queue, clock: { now: surroundings.now }, telemetry });
});

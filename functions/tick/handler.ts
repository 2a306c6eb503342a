import { createSqsClient } from '../../aws/clients.ts';
import { createTickQueue } from '../../aws/tick-queue.ts';
import { env } from '../contract.ts';
import { requireEnv } from '../runtime/env.ts';
import { stateStore } from '../runtime/store.ts';
import { withRuntime } from '../runtime/with-runtime.ts';
import { tick } from './tick.ts';

/** Every minute: one tick message per group. */
export const { handler, create } = withRuntime('tick', (surroundings, telemetry) => {
  const queue = createTickQueue({
    client: createSqsClient(surroundings.clientConfig),
    queueUrl: requireEnv(surroundings, env.signalsQueueUrl),
    now: surroundings.now,
  });
  const store = stateStore(surroundings);
  return () => tick({ store, queue, telemetry });
});

import { createEventBridgeClient, createSqsClient } from '../../aws/calls/clients.ts';
import { createAnnouncer } from '../../aws/messages/announcer.ts';
import { createWakes } from '../../aws/messages/wakes.ts';
import { env, type Surroundings } from '../../core/contract.ts';
import { patienceAtTheEnd, wireDrain } from '../runtime/drain/wire.ts';
import { requireEnv } from '../runtime/env.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import type { EndDrainPorts } from './ports.ts';

/** Ports of end-drain, over AWS. */
export const wire = (surroundings: Surroundings, telemetry: Telemetry): EndDrainPorts => {
  const { clientConfig, now } = surroundings;
  return {
    ...wireDrain(surroundings, telemetry, patienceAtTheEnd),
    announcer: createAnnouncer({
      client: createEventBridgeClient(clientConfig),
      eventBusName: requireEnv(surroundings, env.eventBusName),
    }),
    wakes: createWakes({
      client: createSqsClient(clientConfig),
      queueUrl: requireEnv(surroundings, env.signalsQueueUrl),
      now,
    }),
  };
};

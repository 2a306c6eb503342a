import { createEventBridgeClient } from '../../aws/calls/clients.ts';
import { createAnnouncer } from '../../aws/messages/announcer.ts';
import { env, type Surroundings } from '../../core/contract.ts';
import { patienceAtTheEnd, wireDrain } from '../runtime/drain/wire.ts';
import { requireEnv } from '../runtime/env.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import { wakesIn } from '../runtime/wakes.ts';
import type { EndDrainPorts } from './ports.ts';

/** Ports of end-drain, over AWS. */
export const wire = (surroundings: Surroundings, telemetry: Telemetry): EndDrainPorts => {
  return {
    ...wireDrain(surroundings, telemetry, patienceAtTheEnd),
    announcer: createAnnouncer({
      client: createEventBridgeClient(surroundings.clientConfig),
      eventBusName: requireEnv(surroundings, env.eventBusName),
    }),
    wakes: wakesIn(surroundings),
  };
};

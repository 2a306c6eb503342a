import { createEventBridgeClient, createSfnClient, createSqsClient } from '../../aws/calls/clients.ts';
import { createCapacityIn } from '../../aws/capacity-provider.ts';
import { createDrains } from '../../aws/drains.ts';
import { createHookAnswers } from '../../aws/lifecycle-actions.ts';
import { createAnnouncer } from '../../aws/messages/announcer.ts';
import { createRedelivery } from '../../aws/messages/redelivery.ts';
import { createOwners } from '../../aws/owners.ts';
import { createPrices } from '../../aws/prices.ts';
import { describeTogether } from '../../aws/providers/describe-members.ts';
import { env, type Surroundings } from '../../core/contract.ts';
import { lookPatienceMs } from '../../core/limits/call-pace.ts';
import { capacityDeps } from '../runtime/capacity.ts';
import { requireEnv } from '../runtime/env.ts';
import { stateStore } from '../runtime/store.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import { wakesAndLooksIn } from '../runtime/wakes.ts';
import { createKnownPolicies } from './look/known-policies.ts';
import { noticingRestored } from './look/restored-states.ts';
import { createSeenMembers } from './messages/seen-members.ts';
import { createStrangers } from './messages/strangers.ts';
import type { ReactPorts } from './ports.ts';

/** Calls wait a part of the time that a run has. A decision goes on without target health that cannot be read now. */
const patience = { actMs: 5_000, lookMs: lookPatienceMs, reads: 'decide', healthMs: 0 } as const;

/** No look takes longer than this. */
const asgsKnownMs = 10_000;

/** Ports of react, over AWS. */
export const wire = (surroundings: Surroundings, telemetry: Telemetry): ReactPorts => {
  const { clientConfig, now, random, sleep } = surroundings;
  const capacity = { ...capacityDeps(surroundings, telemetry, patience), asgsKnownMs };
  return {
    ...noticingRestored(stateStore(surroundings, telemetry), telemetry, now),
    policies: createKnownPolicies(now),
    providerFor: (holding) => createCapacityIn(holding, capacity),
    describeTogether: (groups, look) => describeTogether(capacity, groups, look),
    begin: capacity.pacer.begin,
    owners: createOwners({ client: capacity.ec2, deployment: capacity.deployment }),
    strangers: createStrangers(),
    seen: createSeenMembers(),
    lifecycle: createHookAnswers({ client: capacity.autoScaling }),
    prices: createPrices({ client: capacity.ec2, now, missed: capacity.missed }),
    drains: createDrains({
      client: createSfnClient(clientConfig),
      stateMachineArn: requireEnv(surroundings, env.drainStateMachineArn),
    }),
    ...wakesAndLooksIn(surroundings),
    redelivery: createRedelivery({
      client: createSqsClient(clientConfig),
      queueUrl: requireEnv(surroundings, env.signalsQueueUrl),
      now,
      unheeded: (messages, codes) =>
        telemetry.logger.warn('Messages that were to come again later come at the time of the queue.', {
          messages,
          codes,
        }),
    }),
    missed: capacity.missed,
    announcer: createAnnouncer({
      client: createEventBridgeClient(clientConfig),
      eventBusName: requireEnv(surroundings, env.eventBusName),
    }),
    clock: { now },
    sleep,
    random,
    telemetry,
  };
};

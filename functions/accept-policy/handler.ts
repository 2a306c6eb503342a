import * as z from 'zod/mini';
import {
  createAutoScalingClient,
  createDocumentClient,
  createEc2Client,
  createElbClient,
  createEventBridgeClient,
  createSqsClient,
} from '../../aws/calls/clients.ts';
import { createAnnouncer } from '../../aws/messages/announcer.ts';
import { createPolicyChanges } from '../../aws/policy/policy-changes.ts';
import { createPolicyResolver } from '../../aws/policy/policy-resolver.ts';
import { createPolicyStore } from '../../aws/policy/policy-store.ts';
import { env, type Surroundings } from '../../core/contract.ts';
import { requireEnv } from '../runtime/env.ts';
import { sha256 } from '../runtime/sha256.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import { tellUnreadable } from '../runtime/tell-unreadable.ts';
import { withRuntime } from '../runtime/with-runtime.ts';
import { acceptBatch } from './accept-batch.ts';
import { acceptPolicy } from './accept-policy.ts';
import { onSchedule } from './on-schedule.ts';
import type { AcceptPolicyPorts } from './ports.ts';

const wirePorts = (surroundings: Surroundings, telemetry: Telemetry): AcceptPolicyPorts => {
  const { clientConfig, now } = surroundings;
  const client = createDocumentClient(clientConfig);
  return {
    store: createPolicyStore({
      client,
      groupsTable: requireEnv(surroundings, env.groupsTable),
      stateTable: requireEnv(surroundings, env.stateTable),
      tell: tellUnreadable(telemetry),
    }),
    resolver: createPolicyResolver({
      ec2: createEc2Client(clientConfig),
      autoScaling: createAutoScalingClient(clientConfig),
      elb: createElbClient(clientConfig),
    }),
    changes: createPolicyChanges({
      client: createSqsClient(clientConfig),
      queueUrl: requireEnv(surroundings, env.signalsQueueUrl),
    }),
    announcer: createAnnouncer({
      client: createEventBridgeClient(clientConfig),
      eventBusName: requireEnv(surroundings, env.eventBusName),
    }),
    clock: { now },
    telemetry,
  };
};

const scheduled = z.object({ 'detail-type': z.literal('Scheduled Event'), time: z.iso.datetime() });

/**
 * Turns the stream of the groups table (policy items only) into what is in force. On its schedule it judges policies
 * that wait for others, and looks up again what policies in force name.
 */
export const { handler, create } = withRuntime('accept-policy', (surroundings, telemetry) => {
  const ports = wirePorts(surroundings, telemetry);
  return (event) => {
    const { data } = z.safeParse(scheduled, event);
    return data === undefined
      ? acceptBatch(event, (group, changed) => acceptPolicy(group, ports, changed), telemetry, sha256)
      : onSchedule(Date.parse(data.time), ports, telemetry);
  };
});

import {
  createAutoScalingClient,
  createDocumentClient,
  createEc2Client,
  createElbClient,
} from '../../aws/calls/clients.ts';
import { autoScalingCall, ec2Call, loadBalancingCall, type Patience, paced } from '../../aws/calls/paced-client.ts';
import { createPacer, type Pacer } from '../../aws/calls/pacer.ts';
import type { ProviderDeps } from '../../aws/providers/provider-deps.ts';
import { createPaceItem } from '../../aws/state/pace-item.ts';
import { env, metrics, type Surroundings } from '../../core/contract.ts';
import { requireEnv } from './env.ts';
import type { Telemetry } from './telemetry.ts';

const pacerOf = (surroundings: Surroundings, { count, logger }: Telemetry): Pacer => {
  const { clientConfig, now, sleep } = surroundings;
  // The item only paces, so one attempt is enough.
  const client = createDocumentClient({ ...clientConfig, maxAttempts: 1 });
  return createPacer({
    item: createPaceItem({ client, table: requireEnv(surroundings, env.stateTable) }),
    now,
    sleep,
    unused: (error) => {
      count(metrics.readsMissed);
      logger.warn('Calls go on without the pace of the account for a while.', { error: error as Error });
    },
  });
};

/** The clients behind the capacity provider, one set per function. */
export const capacityDeps = (
  surroundings: Surroundings,
  telemetry: Telemetry,
  patience: Patience,
): ProviderDeps & { readonly pacer: Pacer } => {
  const { clientConfig, now, sleep } = surroundings;
  const pacer = pacerOf(surroundings, telemetry);
  return {
    ec2: paced(createEc2Client(clientConfig), ec2Call(patience), pacer),
    autoScaling: paced(createAutoScalingClient(clientConfig), autoScalingCall(patience), pacer),
    elb: paced(createElbClient(clientConfig), loadBalancingCall(patience), pacer),
    pacer,
    deployment: requireEnv(surroundings, env.name),
    now,
    sleep,
    note: (what, detail) => telemetry.logger.warn(what, { detail }),
    missed: (read, code) => {
      telemetry.count(metrics.readsMissed);
      telemetry.logger.warn('An optional read failed. The work goes on without it.', { read, code });
    },
  };
};
